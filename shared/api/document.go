package api

import (
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName is the name of a type in the document. A type of an API group that does not say so itself, and one of a noun
// that says nothing alone, is told by its noun, so that each can have its Fields: customer.Fields is CustomerFields. What
// the catalog holds is told by its products: catalog.Variant is ProductVariant.
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

// bare are the names of nouns' types that say nothing alone, with what they are told by: "" for their noun.
var bare = map[string]string{"Fields": "", "Address": "", "ReceiverRecord": "", "KeyRecord": "", "Replay": "",
	"Rows": "", "Error": "", "Listed": "Delivery"}

// document adds to an operation's OpenAPI what the chain does for every one of them (contract, sections 2 and 3).
func (a *API) document(o *operation, h *huma.Operation) {
	doc := a.huma.OpenAPI()
	if doc.Components.SecuritySchemes == nil {
		doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
			"token": {Type: "http", Scheme: "bearer", Description: "A token of an API access: `esk_live_…` or `esk_test_…`."}}
	}
	if o.Needs != "" {
		h.Description = strings.TrimSpace(h.Description + "\n\nNeeds the permission `" + string(o.Needs) + "`.")
		h.Extensions = map[string]any{"x-permission": o.Needs}
	}
	header := func(name, text string) {
		h.Parameters = append(h.Parameters, &huma.Param{Name: name, In: "header", Description: text, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	switch o.method {
	case "POST":
		header("Idempotency-Key", "1–255 visible ASCII characters: for 24 h the same request gives its first answer again.")
	case "PATCH":
		header("Idempotency-Key", "1–255 visible ASCII characters: for 24 h the same request gives its first answer again.")
		if !strings.Contains(o.path, "{") {
			return // of many records, each of which can be held to its version
		}
		header("If-Match", "The ETag that the change is meant for; 412 when the record has moved on.")
	case "DELETE":
		header("If-Match", "The ETag that the deletion is meant for; 412 when the record has moved on.")
	case "GET":
		if o.tagged {
			header("If-None-Match", "An ETag that you have; 304 when it is still current.")
		}
	}
}

// further are the answers that an operation with the output O has beside its own success and the problems that every one
// can have: another status of success, and statuses of refusals. The document completes them.
func further[O any](refusals []int) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	add := func(status int) {
		all[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status)}
	}
	if other, is := any(new(O)).(interface{ also() int }); is {
		add(other.also())
	}
	for _, status := range refusals {
		add(status)
	}
	return all
}
