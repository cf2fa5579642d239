package events

// The ids of nothing that samples name.
const nowhere, nowhere2, nowhere3 = "01KYFXV0000000000000000001", "01KYFXV0000000000000000002",
	"01KYFXV0000000000000000003"

const samplePackage = `{"packageId":"` + nowhere + `","websiteUrl":"https://shop.example.cz","locale":"cs_CZ",`

// Sample is a call of the event with ids of nothing: what the documentation shows, and what a test of a receiver sends.
func Sample(event Name) Call {
	of := event.Row()
	if of.Sample != "" {
		return Call{Event: event, Data: []byte(of.Sample)}
	}
	r := Record{Kind: of.About.Kind, ID: nowhere, Did: of.On[0], Groups: of.Example[max(0, len(of.Example)-1):]}
	if of.About.Variants {
		r.Variants = []string{nowhere2, nowhere3}
	}
	// A change names the variants that it touched, so the sample shows one of the two.
	if r.Did == Changed && of.About.Variants {
		r.Variants = r.Variants[:1]
	}
	return Change{Records: []Record{r}}.Calls(event, nil)[0]
}
