package api

import (
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// OperationInput is what an operation takes, value by value.
type OperationInput struct {
	Route     string
	Multipart bool         // its body is multipart/form-data, and no JSON
	Paths     []SchemaPath // of its body and its query
}

// SchemaPath is where a value may stand in an input: "body", "body.items[].price", "query.code".
type SchemaPath struct {
	Path string
	*huma.Schema
}

// Inputs are what the operations registered so far take, pages left out, in the order of Patterns. Tests walk it.
func (a *API) Inputs() []OperationInput {
	var all []OperationInput
	for _, route := range a.patterns {
		o := a.operations[route]
		if o.kind != kindData {
			continue
		}
		in := OperationInput{Route: route, Multipart: o.input.multipart,
			Paths: a.schemaPaths(nil, "body", o.input.schema)}
		for _, name := range slices.Sorted(maps.Keys(o.input.query)) {
			in.Paths = append(in.Paths, a.schemaPaths(nil, "query."+name, o.input.query[name].schema)...)
		}
		all = append(all, in)
	}
	return all
}

// OpenOperation is an operation that asks for no token.
type OpenOperation struct {
	Route string
	Reads bool // by its method
	Keeps bool // an answer of it under an Idempotency-Key, in a row of its own
}

// Open are the operations without a token that are registered so far, in the order of Patterns. Tests walk it.
func (a *API) Open() []OpenOperation {
	var all []OpenOperation
	for _, route := range a.patterns {
		if o := a.operations[route]; o.audience == forAnyone || o.audience == forPeople {
			all = append(all, OpenOperation{route, o.method == http.MethodGet, o.keepsAnswer()})
		}
	}
	return all
}

// schemaPaths adds the path of a schema and those below it. No input holds itself.
func (a *API) schemaPaths(all []SchemaPath, path string, schema *huma.Schema) []SchemaPath {
	if schema = resolve(a.schemas(), schema); schema == nil {
		return all
	}
	all = append(all, SchemaPath{path, schema})
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		all = a.schemaPaths(all, path+"."+name, schema.Properties[name])
	}
	if schema.Items != nil {
		all = a.schemaPaths(all, path+"[]", schema.Items)
	}
	return all
}
