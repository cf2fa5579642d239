package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// object is a JSON object whose members keep their order, which is how readers and generated clients see fields.
type object struct {
	names  []string
	values map[string]any // *object, []any, string, json.Number, bool or nil
}

// of makes an object of names and values in turn: of("type", "string").
func of(members ...any) *object {
	o := &object{values: map[string]any{}}
	for i := 0; i < len(members); i += 2 {
		o.set(members[i].(string), members[i+1])
	}
	return o
}

// set gives a member its value. A new member comes last.
func (o *object) set(name string, v any) {
	if _, there := o.values[name]; !there {
		o.names = append(o.names, name)
	}
	o.values[name] = v
}

// drop takes a member away.
func (o *object) drop(name string) {
	delete(o.values, name)
	o.names = slices.DeleteFunc(o.names, func(n string) bool { return n == name })
}

// copy is an object that has the same members, down to the last.
func (o *object) copy() *object {
	c, err := parse(inLine(nil, o))
	if err != nil {
		panic("docs: " + err.Error()) // it was made of JSON
	}
	return c
}

// order moves these names to the front, as far as they are there.
func (o *object) order(first ...string) {
	// Names that are not asked for all have the same rank, so the stable sort leaves them in their order behind the
	// others.
	at := func(n string) int {
		if i := slices.Index(first, n); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(o.names, func(a, b string) int { return at(a) - at(b) })
}

// in is the object at a path of names. Where there is none, it is an empty one that belongs to nothing: reading goes on
// without a check at each step, and what is set there is lost.
func (o *object) in(path ...string) *object {
	for _, name := range path {
		next, _ := o.values[name].(*object)
		if next == nil {
			return of()
		}
		o = next
	}
	return o
}

// list is a member that is an array; nil when there is none.
func (o *object) list(name string) []any {
	l, _ := o.values[name].([]any)
	return l
}

// text is a member that is a string; "" when there is none.
func (o *object) text(name string) string {
	s, _ := o.values[name].(string)
	return s
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) { return inLine(nil, o), nil }

// parse reads JSON and keeps the order of its members, which encoding/json's maps would lose.
func parse(b []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	// A float64 would write 1.10 as 1.1, and change large integers.
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	o, is := v.(*object)
	if !is {
		return nil, errors.New("docs: not an object")
	}
	return o, nil
}

// value reads the next value: an *object, a []any, or a scalar as the decoder gives it.
func value(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return members(d)
	case json.Delim('['):
		return entries(d)
	}
	return t, nil
}

// members reads an object, whose opening brace is read already, up to its closing one.
func members(d *json.Decoder) (*object, error) {
	o := of()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := value(d)
		if err != nil {
			return nil, err
		}
		o.set(name.(string), v)
	}
	_, err := d.Token()
	return o, err
}

// entries reads an array, whose opening bracket is read already, up to its closing one.
func entries(d *json.Decoder) ([]any, error) {
	list := []any{}
	for d.More() {
		v, err := value(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}
