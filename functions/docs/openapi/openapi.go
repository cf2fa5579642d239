// Package openapi writes the OpenAPI document, and no request comes here: Document completes the document that the
// frame has made (shared/api), in one order of names (object.go). The package docs serves what was written, reads it by
// Parse, and names the codes of problems as it does (codes.go).
//
//	answers.go   what answers have for sure, and what a POST may leave out
//	example.go   an example of each operation, on records of the demo shop, as examples.json has it
//	meanings.go  descriptions of fields that have none where they are declared
//	webhooks.go  what receivers are sent, by event
package openapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/shared/api"
)

// about is the description of the whole document: what a reader must know before the first request.
const about = "The open platform API of a hosted e-shop. Send `Authorization: Bearer <token>`. Bodies are JSON " +
	"(UTF-8), " +
	"times RFC 3339 in UTC with milliseconds, money decimal strings with two places in the shop's currency, ids " +
	"opaque.\n\n" +
	"A PATCH is a JSON merge patch. Single records carry an `ETag`; `If-Match` makes a change conditional. An " +
	"`Idempotency-Key` " +
	"makes a POST or PATCH safe to repeat. Collections are pages: pass `nextCursor` on as `cursor` until there " +
	"is none. " +
	"Every request costs 1 of an hourly and a daily limit, a batch one for each ten items changed. " +
	"Errors are `application/problem+json` with a stable `code`; each is explained at [/docs/errors](/docs/errors)."

// aboutDevelopers is about for the developers' own door.
const aboutDevelopers = "What authors of add-ons do on an e-shop platform: test shops and packages of their own, " +
	"and the packages' accesses on these shops. [Developers](/docs/developer) goes through it. Send `Authorization: " +
	"Bearer <token>` with the token that the platform's operator has given you; it begins with `esk_dev_`. Bodies, " +
	"pages, `ETag`, `Idempotency-Key` and errors are those of the [API of add-ons](/docs/conventions), whose " +
	"document is [/openapi.json](/openapi.json). Up to 100 requests a second; what is anybody else's is 404."

// Document makes the OpenAPI 3.1 document of a version, with the operations registered with the frame. It leaves out
// the operator's operations, and adds what the frame does for all others: problems, rate-limit headers, versions,
// examples.
//
// The frame hands in what huma knows: paths, schemas and bounds, sorted by name. The steps below put names, texts and
// an order to it:
//
//   - info and components write what the operations refer to,
//   - answers makes two schemas of what differs between a request and an answer,
//   - webhooks and paths complete the operations themselves,
//   - openEnums lets answers have values that come later,
//   - prune and wordPatterns go last, because they look at all that is there.
//
// The same operations make the same bytes, because the document is a golden file: a change of what partners see is a
// diff in review. Paths, fields and tags are in the order in which the program has them.
func Document(a *api.API, v api.Version) []byte {
	return writer{api: a, version: v, about: about, codes: Answered()}.write(a.OpenAPI(v))
}

// DeveloperDocument makes the OpenAPI document of what developers do under /developer, as Document does.
func DeveloperDocument(a *api.API) []byte {
	w := writer{api: a, version: api.Newest(), about: aboutDevelopers, codes: answeredDevelopers(), developers: true}
	return w.write(a.DeveloperOpenAPI())
}

// write completes what huma knows.
func (w writer) write(made *huma.OpenAPI) []byte {
	w.document, w.types = Must(Parse(Must(json.Marshal(made)))), made.Components.Schemas
	w.examples = Must(Parse(examples))
	w.info()
	w.components()
	w.answers()
	if !w.developers {
		w.webhooks()
	}
	w.paths()
	w.openEnums()
	w.prune()
	if w.developers {
		w.rename()
	}
	wordPatterns(w.document)
	return append(layOut(nil, w.document, "", "\n"), '\n')
}

// writer completes a document: each of its methods puts one part in. prune comes after all methods that name schemas.
type writer struct {
	document   *Object
	api        *api.API
	version    api.Version
	about      string        // the description of the whole
	codes      []Code        // of the problems that its operations answer
	developers bool          // it is the developers' document: their operations have no limits, and no webhooks
	types      huma.Registry // of the schemas
	examples   *Object       // of operations, by their ids
}

// resources are what the tags of operations stand for. A tag of plain records is not here: its door says it
// (api.Records.TagDoc).
var resources = map[string]string{
	"Developers": "Test shops and packages of your own. [Developers](/docs/developer) goes through all of it.",
	"Change feed": "What happened to the shop's records, for those who would rather pull than be told, or were away. " +
		"[Keep a copy of a shop](/docs/sync) has programs that follow it.",
	"Products":   "What the shop sells, with variants, stock and prices.",
	"Categories": "Where products stand in the storefront.",
	"Orders": "What was sold: its lines are a snapshot. How several coupons of an order combine is at " +
		"[Discount coupons](/docs/discount-coupons).",
	"Custom URLs":         "Under which addresses of the storefront products and categories are found.",
	"Basket price quotes": "Prices that an add-on calculates for one line of a basket.",
	"Custom code": "HTML and scripts of an add-on in the pages of the storefront, and their removal at " +
		"its deactivation.", "Imports": "Thousands of records in one file.",
	"Add-on data": "What your package keeps beside customers, products and orders, seen by nobody else. It goes when " +
		"the record goes, or your package.",
	"Exports":  "All records of a type in one file.",
	"Shop":     "The shop, the package and the access that a token belongs to.",
	"Tokens":   "How an add-on gets its token when a shop activates it.",
	"Webhooks": "Where the shop's changes are told, what signs them, and what became of each.",
	webhookTag: "What is sent to receivers.",
	"Storefront": "At each shop's own host, its `domain`, and without a token: the visitor's cookies say whose " +
		"basket it is. " +
		"A browser's form sends the same fields.",
}

// info writes the head: the description, where the document is served, and the tags in the order in which the
// operations name them. A tag that no public operation has is left out.
func (w writer) info() {
	document := w.document
	document.In("info").set("description", w.about)
	document.set("servers", []any{of("url", "/", "description", "Where this document is served")})
	// The tags come in the order of the operations, which is the order of the pages.
	var tags []any
	// What a tag stands for, a door has said, or resources says.
	said := map[any]any{}
	for _, t := range document.List("tags") {
		said[t.(*Object).Values["name"]] = t.(*Object).Values["description"]
	}
	for name, doc := range resources {
		said[name] = doc
	}
	for _, route := range w.api.Patterns() {
		_, op := w.operation(route)
		for _, t := range op.List("tags") {
			if !slices.ContainsFunc(tags, func(x any) bool { return x.(*Object).Text("name") == t }) {
				tags = append(tags, of("name", t, "description", said[t]))
			}
		}
	}
	document.set("tags", tags)
	document.In("info").set("contact", of("name", "The platform's operator"))
	document.In("info").set("license", of("name", "MIT", "identifier", "MIT"))
	document.order("openapi", "info", "servers", "tags", "paths", "webhooks", "components")
	document.In("info").order("title", "version", "description", "contact", "license")
}

// operation finds the operation of a route: the object of its path, and its own. Both are empty when the operation is
// not in the document, as the operator's are.
func (w writer) operation(route string) (*Object, *Object) {
	method, path, _ := strings.Cut(route, " ")
	p := w.document.In("paths", path)
	return p, p.In(strings.ToLower(method))
}

// paths puts the operations into the order in which the program registers them, and completes each.
func (w writer) paths() {
	var order []string
	for _, route := range w.api.Patterns() {
		_, path, _ := strings.Cut(route, " ")
		p, op := w.operation(route)
		// The operator's operations, and pages, are no part of the document.
		if len(op.Names) == 0 {
			continue
		}
		if !slices.Contains(order, path) {
			order = append(order, path)
		}
		p.order("get", "post", "put", "patch", "delete")
		w.complete(path, op)
	}
	w.document.In("paths").order(order...)
}

// headers are those of answers, in their order.
var headers = slices.Concat(
	[]string{"ETag", "Link", "Location"}, api.LimitHeaders,
	[]string{"Api-Version", "Deprecation", "Sunset", "X-Request-Id"})

// complete puts an operation's parts into their order and gives its bodies examples. An operation that needs no token
// says so by an empty `security`: without it the document's own would hold.
func (w writer) complete(path string, op *Object) {
	if op.Text("description") == "" {
		op.set("description", op.Text("summary")+".")
	}
	if len(op.List("security")) == 0 {
		// An empty list is not the same as none: without one the document's own requirement of a token holds.
		op.set("security", []any{}) // anybody may
	}
	op.order("operationId", "summary", "description", "tags", "x-permission", "servers", "security", "parameters",
		"requestBody", "responses")
	for _, p := range op.List("parameters") {
		orderParameter(p.(*Object))
	}
	w.orderForms(op.In("requestBody", "content"))
	// The headers of all answers are the same few. They are moved to the components once the answer has them in order.
	for _, name := range op.In("responses").Names {
		a := op.In("responses", name)
		a.order("description", "headers", "content")
		a.In("headers").order(headers...)
		w.shareHeaders(a.In("headers"))
		w.orderForms(a.In("content"))
	}
	w.show(path, op)
}

// orderParameter begins a parameter with its name. huma writes a description twice, at the parameter and at its schema;
// once is enough.
func orderParameter(p *Object) {
	p.order("name", "in", "required", "description")
	if schema := p.In("schema"); schema.Text("description") == p.Text("description") {
		schema.drop("description")
	}
}

// shareHeaders moves the headers of an answer into the components, to which all answers then refer: written out, the
// same headers would stand in each of them.
func (w writer) shareHeaders(of *Object) {
	for _, name := range of.Names {
		if of.In(name).Text("$ref") == "" {
			w.document.In("components", "headers").set(name, of.In(name))
			of.set(name, reference("headers", name))
		}
	}
}

// orderForms orders the fields of each form that a body can have.
func (w writer) orderForms(content *Object) {
	for _, kind := range content.Names {
		w.fields(content.In(kind, "schema"))
	}
}

// reference is a `$ref` to a component.
func reference(kind, name string) *Object { return of("$ref", "#/components/"+kind+"/"+name) }

// Limits are what the headers api.LimitHeaders say, in their order (contract, "Rate limits").
var Limits = []string{"What this request has cost",
	"What is left of the hourly limit", "What is left of the daily limit",
	"The hourly limit", "The daily limit",
	"When the hour's window ends, unix seconds", "When the day's window ends, unix seconds"}

// ending are the headers of answers in a version that ends.
var ending = map[string]string{
	"Deprecation": "Since when this version is deprecated: @ and unix seconds (RFC 9745)",
	"Sunset":      "When this version ends: an HTTP date (RFC 8594)",
}

// components adds what operations refer to: headers, parameters, the answers of refusals, and how a token is sent.
func (w writer) components() {
	parts := w.document.In("components")
	if w.developers {
		parts.In("securitySchemes").In(parts.In("securitySchemes").Names[0]).set("description",
			"A token of a developer: `esk_dev_…`.")
	}
	headers := of()
	// One header of answers.
	header := func(name, text, kind string, example any) {
		headers.set(name, of("description", text, "schema", of("type", kind), "example", example))
	}
	for i, name := range api.LimitHeaders {
		header(name, Limits[i], "integer", json.Number("1"))
	}
	header("Api-Version", "The API version of the answer", "string", w.version.Name)
	for _, h := range w.version.Ending() {
		header(h.Name, ending[h.Name], "string", h.Value)
	}
	header("X-Request-Id", "The request's id: your own when you sent one", "string", "01KAJ1V4S7TGXSAKB4YV5Q2D3E")
	header("Idempotent-Replayed", "true on the answer of an earlier request with this Idempotency-Key",
		"string", "true")
	header("Retry-After", "Seconds to wait", "integer", json.Number("1"))
	header("WWW-Authenticate", "Bearer", "string", "Bearer")
	parts.set("headers", headers)
	versions := []any{}
	for _, v := range api.Versions {
		versions = append(versions, v.Name)
	}
	parts.set("parameters", of(
		"Api-Version", of("name", "Api-Version", "in", "header", "description",
			"The API version that answers; absent: the one that was current when the access was made",
			"schema", of("type", "string", "enum", versions)),
		"X-Request-Id", of("name", "X-Request-Id", "in", "header", "description",
			"An id of your own for the request, kept for logs and answers: "+
				"at most 64 of `A-Z a-z 0-9 . _ -`. Another one is not refused: the platform's own stands in its place",
			"schema", of("type", "string"))))
	// Operations refer to these by status; prune drops those that none has.
	parts.set("responses", w.problems())
	w.schemas(parts.In("schemas"))
	parts.order("securitySchemes", "schemas", "parameters", "headers", "responses")
}

// schemas puts the fields of each schema into the order of its Go source, gives those a description that have none, and
// adds the schemas of problems.
func (w writer) schemas(all *Object) {
	for _, name := range all.Names {
		schema := all.In(name)
		if len(schema.List("oneOf")) > 0 { // beside it are the fields of all, by which a body is checked
			all.set(name, of("oneOf", schema.List("oneOf")))
			continue
		}
		// The schema comes in with its fields sorted by name. Readers want the order in which the fields were thought
		// of.
		if t := w.types.TypeFromRef("#/components/schemas/" + name); t != nil {
			var source []string
			for _, f := range fieldsOf(t) {
				source = append(source, f.name)
			}
			// Names that the schema lacks do no harm: order only moves what is there.
			schema.In("properties").order(source...)
		}
		for _, field := range schema.In("properties").Names {
			if p, m := schema.In("properties", field), meaning(name, field); m != "" && p.Text("description") == "" {
				p.set("description", m)
			}
			schema.In("properties", field).order("type", "format", "description")
		}
		schema.order("type", "description", "required", "properties")
	}
	// A patch has no name in the program, so it takes the order of the record that it changes.
	for _, name := range all.Names {
		if strings.HasSuffix(name, "Patch") {
			w.fields(all.In(name))
		}
	}
	if w.developers { // who read the bodies of webhooks of any event
		for _, of := range []string{"SystemEvent", "WebhookDelivery"} {
			body := all.In(of, "properties", "body")
			body.set("type", "object")
			body.set("examples", []any{WebhookOf(events.PackageActivate)})
		}
	}
	// Problems are written by the frame and have no schema of huma's, so these two are made by hand.
	all.set("Problem", w.problemSchema())
	all.set("Fault", faultSchema())
}

// rename gives the schemas of the developers' document the names of their nouns: there is no other Shop in it. What the
// program calls otherwise is in developersNames.
func (w writer) rename() {
	all, named, to := w.document.In("components", "schemas"), of(), maps.Clone(developersNames)
	for _, name := range all.Names {
		for _, door := range []string{"Manage", "Operator"} {
			if noun, is := strings.CutPrefix(name, door); is {
				to[name] = noun
			}
		}
		named.set(cmp.Or(to[name], name), all.In(name))
	}
	w.document.In("components").set("schemas", named)
	renamed(w.document, to)
}

// developersNames are the names of schemas in the developers' document that do not follow from those of the program.
var developersNames = map[string]string{"NewAccess": "AccessNew", "StaffNew": "AdminNew", "TestShop": "ShopNew"}

// wordPatterns keeps what a text must be like in words, under a name of our own, because OpenAPI has regular
// expressions only.
func wordPatterns(document *Object) {
	walk(document, func(o *Object) {
		if p := o.Text("patternDescription"); p != "" {
			o.drop("patternDescription")
			o.set(PatternDescription, p)
		}
	})
}

// PatternDescription is the extension with a pattern in words.
const PatternDescription = "x-patternDescription"

// prune takes away what nothing in the document leads to: schemas that only the operator's operations have, and
// refusals that no operation has.
func (w writer) prune() {
	w.pruneOf("responses")
	w.pruneOf("schemas")
	if w.developers { // whose operations have no limits
		w.pruneOf("headers")
		w.pruneOf("parameters")
	}
}

// pruneOf drops the components of one kind that nothing leads to. Refusals go first, because they lead to schemas.
func (w writer) pruneOf(kind string) {
	from := []any{w.document.In("paths"), w.document.In("webhooks")}
	if kind != "responses" {
		from = append(from, w.document.In("components", "responses"))
	}
	led, all := w.reached(kind, from...), w.document.In("components", kind)
	for _, name := range slices.Clone(all.Names) {
		if !led[name] {
			all.drop(name)
		}
	}
}

// reached are the names of the components of a kind that from leads to, directly or through other components of the
// kind. Schemas may refer to each other in a ring, so each is followed once.
func (w writer) reached(kind string, from ...any) map[string]bool {
	all, led := w.document.In("components", kind), map[string]bool{}
	var follow func(*Object)
	follow = func(o *Object) {
		if name, is := strings.CutPrefix(o.Text("$ref"), "#/components/"+kind+"/"); is && !led[name] {
			led[name] = true
			walk(all.In(name), follow)
		}
	}
	walk(from, follow)
	return led
}

// fields puts the fields of a schema without a name, such as a patch's, into the order of the first schema with the
// same fields. Where there is none, its own order stays.
func (w writer) fields(schema *Object) {
	properties := schema.In("properties")
	all := w.document.In("components", "schemas")
	for _, name := range all.Names {
		named := all.In(name, "properties").Names
		if len(named) == len(properties.Names) && len(named) > 0 && !slices.ContainsFunc(named, func(n string) bool {
			return properties.Values[n] == nil
		}) {
			properties.order(named...)
			return
		}
	}
}

// problems are the answers of refusals, one for each status: the codes that it can have, and the first of them as
// example.
func (w writer) problems() *Object {
	all := of()
	for _, code := range []int{400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 500, 503} {
		headers := of("Api-Version", reference("headers", "Api-Version"), "X-Request-Id",
			reference("headers", "X-Request-Id"))
		switch code {
		// A client that is asked for a token learns here which scheme is meant (RFC 9110, section 11.6.1).
		case 401:
			headers.set("WWW-Authenticate", reference("headers", "WWW-Authenticate"))
		case 429, 503:
			headers.set("Retry-After", reference("headers", "Retry-After"))
		}
		codes := WithStatus(w.codes, code)
		if len(codes) == 0 {
			continue
		}
		if !w.developers {
			for _, name := range api.LimitHeaders {
				headers.set(name, reference("headers", name))
			}
		}
		for _, h := range w.version.Ending() {
			headers.set(h.Name, reference("headers", h.Name))
		}
		all.set("Problem"+strconv.Itoa(code), of(
			"description", http.StatusText(code)+": "+names(codes), "headers", headers,
			"content", of("application/problem+json",
				of("schema", reference("schemas", "Problem"), "example", w.problemExample(code, codes[0])))))
	}
	return all
}

// problemExample is the problem that the document shows for a code. Codes with members of their own show one of these.
func (w writer) problemExample(status int, c Code) *Object {
	instance := "/api-engine/customers"
	if w.developers {
		instance = "/developer/shops"
	}
	object := of("type", "/docs/errors#"+c.Name, "title", http.StatusText(status), "status",
		json.Number(strconv.Itoa(status)), "detail", c.Means,
		"instance", instance, "code", c.Name, "requestId", "01KAJ1V4S7TGXSAKB4YV5Q2D3E")
	switch c.Name {
	case "insufficient_permission":
		object.set("permission", "customers:read")
	case "rate_limited":
		if w.developers {
			object.set("detail", "You made more than 100 requests in this second: slow down.")
		} else {
			object.set("limit", "hourly")
		}
	}
	return object
}

// problemSchema is the schema of problems (RFC 9457; contract, "Errors"). `code` lists every code that an operation of
// the document can answer, so that a generated client knows them all.
func (w writer) problemSchema() *Object {
	var codes []any
	for _, c := range w.codes {
		codes = append(codes, c.Name)
	}
	schema := of("type", "object", "description", "A problem (RFC 9457). Some codes have further members of their own.",
		"required", []any{"type", "title", "status", "detail", "instance", "code", "requestId"},
		"properties", of(
			"type", text("The address of the page that explains the code"), "title", text("The status in words"),
			"status", of("type", "integer", "description", "The HTTP status"), "detail",
			text("What is wrong, in a sentence"), "instance", text("The path of the request"), "code",
			of("type", "string", "enum", codes, "description", "The problem's name for programs, stable"), "requestId",
			text("The request's id"), "errors", of("type", "array", "items", reference("schemas", "Fault"), "maxItems",
				100, "description", "One entry for each fault of the input, the first hundred"), "permission",
			text("The permission that is missing; of `insufficient_permission`"), "limit", of("type", "string", "enum",
				[]any{"hourly", "daily"}, "description", "The limit that is used up; of `rate_limited`"),
			"cost", of("type", "integer", "description",
				"The cost of the request. Of `rate_limited` what it would have been: the header says what was "+
					"charged, 0. Of `batch_rejected` what it was"), "remaining",
			of("type", "object", "description", "What is left of the limits; of `rate_limited`", "required",
				[]any{"hourly", "daily"},
				"properties", of("hourly", of("type", "integer"), "daily", of("type", "integer"))),
			"results", of("type", "array", "items", reference("schemas", "BatchResult"), "description",
				"What was found of each item; of `batch_rejected`"), "changed",
			of("type", "integer", "description", "How many items changed: 0; of `batch_rejected`"), "productId",
			text("The id of the product; of `insufficient_stock`"), "variantId",
			text("The id of the variant, if it is one's stock; of `insufficient_stock`"), "available",
			of("type", "integer", "description", "How many pieces there are; of `insufficient_stock`"), "reason",
			of("type", "string", "enum", []any{"unknown", "inactive", "not_yet_valid", "expired", "minimum", "used_up"},
				"description", "Why the coupon does not apply; of `coupon_invalid`"),
			"basket",
			of("$ref", "#/components/schemas/Basket", "description",
				"The basket with what it costs now; of `prices_changed`")))
	if w.developers { // who are answered none of the codes that have further members
		schema.drop("description")
		for _, name := range []string{"permission", "limit", "cost", "remaining", "results", "changed", "productId",
			"variantId", "available", "reason", "basket"} {
			schema.In("properties").drop(name)
		}
	}
	return schema
}

// faultSchema is the schema of one entry of a problem's `errors`.
func faultSchema() *Object {
	var codes []any
	for _, c := range FaultCodes {
		codes = append(codes, c.Name)
	}
	return of("type", "object", "required", []any{"location", "code", "message"}, "properties", of(
		"location", of("type", "string", "description",
			"The place of the fault: `body.items[3].quantity`, `query.changed[after]`, `header.If-Match`, or the "+
				"`body` itself"), "code",
		of("type", "string", "enum", codes), "message", of("type", "string"), "value",
		of("description", "The value that was sent there, if its JSON is at most 200 bytes")))
}
