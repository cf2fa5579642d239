package docs

import (
	"encoding/json"
	"slices"
)

// entry is what the search box finds: its title and kind, where it is, and what else it is found by.
type entry struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	At    string `json:"at"`
	Words string `json:"words"`
}

// index is what the search box looks in: operations, the fields of their parameters and bodies (each once for a page),
// errors, faults and events.
func (r reader) index(sections []section) []byte {
	var all, fields []entry
	for _, s := range sections {
		seen := map[string]bool{}
		for _, o := range s.Operations {
			at := address(s.Name) + "#" + o.ID
			all = append(all, entry{"operation", o.Summary, at, o.Method + " " + o.Path + " " + o.ID + " " + o.Permission})
			for _, f := range o.fields() {
				if !seen[f.Name] {
					seen[f.Name] = true
					fields = append(fields, entry{"field", f.Name, at, s.Name + ": " + o.Summary})
				}
			}
		}
	}
	for _, e := range hooked() {
		all = append(all, entry{"event", string(e), "/docs/events#" + string(e), tells[e]})
	}
	for _, c := range Codes {
		all = append(all, entry{"error", c.Name, "/docs/errors#" + c.Name, c.Means})
	}
	for _, c := range FaultCodes {
		all = append(all, entry{"fault", c.Name, "/docs/errors#fault-" + c.Name, c.Means})
	}
	b, err := json.Marshal(append(all, fields...))
	if err != nil {
		panic("docs: " + err.Error()) // texts always encode
	}
	return b
}

// fields are all that an operation takes and answers.
func (o operation) fields() []field {
	all := slices.Concat(o.Parameters, o.Body)
	for _, a := range o.Answers {
		all = append(all, a.Fields...)
	}
	return all
}
