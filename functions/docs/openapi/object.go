package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Object is a JSON object whose members keep their order, which is how readers and generated clients see fields.
type Object struct {
	Names  []string
	Values map[string]any // *object, []any, string, json.Number, bool or nil
}

// of makes an object of names and values in turn: of("type", "string").
func of(members ...any) *Object {
	o := &Object{Values: map[string]any{}}
	for i := 0; i < len(members); i += 2 {
		o.set(members[i].(string), members[i+1])
	}
	return o
}

// set gives a member its value. A new member comes last.
func (o *Object) set(name string, v any) {
	if _, there := o.Values[name]; !there {
		o.Names = append(o.Names, name)
	}
	o.Values[name] = v
}

// drop takes a member away.
func (o *Object) drop(name string) {
	delete(o.Values, name)
	o.Names = slices.DeleteFunc(o.Names, func(n string) bool { return n == name })
}

// copy is an object that has the same members, down to the last.
func (o *Object) copy() *Object {
	return Must(Parse(InLine(nil, o)))
}

// Must is a value that is made of a part of the program, like a file in it. That it cannot be made is the program's own
// fault.
func Must[T any](v T, err error) T {
	if err != nil {
		panic("docs: " + err.Error())
	}
	return v
}

// walk calls do with every object in a value of the document, with an outer one before those within.
func walk(v any, do func(*Object)) {
	switch x := v.(type) {
	case []any:
		for _, inner := range x {
			walk(inner, do)
		}
	case *Object:
		do(x)
		for _, name := range x.Names {
			walk(x.Values[name], do)
		}
	}
}

// order moves these names to the front, as far as they are there.
func (o *Object) order(first ...string) {
	// Names that are not asked for all have the same rank, so the stable sort leaves them in their order behind the
	// others.
	at := func(n string) int {
		if i := slices.Index(first, n); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(o.Names, func(a, b string) int { return at(a) - at(b) })
}

// In is the object at a path of names. Where there is none, it is an empty one that belongs to nothing: reading goes on
// without a check at each step, and what is set there is lost.
func (o *Object) In(path ...string) *Object {
	for _, name := range path {
		next, _ := o.Values[name].(*Object)
		if next == nil {
			return of()
		}
		o = next
	}
	return o
}

// List is a member that is an array; nil when there is none.
func (o *Object) List(name string) []any {
	l, _ := o.Values[name].([]any)
	return l
}

// Text is a member that is a string; "" when there is none.
func (o *Object) Text(name string) string {
	s, _ := o.Values[name].(string)
	return s
}

// MarshalJSON writes the members in their order.
func (o *Object) MarshalJSON() ([]byte, error) { return InLine(nil, o), nil }

// Parse reads JSON and keeps the order of its members, which encoding/json's maps would lose.
func Parse(b []byte) (*Object, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	// A float64 would write 1.10 as 1.1, and change large integers.
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	o, is := v.(*Object)
	if !is {
		return nil, errors.New("docs: not an object")
	}
	return o, nil
}

// value reads the next value: an *object, a []any, or a scalar as the decoder gives it.
func value(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return members(decoder)
	case json.Delim('['):
		return entries(decoder)
	}
	return token, nil
}

// members reads an object, whose opening brace is read already, up to its closing one.
func members(decoder *json.Decoder) (*Object, error) {
	object := of()
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		v, err := value(decoder)
		if err != nil {
			return nil, err
		}
		object.set(name.(string), v)
	}
	_, err := decoder.Token()
	return object, err
}

// entries reads an array, whose opening bracket is read already, up to its closing one.
func entries(decoder *json.Decoder) ([]any, error) {
	list := []any{}
	for decoder.More() {
		v, err := value(decoder)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := decoder.Token()
	return list, err
}

// Resolved follows a schema's references in the document to the schema itself: of several that a value can be of, to
// the first, null apart.
func (document *Object) Resolved(schema *Object) *Object {
	const prefix = "#/components/schemas/"
	for ref := schema.Text("$ref"); ref != ""; ref = schema.Text("$ref") {
		schema = document.In("components", "schemas", ref[len(prefix):])
	}
	for _, several := range []string{"anyOf", "oneOf"} {
		if all := schema.List(several); len(all) > 0 {
			return document.Resolved(all[0].(*Object))
		}
	}
	return schema
}

// Nullable says whether the schema takes null.
func Nullable(s *Object) bool { return slices.Contains(s.List("type"), any("null")) }

// TypeOf is the schema's type; of a nullable one the type beside null.
func TypeOf(s *Object) string {
	if types := s.List("type"); len(types) > 0 {
		for _, t := range types {
			if t != "null" {
				return t.(string)
			}
		}
	}
	return s.Text("type")
}
