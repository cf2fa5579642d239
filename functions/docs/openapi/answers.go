package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// This file makes the schemas of answers say what a reader may rely on.

// answers makes each schema of an answer require what is always there and leave open what may come later.
//
// What a POST may leave out, an answer still has (contract, "JSON"), and an answer may get further fields while a
// request may not. So an object that is both sent and answered becomes two schemas: where it is sent, its name ends in
// New.
func (w writer) answers() {
	all := w.document.In("components", "schemas")
	requests, responses := w.bodies()
	// A schema that is only sent, or only answered, needs no twin.
	sent, answered := w.reached("schemas", requests...), w.reached("schemas", responses...)
	twins := map[string]string{}
	for _, name := range slices.Clone(all.Names) {
		if !answered[name] {
			continue
		}
		schema, required := all.In(name), w.always(name)
		if sent[name] && (len(required) > len(schema.List("required")) ||
			schema.Values["additionalProperties"] != nil) {
			twins[name] = name + "New"
			all.set(twins[name], schema.copy())
			requests = append(requests, all.In(twins[name]))
		}
		// An answer may get further fields in a later version. A client that was generated with additionalProperties
		// false would then refuse it.
		schema.drop("additionalProperties")
		withoutNullNumbers(schema.In("properties"))
		if len(required) > 0 {
			schema.set("required", required)
		}
	}
	all.In("ChangeList").set("required", []any{"items", "nextCursor"}) // the feed has no last page
	// What is only sent may itself refer to a schema that got a twin.
	for _, name := range all.Names {
		if sent[name] && !answered[name] {
			requests = append(requests, all.In(name))
		}
	}
	renamed(requests, twins)
}

// bodies are what the operations of the document take, and what they answer.
func (w writer) bodies() (requests, responses []any) {
	paths := w.document.In("paths")
	for _, path := range paths.Names {
		for _, method := range paths.In(path).Names {
			op := paths.In(path, method)
			requests, responses = append(requests, op.In("requestBody")), append(responses, op.In("responses"))
		}
	}
	return requests, responses
}

// KnownValues is the extension with the values of an open enum. An anyOf of the enum and any string would say the same
// in the language of JSON Schema, but not all generators take one: ogen refuses the document.
const KnownValues = "x-extensible-enum"

// openEnums lets each enum of an answer or of a webhook have other values, too: a client that was generated with the
// values of today must read an event, a code or a state that comes later within its version. What is sent stays as it
// is, for the platform takes no other.
func (w writer) openEnums() {
	sent, told := w.bodies()
	told = append(told, w.document.In("components", "responses"), w.document.In("webhooks"))
	all, requests := w.document.In("components", "schemas"), w.reached("schemas", sent...)
	for _, name := range slices.Sorted(maps.Keys(w.reached("schemas", told...))) {
		walk(all.In(name), func(o *Object) {
			enum := o.List("enum")
			if len(enum) == 0 {
				return
			}
			if requests[name] {
				panic("docs: " + name + " is sent and answered, so its enum cannot be open and closed") // see answers
			}
			o.drop("enum")
			o.set(KnownValues, enum)
		})
	}
}

// withoutNullNumbers takes `null` away from an answer's numbers and booleans. A patch sends null to clear one; an
// answer leaves the field out then, or shows its default.
func withoutNullNumbers(properties *Object) {
	for _, name := range properties.Names {
		p := properties.In(name)
		// A text keeps its null: fields like a tracking number are null in answers, too.
		if types := p.List("type"); len(types) > 1 && TypeOf(p) != "string" {
			p.set("type", TypeOf(p))
		}
	}
}

// always are the fields that each answer has: all fields of the type but those that its JSON leaves out when they have
// no value (`omitempty`).
func (w writer) always(schema string) []any {
	s := w.document.In("components", "schemas", schema)
	t := w.types.TypeFromRef("#/components/schemas/" + schema)
	if t == nil || s.Text("type") != "object" {
		return s.List("required")
	}
	var names []any
	for _, f := range fieldsOf(t) {
		if !f.omits && s.In("properties").Values[f.name] != nil {
			names = append(names, f.name)
		}
	}
	return names
}

// renamed makes every reference in v go to the schema's twin.
func renamed(v any, to map[string]string) {
	walk(v, func(o *Object) {
		if name := to[strings.TrimPrefix(o.Text("$ref"), "#/components/schemas/")]; name != "" {
			o.set("$ref", "#/components/schemas/"+name)
		}
	})
}

// jsonField is a field of a struct as its JSON has it.
type jsonField struct {
	name  string
	omits bool // it is left out when it has no value
}

// fieldsOf are a struct's fields as JSON names them, embedded ones at their place, in the order of the source.
func fieldsOf(t reflect.Type) []jsonField {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var all []jsonField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			all = append(all, fieldsOf(f.Type)...)
		case name != "" && name != "-":
			all = append(all, jsonField{name, strings.Contains(options, "omit")})
		}
	}
	return all
}
