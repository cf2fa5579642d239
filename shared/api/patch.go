package api

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"sync"

	"eshop/shared/problem"

	"github.com/danielgtaylor/huma/v2"
)

// fields is the type that the patch changes.
func (Patch[F]) fields() reflect.Type { return reflect.TypeFor[F]() }

// Schema is that of the fields with nothing required: absent is unchanged, null clears, lists are replaced whole.
func (Patch[F]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeFor[F](), true, "")
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	p := *s
	p.Required = nil
	p.Description = "A JSON merge patch (RFC 7396): absent is unchanged, null clears, lists are replaced whole."
	p.PrecomputeMessages()
	return &p
}

// Apply is current with the patch merged in. What the patch names is checked as in a POST: a merged-in object must have all
// that it needs. What it does not name stays as it is, and the result shares it with current. JSON is where the two meet,
// so F must read what it writes.
func Apply[F any](ctx context.Context, p Patch[F], current F) (F, error) {
	return p.apply(From(ctx).api, current)
}

func (p Patch[F]) apply(a *API, current F) (_ F, err error) {
	t := reflect.TypeFor[F]()
	k, schema := checker{registry: a.schemas()}, a.schemaOf(t)
	patch, is := p.sent.(map[string]any)
	if !is {
		k.body(schema, nil, p.sent, true)
		return current, problem.Invalid(k.faults...)
	}
	places, now := placesOf(t), reflect.ValueOf(&current).Elem()
	touched := make(map[string]any, len(patch))
	for name, v := range patch {
		if touched[name], err = merged(places[name], now, v); err != nil {
			return current, err
		}
	}
	k.touched(schema, touched)
	if a.looked.Add(k.looked); len(k.faults) > 0 {
		return current, problem.Invalid(k.faults...)
	}
	next, err := read[F](touched)
	if err != nil {
		return current, err
	}
	from := reflect.ValueOf(&next).Elem()
	for name := range patch {
		now.FieldByIndex(places[name].index).Set(from.FieldByIndex(places[name].index))
	}
	return current, nil
}

// schemaOf is the type's schema, itself and not a reference to it.
func (a *API) schemaOf(t reflect.Type) *huma.Schema {
	known, ok := a.shapes.Load(t)
	if !ok {
		k := checker{registry: a.schemas()}
		known, _ = a.shapes.LoadOrStore(t, k.resolve(k.registry.Schema(t, true, "")))
	}
	return known.(*huma.Schema)
}

// read is the fields as POST reads them: one that is null or absent gets its default.
func read[F any](fields map[string]any) (f F, err error) {
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil })
	b, err := json.Marshal(fields)
	if err != nil {
		return f, err
	}
	return f, unmarshal(b, &f)
}

// merged is the value that the patch makes of a field. Only an object is merged into what is there.
func merged(at place, of reflect.Value, patch any) (any, error) {
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
	document, err := number(was)
	return merge(document, patch), err
}

// place is where a type has a field of its JSON, and whether that is absent when it is zero.
type place struct {
	index []int
	omits bool
}

var places sync.Map // reflect.Type → map[string]place

func placesOf(t reflect.Type) map[string]place {
	if known, ok := places.Load(t); ok {
		return known.(map[string]place)
	}
	all := map[string]place{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "" && name != "-" {
			all[name] = place{f.Index, strings.Contains(options, "omit")}
		}
	}
	places.Store(t, all)
	return all
}

// number decodes JSON with its numbers as they are written.
func number(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
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
