package api

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

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

// Apply is current with the patch merged in, checked whole: what a merged-in object lacks is a fault as in a POST. The
// result shares nothing with current. JSON is where the two meet, so F must read what it writes.
func Apply[F any](ctx context.Context, p Patch[F], current F) (F, error) {
	return apply[F](From(ctx).api, p.raw, current)
}

func apply[F any](a *API, raw []byte, current F) (F, error) {
	var next F
	was, err := json.Marshal(current)
	if err != nil {
		return next, err
	}
	document, err := number(was)
	if err != nil {
		return next, err
	}
	change, err := number(raw)
	if err != nil {
		return next, err
	}
	merged := merge(document, change)
	registry := a.huma.OpenAPI().Components.Schemas
	k := checker{registry: registry}
	k.body(registry.Schema(reflect.TypeFor[F](), true, ""), nil, merged, false)
	if len(k.faults) > 0 {
		return next, Invalid(k.faults...)
	}
	b, err := json.Marshal(merged)
	if err != nil {
		return next, err
	}
	return next, json.Unmarshal(b, &next)
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
