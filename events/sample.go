package events

// The ids of nothing that samples name.
const nowhere, nowhere2, nowhere3 = "01KYFXV0000000000000000001", "01KYFXV0000000000000000002",
	"01KYFXV0000000000000000003"

// samples is what each event's sample is made of: what happened to a record or, of events of notices, the data.
var samples = map[Name]struct {
	record Record
	data   string
}{
	CustomerCreate: {record: Record{Kind: Customers, ID: nowhere, Did: Created}},
	CustomerChange: {record: Record{Kind: Customers, ID: nowhere, Did: Changed, Groups: []Group{Contact}}},
	CustomerDelete: {record: Record{Kind: Customers, ID: nowhere, Did: Deleted}},
	ProductCreate: {record: Record{Kind: Products, ID: nowhere, Did: Created,
		Variants: []string{nowhere2, nowhere3}}},
	ProductChange: {record: Record{Kind: Products, ID: nowhere, Did: Changed, Variants: []string{nowhere2},
		Groups: []Group{Stock}}},
	ProductDelete: {record: Record{Kind: Products, ID: nowhere, Did: Deleted,
		Variants: []string{nowhere2, nowhere3}}},
	OrderChange:     {record: Record{Kind: Orders, ID: nowhere, Did: Created}},
	ShopOwnerChange: {data: `{"ownerEmail":"owner@example.cz","websiteUrl":"https://shop.example.cz","originatedAt":"2026-11-21T02:05:12.583Z"}`},
	PackageActivate: {data: samplePackage + `"occurredAt":"2026-11-21T02:05:12.583Z"}`},
	PackageDeactivate: {data: samplePackage +
		`"occurredAt":"2026-11-21T02:05:12.583Z","removedCustomCodeIds":["` + nowhere2 + `"],"keptCustomCodeIds":["` +
		nowhere3 + `"]}`},
	PackageOpenInstructions: {data: `{"packageId":"` + nowhere +
		`","locale":"cs_CZ","openedAt":"2026-11-21T02:05:12.583Z"}`},
	Ping: {data: `{"nonce":"3q2-7wAAAAAAAAAAAAAAAA"}`},
}

const samplePackage = `{"packageId":"` + nowhere + `","websiteUrl":"https://shop.example.cz","locale":"cs_CZ",`

// Sample is a call of the event with ids of nothing: what the documentation shows, and what a test of a receiver sends.
func Sample(event Name) Call {
	s := samples[event]
	if s.data != "" {
		return Call{Event: event, Data: []byte(s.data)}
	}
	return Change{Records: []Record{s.record}}.Calls(event, nil)[0]
}
