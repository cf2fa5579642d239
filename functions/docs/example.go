package docs

import (
	"encoding/json"
	"slices"
)

// example is a value that the schema allows, made of the examples of its fields. Of a patch it changes one field.
func (w writer) example(schema *object, patch bool) any {
	o, is := w.sample(schema, "").(*object)
	if !is || !patch || len(o.names) < 2 {
		return w.sample(schema, "")
	}
	for _, name := range slices.Backward(o.names) {
		if _, text := o.values[name].(string); text {
			return of(name, o.values[name])
		}
	}
	return of(o.names[0], o.values[o.names[0]])
}

// resolve follows references.
func (w writer) resolve(schema *object) *object {
	const prefix = "#/components/schemas/"
	for ref := schema.text("$ref"); ref != ""; ref = schema.text("$ref") {
		schema = w.document.in("components", "schemas", ref[len(prefix):])
	}
	return schema
}

// sample is the example of a field of that name.
func (w writer) sample(schema *object, name string) any {
	if e := schema.list("examples"); len(e) > 0 {
		return e[0]
	}
	s := w.resolve(schema)
	switch {
	case len(s.list("examples")) > 0:
		return s.list("examples")[0]
	case s.values["default"] != nil:
		return s.values["default"]
	case len(s.list("enum")) > 0:
		return s.list("enum")[0]
	}
	switch kind(s) {
	case "object":
		return w.members(s)
	case "array":
		return []any{w.sample(s.in("items"), name)}
	case "integer", "number":
		if n, is := s.values["minimum"].(json.Number); is && n != "0" {
			return n
		}
		return json.Number("1")
	case "boolean":
		return true
	}
	return word(name)
}

func (w writer) members(s *object) any {
	o := of()
	properties := s.in("properties")
	for _, name := range properties.names {
		o.set(name, w.sample(properties.in(name), name))
	}
	return o
}

// word is a text for a field without an example: ids look like ids.
func word(name string) string {
	n := len(name)
	if name == "id" || n > 2 && name[n-2:] == "Id" || n > 3 && name[n-3:] == "Ids" {
		return "01KAJ1V4S7TGXSAKB4YV5Q2D3E"
	}
	if name == "nextCursor" {
		return "3q2-7wAAAAAwMUtBSjFWNFM3"
	}
	return "text"
}

// kind is the schema's type; of a nullable one the type beside null.
func kind(s *object) string {
	if types := s.list("type"); len(types) > 0 {
		for _, t := range types {
			if t != "null" {
				return t.(string)
			}
		}
	}
	return s.text("type")
}
