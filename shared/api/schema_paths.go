package api

import (
	"maps"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Accepted is what an operation takes, place by place.
type Accepted struct {
	Route  string
	Parts  bool    // its body is multipart/form-data, and no JSON
	Places []Place // of its body and its query
}

// Place is where a value may stand in an input: "body", "body.items[].price", "query.code".
type Place struct {
	Path string
	*huma.Schema
}

// Accepts is what the operations registered so far take, pages left out, in the order of Patterns. Tests walk it.
func (a *API) Accepts() []Accepted {
	var all []Accepted
	for _, route := range a.patterns {
		o := a.operations[route]
		if o.kind != kindData {
			continue
		}
		in := Accepted{Route: route, Parts: o.input.form, Places: a.places(nil, "body", o.input.schema)}
		for _, name := range slices.Sorted(maps.Keys(o.input.query)) {
			in.Places = append(in.Places, a.places(nil, "query."+name, o.input.query[name].schema)...)
		}
		all = append(all, in)
	}
	return all
}

// PlacesOf are those of a body F that Takes has made known.
func PlacesOf[F any](a *API) []Place { return a.places(nil, "body", a.schemaOf(reflect.TypeFor[F]())) }

// places adds a schema's place and those below it. No input holds itself.
func (a *API) places(all []Place, path string, s *huma.Schema) []Place {
	if s = resolve(a.schemas(), s); s == nil {
		return all
	}
	all = append(all, Place{path, s})
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = a.places(all, path+"."+name, s.Properties[name])
	}
	if s.Items != nil {
		all = a.places(all, path+"[]", s.Items)
	}
	return all
}
