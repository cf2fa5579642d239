package docs

import (
	_ "embed"
	"strings"
	"time"

	"eshop/events"
)

// examples are what the document shows of each operation, by its id: under "path" where the operation is for one
// record, if its path has parameters, under "request" the JSON that it takes, and under each status what it answers.
//
// Paths and requests are written by hand, on records of the demo shop: their ids are the same in each new data folder,
// so an example does as it stands what it says. An id that ends with 3E is of something that the reader makes first.
// `make golden` makes the requests on a demo shop and records the answers (infra/local).
//
//go:embed examples.json
var examples []byte

// show puts an operation's example into it: what its path holds, what it takes, what it answers. An answer without an
// example stays without: a test refuses that.
func (w writer) show(path string, op *object) {
	example := w.examples.in(op.text("operationId"))
	at := strings.Split(example.text("path"), "/")
	for _, p := range op.list("parameters") {
		name := p.(*object).text("name")
		for i, segment := range strings.Split(path, "/") {
			if segment == "{"+name+"}" && i < len(at) {
				p.(*object).set("example", at[i])
			}
		}
	}
	shown := func(content *object, what string) {
		if body := content.in("application/json"); len(body.names) > 0 && example.values[what] != nil {
			body.set("example", example.values[what])
		}
	}
	shown(op.in("requestBody", "content"), "request")
	for _, status := range op.in("responses").names {
		shown(op.in("responses", status, "content"), status)
	}
}

// webhookOf is the body of a webhook of the event.
func webhookOf(e events.Name) *object {
	at := time.Date(2026, 11, 21, 2, 5, 12, 583e6, time.UTC)
	body := events.AppendHead(nil, exampleID, e, exampleID, events.APIVersion, at)
	o, err := parse(append(append(body, events.Sample(e).Data...), '}'))
	if err != nil {
		panic("docs: " + err.Error()) // a sample is JSON
	}
	return o
}

// exampleID is an id that no new shop has: an example with it stands for something that the reader makes first.
const exampleID = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"

// resolve follows a schema's references to the schema itself.
func (w writer) resolve(schema *object) *object {
	const prefix = "#/components/schemas/"
	for ref := schema.text("$ref"); ref != ""; ref = schema.text("$ref") {
		schema = w.document.in("components", "schemas", ref[len(prefix):])
	}
	return w.first(schema)
}

// first is the schema itself, or the first of several that a value can be of, null apart.
func (w writer) first(schema *object) *object {
	for _, kind := range []string{"anyOf", "oneOf"} {
		if all := schema.list(kind); len(all) > 0 {
			return w.resolve(all[0].(*object))
		}
	}
	return schema
}

// kind is the schema's type; of a nullable one the type beside null.
func kind(s *object) string {
	if types := s.list("type"); len(types) > 0 {
		for _, t := range types {
			if t != "null" {
				return t.(string)
			}
		}
	}
	return s.text("type")
}
