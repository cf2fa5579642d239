package api

import (
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strings"

	"eshop/shared/base/problem"

	"github.com/danielgtaylor/huma/v2"
)

// Patch is a JSON merge patch of a record's fields F. The chain has checked its form: no unknown fields, no null where
// F requires a value.
type Patch[F any] struct{ sent any }

// PatchOf is a patch of fields that came otherwise than as a body.
func PatchOf[F any](fields map[string]any) Patch[F] { return Patch[F]{fields} }

// Decoded keeps the patch as it was decoded.
func (p *Patch[F]) Decoded(sent any) error { p.sent = sent; return nil }

// fields is the type that the patch changes.
func (Patch[F]) fields() reflect.Type { return reflect.TypeFor[F]() }

// Schema is that of the fields with nothing required: absent is unchanged, null clears, lists are replaced whole.
func (Patch[F]) Schema(r huma.Registry) *huma.Schema {
	return patchOf(r, r.Schema(reflect.TypeFor[F](), true, ""))
}

// patchOf is the schema of a merge patch of the object that s refers to: a component of its own, in which nothing is
// required and what may be absent from a record may be null. What is written and never shown has nothing to be cleared.
func patchOf(r huma.Registry, s *huma.Schema) *huma.Schema {
	prefix, name := path.Split(s.Ref)
	name = strings.TrimSuffix(strings.TrimSuffix(name, "New"), "Fields") + "Patch"
	ref := &huma.Schema{Ref: prefix + name}
	if r.Map()[name] != nil {
		return ref
	}
	of := resolve(r, s)
	p := *of
	r.Map()[name] = &p
	p.Required, p.Properties = nil, map[string]*huma.Schema{}
	p.Description = "A JSON merge patch (RFC 7396): absent is unchanged, null clears, lists are replaced whole."
	for name, v := range of.Properties {
		clears := !slices.Contains(of.Required, name) && !v.WriteOnly && clearable(r, v)
		p.Properties[name] = patchedField(r, v, clears)
	}
	return ref
}

// patchedField is the schema of a field in a merge patch, which null may clear.
func patchedField(r huma.Registry, schema *huma.Schema, clears bool) *huma.Schema {
	field := *schema
	if schema.Ref != "" && resolve(r, schema).Type == huma.TypeObject {
		field.Ref = patchOf(r, &huma.Schema{Ref: schema.Ref}).Ref
		if clears {
			return &huma.Schema{Description: schema.Description,
				AnyOf: []*huma.Schema{{Ref: field.Ref}, {Type: "null"}}}
		}
		return &field
	}
	if field.Nullable = schema.Nullable || clears; field.Nullable && len(schema.Enum) > 0 {
		field.Enum = append(slices.Clone(schema.Enum), nil)
	}
	return &field
}

// Get is what the patch itself says of a field, whatever it is merged into; named is false when it says nothing.
func (p Patch[F]) Get(field string) (value any, named bool) {
	fields, _ := p.sent.(map[string]any)
	value, named = fields[field]
	return value, named
}

// Apply returns current with the patch merged in. What the patch names is checked as in a POST: an object that is
// merged in must be complete. What it does not name stays as it is, and the result shares it with current. F must
// survive a round trip through JSON.
func Apply[F any](c *Call, p Patch[F], current F) (F, error) {
	return p.apply(c.api, current)
}

func (p Patch[F]) apply(a *API, current F) (_ F, err error) {
	t := reflect.TypeFor[F]()
	k, schema := checker{registry: a.schemas()}, a.schemaOf(t)
	patch, is := p.sent.(map[string]any)
	if !is {
		k.body(schema, nil, p.sent, asPatch)
		return current, problem.Invalid(k.faults...)
	}
	fields, now := jsonFieldsOf(t), reflect.ValueOf(&current).Elem()
	touched := make(map[string]any, len(patch))
	for name, v := range patch {
		if touched[name], err = merged(fields[name], now, v); err != nil {
			return current, err
		}
	}
	k.patchedFields(schema, touched)
	if a.looked.Add(k.looked); len(k.faults) > 0 {
		return current, problem.Invalid(k.faults...)
	}
	var next F
	if err := Fill(&next, touched); err != nil {
		return current, err
	}
	from := reflect.ValueOf(&next).Elem()
	for name := range patch {
		now.FieldByIndex(fields[name].index).Set(from.FieldByIndex(fields[name].index))
	}
	return current, nil
}

// merged is the value that the patch makes of a field. Only an object is merged into what is there.
func merged(at jsonField, of reflect.Value, patch any) (any, error) {
	if _, is := patch.(map[string]any); !is || at.index == nil {
		return patch, nil
	}
	field := of.FieldByIndex(at.index)
	if at.omits && field.IsZero() {
		return merge(nil, patch), nil
	}
	was, err := json.Marshal(field.Interface())
	if err != nil {
		return nil, err
	}
	document, err := parse(was)
	return merge(document, patch), err
}

// merge is RFC 7396, section 2.
func merge(target, patch any) any {
	p, is := patch.(map[string]any)
	if !is {
		return patch
	}
	t, is := target.(map[string]any)
	if !is {
		t = map[string]any{}
	}
	for name, v := range p {
		if v == nil {
			delete(t, name)
			continue
		}
		t[name] = merge(t[name], v)
	}
	return t
}

// Named are objects of a form by names that are no fields of the program: ways.courier.note.
type Named[F any] map[string]F

// maxNamed is how many there are at most.
const maxNamed = 100

// Schema is that of an object of such objects.
func (Named[F]) Schema(r huma.Registry) *huma.Schema {
	most := maxNamed
	return &huma.Schema{Type: huma.TypeObject, MaxProperties: &most,
		AdditionalProperties: r.Schema(reflect.TypeFor[F](), true, "")}
}
