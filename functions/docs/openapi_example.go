package docs

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/events"
)

// exemplar makes the examples of an operation's bodies. It is passed by value: what is set for one field is not seen by
// the next.
type exemplar struct {
	writer
	op     string         // the operation's id
	record string         // the id of the record that a value is in
	own    map[string]any // what the operation's own fields are
	answer bool
	patch  bool // a body that changes one field
}

// exemplar begins the examples of one operation, on the record of the demo shop that its path leads to.
func (w writer) exemplar(path string, op *object) exemplar {
	id := op.text("operationId")
	return exemplar{writer: w, op: id, record: recordAt(path), own: particular[id]}
}

// answers is the exemplar for the operation's answers of a status. They show what requests leave out.
func (e exemplar) answers(status string) exemplar {
	if own, is := particular[e.op+" "+status]; is {
		e.own = own
	}
	e.answer, e.patch = true, false
	return e
}

// example is a value that the schema allows, made of the examples of its fields. Of a patch it changes one field.
func (e exemplar) example(schema *object) any {
	v := e.exampleOf(schema, "")
	o, is := v.(*object)
	if !is || !e.patch || len(o.names) < 2 {
		return v
	}
	// A patch may change any one field. Shown is the last text, or the first field where there is no text.
	for _, name := range slices.Backward(o.names) {
		if _, text := o.values[name].(string); text {
			return of(name, o.values[name])
		}
	}
	return of(o.names[0], o.values[o.names[0]])
}

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

// exampleOf is the example of a field. The first of these that there is counts:
//
//   - a text of `texts` for the field's name, if the field is a time or the text is a value of its enum,
//   - the example that the field itself declares,
//   - a webhook's body, for a field that holds one,
//   - the only value that it can have, the example of its type, its default, the first of its enum,
//   - something of its type; an object is made of the examples of its fields.
func (e exemplar) exampleOf(schema *object, name string) any {
	s := e.resolve(schema)
	text, known := texts[name]
	if known && (s.text("format") == "date-time" || slices.Contains(s.list("enum"), any(text))) {
		return text
	}
	if all := schema.list("examples"); len(all) > 0 {
		return all[0]
	}
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
		return e.exampleOfMembers(s)
	case "array":
		return []any{e.exampleOf(s.in("items"), name)}
	case "integer", "number":
		// 1 is in bounds unless the least is above it. A least of 0 would make dull examples.
		if n, is := s.values["minimum"].(json.Number); is && n != "0" {
			return n
		}
		return json.Number("1")
	case "boolean":
		return !slices.Contains(untrue, name)
	}
	return word(name)
}

// exampleOfMembers is the example of an object. Of two fields that exclude each other it has one (see `instead`).
func (e exemplar) exampleOfMembers(s *object) any {
	o := of()
	properties := s.in("properties")
	for _, name := range properties.names {
		if other := instead[name]; other != "" && properties.values[other] != nil {
			continue
		}
		// What the operation says itself comes first. A nil is left out of requests, and shown in answers like any
		// other field.
		switch own, is := e.own[name]; {
		case own == absent{}:
		case own != nil:
			o.set(name, own)
		case is && !e.answer:
		case name == "id":
			o.set(name, e.record)
		default:
			o.set(name, e.within(s, name).exampleOf(properties.in(name), name))
		}
	}
	return o
}

// within is the exemplar for what is in an object's field. The members of a list of records, and of a batch, are still
// the same record. Anything else in an object is a record with an id of its own.
func (e exemplar) within(s *object, name string) exemplar {
	if name != "items" && name != "results" || s.in("properties").values["id"] != nil {
		e.record, e.own = cmp.Or(references[name], exampleID), inside[name]
	}
	return e
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

// Records of the demo shop. Their ids are the same in each new data folder, so an example does as it stands what it
// says. A journey runs all of them.
const (
	demoShop     = "01M6AYXNH0EMMTSVZEBNAZ5DFB"
	demoPackage  = "01M6AZAFP0KPYWB8VZFJAXFPTS"
	demoAccess   = "01M6AZQ9V02G45D8CGHGBMA4EA"
	demoCustomer = "01M6BEHHM0FQFND3TQE7B5X3DZ"
	demoProduct  = "01M6B3AN80FPKSKEM9FX98RSJ1"
	demoVariant  = "01M6B3AN80TGXF44N490CV9J0F" // of that product
	demoPlain    = "01M6B4H3Q05S1Z7W96B8SG0T98" // a product without variants
	demoCategory = "01M6B246S022TC2SH1K67SVPN2"
	demoParent   = "01M6B1QCM0KNG31VD571HC8TZF" // another category
	demoURL      = "01M6BC4MP0JFHVZ436M5WCAW8A" // a custom one, of that product
	demoOrder    = "01M6C45P20BANA7S02PFZNERE8"
	demoState    = "01M6AYXNH0VEQNJVMHTE5WAM2X" // one that no order is in
	demoNext     = "01M6AYXNH07A95ZCD4BXGJSBDV" // one that an order may begin in
	demoCoupon   = "01M6C2JDE03MPCVH27M3E8N5C1" // VITEJTE10, which applies to every order
)

// references are the ids of records that fields name or hold.
var references = map[string]string{
	"shopId": demoShop, "packageId": demoPackage, "accessId": demoAccess, "customerId": demoCustomer,
	"productId": demoProduct, "urlItem": demoProduct,
	"variantId": demoVariant, "variantIds": demoVariant, "variants": demoVariant,
	"categoryIds": demoParent, "parentId": demoParent,
	"orderId": demoOrder, "stateId": demoNext, "discountCoupons": demoCoupon,
}

// collections are the ids of records at paths, by their last segment that says what they are.
var collections = map[string]string{
	"shop": demoShop, "package": demoPackage, "customers": demoCustomer,
	"products": demoProduct, "changes": demoProduct, "variants": demoVariant,
	"categories": demoCategory, "custom-urls": demoURL,
	"orders": demoOrder, "order-states": demoState, "discount-coupons": demoCoupon,
}

// recordAt is the id of the demo shop's record at a path, by the last segment that names a collection; exampleID where
// none does.
func recordAt(path string) string {
	for _, segment := range slices.Backward(strings.Split(path, "/")) {
		if id := collections[segment]; id != "" {
			return id
		}
	}
	return exampleID
}

// parametersAt puts the demo shop's records into a path in place of its parameters, so that an example runs as it
// stands.
func parametersAt(path string) string {
	for {
		before, rest, found := strings.Cut(path, "{")
		if !found {
			return path
		}
		_, after, _ := strings.Cut(rest, "}")
		path = before + recordAt(before) + after
	}
}

// instead are fields that are sent only if another one is not: `change` adds to a stock, `quantity` sets it.
var instead = map[string]string{"change": "quantity", "items": "code", "deletedAt": "deleted"}

// untrue are booleans whose example is false, because true is rare.
var untrue = []string{"final", "deleted"}

// absent marks a field that an example leaves out, in answers too: it would contradict the others.
type absent struct{}

// particular is what single operations say differently from everywhere else, by their ids; what their answers of one
// status say, by the id and the status. nil leaves a field out of the request: what it names would have to be made
// first.
var particular = map[string]map[string]any{
	"listDeveloperShops":       testShop,
	"createDeveloperShop":      testShop,
	"readDeveloperShop":        testShop,
	"changeDeveloperShop":      testShop,
	"listDeveloperPackages":    teaReports,
	"createDeveloperPackage":   teaReports,
	"readDeveloperPackage":     teaReports,
	"changeDeveloperPackage":   teaReports,
	"createDeveloperAccess":    {"token": "esk_test_…", "setup": "in_progress", "setupUrl": absent{}},
	"createDeveloperToken":     {"token": "esk_test_…"},
	"renewToken":               {"token": "esk_dev_…", "name": "Ada"},
	"createVariants":           {"code": "TR-100-L", "name": "Modré, L"},
	"changeProductsBasic":      {"ifMatch": nil, "code": nil, "results": results(changed(0, demoProduct))},
	"changeProductsBasic 207":  {"results": results(changed(0, demoProduct), failed("not_found", "id"))},
	"changeProductsStock":      {"items": stockItems, "results": stockResults(changed(1, demoPlain)), "changed": two},
	"changeProductsStock 207":  {"results": stockResults(failed("insufficient_stock", "change"))},
	"changeProductsUnits":      {"ifMatch": nil, "results": results(changed(0, demoProduct))},
	"changeProductsUnits 207":  {"results": results(changed(0, demoProduct), failed("not_found", "id"))},
	"changeProductsPrices":     {"ifMatch": nil, "results": results(ofVariant())},
	"changeProductsPrices 207": {"results": results(ofVariant(), failed("not_found", "id"))},
	"changeCategory":           {"parentId": nil},
	"createCoupon":             {"code": "PODZIM2026"},
	"changePackage":            {"setupUrl": nil},
	"createQuote":              {"imageIds": nil},
	"listQuotes":               {"orderId": absent{}},
	"readQuote":                {"orderId": absent{}},
	"createImport 201":         {"rows": rows("0", "0", "0", "0"), "progress": json.Number("0")},
	"listImports":              whileItRuns,
	"readImport":               whileItRuns,
	"listImportErrors":         {"row": two, "message": "is no e-mail address"},
	"createExport 201":         begun,
	"listExports":              {"state": "done", "error": absent{}},
	"readExport":               {"state": "done", "error": absent{}},
	"listChanges":              {"change": "changed"},
	"listReceivers":            well,
	"createReceiver 201":       fresh,
	"readReceiver":             well,
	"changeReceiver 200":       well,
	"pingReceiver":             fresh,
	"enableReceiver":           well,
	"testReceiver 202":         well,
	"replayReceiver 202":       well,
	"readDelivery":             retried,
	"listDeliveries":           retried,
	"redeliver":                retried,
	"listSigningKeys":          {"state": "primary", "expiresAt": absent{}, "revokedAt": absent{}, "key": absent{}},
	"createSigningKey":         {"activatedAt": absent{}, "expiresAt": absent{}, "revokedAt": absent{}},
	"activateSigningKey":       {"state": "primary", "expiresAt": absent{}, "revokedAt": absent{}, "key": absent{}},
	"addToBasket":              {"quoteToken": nil},
	"setBasketCoupon":          {"code": "VITEJTE10"},
	"setBasketCoupon 200":      {},
	"registerShopper":          {"email": shopper},
	"signInShopper":            {"email": shopper},
	"changeShopper":            {"email": nil, "password": nil, "currentPassword": nil},
	"setShopperPassword":       {"token": "7Zq0mB1x9cD4fGhJkLmNpQrStUvWxYz2a3b4c5d6e7f"},
	"listShopperOrders":        {"total": "1111.05", "discount": "123.45"},
	"readShopperOrder":         {"total": "1111.05", "discount": "123.45"},
}

// Answers of operations that are about the same state.
var (
	// a receiver that was just made, and one that is well
	fresh = map[string]any{"missingPermissions": []any{}, "lastSuccessAt": absent{}, "lastFailure": absent{},
		"lastFailureAt": absent{}, "nextProbeAt": absent{}}
	well = map[string]any{"missingPermissions": []any{}, "state": "enabled", "lastFailure": absent{},
		"lastFailureAt": absent{}, "nextProbeAt": absent{}}

	// an export that was just begun
	begun = map[string]any{"rows": json.Number("0"), "progress": json.Number("0"), "downloadUrl": absent{},
		"error": absent{}}

	// a delivery that will be tried again, and an import under way
	retried     = map[string]any{"reason": absent{}, "test": absent{}}
	whileItRuns = map[string]any{"state": "running", "rows": rows("1000", "940", "58", "2"),
		"progress": json.Number("0.4")}
)

// rows are how many rows an import has read, and what became of them.
func rows(read, changed, unchanged, failed json.Number) *object {
	return of("read", read, "changed", changed, "unchanged", unchanged, "failed", failed)
}

const two = json.Number("2")

// stockItems are a variant whose stock is set, and a product without variants from whose stock some are taken.
var stockItems = []any{
	of("id", demoProduct, "variantId", demoVariant, "quantity", json.Number("25"), "availability", "in stock"),
	of("id", demoPlain, "change", json.Number("-2")),
}

// results are what became of a batch's items.
func results(of ...any) []any { return of }

// stockResults are what became of stockItems.
func stockResults(second any) []any { return results(ofVariant(), second) }

// changed is the result of an item about a product.
func changed(index int, id string) *object {
	return of("index", json.Number(strconv.Itoa(index)), "id", id, "status", "changed")
}

// ofVariant is the result of a first item, about a variant.
func ofVariant() *object {
	return of("index", json.Number("0"), "id", demoProduct, "variantId", demoVariant, "status", "changed")
}

// failed is the result of a second item that could not be done for what stands in its field.
func failed(code, field string) *object {
	id, message := exampleID, "There is no such product."
	if code == "insufficient_stock" {
		id, message = demoPlain, "There are too few in stock for this change."
	}
	return of("index", json.Number("1"), "id", id, "status", "failed",
		"error", of("code", code, "message", message, "location", "body.items[1]."+field))
}

// inside is what the fields are of objects in a field of that name.
var inside = map[string]map[string]any{
	"discountCoupons": {"code": "VITEJTE10", "value": "10.00", "discount": "123.45"},
	"coupons":         {"code": "VITEJTE10", "discount": "123.45"},
	"totals":          {"items": "1234.50", "discount": "123.45", "total": "1111.05"},
	"attempts":        {"status": json.Number("503"), "signed": absent{}},
}

// shopper is who registers in examples, and then signs in.
const shopper = "eva.dvorakova@example.cz"

// texts are examples for fields that declare none, by their names, as a Czech shop would have them.
var texts = map[string]string{
	"externalId": "erp-1042", "companyId": "27074358", "vatId": "CZ27074358", "company": "Novák a syn s.r.o.",
	"ean": "8594000000017", "manufacturer": "Bavlna a.s.", "name": "Tričko s potiskem", "code": "TR-100",
	"shortDescription": "Bavlněné tričko", "description": "Bavlněné tričko s potiskem.", "alt": "Tričko zepředu",
	"availability": "in stock", "note": "As a gift", "variantName": "Modré, M",
	"nextCursor": "3q2-7wAAAAAwMUtBSjFWNFM3", "ifMatch": exampleVersion, "version": exampleVersion, "groups": "stock",
	"number": "2026000123", "delivery": "PPL", "payment": "Card", "slug": "tricko-s-potiskem",
	"path": "/tricko-s-potiskem", "fingerprint": "150c6d7bf58ca73d", "lastFailure": "timeout", "error": "status 503",
	"answer": "down for maintenance", "url": "https://shop.example.cz/tricko-s-potiskem",
	"uploadUrl": "https://api.example.com/uploads/…", "downloadUrl": "https://api.example.com/exports/…",
	"phone": "+420 601 123 456", "trackingNumber": "DR1234567890C",
	"trackingLink": "https://tracking.example.com/DR1234567890C", "discountCoupons": "VITEJTE10",
	"missingPermissions": "orders:read", "key": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "kind": "custom",
	"event": "productChange", "events": "productChange", "email": "jana.novakova@example.cz",
	"password": "correct horse battery", "currentPassword": "correct horse battery",
	"confirmationUrl": "https://shop.example.cz/order/7Zq0mB1x9cD4fGhJkLmNpQrS", "token": "esk_live_…",
	"quoteToken":   "mVbJ0wW7sKqYl2fXUo8cTnR4eGdA9hPi3zE6yB1tQ5k",
	"instructions": "# Welcome", "last4": "x9Qe", "websiteUrl": "https://tea.test",
	"setPasswordUrl": "https://admin.tea.test/admin/set-password?token=…",
	"message":        "There are too few in stock for this change.", "location": "body.items[0].quantity",
	"installCode": "7Zq0mB1x9cD4fGhJkLmNpQrStUvWxYz2a3b4c5d6e7f", "validTo": "2026-12-31T23:00:00.000Z",
	"to": "2026-11-22T02:05:12.583Z", "expiresAt": "2026-11-22T02:05:12.583Z",
	"nextAttemptAt": "2026-11-21T02:10:12.583Z", "nextProbeAt": "2026-11-21T02:10:12.583Z",
}

// What developers make.
var (
	testShop = map[string]any{"name": "Tea", "domain": "tea.test", "visitorLimits": nil, "deletesAt": absent{},
		"readyDomain": absent{}}
	teaReports = map[string]any{"name": "Tea reports", "code": "tea-reports",
		"systemUrl": "https://addon.example/eshop"}
)

// exampleVersion is what an ETag holds.
const exampleVersion = "01KAJ1V4S7Z0R8E5T2M9QYB6HW"

// word is a text for a field without an example: an id where its name says that it holds one.
func word(name string) string {
	if text, known := texts[name]; known {
		return text
	}
	if id := references[name]; id != "" {
		return id
	}
	if strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids") {
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
