package page

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"eshop/shared/problem"
)

// Sent is what a form shows: what was sent, or what is kept, by the names of fields, and what is wrong with it.
type Sent struct {
	Values url.Values
	Shown  url.Values      // of a record that others change, too: what was kept when the form was opened; nil: it does not say
	Faults []problem.Fault // at body.<field>
	Notice string          // what is wrong with the whole; "": nothing
	Code   string          // of what is wrong
	Token  string          // of a link that lets a password be set
	To     string          // where to go on after it
	Saved  bool            // what is shown was just saved
}

// SentForm is a form as it was sent, and why it was refused, nil: it was not; notice says that in words where it is of no
// field.
func SentForm(values url.Values, refused *problem.Problem, notice func(*problem.Problem) string) Sent {
	s := Sent{Values: values, To: LocalPath(values.Get("_to"))}
	if refused != nil {
		s.Faults, s.Code = refused.Errors, refused.Code
		if refused.Code != "invalid" {
			s.Notice = notice(refused)
		}
	}
	return s
}

// Or is what was sent or, where nothing was, what is kept of a record. The form says then what it shows, so that only what
// somebody touches is sent.
func (s Sent) Or(kept url.Values) Sent {
	if len(s.Values) == 0 {
		s.Values, s.Shown = kept, kept
	}
	return s
}

// Mendable says whether a refusal is shown in the form that was sent: what somebody can do something about there.
func Mendable(p *problem.Problem) bool {
	switch p.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusServiceUnavailable,
		http.StatusInternalServerError:
		return false
	}
	return p.Code != "cross_site"
}

// Form is what all forms have.
type Form struct {
	Summary []Link // each fault, with the field that it is of
	Notice  string
	Code    string // of what is wrong
	Token   string
	To      string
	Saved   bool
}

// Link is an address with its text.
type Link struct {
	Text, Path string
	Current    bool
	Code       string // of a fault: what it is called
}

// Field of a form. The templates of form.html show it.
type Field struct {
	ID, Name, Label, Value, Type, Autocomplete, Hint, Fault string
	Code                                                    string   // of the fault
	Mode                                                    string   // of a phone's keyboard
	Described                                               string   // the ids of what describes it
	Max                                                     int      // characters
	Required, Area, Half, Check                             bool     // Check: a checkbox, of Value "true" when it is chosen
	Options                                                 []Option // what can be chosen
	Suggested                                               []Option // what may be typed, among other things
	Shown                                                   []string // what is sent of it where nobody touches it, where the form says that
}

// Option of a field.
type Option struct {
	Value, Text string
	Chosen      bool
}

// Whether a field must be filled in.
const (
	Must = true
	May  = false
)

// maxShown is how many bytes of what was typed into a field are shown again: more than a line of text takes.
const maxShown = 10_000

// typed is the beginning of what somebody typed, and all of it where a field could take that.
func typed(all string, most int) string {
	if len(all) <= most {
		return all
	}
	return strings.ToValidUTF8(all[:most], "")
}

// Filler makes fields of what was sent, and gathers their faults in the order of the fields.
type Filler struct {
	Language
	Words // labels by the names of fields, faults as fault.<code> or, of one field, fault.<name>
	Sent
	form    string // with which the ids of its fields begin; "": there is no other form on the page
	links   []Link
	faulted map[string]bool // the names of fields that have shown their fault
}

// Within is the filler of one of several forms of a page: the ids of its fields begin with the form's.
func (f *Filler) Within(form string) *Filler {
	f.form = form + "-"
	return f
}

// Says is a text in the language of the form.
func (f *Filler) Says(name string) string { return f.Say(f.Language, name) }

// Field is a line of text whose label has its name.
func (f *Filler) Field(name, autocomplete string, required bool) Field {
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
	d := Field{ID: f.form + strings.ReplaceAll(name, ".", "-"), Name: name, Label: label,
		Value: typed(f.Values.Get(name), maxShown), Type: "text",
		Autocomplete: autocomplete, Max: 255}
	if f.Shown != nil {
		d.Shown = []string{f.Shown.Get(name)}
	}
	d.Fault, d.Code = f.Fault(name)
	if d.Fault != "" {
		d.Described = d.ID + "-fault"
		if f.faulted == nil {
			f.faulted = map[string]bool{}
		}
		f.faulted[name] = true
		f.links = append(f.links, Link{Text: d.Label + ": " + d.Fault, Path: "#" + d.ID, Code: d.Code})
	}
	return d
}

// Hinted is the field with a sentence below it.
func (d Field) Hinted(hint string) Field {
	d.Hint = hint
	d.Described = strings.TrimSpace(d.ID + "-hint " + d.Described)
	return d
}

// Long is a text of several lines, of at most so many characters.
func (f *Filler) Long(name string, most int, required bool) Field {
	d := f.Field(name, "off", required)
	d.Area, d.Max, d.Value = true, most, typed(f.Values.Get(name), max(maxShown, 4*most))
	return d
}

// Of is the field as a choice of one of the options; the one with its value is chosen.
func (d Field) Of(options ...Option) Field {
	for _, o := range options {
		o.Chosen = o.Value == d.Value
		d.Options = append(d.Options, o)
	}
	return d
}

// Halved is the field with room for another one beside it.
func (d Field) Halved() Field {
	d.Half = true
	return d
}

// Number is a field of a number or an amount.
func (f *Filler) Number(name string, required bool) Field {
	d := f.Field(name, "off", required)
	d.Mode, d.Max = "decimal", 20
	return d
}

// Moment is a field of a moment in the shops' own time.
func (f *Filler) Moment(name string, required bool) Field {
	d := f.Field(name, "off", required)
	d.Type, d.Max = "datetime-local", 32
	return d
}

// Box is a checkbox. It sends true, or false.
func (f *Filler) Box(name, label string) Field {
	d := f.Named(name, label, "off")
	d.Check, d.Required = true, true // it always has a value
	d.Value = lastOf(f.Values, name)
	if f.Shown != nil {
		d.Shown = []string{"false"} // a hidden one stands before it
		if lastOf(f.Shown, name) == "true" {
			d.Shown = append(d.Shown, "true")
		}
	}
	return d
}

// lastOf is the last value of a field, which counts where there are several; "": there is none.
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
func (f *Filler) Phone(required bool) Field {
	d := f.Field("phone", "tel", required)
	d.Type, d.Mode = "tel", "tel"
	return d
}

// Password is a field that never shows what was sent.
func (f *Filler) Password(name, label, autocomplete string, required bool) Field {
	d := f.Named(name, label, autocomplete)
	d.Value, d.Type, d.Required, d.Max = "", "password", required, 200
	return d
}

// Names are the fields of a person's names.
func (f *Filler) Names() []Field {
	return []Field{f.Field("firstName", "given-name", Must).Halved(), f.Field("lastName", "family-name", Must).Halved()}
}

// Address are the fields of an address; kind is billing or shipping.
func (f *Filler) Address(of, kind string, required bool) []Field {
	street := f.Field(of+".street", kind+" address-line1", required)
	city := f.Field(of+".city", kind+" address-level2", required).Halved()
	zip := f.Field(of+".zip", kind+" postal-code", required).Halved()
	zip.Max = 20
	country := f.Field(of+".country", kind+" country", required)
	country.Options = f.countries(country.Value, required)
	return []Field{street, city, zip, country}
}

// Company are the fields of a company, below a name that ends with a dot; "": below none.
func (f *Filler) Company(before, kind string) []Field {
	kind = strings.TrimSpace(kind + " organization")
	return []Field{f.Field(before+"company", kind, May), f.Field(before+"companyId", "off", May).Halved(),
		f.Field(before+"vatId", "off", May).Halved()}
}

// countries are those that the shops deliver to first, and the one that was sent. Of an address that must be there the
// first is chosen.
func (f *Filler) countries(chosen string, required bool) []Option {
	codes := []string{"CZ", "SK", "DE", "AT", "PL", "HU"}
	if f.Language == Slovak {
		codes[0], codes[1] = codes[1], codes[0]
	}
	if chosen != "" && !slices.Contains(codes, chosen) {
		codes = append(codes, chosen)
	}
	var options []Option
	if !required {
		options = append(options, Option{Text: "–", Chosen: chosen == ""})
	} else {
		chosen = cmp.Or(chosen, codes[0])
	}
	for _, code := range codes {
		options = append(options, Option{code, cmp.Or(f.Says(code), code), code == chosen})
	}
	return options
}

// Choice is one of some ways, whose values are their texts.
func (f *Filler) Choice(name string, ways ...string) Field {
	d := f.Named(name, name, "off")
	chosen := cmp.Or(d.Value, f.Says(ways[0]))
	for _, way := range ways {
		d.Options = append(d.Options, Option{f.Says(way), f.Says(way), f.Says(way) == chosen})
	}
	return d
}

// Fault is what is wrong with a field, in words, and its code; "": nothing.
func (f *Filler) Fault(name string) (text, code string) {
	for _, fault := range f.Faults {
		if fault.Location == "body."+name {
			return f.FaultIn(f.Language, name, fault.Code), fault.Code
		}
	}
	return "", ""
}

// FaultIn is what is wrong with a field, in words of a language.
func (w Words) FaultIn(l Language, name, code string) string {
	if own := w.Say(l, "fault."+name); own != "" && code != problem.Required {
		return own
	}
	return cmp.Or(w.Say(l, "fault."+code), w.Say(l, "fault.other"))
}

// Done is the form with its faults, those of no field included.
func (f *Filler) Done() Form {
	for _, fault := range f.Faults {
		name := strings.TrimPrefix(fault.Location, "body.")
		if !f.faulted[name] {
			text := f.FaultIn(f.Language, "", fault.Code)
			if fault.Code == problem.UnknownField { // nobody knows which one without its name
				text = typed(name, 255) + ": " + text
			}
			f.links = append(f.links, Link{Text: text, Code: fault.Code})
		}
	}
	return Form{Summary: f.links, Notice: f.Notice, Code: f.Sent.Code, Token: f.Token, To: f.To, Saved: f.Saved}
}

// Filled says whether something was sent in one of the fields, or is wrong with it.
func Filled(fields []Field) bool {
	return slices.ContainsFunc(fields, func(d Field) bool { return d.Value != "" || d.Fault != "" })
}

// maxLocalPath is how many bytes an address has to which a form leads: a header with it has room for no more.
const maxLocalPath = 4_000

// LocalPath is an address if it is a path of this host, else "".
func LocalPath(path string) string {
	if len(path) > maxLocalPath || !strings.HasPrefix(path, "/") ||
		strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '\\' }) ||
		strings.HasPrefix(path, "//") || slices.Contains(strings.Split(path, "/"), "..") {
		return ""
	}
	return path
}
