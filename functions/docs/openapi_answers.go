package docs

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// This file makes the schemas of answers say what a reader may rely on.

// answers makes each schema of an answer require what is always there and leave open what may come later.
//
// What a POST may leave out, an answer still has (contract, section 2, "JSON"), and an answer may get further fields
// while a request may not. So an object that is both sent and answered becomes two schemas: where it is sent, its name
// ends in New.
func (w writer) answers() {
	all := w.document.in("components", "schemas")
	var requests, responses []any
	for _, path := range w.document.in("paths").names {
		for _, method := range w.document.in("paths", path).names {
			op := w.document.in("paths", path, method)
			requests, responses = append(requests, op.in("requestBody")), append(responses, op.in("responses"))
		}
	}
	// A schema that is only sent, or only answered, needs no twin.
	sent, answered := w.reached("schemas", requests...), w.reached("schemas", responses...)
	twins := map[string]string{}
	for _, name := range slices.Clone(all.names) {
		if !answered[name] {
			continue
		}
		schema, required := all.in(name), w.always(name)
		if sent[name] && (len(required) > len(schema.list("required")) ||
			schema.values["additionalProperties"] != nil) {
			twins[name] = name + "New"
			all.set(twins[name], schema.copy())
			requests = append(requests, all.in(twins[name]))
		}
		// An answer may get further fields in a later version. A client that was generated with additionalProperties
		// false would then refuse it.
		schema.drop("additionalProperties")
		withoutNullNumbers(schema.in("properties"))
		if len(required) > 0 {
			schema.set("required", required)
		}
	}
	all.in("ChangeList").set("required", []any{"items", "nextCursor"}) // the feed has no last page
	// What is only sent may itself refer to a schema that got a twin.
	for _, name := range all.names {
		if sent[name] && !answered[name] {
			requests = append(requests, all.in(name))
		}
	}
	renamed(requests, twins)
}

// knownValues is the extension with the values of an open enum. An anyOf of the enum and any string would say the same
// in the language of JSON Schema, but not all generators take one: ogen refuses the document.
const knownValues = "x-extensible-enum"

// openEnums lets each enum of an answer or of a webhook have other values, too: a client that was generated with the
// values of today must read an event, a code or a state that comes later within its version. What is sent stays as it
// is, for the platform takes no other.
func (w writer) openEnums() {
	var sent, told []any
	for _, path := range w.document.in("paths").names {
		for _, method := range w.document.in("paths", path).names {
			op := w.document.in("paths", path, method)
			sent = append(sent, op.in("requestBody"))
			told = append(told, op.in("responses"))
		}
	}
	told = append(told, w.document.in("components", "responses"), w.document.in("webhooks"))
	all, requests := w.document.in("components", "schemas"), w.reached("schemas", sent...)
	for _, name := range slices.Sorted(maps.Keys(w.reached("schemas", told...))) {
		if requests[name] && hasEnum(all.in(name)) {
			panic("docs: " + name + " is sent and answered, so its enum cannot be open and closed") // see answers
		}
		openIn(all.in(name))
	}
}

// openIn opens the enums below a value of the document.
func openIn(v any) {
	switch x := v.(type) {
	case []any:
		for _, inner := range x {
			openIn(inner)
		}
	case *object:
		for _, name := range x.names {
			openIn(x.values[name])
		}
		if enum := x.list("enum"); len(enum) > 0 {
			x.drop("enum")
			x.set(knownValues, enum)
		}
	}
}

// hasEnum says whether there is an enum below a value of the document.
func hasEnum(v any) bool {
	switch x := v.(type) {
	case []any:
		return slices.ContainsFunc(x, hasEnum)
	case *object:
		return len(x.list("enum")) > 0 ||
			slices.ContainsFunc(x.names, func(name string) bool { return hasEnum(x.values[name]) })
	}
	return false
}

// withoutNullNumbers takes `null` away from an answer's numbers and booleans. A patch sends null to clear one; an
// answer leaves the field out then, or shows its default.
func withoutNullNumbers(properties *object) {
	for _, name := range properties.names {
		p := properties.in(name)
		// A text keeps its null: fields like a tracking number are null in answers, too.
		if types := p.list("type"); len(types) > 1 && kind(p) != "string" {
			p.set("type", kind(p))
		}
	}
}

// always are the fields that each answer has: all fields of the type but those that its JSON leaves out when they have
// no value (`omitempty`).
func (w writer) always(schema string) []any {
	s := w.document.in("components", "schemas", schema)
	t := w.types.TypeFromRef("#/components/schemas/" + schema)
	if t == nil || s.text("type") != "object" {
		return s.list("required")
	}
	var names []any
	for _, f := range fieldsOf(t) {
		if !f.omits && s.in("properties").values[f.name] != nil {
			names = append(names, f.name)
		}
	}
	return names
}

// renamed makes every reference below v go to the schema's twin.
func renamed(v any, to map[string]string) {
	switch x := v.(type) {
	case []any:
		for _, inner := range x {
			renamed(inner, to)
		}
	case *object:
		if name := to[strings.TrimPrefix(x.text("$ref"), "#/components/schemas/")]; name != "" {
			x.set("$ref", "#/components/schemas/"+name)
		}
		for _, name := range x.names {
			renamed(x.values[name], to)
		}
	}
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
