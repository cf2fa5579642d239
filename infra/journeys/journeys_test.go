package journeys

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// journeys are all that every platform is travelled by, by what they are to show.
var journeys = map[string]func(*testing.T, *world){
	"a customer's creation, change and deletion arrive, each as one webhook":                     customers,
	"a product's creation, change and deletion arrive, with the variants that were touched":      products,
	"what changes nothing is told to nobody":                                                     nothingChanged,
	"a batch of 100 is one call, of those that changed":                                          batches,
	"without the permission there is no webhook, with it there is":                               permissions,
	"while the package is inactive every request is 403 and nothing comes but packageDeactivate": inactive,
	"a deactivation removes codes with a cleanup order, and says what went and what stayed":      removal,
	"what an add-on keeps beside a record is its own, tells nobody and outlives a deactivation":  beside,
	"another shop sees nothing and hears nothing":                                                anotherShop,
	"a receiver with groups hears of changes that touch them, record by record":                  groups,
	"webhooks are unsigned without a key, signed with the first, and twice while one is pending": keys,
	"a receiver that never answers the nonce gets pings only":                                    unverified,
	"a new owner is told to all active accesses of the shop, the same owner to none":             owner,
	"opening the instructions is told to the package's own access":                               instructions,
	"a delivery goes out again when it is asked for, and so do replays and tests":                again,
	"a key that takes another one's place signs beside it for a day":                             rotated,
	"a receiver that was down gets the same webhook again, as attempt 2":                         downThenUp,
	"a redirect is a failure and is not followed":                                                redirect,
	"the same request twice with one Idempotency-Key is one change and one webhook":              idempotent,
	"a receiver with a new address that is not proven yet gets what waited, at the new one":      newAddress,
	"what every answer has, it has on every route":                                               frame,
	"no more requests pass than the limit, however many come at once":                            limited,
	"an import of 1,200 customers is told in three calls":                                        imported,
	"an export of all customers is fetched by its address":                                       exported,
	"a product of 500 variants is never split":                                                   whole,
	"two receivers of one access each get their own call":                                        twoReceivers,
	"a customer is erased, every receiver is told, and the operator sees who confirmed it":       erased,
	"a shop is exported whole, closed, and opened again":                                         left,
	"a product's URLs are told by webhook and in the change feed, its deletion too":              addresses,
	"a vendor exchanges the code of an activation for a token, once":                             exchanged,
	"a developer tries a package on a test shop, without the operator":                           developed,
	"the operator's people act by tokens of their own, and the trail names them":                 operated,
	"an order takes stock and gives it back, and each step of it is told":                        orders,
	"what somebody searches for is found, whoever searches":                                      searched,
	"a configured product is sold at its quoted price, and its add-on cleaned up again":          storefront,
}

// travel makes every journey on the platform.
func travel(t *testing.T, w *world) {
	for name, journey := range journeys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			journey(t, w)
		})
	}
}

func ids(id string) string { return `{"customerIds":["` + id + `"]}` }

// product is the data of a call about one product.
func product(id string, variants ...string) string {
	list := ""
	if len(variants) > 0 {
		list = `"` + strings.Join(variants, `","`) + `"`
	}
	return `{"products":[{"id":"` + id + `","variantIds":[` + list + `]}]}`
}

func customers(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens()
	made := tn.post("/api-engine/customers", someone())
	at := "/api-engine/customers/" + made.id()
	c := a.hears("customerCreate", made.id())
	c.tells(t, ids(made.id()), "")
	require.Equal(t, tn.shop, c.body.ShopID)
	require.Equal(t, made.text("changed"), tn.get(at).text("changed"))
	require.Equal(t, made.header.Get("ETag"), tn.get(at).header.Get("ETag"))

	tn.patch(at, fields{"phone": "+420 601 123 456"})
	a.hears("customerChange", made.id()).tells(t, ids(made.id()), "contact")
	require.Equal(t, "+420 601 123 456", tn.get(at).text("phone"))
	tn.patch(at, fields{"vatId": "CZ1", "note": "x",
		"deliveryAddress": fields{"street": "Dlouhá 1", "city": "Brno", "zip": "602 00", "country": "CZ"}})
	calls := a.until(func(calls []call) bool { return len(calls) == 3 })
	calls[2].check(t)
	calls[2].tells(t, ids(made.id()), "billing,contact,delivery")

	tn.delete(at)
	a.hears("customerDelete", made.id()).tells(t, ids(made.id()), "")
	tn.gone(at)
	tn.hearsOnly(a, "customerCreate", "customerChange", "customerChange", "customerDelete")
}

func products(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens()
	heard := 0
	next := func() call {
		t.Helper()
		heard++
		c := a.until(func(calls []call) bool { return len(calls) == heard })[heard-1]
		c.check(t)
		return c
	}
	made := tn.post("/api-engine/products", thing(2))
	at, v := "/api-engine/products/"+made.id(), made.items("variants")
	first, second := v[0]["id"].(string), v[1]["id"].(string)
	next().tells(t, product(made.id(), first, second), "")
	require.Len(t, tn.get(at).items("variants"), 2)

	tn.patch(at, fields{"manufacturer": "Čajovna", "priceLevels": []fields{{"level": "default", "price": "89.00"}}})
	next().tells(t, product(made.id()), "basic,prices")
	renamed := tn.patch(at, fields{"name": "Jiný čaj"})
	next().tells(t, product(made.id()), "basic,urls")
	require.Equal(t, renamed.text("url"), tn.get(at).text("url"))

	tn.patch(at+"/variants/"+second, fields{"stock": fields{"quantity": 5}})
	c := next()
	require.Equal(t, "productChange", c.body.Event)
	c.tells(t, product(made.id(), second), "stock")
	tn.patch(at+"/variants/"+first, fields{"name": "Modrá",
		"priceLevels": []fields{{"level": "default", "price": "1.00"}}})
	next().tells(t, product(made.id(), first), "prices,variants")
	third := tn.post(at+"/variants", fields{"code": unique("V")}).id()
	next().tells(t, product(made.id(), third), "variants")
	tn.delete(at + "/variants/" + first)
	next().tells(t, product(made.id(), first), "variants")

	tn.delete(at)
	c = next()
	require.Equal(t, "productDelete", c.body.Event)
	c.tells(t, product(made.id(), second, third), "")
	tn.gone(at)
	require.Len(t, tn.heard(a), heard)
}

func nothingChanged(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	id := tn.customer()
	p := tn.post("/api-engine/products", thing(1))
	a := tn.listens()
	at, variant := "/api-engine/products/"+p.id(), p.items("variants")[0]["id"].(string)
	same := tn.patch("/api-engine/customers/"+id, fields{"firstName": "Jana", "phone": nil})
	require.Equal(t, tn.get("/api-engine/customers/"+id).header.Get("ETag"), same.header.Get("ETag"))
	tn.patch(at, fields{"name": "Čaj", "stock": fields{"quantity": 0}})
	tn.patch(at+"/variants/"+variant, fields{"active": true})
	r := tn.patch("/api-engine/products/batch/stock", fields{"items": []fields{{"id": p.id(), "change": 0}}})
	require.EqualValues(t, 0, r.fields()["changed"])
	require.Equal(t, p.header.Get("ETag"), tn.get(at).header.Get("ETag"))
	tn.patch("/api-engine/products/batch/basic?dryRun=true", fields{"items": []fields{{"id": p.id(), "name": "Nic"}}})
	tn.do(422, "PATCH", at, fields{"name": ""})
	tn.hearsOnly(a)
}

func batches(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	var all, want []string
	var items []fields
	for i := range 100 {
		id := tn.post("/api-engine/products", thing(0)).id()
		all = append(all, id)
		items = append(items, fields{"id": id, "quantity": i + 1})
		want = append(want, `{"id":"`+id+`","variantIds":[]}`)
	}
	a := tn.listens()
	r := tn.patch("/api-engine/products/batch/stock", fields{"items": items})
	require.EqualValues(t, 100, r.fields()["changed"])
	require.Equal(t, "10", r.header.Get("X-RateLimit-Request-Cost"))
	a.hears("productChange", all[99]).tells(t, `{"products":[`+strings.Join(want, ",")+`]}`, "stock")
	for i := range 50 {
		items[2*i]["quantity"] = 1000 + i
	}
	r = tn.patch("/api-engine/products/batch/stock", fields{"items": items})
	require.EqualValues(t, 50, r.fields()["changed"])
	var half []string
	for i := range 50 {
		half = append(half, want[2*i])
	}
	c := a.until(func(calls []call) bool { return len(calls) == 2 })[1]
	c.tells(t, `{"products":[`+strings.Join(half, ",")+`]}`, "stock")
	require.EqualValues(t, 1049, tn.get("/api-engine/products/" + all[98]).fields()["stock"].(fields)["quantity"])
	tn.hearsOnly(a, "productChange", "productChange")
}

func permissions(t *testing.T, w *world) {
	o := w.operate(t)
	tn := w.shopWith(t, everything...)
	poor := w.install(t, tn.shop, everything...)
	o.patch(poor.accessPath(), fields{"permissions": []string{"products:read", "customers:write"}})
	w.counts()
	a := poor.listens(fields{"events": []string{"customerCreate", "productCreate", "productDelete"}})
	require.Equal(t, []any{"customers:read"}, poor.receiver(a).fields()["missingPermissions"])
	deaf := tn.customer()
	poor.do(403, "GET", "/api-engine/customers/"+deaf, nil).problem(403, "insufficient_permission")
	poor.post("/api-engine/customers", someone())
	p := tn.post("/api-engine/products", thing(0)).id()
	a.hears("productCreate", p)
	tn.hearsOnly(a, "productCreate")

	o.patch(poor.accessPath(), fields{"permissions": []string{"customers:read"}})
	w.counts()
	require.Equal(t, []any{"products:read"}, poor.receiver(a).fields()["missingPermissions"])
	heard := tn.customer()
	a.hears("customerCreate", heard).tells(t, ids(heard), "")
	poor.get("/api-engine/customers/" + heard)
	tn.delete("/api-engine/products/" + p)
	tn.quiet()
	calls, _ := a.all()
	for _, c := range calls {
		require.NotEqual(t, "productDelete", c.body.Event)
		require.NotContains(t, string(c.body.Data), deaf, "what happened before the permission is not told after it")
	}
}

func removal(t *testing.T, w *world) {
	o := w.operate(t)
	tn := w.shopWith(t, "codes:read", "codes:write", "shop:read")
	a := tn.listens()
	code := func(name string) string {
		return tn.post("/api-engine/custom-codes",
			fields{"name": name, "position": "head", "code": "<b>" + name + "</b>"}).id()
	}
	order := func(code string) string {
		return tn.post("/api-engine/cleanup-orders", fields{"customCodeId": code, "packageId": tn.pkg}).id()
	}
	gone, stays, regretted := code("gone"), code("stays"), code("regretted")
	executed, cancelled := order(gone), order(regretted)
	tn.delete("/api-engine/cleanup-orders/" + cancelled)
	site := tn.get("/api-engine/shop").text("websiteUrl")
	off := o.do(200, "POST", tn.accessPath()+"/deactivate", nil, "Idempotency-Key", "off")
	again := o.do(200, "POST", tn.accessPath()+"/deactivate", nil, "Idempotency-Key", "off")
	require.Equal(t, string(off.body), string(again.body))
	heard := a.hears("packageDeactivate", tn.pkg).data(t)
	require.Equal(t, fields{"packageId": tn.pkg, "websiteUrl": site, "locale": "sk_SK",
		"occurredAt":           heard["occurredAt"],
		"removedCustomCodeIds": []any{gone}, "keptCustomCodeIds": []any{stays, regretted}}, heard)
	w.counts()
	tn.do(403, "POST", "/api-engine/custom-codes", nil).problem(403, "package_inactive")
	o.do(200, "POST", tn.accessPath()+"/activate", nil)
	w.counts()
	tn.gone("/api-engine/custom-codes/" + gone)
	require.Equal(t, "<b>stays</b>", tn.get("/api-engine/custom-codes/"+stays).text("code"))
	done := tn.get("/api-engine/cleanup-orders/" + executed)
	require.Equal(t, []any{"executed", heard["occurredAt"]}, []any{done.text("status"), done.text("executedAt")})
	tn.do(409, "DELETE", "/api-engine/cleanup-orders/"+executed, nil).problem(409, "cleanup_executed")
	require.Equal(t, "cancelled", tn.get("/api-engine/cleanup-orders/"+cancelled).text("status"))
	tn.hearsOnly(a, "packageDeactivate", "packageActivate")
}

func inactive(t *testing.T, w *world) {
	o := w.operate(t)
	tn := w.shopWith(t, everything...)
	other := w.install(t, tn.shop, everything...)
	a := tn.listens()
	site := tn.get("/api-engine/shop").text("websiteUrl")
	require.Equal(t, "deactivated", o.do(200, "POST", tn.accessPath()+"/deactivate", nil).text("state"))
	about := func(c call) fields {
		d := c.data(t)
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, d["occurredAt"])
		delete(d, "occurredAt")
		return d
	}
	want := fields{"packageId": tn.pkg, "websiteUrl": site, "locale": "sk_SK"}
	left := fields{"packageId": tn.pkg, "websiteUrl": site, "locale": "sk_SK", "removedCustomCodeIds": []any{},
		"keptCustomCodeIds": []any{}}
	require.Equal(t, left, about(a.hears("packageDeactivate", tn.pkg)))
	o.do(200, "POST", tn.accessPath()+"/deactivate", nil)
	w.counts()
	missed := other.customer()
	for _, x := range [][2]string{
		{"GET", "/api-engine/customers/" + missed}, {"DELETE", "/api-engine/customers/" + missed},
		{"GET", "/api-engine/webhooks"}, {"GET", "/api-engine/status"}, {"GET", "/api-engine/nowhere"}} {
		r, err := tn.send(x[0], x[1], nil)
		require.NoError(t, err)
		r.problem(403, "package_inactive")
		require.Equal(t, "0", r.header.Get("X-RateLimit-Request-Cost"))
	}
	tn.hearsOnly(a, "packageDeactivate")

	o.do(200, "POST", tn.accessPath()+"/activate", nil)
	o.do(200, "POST", tn.accessPath()+"/activate", nil)
	w.counts()
	require.Equal(t, want, about(a.hears("packageActivate", tn.pkg)))
	heard := other.customer()
	a.hears("customerCreate", heard).tells(t, ids(heard), "")
	require.Equal(t, heard, tn.get("/api-engine/customers/"+heard).id())
	calls := tn.heard(a)
	require.NotContains(t, list(calls), missed)
	require.Len(t, calls, 3, list(calls))
}

// beside is what two packages on a shop keep beside a customer, of which one is deactivated and activated again.
func beside(t *testing.T, w *world) {
	o, tn := w.operate(t), w.shopWith(t, everything...)
	other := w.install(t, tn.shop, everything...)
	a := other.listens()
	id := tn.customer()
	at := "/api-engine/customers/" + id
	was := tn.get(at)
	tn.do(200, "PUT", at+"/data", fields{"crmId": "77"})
	require.Equal(t, fields{}, other.get(at+"/data").fields())
	other.do(200, "PUT", at+"/data", fields{"other": true})
	with := was.fields()
	with["data"] = fields{"crmId": "77"}
	require.Equal(t, with, tn.get(at+"?data=true").fields())
	require.Equal(t, []fields{with}, tn.get("/api-engine/customers?data=true").items("items"))
	require.Equal(t, was.header.Get("ETag"), tn.get(at).header.Get("ETag"))

	o.do(200, "POST", tn.accessPath()+"/deactivate", nil)
	w.counts()
	tn.do(403, "GET", at+"/data", nil).problem(403, "package_inactive")
	require.Equal(t, fields{"other": true}, other.get(at+"/data").fields())
	o.do(200, "POST", tn.accessPath()+"/activate", nil)
	w.counts()
	require.Equal(t, fields{"crmId": "77"}, tn.get(at+"/data").fields())
	tn.delete(at)
	tn.gone(at + "/data")
	other.hearsOnly(a, "customerCreate", "customerDelete")
}

func anotherShop(t *testing.T, w *world) {
	tn, stranger := w.shopWith(t, everything...), w.shopWith(t, everything...)
	a, b := tn.listens(), stranger.listens()
	p := tn.post("/api-engine/products", thing(1))
	c := tn.customer()
	category := tn.post("/api-engine/categories", fields{"name": "Čaje"}).id()
	key := tn.post("/api-engine/webhook-signing-keys", nil).id()
	variant := p.items("variants")[0]["id"].(string)
	for _, at := range []string{"/api-engine/customers/" + c, "/api-engine/products/" + p.id(),
		"/api-engine/categories/" + category,
		"/api-engine/products/" + p.id() + "/variants/" + variant, "/api-engine/webhooks/" + a.id} {
		tn.get(at)
		stranger.gone(at)
		stranger.do(404, "PATCH", at, fields{})
		stranger.do(404, "DELETE", at, nil).problem(404, "not_found")
	}
	stranger.do(404, "DELETE", "/api-engine/webhook-signing-keys/"+key, nil)
	stranger.do(404, "POST", "/api-engine/webhooks/"+a.id+"/ping", nil)
	batch := stranger.do(207, "PATCH", "/api-engine/products/batch/stock",
		fields{"items": []fields{{"id": p.id(), "quantity": 1}}})
	require.Equal(t, "not_found", batch.items("results")[0]["error"].(fields)["code"])
	with := func(id string) []byte {
		f := thing(0)
		f["categoryIds"] = []string{id}
		return []byte(strings.ReplaceAll(fmt.Sprint(stranger.do(422, "POST", "/api-engine/products",
			f).items("errors")), id, ""))
	}
	require.Equal(t, with("01KYFXV0000000000000000000"), with(category), "a foreign category is as unknown as any")
	for _, of := range []string{"customers", "products", "categories"} {
		require.Empty(t, stranger.get("/api-engine/"+of).items("items"), of)
	}
	require.Len(t, stranger.get("/api-engine/webhooks").items("items"), 1)
	tn.get("/api-engine/products/" + p.id())
	tn.hearsOnly(a, "productCreate", "customerCreate")
	stranger.hearsOnly(b)
}

func groups(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	p, q := tn.post("/api-engine/products", thing(0)).id(), tn.post("/api-engine/products", thing(0)).id()
	a := tn.listens(fields{"groups": []string{"stock"}})
	all := tn.listens()
	tn.patch("/api-engine/products/"+p, fields{"manufacturer": "X"})
	tn.patch("/api-engine/products/"+p, fields{"manufacturer": "Y", "stock": fields{"quantity": 3}})
	a.hears("productChange", p).tells(t, product(p), "basic,stock")
	tn.patch("/api-engine/products/batch/stock",
		fields{"items": []fields{{"id": q, "quantity": 9}, {"id": p, "quantity": 3}}})
	a.hears("productChange", q).tells(t, product(q), "stock")
	c := tn.customer()
	a.hears("customerCreate", c)
	tn.patch("/api-engine/customers/"+c, fields{"phone": "1"})
	all.hears("customerChange", c).tells(t, ids(c), "contact")
	tn.hearsOnly(a, "productChange", "productChange", "customerCreate")
	tn.hearsOnly(all, "productChange", "productChange", "productChange", "customerCreate", "customerChange")
}

func keys(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens()
	told := func() call { t.Helper(); return a.hears("customerCreate", tn.customer()) }
	told().unsigned(t)
	first := tn.post("/api-engine/webhook-signing-keys", nil)
	require.Equal(t, "primary", first.text("state"))
	w.counts()
	told().signed(t, first.text("key"), "")
	second := tn.post("/api-engine/webhook-signing-keys", nil)
	require.Equal(t, "pending", second.text("state"))
	tn.do(409, "POST", "/api-engine/webhook-signing-keys", nil).problem(409, "key_pending")
	w.counts()
	told().signed(t, first.text("key"), second.text("key"))
	for _, k := range tn.get("/api-engine/webhook-signing-keys").items("items") {
		require.NotContains(t, k, "key")
	}
	tn.delete("/api-engine/webhook-signing-keys/" + first.id()) // then the pending one is the primary
	w.counts()
	told().signed(t, second.text("key"), "")
	tn.delete("/api-engine/webhook-signing-keys/" + second.id())
	w.counts()
	told().unsigned(t)
}

func unverified(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := newListener(t)
	a.answers(status(200))
	a.id = tn.post("/api-engine/webhooks", fields{"url": a.url}).id()
	tn.shows(a, "lastFailure", "nonce_missing")
	require.Equal(t, "unverified", tn.receiver(a).text("state"))
	missed := tn.customer()
	tn.hearsOnly(a)
	a.answers(nil)
	tn.do(202, "POST", "/api-engine/webhooks/"+a.id+"/ping", nil)
	tn.enabled(a)
	heard := tn.customer()
	a.hears("customerCreate", heard)
	for _, c := range tn.heard(a) {
		require.NotContains(t, string(c.body.Data), missed)
	}
}

func owner(t *testing.T, w *world) {
	o := w.operate(t)
	tn := w.shopWith(t, everything...)
	poor, installed := w.install(t, tn.shop), w.install(t, tn.shop)
	a, b, c := tn.listens(), poor.listens(), installed.listens()
	o.do(200, "POST", installed.accessPath()+"/deactivate", nil)
	c.hears("packageDeactivate", installed.pkg)
	w.counts()
	shop := o.patch("/operator/shops/"+tn.shop, fields{"owner": fields{"email": "nova@shop.example"}})
	for _, x := range []*listener{a, b} {
		got := x.hears("shopOwnerChange", "nova@shop.example").data(t)
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, got["originatedAt"])
		delete(got, "originatedAt")
		require.Equal(t, fields{"ownerEmail": "nova@shop.example", "websiteUrl": shop.text("websiteUrl")}, got)
	}
	w.counts()
	require.Equal(t, fields{"email": "nova@shop.example"}, tn.get("/api-engine/shop").fields()["owner"])
	o.patch("/operator/shops/"+tn.shop, fields{"owner": fields{"email": "nova@shop.example"}})
	tn.hearsOnly(a, "shopOwnerChange")
	tn.hearsOnly(b, "shopOwnerChange")
	tn.hearsOnly(c, "packageDeactivate")
}

func instructions(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	other := w.install(t, tn.shop, everything...)
	a, b := tn.listens(), other.listens()
	require.Equal(t, "# Návod", w.operate(t).do(200, "POST", tn.accessPath()+"/open-instructions",
		nil).text("instructions"))
	got := a.hears("packageOpenInstructions", tn.pkg).data(t)
	require.NotEmpty(t, got["openedAt"])
	delete(got, "openedAt")
	require.Equal(t, fields{"packageId": tn.pkg, "locale": "sk_SK"}, got)
	tn.hearsOnly(a, "packageOpenInstructions")
	tn.hearsOnly(b)
}

func downThenUp(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	key := tn.post("/api-engine/webhook-signing-keys", nil).text("key")
	a := tn.listens()
	w.counts()
	a.answers(down)
	id := tn.customer()
	first := a.hears("customerCreate", id)
	require.Equal(t, "1", first.header.Get("X-Webhook-Attempt"))
	tn.shows(a, "lastFailure", "reset")
	a.answers(nil)
	again := a.until(func(calls []call) bool { return len(calls) == 2 })[1]
	again.check(t)
	again.signed(t, key, "")
	require.Equal(t, first.body.ID, again.body.ID)
	require.Equal(t, first.raw, again.raw, "the same bytes in every attempt")
	require.Equal(t, "2", again.header.Get("X-Webhook-Attempt"))
	require.Less(t, again.at.Sub(first.at), 15*time.Second)
	log := tn.logged(first.body.ID, "delivered").items("attempts")
	require.GreaterOrEqual(t, moment(t, log[1]).Sub(moment(t, log[0])), 8*time.Second,
		"by the platform's clock, which other journeys move")
	tn.hearsOnly(a, "customerCreate", "customerCreate")
}

func redirect(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer elsewhere.Close()
	a := tn.listens()
	a.answers(func(w http.ResponseWriter, _ call) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusFound)
	})
	tn.customer()
	tn.shows(a, "lastFailure", "status 302")
	a.hears("customerCreate", tn.customer()) // that of a receiver which has failed waits apart from others'
	attempts := map[string]int{}
	for _, c := range tn.heard(a) { // where all of it takes long it is tried again
		attempts[c.body.ID]++
		require.Equal(t, []string{"customerCreate", strconv.Itoa(attempts[c.body.ID])},
			[]string{c.body.Event, c.header.Get("X-Webhook-Attempt")})
	}
	require.Len(t, attempts, 2)
	require.Zero(t, followed.Load())
}

func idempotent(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens()
	key, body := unique("key"), someone()
	first := tn.do(201, "POST", "/api-engine/customers", body, "Idempotency-Key", key)
	again := tn.do(201, "POST", "/api-engine/customers", body, "Idempotency-Key", key)
	require.Equal(t, string(first.body), string(again.body))
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	tn.do(422, "POST", "/api-engine/customers", someone(), "Idempotency-Key", key).problem(422,
		"idempotency_key_reused")
	stock := fields{"items": []fields{{"id": tn.post("/api-engine/products", thing(0)).id(), "change": 5}}}
	for range 2 {
		r := tn.do(200, "PATCH", "/api-engine/products/batch/stock", stock, "Idempotency-Key", key+"2")
		require.EqualValues(t, 1, r.fields()["changed"])
	}
	tn.hearsOnly(a, "customerCreate", "productCreate", "productChange")
}

func twoReceivers(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a, b := tn.listens(), tn.listens(fields{"events": []string{"customerDelete"}})
	id := tn.customer()
	tn.delete("/api-engine/customers/" + id)
	require.NotEqual(t, a.hears("customerDelete", id).body.ID, b.hears("customerDelete", id).body.ID)
	tn.hearsOnly(a, "customerCreate", "customerDelete")
	tn.hearsOnly(b, "customerDelete")
}

func erased(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens(fields{"events": []string{"productChange"}}) // whatever it takes
	id := tn.customer()
	path := "/api-engine/customers/" + id + "?erase=true"
	begun := tn.do(202, "DELETE", path, nil).fields()
	require.Equal(t, id, begun["id"])
	require.Contains(t, []any{"running", "done"}, begun["state"])
	require.Equal(t, []any{id}, a.hears("customerErase", id).data(t)["customerIds"])
	eventually(t, patience, func() bool {
		told := w.operate(t).get("/operator/erasures/" + id).items("told")
		return len(told) == 1 && told[0]["state"] == "delivered" && told[0]["receiverId"] == a.id
	}, "it is confirmed")
	tn.do(202, "DELETE", path, nil)
	tn.gone("/api-engine/customers/" + id)
	tn.hearsOnly(a, "customerErase")
}

// left is a shop that leaves, and comes back before it is deleted.
func left(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	id, op, path := tn.customer(), w.operate(t), "/operator/shops/"+tn.shop
	export := op.post(path+"/exports", nil).id()
	var done answer
	eventually(t, 4*patience, func() bool {
		done = op.get(path + "/exports/" + export)
		return done.text("state") == "done"
	})
	tn.gone("/api-engine/exports/" + export)
	file := tn.fetches(done.text("downloadUrl"))
	require.True(t, strings.HasPrefix(file, `{"type":"shop","record":{"id":"`+tn.shop), file)
	require.Contains(t, file, `{"type":"customers","record":{"id":"`+id)
	require.NotContains(t, file, tn.token)

	require.Equal(t, "closing", op.do(202, "DELETE", path, nil).text("state"))
	eventually(t, patience, func() bool {
		r, err := tn.send("GET", "/api-engine/shop", nil)
		return err == nil && r.status == 403
	})
	require.Equal(t, tn.shop, op.get(path+"/deletion").id())
	op.do(200, "POST", path+"/restore", nil)
	op.gone(path + "/deletion")
	op.do(200, "POST", tn.accessPath()+"/activate", nil)
	eventually(t, patience, func() bool {
		r, err := tn.send("GET", "/api-engine/customers/"+id, nil)
		return err == nil && r.status == 200
	})
}

func newAddress(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a, moved := tn.listens(), newListener(t)
	moved.answers(status(500))
	moved.id = a.id
	r := tn.patch("/api-engine/webhooks/"+a.id, fields{"url": moved.url})
	require.Equal(t, "unverified", r.text("state"))
	w.counts()
	waits := tn.customer()
	tn.shows(moved, "lastFailure", "status 500")
	tn.hearsOnly(a)
	tn.hearsOnly(moved)
	moved.answers(nil)
	tn.do(202, "POST", "/api-engine/webhooks/"+a.id+"/ping", nil)
	tn.enabled(moved)
	w.counts()
	moved.hears("customerCreate", waits).tells(t, ids(waits), "")
	tn.hearsOnly(a)
	tn.hearsOnly(moved, "customerCreate")
}

func whole(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	made := tn.post("/api-engine/products", thing(20))
	at := "/api-engine/products/" + made.id()
	variants := made.items("variants")
	for range 8 {
		variants = append(variants, tn.post(at+"/variants", fields{"items": thing(60)["variants"]}).items("items")...)
	}
	var all []string
	for _, v := range variants {
		all = append(all, v["id"].(string))
	}
	require.Len(t, all, 500)
	require.Len(t, tn.get(at).items("variants"), 500)
	tn.do(422, "POST", at+"/variants", thing(1)["variants"].([]fields)[0])
	a := tn.listens()
	tn.delete(at)
	a.hears("productDelete", made.id()).tells(t, product(made.id(), all...), "")
	tn.gone(at)
	tn.hearsOnly(a, "productDelete")
}
