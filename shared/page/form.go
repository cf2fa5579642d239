package page

import (
	"net/url"
	"strings"

	"eshop/shared/problem"
)

// Form is a form as it is shown: what its fields hold, and what is wrong with them. The zero value is an empty form
// without faults.
type Form struct {
	values url.Values
	Faults []Fault // in their order
}

// Fault is what is wrong with a form, for people.
type Fault struct {
	Name string // of the field: billingAddress.city, units.0.unit; "" of the form as a whole
	Code string // as the API has it
	Text string
}

// Filled is a form whose fields hold the values.
func Filled(values url.Values) Form { return Form{values: values} }

// Again is a form as it was sent, with what was wrong with it. say is what a problem without faults says. Passwords are
// not shown again.
func Again(l Language, sent url.Values, refused *problem.Problem, say func(code string) string) Form {
	f := Form{values: url.Values{}}
	for name, values := range sent {
		if !strings.Contains(strings.ToLower(name), "password") {
			f.values[name] = values
		}
	}
	if refused == nil {
		return f
	}
	for _, fault := range refused.Errors {
		text := faultTexts[fault.Code].In(l)
		if refused.Code != "invalid" {
			text = say(refused.Code)
		}
		f.Faults = append(f.Faults, Fault{Name: fieldAt(fault.Location), Code: fault.Code, Text: text})
	}
	if len(f.Faults) == 0 {
		f.Faults = []Fault{{Code: refused.Code, Text: say(refused.Code)}}
	}
	return f
}

// fieldAt is the name of a form's field at the location of a fault: body.units[0].unit is units.0.unit.
func fieldAt(location string) string {
	at := strings.TrimPrefix(strings.TrimPrefix(location, "body"), ".")
	return strings.NewReplacer("[", ".", "]", "").Replace(at)
}

// Value is what the field holds.
func (f Form) Value(name string) string { return f.values.Get(name) }

// Fault is what is wrong with the field; "" nothing.
func (f Form) Fault(name string) string {
	for _, fault := range f.Faults {
		if fault.Name == name {
			return fault.Text
		}
	}
	return ""
}

// faultTexts say what is wrong with a field, by the codes of faults (contract, section 2).
var faultTexts = map[string]Text{
	problem.Required:     {"Vyplňte prosím toto pole.", "Vyplňte prosím toto pole.", "Please fill this in."},
	problem.UnknownField: {"Toto pole sem nepatří.", "Toto pole sem nepatrí.", "This field does not belong here."},
	problem.ReadOnly:     {"Toto pole nelze měnit.", "Toto pole nemožno meniť.", "This field cannot be changed."},
	problem.WrongType:    {"Zkontrolujte prosím, co jste vyplnili.", "Skontrolujte prosím, čo ste vyplnili.", "Please check what you have filled in."},
	problem.TooLong:      {"Text je příliš dlouhý.", "Text je príliš dlhý.", "The text is too long."},
	problem.TooMany:      {"Je toho příliš mnoho.", "Je toho príliš veľa.", "There are too many of them."},
	problem.TooSmall:     {"Číslo je příliš malé.", "Číslo je príliš malé.", "The number is too small."},
	problem.TooBig:       {"Číslo je příliš velké.", "Číslo je príliš veľké.", "The number is too big."},
	problem.BadFormat:    {"Zkontrolujte prosím, jak je to napsané.", "Skontrolujte prosím, ako je to napísané.", "Please check how this is written."},
	problem.Unknown:      {"Tohle už v nabídce není.", "Toto už v ponuke nie je.", "This does not exist any more."},
	problem.Inactive:     {"Tohle teď v nabídce není.", "Toto teraz v ponuke nie je.", "This is not active."},
	problem.Duplicate:    {"Tohle je zadané dvakrát.", "Toto je zadané dvakrát.", "This is given twice."},
	problem.Conflicting:  {"Zkontrolujte prosím toto pole.", "Skontrolujte prosím toto pole.", "Please check this field."},
}
