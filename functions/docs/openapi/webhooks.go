package openapi

import (
	"encoding/json"

	"eshop/events"
	fields "eshop/shared/record/field" // a field is one of the reference here
)

// This file is the document's webhooks: what each event's body is, with a sample of it. The page of events shows it,
// too.

// EventDoc is what the documents say of an event: its own row's text, and the permission that it needs.
func EventDoc(e events.Name) string {
	if needs := e.Needs(); needs != "" {
		return e.Row().Doc + " Needs `" + string(needs) + "`."
	}
	return e.Row().Doc
}

// eventFields are what the fields of an event's data are, by their names, but of lists of records.
var eventFields = map[string]*Object{
	"removedCustomCodeIds": ids("The ids of the custom codes that were removed by their cleanup orders"),
	"keptCustomCodeIds":    ids("The ids of the custom codes that stay"),
	"ownerEmail": of("type", "string", "format", "email", "description",
		"The e-mail address of the new owner"),
	"websiteUrl": text("Where the shop's storefront is"),
	"locale": of("type", "string", "enum", fields.Locale("").Schema(nil).Enum, "description",
		"The shop's locale"),
	"originatedAt": moment("When the owner changed"),
	"occurredAt":   moment("When it happened"),
	"openedAt":     moment("When the instructions were opened"),
	"packageId":    text("The id of the package"),
	"nonce":        text("The text that the answer's body has to repeat"),
	"accessId":     text("The id of the package's access on the shop; to a systemUrl only"),
	"receiverId":   text("The id of the receiver"),
	"url":          text("The receiver's address"),
	"since":        moment("When the receiver came into its state"),
	"lastFailure":  text("What its last failed attempt said"),
	"installCode": text("The code for one token, good for 15 minutes; to a systemUrl only, and another one in " +
		"each attempt"),
}

// text is the schema of a string.
func text(doc string) *Object { return of("type", "string", "description", doc) }

// moment is the schema of a time.
func moment(doc string) *Object {
	return of("type", "string", "format", "date-time", "description", doc)
}

// ids is the schema of a list of ids.
func ids(doc string) *Object {
	return of("type", "array", "items", of("type", "string"), "description", doc)
}

// recordsOf are the records that an event tells of.
func recordsOf(s events.Subject) *Object {
	if !s.Variants {
		return ids("The ids of the " + string(s.Kind))
	}
	return of("type", "array", "items", of("type", "object", "required", []any{"id", "variantIds"}, "properties",
		of("id", text("The id of the product"), "variantIds", ids("The ids of its variants, perhaps none"))))
}

// webhookName is the schema of the event's body.
func webhookName(e events.Name) string { return string(e[0]-'a'+'A') + string(e[1:]) + "Webhook" }

// webhookTag is the tag of the webhooks section. No operation has it: generators make a class of each tag, and the
// class of one section would take the place of the other's.
const webhookTag = "Webhook events"

// webhooks adds the section of what receivers are sent, and the schemas of the bodies. A discriminator tells them apart
// by `event`, so that a generated client decodes a body into the type of its event.
func (w writer) webhooks() {
	taken := of("2XX", of("description", "It was taken. Any other answer, or none within 10 s, is a failure, and "+
		"the webhook comes again."),
		"410", of("description", "Nobody is there any more: twice, ten minutes or more apart, disables the receiver."))
	all, schemas := of(), w.document.In("components", "schemas")
	mapping := of()
	var bodies []any
	for _, e := range events.Sent {
		name := webhookName(e)
		mapping.set(string(e), "#/components/schemas/"+name)
		schemas.set(name, WebhookSchema(e))
		bodies = append(bodies, reference("schemas", name))
		all.set(string(e), of("post", of("operationId", "on"+name, "summary", string(e), "description", EventDoc(e),
			"tags", []any{webhookTag},
			"security", []any{}, "parameters", WebhookHeaders(e),
			"requestBody", of("required", true, "content",
				of("application/json", of("schema", reference("schemas", name), "example", WebhookOf(e)))),
			"responses", taken)))
	}
	w.document.set("webhooks", all)
	w.document.set("tags", append(w.document.List("tags"),
		of("name", webhookTag, "description", resources[webhookTag])))
	schemas.set("Webhook", of("description", "The body of a webhook, by its event.", "oneOf", bodies,
		"discriminator", of("propertyName", "event", "mapping", mapping)))
	// What was sent may be of an event that a later version has, so it is any object: a generated client reads it all
	// the same, and decodes it by its event where it knows that.
	schemas.In("WebhookDelivery", "properties").set("body", of("type", "object", "additionalProperties", true,
		"description", schemas.In("WebhookDelivery", "properties", "body").Text("description"),
		"examples", []any{WebhookOf(events.ProductChange)}))
	w.document.In("paths", "/api-engine/webhooks", "post").set("callbacks", of("webhook", of("{$request.body#/url}",
		of("post", of("summary", "A webhook", "security", []any{}, "requestBody", of("required", true, "content",
			of("application/json", of("schema", reference("schemas", "Webhook")))), "responses", taken)))))
}

// WebhookSchema is the schema of an event's body (contract, "Body"). Which fields `data` has, it takes from the event's
// sample, so that the schema and what is sent cannot differ.
func WebhookSchema(e events.Name) *Object {
	sample := Must(Parse(events.Sample(e).Data))
	data, required := of(), []any{}
	for _, name := range sample.Names {
		required = append(required, name)
		data.set(name, eventFields[name])
	}
	if about := e.Row().About; about.IDs != "" {
		data.set(about.IDs, recordsOf(about))
	}
	// Only a systemUrl is told these two, so they are fields of the event that no receiver can rely on: they are not
	// required.
	if e == events.PackageActivate {
		data.set("accessId", eventFields["accessId"])
		data.set("installCode", eventFields["installCode"])
	}
	return of("type", "object", "description", EventDoc(e), "required",
		[]any{"id", "event", "shopId", "apiVersion", "createdAt", "by", "requestId", "data"},
		"properties", of(
			"id", text("The webhook id, the same in each attempt"), "event", of("type", "string", "const", string(e)),
			"shopId", text("The id of the shop"), "apiVersion", text("The API version of the access"), "createdAt",
			moment("When it happened: the newest `changed` of the records that it tells of, if it tells of some"),
			"by", of("type", "string", "enum", bys(), "description", byDoc),
			"requestId", text("The X-Request-Id that the change was asked for with, else the platform's own"),
			"data", of("type", "object", "required", required, "properties", data),
			"test", of("type", "boolean", "description", "Whether it is a test with ids of nothing: true, or absent")))
}

// WebhookHeaders are the headers of a webhook of the event (contract, "Headers"). Those that sign are optional, because
// an access without a key is sent none of them.
func WebhookHeaders(e events.Name) []any {
	header := func(name, doc, example string, required bool) any {
		return of("name", name, "in", "header", "description", doc, "required", required,
			"schema", of("type", "string"), "example", example)
	}
	all := []any{header("X-Webhook-Event", "The name of the event", string(e), true),
		header("X-Webhook-Id", "The body's `id`", exampleID, true),
		of("name", "X-Webhook-Attempt", "in", "header", "description", "Which attempt it is, from 1", "required", true,
			"schema", of("type", "integer"), "example", json.Number("1"))}
	all = append(all, header("X-Webhook-By", "The body's `by`", string(events.ByAdmin), true))
	if e.Grouped() {
		all = append(all, header("X-Webhook-Changed", "What changed, with commas between", e.Row().Shown(), true))
	}
	return append(all,
		header("traceparent", "The trace of the request that made the change, if it had one: its trace-id, with a "+
			"span of this attempt", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
		header("X-Webhook-Timestamp", "The unix seconds of this attempt; with a signing key", "1795226712", false),
		header("X-Webhook-Signature", "The HMAC-SHA256 of timestamp, a point and body; with a signing key",
			signature, false), header("X-Webhook-Signature-Next",
			"The signature by a pending key, for a trial; while there is one", signature, false),
		header("X-Webhook-Signature-Previous", "The signature by the key before, for 24 hours after a new one",
			signature, false), header("webhook-id", "The body's `id`, as Standard Webhooks have it; with a signing key",
			exampleID, false), header("webhook-timestamp",
			"The unix seconds of this attempt, as Standard Webhooks have it; with a signing key", "1795226712", false),
		header("webhook-signature", "A signature by each live key, with blanks between, as Standard "+
			"Webhooks have it; with a signing key",
			"v1,dHB+9rxMWmt0n6y4cIrdCk8qW4B3qdKwWKGI1OYY+K0=", false))
}

// byDoc says who the actors of a webhook are; bys are their words.
const byDoc = "Who did it: self is your own access, package another add-on, platform none of these"

func bys() (words []any) {
	for _, by := range events.Bys {
		words = append(words, string(by))
	}
	return words
}

// signature is an example of what signs a webhook: the guide's.
const signature = "sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4"
