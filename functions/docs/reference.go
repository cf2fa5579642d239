package docs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eshop/functions/docs/openapi"
	"eshop/shared/api"
)

// limitRows are the headers of limits as rows of a list of fields.
func limitRows() []field {
	rows := []field{}
	for i, name := range api.LimitHeaders {
		rows = append(rows, field{Name: name, Type: "integer", Doc: openapi.Limits[i]})
	}
	return rows
}

// section is one page of the reference: its name, what it is about, and its operations.
type section struct {
	Name, Doc  string
	Operations []operation
}

// operation is one operation as the reference shows it: what the document says, in the order of the page.
type operation struct {
	ID, Method, Path, Summary, Doc, Permission string
	Parameters                                 []field
	BodyDoc                                    string
	Body                                       []field
	Request                                    request // the example
	Answers                                    []answer
	Refusals                                   []refusal
}

// field is a parameter, or a field of a body by its path: billingAddress.city, items[].id.
type field struct {
	Name, In, Type, Limits, Doc string
	Required                    bool // in a request
	Optional                    bool // in an answer: absent when it has no value
}

// answer is one answer of success: its fields, and an example of its body.
type answer struct {
	Status  string
	Title   string
	Headers []string
	Fields  []field
	Example string
}

// refusal is one status of refusals, with those codes that the frame can answer there.
type refusal struct {
	Status string
	Codes  []string
}

// reader turns the document into sections. It reads openapi.json only, as any client of it does, so that a page cannot
// say what the document does not.
type reader struct {
	document *openapi.Object
	base     string // the platform's address, for the examples
}

// sections groups the operations by their tag, in the document's order. A large tag has a section for each part of its
// paths.
func (r reader) sections() []section {
	var all []section
	described := map[string]string{}
	for _, tag := range r.document.List("tags") {
		described[tag.(*openapi.Object).Text("name")] = tag.(*openapi.Object).Text("description")
	}
	paths := r.document.In("paths")
	for _, path := range paths.Names {
		for _, method := range paths.In(path).Names {
			op := paths.In(path, method)
			// Each operation has exactly one tag.
			s := sectionOf(op.List("tags")[0].(string), path)
			at := slices.IndexFunc(all, func(other section) bool { return other.Name == s.Name })
			if at < 0 {
				if s.Doc == "" {
					s.Doc = described[s.Name]
				}
				at, all = len(all), append(all, s)
			}
			all[at].Operations = append(all[at].Operations, r.operation(strings.ToUpper(method), path, op))
		}
	}
	return all
}

// divided are the tags that are too much for one page (60 KiB). What their paths hold decides which page an operation
// is on.
var divided = []struct{ tag, within, name, doc string }{
	{"Products", "/variants", "Variants", "What a product is sold as: sizes, colours."},
	{"Products", "/products/", "Products in batches", "A hundred products or variants in one request, 99 with an " +
		"`Idempotency-Key`. Items name them by their ids: " +
		"[`GET /api-engine/products?code=…`](/docs/products#listProducts) finds the product of a " +
		"code, a variant's too."},
	{"Products", "/images", "Images of products", "Pictures that products show, kept by the platform."},
	{"Webhooks", "-signing-keys", "Signing keys", "What webhooks are signed with."},
	{"Webhooks", "-deliveries", "Deliveries", "What became of each webhook."},
	{"Webhooks", "", "Receivers", "Where the shop's changes are told."},
	{"Custom code", "/cleanup-orders", "Cleanup orders", "Which custom codes go when the package is deactivated."},
	{"Storefront", "/account", "Shoppers' accounts", "What a shopper who signs in does in the storefront. " + atShop},
	{"Storefront", "", "Basket and checkout", "From the search to the order, as the storefront's pages go. " + atShop},
}

// atShop is said of all operations that shoppers' browsers call.
const atShop = "It is at each shop's own host, its `websiteUrl`, without a token: the visitor's cookies say who it " +
	"is. An answer sets them, and the next request sends them back, as a browser does by itself and curl with `-b` " +
	"and `-c`. JSON is answered, or a page to `Accept: text/html`. A browser's form sends the same fields. Its " +
	"changes must come from a page of the shop, by its `Sec-Fetch-Site` or `Origin`; programs send neither."

// sectionOf is the page that an operation is on, by its tag and its path. The first row of divided that fits decides.
func sectionOf(tag, path string) section {
	plain, _, _ := strings.Cut(strings.ReplaceAll(path, "/{id}", ""), "{")
	for _, d := range divided {
		if d.tag == tag && strings.Contains(plain, d.within) {
			return section{Name: d.name, Doc: d.doc}
		}
	}
	return section{Name: tag}
}

// operation reads one operation of the document into what the reference shows of it. If a merge patch requires nothing
// itself, no field inside it is required either: the record may have it already.
func (r reader) operation(method, path string, op *openapi.Object) operation {
	body := op.In("requestBody", "content", "application/json")
	if form := op.In("requestBody", "content", "multipart/form-data"); len(form.Names) > 0 {
		body = form
	}
	shown := operation{ID: op.Text("operationId"), Method: method, Path: path, Summary: op.Text("summary"),
		Doc:        documented(op),
		Permission: op.Text("x-permission"), Parameters: r.parameters(op),
		BodyDoc: r.document.Resolved(body.In("schema")).Text("description"), Body: r.fields(body.In("schema"), ""),
		Request: r.requested(method, path, op, indented(body.Values["example"]))}
	// What a patch lacks stays as it is in the record.
	if method == http.MethodPatch && len(r.document.Resolved(body.In("schema")).List("required")) == 0 {
		for i := range shown.Body {
			shown.Body[i].Required = false
		}
	}
	// An answer that only refers to a component is a refusal; an operation's own answers are written out.
	answers := op.In("responses")
	for _, code := range answers.Names {
		a := answers.In(code)
		if ref := a.Text("$ref"); ref != "" {
			shown.Refusals = append(shown.Refusals, refusalOf(code, method, op))
			continue
		}
		shown.Answers = append(shown.Answers, r.answer(code, a))
	}
	return shown
}

// parameters are an operation's own: first those of the path, then of the query, then headers. Api-Version and
// X-Request-Id are told once for all operations.
func (r reader) parameters(op *openapi.Object) []field {
	var all []field
	for _, p := range op.List("parameters") {
		p := p.(*openapi.Object)
		if ref := p.Text("$ref"); ref != "" {
			continue // Api-Version and X-Request-Id: told once for all
		}
		required, _ := p.Values["required"].(bool)
		all = append(all, field{Name: p.Text("name"), In: p.Text("in"), Type: r.typed(p.In("schema")),
			Limits: bounds(p.In("schema")),
			Doc:    p.Text("description"), Required: required})
	}
	order := []string{"path", "query", "header"}
	slices.SortStableFunc(all, func(a, b field) int { return slices.Index(order, a.In) - slices.Index(order, b.In) })
	return all
}

// answer reads an answer of success. Of its fields the page marks those that may be missing; of a body's it marks those
// that must be sent.
func (r reader) answer(code string, a *openapi.Object) answer {
	n, _ := strconv.Atoi(code)
	out := answer{Status: code, Title: http.StatusText(n)}
	for _, h := range []string{"ETag", "Location", "Link"} {
		if slices.Contains(a.In("headers").Names, h) {
			out.Headers = append(out.Headers, h)
		}
	}
	if body := a.In("content", "application/json"); len(body.Names) > 0 {
		out.Fields, out.Example = r.fields(body.In("schema"), ""), indented(body.Values["example"])
	}
	// The schema's `required` means "always there" in an answer, and "must be sent" in a request.
	for i, f := range out.Fields {
		out.Fields[i].Required, out.Fields[i].Optional = false, !f.Required
	}
	return out
}

// refusalOf is a status of refusals with the codes that are possible for the operation, or that its text names.
func refusalOf(code, method string, op *openapi.Object) refusal {
	n, _ := strconv.Atoi(code)
	out := refusal{Status: code}
	for _, c := range openapi.WithStatus(openapi.Answered(), n) {
		if possible(c.Name, method, op) || strings.Contains(op.Text("description"), "`"+c.Name+"`") {
			out.Codes = append(out.Codes, c.Name)
		}
	}
	return out
}

// possible says whether the frame itself can answer a code to an operation. It goes by what the document says of it:
// whose it is, whether it needs a token, its method, its body, its parameters. Codes of resources are named in the
// operations' own texts.
func possible(code, method string, op *openapi.Object) bool {
	shoppers := len(op.List("servers")) > 0
	switch code {
	case "not_found", "invalid", "version_conflict", "unavailable", "internal":
		return true
	case "package_inactive", "rate_limited", "unknown_api_version":
		return !shoppers
	case "insufficient_permission":
		return len(op.List("security")) > 0
	case "unauthenticated":
		return op.Text("operationId") != "signInShopper"
	case "too_many_tries":
		return shoppers
	case "cross_site":
		return shoppers && method != http.MethodGet
	case "feed_expired":
		return op.Text("operationId") == "listChanges"
	case "body_too_large", "unsupported_media_type", "malformed_json":
		return len(op.In("requestBody").Names) > 0
	case "idempotency_key_reused", "idempotency_in_progress":
		return method == http.MethodPost || method == http.MethodPatch
	case "bad_cursor":
		return slices.ContainsFunc(op.List("parameters"),
			func(p any) bool { return p.(*openapi.Object).Text("name") == "cursor" })
	}
	return false
}

// fields makes a row for each field of a schema. Where a field is an object, or a list of objects, rows of the nested
// fields follow, named "outer.inner" or "outer[].inner".
func (r reader) fields(schema *openapi.Object, prefix string) []field {
	s := r.document.Resolved(schema)
	var all []field
	properties := s.In("properties")
	for _, name := range properties.Names {
		member := properties.In(name)
		row := field{Name: prefix + name, Type: r.typed(member), Limits: bounds(r.document.Resolved(member)),
			Doc:      cmp.Or(member.Text("description"), r.document.Resolved(member).Text("description")),
			Required: slices.Contains(s.List("required"), any(name))}
		if row.Required && openapi.Nullable(member) { // of an optional one null clears, which is said once for all
			row.Type += " or null"
		}
		all = append(all, row)
		inner := prefix + name + "."
		member = r.document.Resolved(member)
		if openapi.TypeOf(member) == "array" {
			member, inner = member.In("items"), prefix+name+"[]."
		}
		all = append(all, r.fields(member, inner)...)
	}
	return all
}

// typed is a schema's type in words, like "list of string", "time" or "file".
func (r reader) typed(schema *openapi.Object) string {
	resolved := r.document.Resolved(schema)
	switch {
	case openapi.TypeOf(resolved) == "array":
		return "list of " + r.typed(resolved.In("items"))
	case resolved.Text("format") == "date-time":
		return "time"
	case resolved.Text("format") == "email":
		return "e-mail"
	case resolved.Text("format") == "binary":
		return "file"
	case openapi.TypeOf(resolved) == "":
		return "any"
	}
	return openapi.TypeOf(resolved)
}

// bounds are a schema's limits in words: how many, how large, how long, which values.
func bounds(schema *openapi.Object) string {
	var all []string
	add := func(name, text string) {
		if v := schema.Values[name]; v != nil {
			all = append(all, fmt.Sprintf(text, v))
		}
	}
	if openapi.TypeOf(schema) == "array" {
		all = append(all, values(schema.In("items"))...)
		add("minItems", "at least %v")
		add("maxItems", "at most %v")
	}
	add("minimum", "≥ %v")
	add("maximum", "≤ %v")
	add("maxLength", "≤ %v characters")
	add("x-maxBytes", "≤ %v bytes")
	all = append(all, values(schema)...)
	if p := schema.Text(openapi.PatternDescription); p != "" && !strings.HasPrefix(p, "without control") {
		all = append(all, p)
	}
	add("default", "default %v")
	return strings.Join(all, ", ")
}

// values are those of a schema's enum in words, of an open one with the others that may come; none without an enum.
func values(s *openapi.Object) []string {
	if known := s.List(openapi.KnownValues); len(known) > 0 {
		return []string{oneOf(known) + " | …"}
	}
	if enum := s.List("enum"); len(enum) > 0 {
		return []string{oneOf(enum)}
	}
	return nil
}

// oneOf are the values of an enum in words. null is not among them: it clears a field, which is said once for all.
func oneOf(enum []any) string {
	enum = slices.DeleteFunc(slices.Clone(enum), func(v any) bool { return v == nil })
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(enum), " ", " | "), "[]")
}

// documented is what the document says of an operation beyond its summary.
func documented(op *openapi.Object) string {
	if doc := op.Text("description"); doc != op.Text("summary")+"." {
		return doc
	}
	return ""
}

// requested is the request of the operation's example, on the demo shop's records.
func (r reader) requested(method, path string, op *openapi.Object, body string) request {
	for _, p := range op.List("parameters") {
		p := p.(*openapi.Object)
		path = strings.ReplaceAll(path, "{"+p.Text("name")+"}", p.Text("example"))
	}
	return request{base: r.base, method: method, path: path, body: body,
		shop: len(op.List("servers")) > 0, token: len(op.List("security")) > 0,
		image: len(op.In("requestBody", "content", "multipart/form-data", "schema").Names) > 0}
}

// indented is a value as people read JSON; "" for none.
func indented(v any) string {
	if v == nil {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, openapi.InLine(nil, v), "", "  "); err != nil {
		return ""
	}
	return b.String()
}
