package api

import (
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName is the name of a type in the document. A type of an API group that does not say so itself, and one of a
// noun that says nothing alone, is named after its noun, so that each can have its Fields: customer.Fields is
// CustomerFields. What the catalog holds is named after its products: catalog.Variant is ProductVariant.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch path.Dir(t.PkgPath()) {
	case "eshop/functions":
	case "eshop/shared":
		of, is := bare[name]
		if of != "" {
			return of + name
		}
		if !is && t.PkgPath() != "eshop/shared/catalog" {
			return name
		}
	default:
		return name
	}
	if strings.Contains(t.Name(), "[") {
		return name
	}
	noun := strings.TrimSuffix(path.Base(t.PkgPath()), "s")
	if noun == "catalog" {
		noun = "product"
	}
	if stem, is := strings.CutSuffix(noun, "ie"); is {
		noun = stem + "y"
	}
	noun = strings.ToUpper(noun[:1]) + noun[1:]
	if strings.HasPrefix(strings.ToLower(name), strings.ToLower(noun)) {
		return name
	}
	return noun + name
}

// bare are the names of nouns' types that say nothing alone, with what they are named after: "" for their noun.
var bare = map[string]string{"Fields": "", "Address": "", "ReceiverRecord": "", "KeyRecord": "", "Replay": "",
	"Listed": "Delivery"}

func init() { huma.DefaultArrayNullable = false } // answers show an empty list as []

// newDocument is a document without operations.
func newDocument() *huma.OpenAPI {
	token := &huma.SecurityScheme{Type: "http", Scheme: "bearer",
		Description: "A token of an API access: `esk_live_…` or `esk_test_…`."}
	return &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "E-shop platform API", Version: Version},
		Components: &huma.Components{
			Schemas:         huma.NewMapRegistry("#/components/schemas/", schemaName),
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": token},
		}}
}

// describe adds the operation to the document, unless it is the operator's. out is the type of its answers, sample one
// of them.
func (a *API) describe(o *operation, out reflect.Type, sample any) {
	h := &huma.Operation{OperationID: o.ID, Method: o.method, Path: o.path, Summary: o.Summary, Description: o.Doc,
		Tags: []string{o.Tag}}
	if !o.Open {
		h.Security = []map[string][]string{{"token": {}}}
	}
	if o.Needs != "" {
		h.Description = strings.TrimSpace(h.Description + "\n\nNeeds the permission `" + string(o.Needs) + "`.")
		h.Extensions = map[string]any{"x-permission": o.Needs}
	}
	_, tagged := out.FieldByName("ETag")
	for _, p := range o.Query {
		h.Parameters = append(h.Parameters,
			&huma.Param{Name: p.Name, In: "query", Description: p.Doc, Schema: o.input.query[p.Name].schema})
	}
	h.Parameters = append(h.Parameters, o.headers(tagged)...)
	for _, p := range o.input.parameters {
		h.Parameters = append(h.Parameters, p.described())
	}
	if o.input.body != nil {
		h.RequestBody = &huma.RequestBody{Required: true, Content: inJSON(o.input.described)}
	}
	h.Responses = map[string]*huma.Response{strconv.Itoa(o.Status): a.success(o, out)}
	further := o.Refuses
	if s, is := sample.(interface{ also() int }); is {
		further = append(slices.Clone(further), s.also())
	}
	for _, status := range further {
		h.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status)}
	}
	if !o.operator() {
		a.document.AddOperation(h)
	}
}

// headers are the request's headers that the chain reads for every operation of the method (contract, sections 2 and
// 3).
func (o *operation) headers(tagged bool) (all []*huma.Param) {
	header := func(name, text string) {
		all = append(all,
			&huma.Param{Name: name, In: "header", Description: text, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	if o.method == http.MethodPost || o.method == http.MethodPatch {
		header("Idempotency-Key",
			"1–255 visible ASCII characters: for 24 h the same request gives its first answer again.")
	}
	switch {
	case o.method == http.MethodPatch && strings.Contains(o.path, "{"): // of one record
		header("If-Match", "The ETag that the change is meant for; 412 when the record has moved on.")
	case o.method == http.MethodDelete:
		header("If-Match", "The ETag that the deletion is meant for; 412 when the record has moved on.")
	case o.method == http.MethodGet && tagged:
		header("If-None-Match", "An ETag that you have; 304 when it is still current.")
	}
	return all
}

// described is the parameter in the document.
func (p parameter) described() *huma.Param {
	d := &huma.Param{Name: p.name, In: p.in, Description: p.schema.Description, Schema: p.schema}
	d.Required = p.in == "path"
	if p.in == "query" {
		d.Explode = new(bool)
	}
	return d
}

// success is what the operation answers when it is done: its headers and its body.
func (a *API) success(o *operation, out reflect.Type) *huma.Response {
	r := &huma.Response{Description: http.StatusText(o.Status), Headers: map[string]*huma.Param{}}
	for i := range out.NumField() {
		f := out.Field(i)
		if name := f.Tag.Get("header"); name != "" {
			r.Headers[name] = &huma.Param{Schema: huma.SchemaFromField(a.schemas(), f, "")}
		}
		if f.Name == "Body" {
			o.out = a.schemas().Schema(f.Type, true, "Answer")
			r.Content = inJSON(huma.SchemaFromField(a.schemas(), f, ""))
		}
	}
	return r
}

func inJSON(s *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s}}
}
