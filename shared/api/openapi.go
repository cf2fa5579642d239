package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

func init() { huma.DefaultArrayNullable = false } // answers show an empty list as []

// securityScheme is what the document calls the token of an access. No schema may have that name, whatever its case:
// generators make a type of each.
const securityScheme = "bearerAuth"

// newDocument is a document without operations.
func newDocument() *huma.OpenAPI {
	token := &huma.SecurityScheme{Type: "http", Scheme: "bearer",
		Description: "A token of an API access: `esk_live_…` or `esk_test_…`."}
	return &huma.OpenAPI{OpenAPI: "3.1.0", Components: &huma.Components{
		Schemas:         huma.NewMapRegistry("#/components/schemas/", schemaName),
		SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: token},
	}}
}

// OpenAPI is the document of a version: all operations registered so far, the operator's and developers' left out. It
// is made anew each time, for no request needs it.
func (a *API) OpenAPI(v Version) *huma.OpenAPI {
	return a.documentOf("E-shop platform API", v, a.descriptions)
}

// DevelopersDocument is where that of the developers is: below their own door, and for everybody.
const DevelopersDocument = "/developer/openapi.json"

// DeveloperOpenAPI is OpenAPI of the developers' operations.
func (a *API) DeveloperOpenAPI() *huma.OpenAPI {
	return a.documentOf("E-shop platform: developers", Newest(), a.ofDevelopers)
}

// documentOf is a document of some operations.
func (a *API) documentOf(title string, v Version, operations []func(Version) *huma.Operation) *huma.OpenAPI {
	document := *a.document
	document.Info = &huma.Info{Title: title, Version: packageVersion(v.Name)}
	for _, describe := range operations {
		document.AddOperation(describe(v))
	}
	return &document
}

// packageVersion is an API version in the spelling of packages, which generators give it to: 2027.1.1 is a version to
// PEP 440 and to semver, which refuse 2027-01-01.
func packageVersion(date string) string {
	return strings.ReplaceAll(strings.ReplaceAll(date, "-0", "."), "-", ".")
}

// shops are where operations for people are.
var shops = &huma.Server{URL: "https://{domain}", Description: "The shop's own host",
	Variables: map[string]*huma.ServerVariable{"domain": {Default: "shop.example.cz",
		Description: "The shop's `domain`"}}}

// describe is the operation in the document of a version. out is the type of its answers, sample one of them.
func (a *API) describe(op *operation, version Version, out reflect.Type, sample any) *huma.Operation {
	entry := &huma.Operation{OperationID: op.ID, Method: op.method, Path: op.path, Summary: op.Summary,
		Description: op.Doc, Tags: []string{op.Tag}}
	if op.audience == forAccesses || op.audience == forDeveloper {
		entry.Security = []map[string][]string{{securityScheme: {}}}
	}
	if op.People != nil {
		entry.Servers = []*huma.Server{shops}
	}
	if op.Needs != "" {
		entry.Description = strings.TrimSpace(op.Doc + "\n\nNeeds the permission `" + string(op.Needs) + "`.")
		entry.Extensions = map[string]any{"x-permission": op.Needs}
	}
	listed, later := op.listed()
	entry.Parameters = listed
	_, tagged := out.FieldByName("ETag")
	entry.Parameters = append(entry.Parameters, a.conditions(op, tagged)...)
	for _, p := range op.input.parameters {
		entry.Parameters = append(entry.Parameters, p.described())
	}
	entry.Parameters = append(entry.Parameters, later...)
	if op.area == forAccesses {
		entry.Parameters = append(entry.Parameters, &huma.Param{Ref: "#/components/parameters/Api-Version"},
			&huma.Param{Ref: "#/components/parameters/X-Request-Id"})
	}
	if op.input.body != nil {
		entry.RequestBody = &huma.RequestBody{Required: true, Content: inJSON(op.input.described)}
		if op.input.multipart {
			entry.RequestBody.Content = map[string]*huma.MediaType{"multipart/form-data": {Schema: op.input.described}}
		}
		if op.method == http.MethodPatch {
			entry.RequestBody.Content["application/merge-patch+json"] = &huma.MediaType{Schema: op.input.described}
		}
	}
	a.responses(op, version, entry, out, sample)
	return entry
}

// listed are the parameters of the query that the operation lists, and those of them that came later.
func (o *operation) listed() (listed, later []*huma.Param) {
	for _, p := range o.Query {
		param := &huma.Param{Name: p.Name, In: "query", Description: p.Doc, Schema: o.input.query[p.Name].schema}
		if p.Later {
			later = append(later, param)
		} else {
			listed = append(listed, param)
		}
	}
	return listed, later
}

// conditions are the request's headers that the chain reads for every operation of the method (contract, "Requests").
func (a *API) conditions(o *operation, tagged bool) (all []*huma.Param) {
	header := func(name, text string) *huma.Schema {
		s := &huma.Schema{Type: huma.TypeString}
		all = append(all, &huma.Param{Name: name, In: "header", Description: text, Schema: s})
		return s
	}
	if o.keepsAnswer() {
		least, most := 1, maxKey
		text := "Makes a repetition safe: for 24 h the same request gives its first answer again. Visible ASCII"
		if len(o.Once) > 0 && o.CompleteReplay == nil {
			text += ", without `" + strings.Join(o.Once, "`, `") + "`, which is shown only once"
		}
		s := header("Idempotency-Key", text+".")
		s.MinLength, s.MaxLength, s.Pattern = &least, &most, "^[!-~]+$"
	}
	// An ETag comes from a read of the same address.
	_, read := a.operations["GET "+o.path]
	switch {
	case o.Matches, o.method == http.MethodPatch && strings.Contains(o.path, "{") && o.People == nil: // of one record
		header("If-Match", "The ETag that the change is meant for; 412 when the record has moved on.")
	case o.method == http.MethodDelete && read: // else nobody has an ETag of it
		header("If-Match", "The ETag that the deletion is meant for; 412 when the record has moved on.")
	case o.method == http.MethodGet && tagged:
		header("If-None-Match", "Answers 304 while the record is as the ETag that you have says.")
	}
	return all
}

// responses adds what the operation can answer: its own success, another status of success, 304, and its refusals.
func (a *API) responses(op *operation, version Version, entry *huma.Operation, out reflect.Type, sample any) {
	success := a.success(op, version, out)
	entry.Responses = map[string]*huma.Response{}
	add := func(status int, r huma.Response) {
		if r.Ref == "" {
			r.Description = http.StatusText(status)
		}
		entry.Responses[strconv.Itoa(status)] = &r
	}
	if _, is := sample.(interface{ bodiless() }); is {
		success.Content = nil
	}
	add(op.Status, success)
	if s, is := sample.(interface{ also() int }); is {
		add(s.also(), success)
	}
	if op.Reads != "" {
		entry.Description += fmt.Sprintf("\n\nWithout `%s` the answer is ", op.Reads)
		version.describeWithheld(entry, &success, a.schemas().Schema(reflect.TypeFor[Abridged](), true, ""))
	}
	asks := func(header string) bool {
		return slices.ContainsFunc(entry.Parameters, func(p *huma.Param) bool { return p.Name == header })
	}
	if asks("If-None-Match") {
		add(http.StatusNotModified, huma.Response{Headers: success.Headers})
	}
	refuse := func(when bool, statuses ...int) {
		for _, status := range statuses {
			if when {
				add(status, huma.Response{Ref: "#/components/responses/Problem" + strconv.Itoa(status)})
			}
		}
	}
	body := entry.RequestBody != nil
	refuse(body || op.area == forAccesses, 400)
	refuse(op.area == forAccesses, 401, 403, 429)
	refuse(op.audience == forDeveloper, 401, 429)
	refuse(strings.Contains(op.path, "{") || op.People != nil, 404) // or nobody's host
	refuse(op.People != nil && op.method != http.MethodGet, 403)    // from another site
	refuse(op.method != http.MethodGet, 409)
	refuse(asks("If-Match"), 412)
	refuse(body, 413, 415)
	refuse(true, 422, 500, 503)
	refuse(true, op.Refuses...)
}

// success is what the operation answers when it is done: its headers and its body.
func (a *API) success(op *operation, version Version, out reflect.Type) huma.Response {
	answer := huma.Response{Headers: map[string]*huma.Param{}}
	for i := range out.NumField() {
		f := out.Field(i)
		if name := f.Tag.Get("header"); name != "" && (name != "Location" || op.hasLocation()) {
			answer.Headers[name] = &huma.Param{Schema: huma.SchemaFromField(a.schemas(), f, "")}
		}
		if f.Name == "Body" {
			answer.Content = inJSON(huma.SchemaFromField(a.schemas(), f, ""))
		}
	}
	refer := func(when bool, names ...string) {
		for _, name := range names {
			if when {
				answer.Headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
			}
		}
	}
	refer(op.area == forAccesses, LimitHeaders...)
	for _, h := range version.Ending() {
		refer(op.area == forAccesses, h.Name)
	}
	refer(true, "Api-Version", "X-Request-Id")
	refer(op.keepsAnswer(), "Idempotent-Replayed")
	return answer
}

// hasLocation says whether the operation's answer names an address: of what it made, or of what it was asked to do.
func (o *operation) hasLocation() bool {
	return o.Status == http.StatusCreated || o.Status == http.StatusAccepted
}

func inJSON(s *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s}}
}

// described is the parameter in the document.
func (p parameter) described() *huma.Param {
	d := &huma.Param{Name: p.name, In: p.in, Description: p.schema.Description, Schema: p.schema}
	d.Required = p.in == "path"
	if p.in == "query" {
		d.Explode = new(bool)
	}
	if p.list != nil {
		d.Schema = &huma.Schema{Type: p.list.Type, Items: p.list.Items}
	}
	return d
}
