package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"eshop/shared/base/problem"
)

// Sent is what a form shows, by the names of its fields: what was sent, or else what is stored, and what is wrong with
// it.
type Sent struct {
	Values url.Values
	// of a record that others change, too: what was kept when the form was opened; nil: it does not say
	Shown  url.Values
	Faults []problem.Fault // at body.<field>
	Notice string          // what is wrong with the whole; "": nothing
	Code   string          // of what is wrong
	Why    string          // what is wrong with the one field that has a fault; "": what the fault's code says
	Token  string          // of a link that lets a password be set
	To     string          // where to go on after it
	Saved  bool            // what is shown was just saved
}

// SentForm is a form as it was sent, and why it was refused, nil: it was not. A value that another record has is a
// fault of its field; notice says in words what is of no field.
func SentForm(values url.Values, refused *problem.Problem, notice func(*problem.Problem) string) Sent {
	sent := Sent{Values: values, To: LocalPath(values.Get("_to"))}
	if refused != nil {
		sent.Faults, sent.Code = refused.Errors, refused.Code
		switch at := takenField(refused.Code, values); {
		case at != "" && len(refused.Errors) > 0: // it says itself which of several fields it is
		case at != "": // a problem without faults, which people look for at the field
			sent.Faults = []problem.Fault{{Location: "body." + at, Code: refused.Code}}
		case ofFile(refused):
			sent.Faults = []problem.Fault{{Location: refused.Errors[0].Location, Code: refused.Code}}
		case refused.Code != "invalid":
			sent.Notice = notice(refused)
		}
	}
	return sent
}

// ofFile says whether a refusal is of a file that is too large, or of no type that is taken. Its field says so, in the
// words of the refusal itself.
func ofFile(p *problem.Problem) bool {
	return len(p.Errors) > 0 &&
		(p.Status == http.StatusRequestEntityTooLarge || p.Status == http.StatusUnsupportedMediaType)
}

// takenField is the field of a refusal as email_taken: the one whose value another record has; "" of other refusals. A
// slug is typed as url, or comes of the name.
func takenField(code string, form url.Values) string {
	value, taken := strings.CutSuffix(code, "_taken")
	switch {
	case strings.HasPrefix(code, "slug_") && form.Has("url"):
		return "url"
	case value == "slug":
		return "name"
	case value == "external_id":
		return "externalId"
	case taken:
		return value
	}
	return ""
}

// Or is what was sent. If nothing was sent, it is what is stored of a record, and the form notes that it has shown
// that: so only what somebody changes counts.
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
	Code                                                    string // of the fault
	Mode                                                    string // of a phone's keyboard
	Described                                               string // the ids of what describes it
	Max                                                     int    // characters
	// Check: a checkbox, of Value "true" when it is chosen
	Required          Presence
	Area, Half, Check bool
	// Depends: other fields say whether it must be filled in, so it is not called optional
	Depends   bool
	Preset    string   // the value that the page has chosen; with it the field counts only beside others of its object
	Options   []Option // what can be chosen
	Suggested []Option // what may be typed, among other things
	// what is sent of it where nobody touches it, where the form says that
	Shown []string
}

// Option of a field.
type Option struct {
	Value, Text string
	Chosen      bool
}

// Presence says whether a field must be filled in.
type Presence bool

// Whether a field must be filled in.
const (
	Must Presence = true
	May  Presence = false
)

// Hinted is the field with a sentence below it.
func (d Field) Hinted(hint string) Field {
	d.Hint = hint
	d.Described = strings.TrimSpace(d.ID + "-hint " + d.Described)
	return d
}

// OneOf is the field as a choice of one of the options; the one with its value is chosen.
func (d Field) OneOf(options ...Option) Field {
	for _, o := range options {
		o.Chosen = o.Value == d.Value
		d.Options = append(d.Options, o)
	}
	return d
}

// Depending is the field without the word that it is optional: other fields say whether it must be filled in.
func (d Field) Depending() Field {
	d.Depends = true
	return d
}

// Halved is the field with room for another one beside it.
func (d Field) Halved() Field {
	d.Half = true
	return d
}

// Filled says whether something was sent in one of the fields, or is wrong with it.
func Filled(fields []Field) bool {
	return slices.ContainsFunc(fields, func(d Field) bool { return d.Value != "" || d.Fault != "" })
}
