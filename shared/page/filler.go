package page

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"eshop/shared/base/problem"
)

// Filler makes fields of what was sent, and gathers their faults in the order of the fields.
type Filler struct {
	Language
	Texts // labels by the names of fields; faults as FaultIn says
	Sent
	form    string // with which the ids of its fields begin; "": there is no other form on the page
	part    string // of the form, as links to faults name it; "": the labels of its fields say enough
	links   []Link
	faulted map[string]bool // the names of fields that have shown their fault
}

// Within is the filler of one of several forms of a page: the ids of its fields begin with the form's.
func (f *Filler) Within(form string) *Filler {
	f.form = form + "-"
	return f
}

// Under names the part of the form that the next fields are in, where others have fields of the same labels; "": none.
func (f *Filler) Under(part string) { f.part = part }

// Says is a text in the language of the form.
func (f *Filler) Says(name string) string { return f.Say(f.Language, name) }

// Field is a line of text whose label has its name.
func (f *Filler) Field(name, autocomplete string, required Presence) Field {
	d := f.Named(name, name[strings.LastIndexByte(name, '.')+1:], autocomplete)
	d.Required = required
	return d
}

// Named is a line of text with another label, which may stay empty.
func (f *Filler) Named(name, label, autocomplete string) Field {
	return f.Labelled(name, f.Says(label), autocomplete)
}

// Labelled is Named with the label itself.
func (f *Filler) Labelled(name, label, autocomplete string) Field {
	field := Field{ID: f.form + strings.ReplaceAll(name, ".", "-"), Name: name, Label: label,
		Value: typed(f.Values.Get(name), maxShown), Type: "text",
		Autocomplete: autocomplete, Max: 255}
	if f.Shown != nil {
		field.Shown = []string{f.Shown.Get(name)}
	}
	field.Fault, field.Code = f.Fault(name)
	if field.Fault != "" {
		field.Described = field.ID + "-fault"
		if f.faulted == nil {
			f.faulted = map[string]bool{}
		}
		f.faulted[name] = true
		at := field.Label
		if f.part != "" {
			at = f.part + ": " + at
		}
		f.links = append(f.links, Link{Text: at + ": " + field.Fault, Path: "#" + field.ID, Code: field.Code})
	}
	return field
}

// maxShown is how many bytes of what was typed into a field are shown again: more than a line of text takes.
const maxShown = 10_000

// typed is the beginning of what somebody typed; all of it if a field could take that.
func typed(all string, most int) string {
	if len(all) <= most {
		return all
	}
	return strings.ToValidUTF8(all[:most], "")
}

// Long is a text of several lines, of at most so many characters.
func (f *Filler) Long(name string, most int, required Presence) Field {
	d := f.Field(name, "off", required)
	d.Area, d.Max, d.Value = true, most, typed(f.Values.Get(name), max(maxShown, 4*most))
	return d
}

// Number is a field of a number or an amount.
func (f *Filler) Number(name string, required Presence) Field {
	d := f.Amount(f.Field(name, "off", required))
	d.Max = 20
	return d
}

// stored matches an amount or a rate as records have it.
var stored = regexp.MustCompile(`^[0-9]+\.[0-9]{2}$`)

// Amount is the field as one of an amount: it shows what is stored with the decimal mark of the form's language, also
// where it says what it has shown. So what nobody touches is sent as it was shown.
func (f *Filler) Amount(field Field) Field {
	point := languages[f.Language].point
	field.Mode = "decimal"
	if stored.MatchString(field.Value) {
		field.Value = strings.Replace(field.Value, ".", point, 1)
	}
	for i, shown := range field.Shown {
		if stored.MatchString(shown) {
			field.Shown[i] = strings.Replace(shown, ".", point, 1)
		}
	}
	return field
}

// Moment is a field of a moment in the shops' own time.
func (f *Filler) Moment(name string, required Presence) Field {
	d := f.Field(name, "off", required)
	d.Type, d.Max = "datetime-local", 32
	return d
}

// Box is a checkbox. It sends true, or false.
func (f *Filler) Box(name, label string) Field {
	field := f.Named(name, label, "off")
	field.Check, field.Required = true, true // it always has a value
	field.Value = lastOf(f.Values, name)
	if f.Shown != nil {
		field.Shown = []string{"false"} // a hidden one stands before it
		if lastOf(f.Shown, name) == "true" {
			field.Shown = append(field.Shown, "true")
		}
	}
	return field
}

// lastOf is the last value of a field; "" if it has none. Of several values the last one counts (contract, "One
// address, two readers").
func lastOf(values url.Values, name string) string {
	if all := values[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// Email is the field of an e-mail address.
func (f *Filler) Email() Field {
	d := f.Field("email", "email", Must)
	d.Type, d.Mode = "email", "email"
	return d
}

// Phone is the field of a phone number.
func (f *Filler) Phone(required Presence) Field {
	d := f.Field("phone", "tel", required)
	d.Type, d.Mode = "tel", "tel"
	return d
}

// Password is a field that never shows what was sent.
func (f *Filler) Password(name, label, autocomplete string, required Presence) Field {
	d := f.Named(name, label, autocomplete)
	d.Value, d.Type, d.Required, d.Max = "", "password", required, 200
	return d
}

// Names are the fields of a person's names.
func (f *Filler) Names() []Field {
	return []Field{f.Field("firstName", "given-name", Must).Halved(), f.Field("lastName", "family-name", Must).Halved()}
}

// Address are the fields of an address; kind is billing or shipping. One that may stay empty is whole or not there, so
// its fields depend on each other.
func (f *Filler) Address(of, kind string, required Presence) []Field {
	defer f.Under(f.part)
	f.Under(f.Says(of))
	street := f.Field(of+".street", kind+" address-line1", required)
	city := f.Field(of+".city", kind+" address-level2", required).Halved()
	zip := f.Field(of+".zip", kind+" postal-code", required).Halved()
	zip.Max = 20
	fields := []Field{street, city, zip, f.country(of+".country", kind+" country", required)}
	for i := range fields {
		fields[i].Depends = !bool(required)
	}
	return fields
}

// Company are the fields of a company, below a name that ends with a dot; "": below none.
func (f *Filler) Company(before, kind string) []Field {
	kind = strings.TrimSpace(kind + " organization")
	return []Field{f.Field(before+"company", kind, May), f.Field(before+"companyId", "off", May).Halved(),
		f.Field(before+"vatId", "off", May).Halved()}
}

// country is the choice of an address's country: those that the shops deliver to first, and the one that was sent. One
// is chosen already, but where the form says what it has shown, which would be a change. In an address that may stay
// empty it is preset: a country alone is no address.
func (f *Filler) country(name, autocomplete string, required Presence) Field {
	field := f.Field(name, autocomplete, required)
	codes := []string{"CZ", "SK", "DE", "AT", "PL", "HU"}
	if f.Language == Slovak {
		codes[0], codes[1] = codes[1], codes[0]
	}
	if field.Value != "" && !slices.Contains(codes, field.Value) {
		codes = append(codes, field.Value)
	}
	chosen := cmp.Or(field.Value, codes[0])
	switch {
	case bool(required):
	case f.Shown != nil:
		chosen = field.Value
		field.Options = append(field.Options, Option{Text: "–", Chosen: chosen == ""})
	default:
		sent := f.Values.Get("_preset." + name)
		if field.Preset = typed(cmp.Or(sent, chosen), len(codes[0])); field.Value == sent {
			field.Value = "" // nobody has chosen it
		}
	}
	for _, code := range codes {
		field.Options = append(field.Options, Option{code, cmp.Or(f.Says(code), code), code == chosen})
	}
	return field
}

// Fault is what is wrong with a field, in words, and its code; "": nothing.
func (f *Filler) Fault(name string) (text, code string) {
	for _, fault := range f.Faults {
		if fault.Location == "body."+name {
			return cmp.Or(f.Why, f.FaultIn(f.Language, name, fault.Code)), fault.Code
		}
	}
	return "", ""
}

// FaultIn says in a language what is wrong with a field. The words for the code of a refusal (email_taken) come first,
// then those for the field: for this fault of it (fault.validTo.conflict), or for any but that it is empty. Fields that
// begin or end alike share theirs (fault.priceLevels.*, fault.*.iban). Then come those for the fault's code.
func (t Texts) FaultIn(lang Language, name, code string) string {
	if refused := t.Say(lang, "refused."+code); refused != "" {
		return refused
	}
	first, _, _ := strings.Cut(name, ".")
	for _, of := range []string{name, first + ".*", "*." + name[strings.LastIndexByte(name, '.')+1:]} {
		own := t.Say(lang, "fault."+of+"."+code)
		if own == "" && code != problem.Required {
			own = t.Say(lang, "fault."+of)
		}
		if own != "" {
			return own
		}
	}
	return cmp.Or(t.Say(lang, "fault."+code), t.Say(lang, "fault.other"))
}

// Done is the form with its faults, those of no field included.
func (f *Filler) Done() Form {
	for _, fault := range f.Faults {
		name := strings.TrimPrefix(fault.Location, "body.")
		if !f.faulted[name] {
			text := f.FaultIn(f.Language, name, fault.Code)
			if fault.Code == problem.UnknownField { // nobody knows which one without its name
				text = typed(name, 255) + ": " + text
			}
			f.links = append(f.links, Link{Text: text, Code: fault.Code})
		}
	}
	return Form{Summary: f.links, Notice: f.Notice, Code: f.Sent.Code, Token: f.Token, To: f.To, Saved: f.Saved}
}
