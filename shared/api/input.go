package api

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// input is what an operation takes, read once from the type of its handler's input: the parameters of its path and
// query, and a body.
type input struct {
	parameters []parameter          // those that are fields of the handler's input
	query      map[string]parameter // all that the query may have, by name
	body       reflect.Type         // of the Body, of a patch the fields that it changes; nil: the operation takes none
	at         []int                // where the Body is in the handler's input
	schema     *huma.Schema         // of the body, for the check
	described  *huma.Schema         // of the body, for the document
	patch      bool
	multipart  bool // the body is multipart/form-data
	bodiless   bool // the body may be left out, nothing in it is required
}

// parameter is a parameter of an operation.
type parameter struct {
	name   string
	in     string // "path" or "query"
	part   int    // of the path: which one, between slashes
	at     []int  // where it is in the handler's input
	absent string // what it is when it is not given
	schema *huma.Schema
	moment bool         // a time, or a date for its 00:00 UTC; to the document a time: generators have a type for it
	list   *huma.Schema // of one that is a list with commas between: what the document says of it
}

// newInput reads what the type of a handler's input takes.
func newInput(registry huma.Registry, t reflect.Type, op *operation) input {
	in := input{query: map[string]parameter{}}
	for _, f := range reflect.VisibleFields(t) {
		p, is := newParameter(registry, f, op.path)
		if !is {
			continue
		}
		in.parameters = append(in.parameters, p)
		if p.in == "query" {
			in.query[p.name] = p
		}
	}
	if f, has := t.FieldByName("Body"); has {
		in.setBody(registry, f, op.method)
	} else if op.method == http.MethodPost {
		in.schema, in.bodiless = noFields, true
	}
	return in
}

// newParameter is the parameter that a field of the handler's input is, by its tags; false for a field that is none.
func newParameter(registry huma.Registry, f reflect.StructField, path string) (p parameter, is bool) {
	p = parameter{at: f.Index, absent: f.Tag.Get("default")}
	if p.name = f.Tag.Get("path"); p.name != "" {
		p.in, p.schema = "path", huma.SchemaFromField(registry, f, "")
		for i, part := range strings.Split(path, "/") {
			if part == "{"+p.name+"}" {
				p.part = i
			}
		}
		return p, true
	}
	if p.name = f.Tag.Get("query"); p.name == "" {
		return p, false
	}
	p.in, p.schema = "query", huma.SchemaFromField(registry, f, "")
	if p.schema.Type == huma.TypeArray { // one text to the check
		p.list, p.schema = p.schema, &huma.Schema{Type: huma.TypeString, Description: p.schema.Description}
	}
	bounded(registry, p.schema)
	p.moment = p.schema.Format == "date-time"
	return p, true
}

// setBody reads what the Body of the handler's input takes.
func (in *input) setBody(registry huma.Registry, f reflect.StructField, method string) {
	in.at, in.body = f.Index, f.Type
	if p, is := reflect.New(f.Type).Interface().(interface{ fields() reflect.Type }); is {
		in.patch, in.body = true, p.fields()
	}
	in.schema = bounded(registry, registry.Schema(in.body, true, "Body"))
	in.described = huma.SchemaFromField(registry, f, "")
	in.multipart = hasFile(in.body)
	s := resolve(registry, in.schema)
	in.bodiless = method == http.MethodPost && s.Type == huma.TypeObject && len(s.Required) == 0
}

// noFields is the schema of the body of what only acts: none, or an object without fields.
var noFields = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false}

// bind fills a handler's input with what the request has. All of it was checked before, so nothing here can be the
// caller's fault.
func (in *input) bind(to reflect.Value, c *Call) error {
	for _, p := range in.parameters {
		text := c.query.Get(p.name)
		if p.in == "path" {
			text = c.path[p.part]
		}
		if text == "" {
			text = p.absent
		}
		switch f := to.FieldByIndex(p.at); {
		case text == "":
		case f.Kind() == reflect.Bool:
			f.SetBool(text == "true")
		case f.Kind() == reflect.String:
			f.SetString(text)
		default:
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			f.SetInt(n)
		}
	}
	if in.body == nil {
		return nil
	}
	return new(filler).fill(to.FieldByIndex(in.at), c.sent)
}
