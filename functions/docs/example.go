package docs

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"eshop/events"
)

// example is a value that the schema allows, made of the examples of its fields. Of a patch it changes one field.
func (w writer) example(schema *object, patch bool) any {
	o, is := w.exampleOf(schema, "").(*object)
	if !is || !patch || len(o.names) < 2 {
		return w.exampleOf(schema, "")
	}
	for _, name := range slices.Backward(o.names) {
		if _, text := o.values[name].(string); text {
			return of(name, o.values[name])
		}
	}
	return of(o.names[0], o.values[o.names[0]])
}

// resolve follows references.
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

// exampleOf is the example of a field of that name.
func (w writer) exampleOf(schema *object, name string) any {
	if e := schema.list("examples"); len(e) > 0 {
		return e[0]
	}
	s := w.resolve(schema)
	switch {
	case schema.text("$ref") == "#/components/schemas/Webhook":
		return webhookOf(events.ProductChange)
	case s.values["const"] != nil:
		return s.values["const"]
	case len(s.list("examples")) > 0:
		return s.list("examples")[0]
	case s.values["default"] != nil:
		return s.values["default"]
	case len(s.list("enum")) > 0:
		return s.list("enum")[0]
	}
	switch kind(s) {
	case "object":
		return w.exampleOfMembers(s)
	case "array":
		return []any{w.exampleOf(s.in("items"), name)}
	case "integer", "number":
		if n, is := s.values["minimum"].(json.Number); is && n != "0" {
			return n
		}
		return json.Number("1")
	case "boolean":
		return true
	}
	return word(name)
}

// exampleOfMembers is the example of an object, without the fields that another one makes needless.
func (w writer) exampleOfMembers(s *object) any {
	o := of()
	properties := s.in("properties")
	for _, name := range properties.names {
		if other := instead[name]; other == "" || properties.values[other] == nil {
			o.set(name, w.exampleOf(properties.in(name), name))
		}
	}
	return o
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

// exampleID is the id of everything in examples.
const exampleID = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"

// instead are fields that are sent only where another one is not.
var instead = map[string]string{"change": "quantity", "items": "code"}

// texts are what stands in fields without an example.
var texts = map[string]string{
	"externalId": "erp-1042", "companyId": "27074358", "vatId": "CZ27074358", "company": "Novák a syn s.r.o.", "ean": "8594000000017",
	"manufacturer": "Bavlna a.s.", "name": "Tričko s potiskem", "code": "TR-100", "shortDescription": "Bavlněné tričko", "description": "Bavlněné tričko s potiskem.",
	"alt": "Tričko zepředu", "availability": "in stock", "note": "As a gift", "variantName": "Modré, M", "nextCursor": "3q2-7wAAAAAwMUtBSjFWNFM3",
	"ifMatch": "01KAJ1V4S7TGXSAKB4YV5Q2D3E", "version": "01KAJ1V4S7TGXSAKB4YV5Q2D3E", "groups": "stock", "number": "2026000123",
	"delivery": "PPL", "payment": "Card", "slug": "tricko-s-potiskem", "path": "/tricko-s-potiskem", "fingerprint": "150c6d7bf58ca73d",
	"lastFailure": "timeout", "reason": "unsubscribed", "error": "status 503", "answer": "down for maintenance",
	"url": "https://shop.example.cz/tricko-s-potiskem", "uploadUrl": "https://api.example.com/uploads/…", "phone": "+420 601 123 456",
	"trackingNumber": "DR1234567890C", "trackingLink": "https://tracking.example.com/DR1234567890C", "discountCoupons": "LETO2026",
	"missingPermissions": "orders:read", "key": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "event": "productChange",
	"email": "jana@example.com", "password": "correct horse battery", "currentPassword": "correct horse battery", "confirmationUrl": "https://shop.example.cz/order/7Zq0mB1x9cD4fGhJkLmNpQrS",
	"token": "esk_live_…", "quoteToken": "mVbJ0wW7sKqYl2fXUo8cTnR4eGdA9hPi3zE6yB1tQ5k",
	"message": "There are too few in stock for this change.", "location": "body.items[0].quantity", "installCode": "7Zq0mB1x9cD4fGhJkLmNpQrStUvWxYz2a3b4c5d6e7f",
}

// word is a text for a field without an example: ids look like ids.
func word(name string) string {
	if text, known := texts[name]; known {
		return text
	}
	if name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids") {
		return exampleID
	}
	return "text"
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
