package openapi

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
func (w writer) show(path string, op *Object) {
	example := w.examples.In(op.Text("operationId"))
	at := strings.Split(example.Text("path"), "/")
	for _, p := range op.List("parameters") {
		name := p.(*Object).Text("name")
		for i, segment := range strings.Split(path, "/") {
			if segment == "{"+name+"}" && i < len(at) {
				p.(*Object).set("example", at[i])
			}
		}
	}
	shown := func(content *Object, what string) {
		if body := content.In("application/json"); len(body.Names) > 0 && example.Values[what] != nil {
			body.set("example", example.Values[what])
		}
	}
	shown(op.In("requestBody", "content"), "request")
	for _, status := range op.In("responses").Names {
		shown(op.In("responses", status, "content"), status)
	}
}

// WebhookOf is the body of a webhook of the event.
func WebhookOf(e events.Name) *Object {
	at := time.Date(2026, 11, 21, 2, 5, 12, 583e6, time.UTC)
	told := events.Change{Request: exampleID, Shop: exampleID, At: at.UnixMilli(), By: events.Person("")}
	body := told.AppendHead(nil, exampleID, e, events.APIVersion, events.ByAdmin)
	return Must(Parse(append(append(body, events.Sample(e).Data...), '}')))
}

// exampleID is an id that no new shop has: an example with it stands for something that the reader makes first.
const exampleID = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"
