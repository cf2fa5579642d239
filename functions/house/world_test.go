package house_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	persons "eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	hooks "eshop/shared/webhook"
)

// formType is the type of what a browser's form sends.
const formType = "application/x-www-form-urlencoded"

// doors are the functions of THE list that have operations.
func doors() (all []host.Function) {
	for _, f := range functions.List {
		if f.HTTP != nil {
			all = append(all, f)
		}
	}
	return all
}

// world is all operations of THE list over a shop with a record of each kind.
type world struct {
	*hosttest.World
	token   string                     // of the shop's access
	author  string                     // the token of a developer
	made    map[string]hosttest.Answer // the record that was made by a POST of the route
	images  map[int]string             // of each round
	round   int                        // that no two records of one kind have in common
	cookies []*http.Cookie             // of a visitor of the shop
	link    string                     // the token of one by which the visitor sets a password
	largest []string                   // ids of the largest products
	dice    *dice
}

// dice are thrown anew for each request that is to be the same again.
type dice struct{ io.Reader }

func (d *dice) again() { d.Reader = hosttest.Random() }

// of throws what is the same for a name whatever was thrown before. So a record has the id that it had, if another kind
// of record comes to the world.
func (d *dice) of(name string) { d.Reader = hosttest.RandomOf(name) }

func open(t testing.TB) *world { return openWith(t, func(*host.Parts) {}) }

// openWith is open on a platform that change has changed.
func openWith(t testing.TB, change func(*host.Parts)) *world {
	w := &world{made: map[string]hosttest.Answer{}, images: map[int]string{}, dice: &dice{}}
	w.dice.again()
	w.World = hosttest.Open(t, hosttest.Setup{Functions: doors(), Platform: func(p *host.Parts) {
		p.Traits, p.Random, p.Names = host.OneProcess, w.dice, hosttest.Names{"hooks.example.com": "1.1.1.1"}
		change(p)
	}})
	for _, route := range records {
		w.dice.of(route)
		a := w.ask(route, w.sample(route)).Is(201)
		w.made[route] = a
		if route == "POST /operator/shops/{shopId}/accesses" {
			w.token = a.Get("token")
		}
		if route == "POST /operator/developers" {
			w.author = a.Get("token")
		}
	}
	w.dice.of("visit")
	w.verify()
	w.visit()
	w.round++
	return w
}

// people says whether the operation of a route is one for people, at a shop's own host.
func people(route string) bool {
	_, path, _ := strings.Cut(route, " ")
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains([]string{"basket", "checkout", "account", "consent", "admin"}, first)
}

// host is where the operation of a route for people is answered.
func (w *world) host(route string) string {
	domain := w.made["POST /operator/shops"].Get("domain")
	if _, path, _ := strings.Cut(route, " "); ofAdmin(path) {
		return w.AdminOf(domain)
	}
	return domain
}

// ofAdmin says whether a path is one of the admin's.
func ofAdmin(path string) bool { return path == "/admin" || strings.HasPrefix(path, "/admin/") }

// visit makes a visitor of the shop who has registered, with something in the basket, an order and a link that sets a
// password.
func (w *world) visit() {
	w.T.Helper()
	w.enter()
	w.order(w.sample("POST /api-engine/orders"))
	u := w.P.Unit()
	u.Shop = w.made["POST /operator/shops"].ID()
	link, err := persons.NewAccounts(signin.Tries{}).MakeLink(w.T.Context(), u, w.made["POST /account/register"].ID())
	require.NoError(w.T, err)
	w.link = link
}

// enter makes a visitor of the shop who has registered, with something in the basket.
func (w *world) enter() {
	w.T.Helper()
	for _, route := range []string{"POST /account/register", "POST /basket/items"} {
		sample := w.sample(route)
		delete(sample, "quoteToken") // it is used later
		a := w.ask(route, sample).Is(201)
		w.made[route] = a
		for _, line := range a.Header["Set-Cookie"] {
			c, err := http.ParseSetCookie(line)
			require.NoError(w.T, err)
			w.cookies = append(slices.DeleteFunc(w.cookies,
				func(had *http.Cookie) bool { return had.Name == c.Name }), c)
		}
	}
}

// order makes an order of the shopper who has registered.
func (w *world) order(body object) {
	w.T.Helper()
	body["customerId"] = w.made["POST /account/register"].ID()
	body["items"].([]any)[0].(object)["quantity"] = 1 // of the few that there are
	w.made["POST /account/orders"] = w.As(w.token, "POST", "/api-engine/orders", body).Is(201)
}

// verify makes the receiver one that has answered its ping.
func (w *world) verify() {
	w.T.Helper()
	access := w.made["POST /operator/shops/{shopId}/accesses"]
	items, err := w.Main.Get(w.T.Context(), hooks.ReceiverKey(access.Get("shopId"), access.ID(),
		w.made["POST /api-engine/webhooks"].ID()))
	require.NoError(w.T, err)
	r, err := hooks.ReceiverOf(items[0])
	require.NoError(w.T, err)
	require.NoError(w.T, hooks.MarkVerified(w.T.Context(), w.P.Unit(), w.P.Webhooks(), r))
}

// records are the routes that make records, in an order in which they can be made.
var records = []string{
	"POST /operator/shops", "POST /operator/packages", "POST /operator/shops/{shopId}/accesses",
	"POST /operator/shops/{shopId}/accesses/{accessId}/tokens",
	"POST /operator/shops/{shopId}/admins",
	"POST /operator/shops/{shopId}/exports",
	"POST /operator/tokens",
	"POST /operator/developers",
	"POST /developer/shops", "POST /developer/packages", "POST /developer/shops/{shopId}/accesses",
	"POST /developer/shops/{shopId}/accesses/{accessId}/tokens",
	"POST /developer/shops/{shopId}/admins",
	"POST /api-engine/categories", "POST /api-engine/customers", "POST /api-engine/products",
	"POST /api-engine/products/{id}/variants",
	"POST /api-engine/order-states", "POST /api-engine/discount-coupons", "POST /api-engine/orders",
	"POST /api-engine/custom-urls", "POST /api-engine/custom-codes", "POST /api-engine/cleanup-orders",
	"POST /api-engine/imports", "POST /api-engine/exports", "POST /api-engine/webhooks",
	"POST /api-engine/webhook-signing-keys",
	"POST /basket-price-quotes",
}

// erased is another customer, erased as soon as a test asks for it.
func (w *world) erased() {
	w.T.Helper()
	const erasures, customers = "POST /operator/erasures", "POST /api-engine/customers"
	if w.made[erasures].Body != nil {
		return
	}
	other := w.ask(customers, object{"email": "erased@example.cz", "firstName": "E", "lastName": "R"}).Is(201)
	w.made[erasures] = w.As(w.token, "DELETE", "/api-engine/customers/"+other.ID()+"?erase=true", nil).Is(202)
}

// path is the path of a route with the ids of the world's records.
func (w *world) path(route string) string {
	_, path, _ := strings.Cut(route, " ")
	if strings.HasPrefix(path, "/operator/erasures/") {
		w.erased()
	}
	id := func(of string) string { return w.made[of].ID() }
	door := "POST /operator"
	if ofDeveloper(path) {
		door = "POST /developer"
	}
	for name, of := range map[string]string{
		"{shopId}":    door + "/shops",
		"{packageId}": door + "/packages",
		"{accessId}":  door + "/shops/{shopId}/accesses",
		"{tokenId}":   door + "/shops/{shopId}/accesses/{accessId}/tokens",
		"{adminId}":   door + "/shops/{shopId}/admins",
		"{exportId}":  "POST /operator/shops/{shopId}/exports",
		"{variantId}": "POST /api-engine/products/{id}/variants",
	} {
		if strings.Contains(path, name) {
			path = strings.ReplaceAll(path, name, id(of))
		}
	}
	if strings.HasPrefix(path, "/basket/items/") {
		return "/basket/items/" + w.made["POST /basket/items"].At("items", 0, "id").(string)
	}
	if collection, rest, has := strings.Cut(path, "/{id}"); has {
		path = collection + "/" + id("POST "+collection) + rest
	}
	return path
}

// ofDeveloper says whether a path is one of the developers' door.
func ofDeveloper(path string) bool { return strings.HasPrefix(path, "/developer/") }

// tokenAt is the token of who may make requests of a path.
func (w *world) tokenAt(path string) string {
	switch {
	case strings.HasPrefix(path, "/operator/"):
		return hosttest.OperatorToken
	case ofDeveloper(path):
		return w.author
	}
	return w.token
}

// leaveRoom forgets how many test shops and packages the developer has: a world makes more of them than anybody may.
func (w *world) leaveRoom(path string) {
	w.T.Helper()
	if !ofDeveloper(path) {
		return
	}
	for _, counter := range []string{"SHOPS", "PKGS"} {
		_, err := w.Main.Table.Write(w.T.Context(), events.Nothing,
			store.Delete(store.Key{PK: "DEV#" + w.made["POST /operator/developers"].ID(), SK: counter}))
		require.NoError(w.T, err)
	}
}

// parts is a body of multipart/form-data.
type parts struct{ boundary, text string }

// ask makes a request of the route with the world's records, as who may.
func (w *world) ask(route string, body any) hosttest.Answer {
	w.T.Helper()
	method, path, _ := strings.Cut(route, " ")
	token := w.tokenAt(path)
	w.leaveRoom(path)
	if people(route) {
		r := w.Request(token, method, w.path(route), body)
		if form, is := body.(url.Values); is { // as a browser sends it
			form.Set("_method", method)
			r = w.Request(token, "POST", w.path(route), form.Encode(), "Content-Type", formType)
		}
		r.Header.Del("Authorization")
		r.Host = w.host(route)
		for _, c := range w.cookies {
			r.AddCookie(c)
		}
		return w.Serve(r)
	}
	if form, is := body.(parts); is {
		return w.As(token, method, w.path(route), form.text, "Content-Type",
			"multipart/form-data; boundary="+form.boundary)
	}
	return w.As(token, method, w.path(route), body)
}

// image is one that no record of this round has joined yet.
func (w *world) image() string {
	w.T.Helper()
	if w.images[w.round] == "" {
		w.images[w.round] = w.Serve(w.Form(w.token, "/basket-price-quote-images", []byte(dot(w.T)))).Is(201).ID()
	}
	return w.images[w.round]
}

// dot is a PNG.
func dot(t testing.TB) string {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	return b.String()
}

// sample is a sound body of the route, nil where it takes none.
func (w *world) sample(route string) object {
	id := func(of string) string { return w.made[of].ID() }
	n := strconv.Itoa(w.round)
	address := object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	full := object{"firstName": "Jana", "lastName": "Nováková", "company": "J", "companyId": "1", "vatId": "CZ1",
		"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	prices := []any{object{"level": "default", "price": "199.00"}, object{"level": "wholesale", "price": "150.50"}}
	variant := object{"code": "M-" + n, "ean": "859", "name": "M", "active": true, "priceLevels": prices,
		"parameters": []any{object{"name": "size", "value": "M"}},
		"stock":      object{"quantity": 5, "availability": "in stock"}}
	product := object{"code": "T-" + n, "externalId": "e/" + n, "ean": "859", "manufacturer": "Š & Č",
		"vatRate": "21.00",
		"name":    "Tričko <s> \"potiskem\"", "shortDescription": "krátký\npopis", "description": "dlouhý",
		"active": true, "images": []any{object{"url": "https://cdn.example.com/a.jpg", "alt": "z boku"}},
		"hasUnits": true, "units": []any{object{"unit": "box", "quantity": 10}},
		"stock": object{"quantity": 100, "availability": "in stock"}, "priceLevels": prices}
	customer := object{"email": "jana@háčky" + n + ".example", "externalId": "c/" + n, "firstName": "Jana",
		"lastName": "Nováková", "phone": "+420 601", "company": "J", "companyId": "1", "vatId": "CZ1",
		"billingAddress": address, "deliveryAddress": address, "priceLevel": "wholesale", "note": "n"}
	coupon := object{"code": "LÉTO" + n, "type": "percentage", "value": "10.00", "minimumOrder": "1.00",
		"usageLimit": 100,
		"validFrom":  "2026-01-01T00:00:00Z", "validTo": "2027-01-01T01:00:00+01:00", "active": true}
	operator := object{"name": "Zahrada", "domain": "www" + n + ".example.cz", "locale": "cs_CZ", "currency": "CZK",
		"readyDomain":   "www" + n + ".example.cz",
		"owner":         object{"email": "o@example.cz"},
		"visitorLimits": object{"basketsPerMinute": 120, "checkoutsPerMinute": 20, "checkoutsPerBasket": 5}}
	pack := object{"code": "sync" + n, "name": "Sync", "instructions": "# Jak", "permissions": toAny(permission.All),
		"systemUrl": "https://hooks.example.com/system"}
	receiver := object{"url": "https://hooks.example.com/shop", "events": []any{"productChange", "orderChange"},
		"groups": []any{"stock"}, "own": true, "active": true}
	shopper := object{"email": "anna" + n + "@example.cz", "firstName": "Anna", "lastName": "Nová", "phone": "+420",
		"company":   "A",
		"companyId": "2", "vatId": "CZ2", "billingAddress": address, "deliveryAddress": address}
	const password = "correct horse battery"
	batch := func(fields object) object { return object{"items": []any{fields}} }
	switch route {
	case "POST /operator/tokens":
		return object{"name": "Ada"}
	case "POST /operator/developers":
		return object{"name": "Ada", "email": "ada@example.cz"}
	case "PATCH /operator/developers/{id}":
		return object{"name": "Eva", "email": "eva@example.cz"}
	case "POST /developer/shops":
		operator["domain"], operator["demo"] = "test"+n+".example.test", false
		return operator
	case "POST /developer/packages":
		pack["code"] = "own" + n
		return pack
	case "POST /developer/shops/{shopId}/accesses":
		return object{"packageId": id("POST /developer/packages"), "permissions": toAny(permission.All),
			"hourlyLimit": 3600, "dailyLimit": 86400, "active": true}
	case "POST /operator/shops":
		return operator
	case "PATCH /operator/shops/{id}":
		return with(operator, "name", "Nová")
	case "PATCH /developer/shops/{id}":
		return with(with(operator, "name", "Nová"), "domain", "test"+n+".example.test")
	case "POST /operator/packages":
		return pack
	case "PATCH /operator/packages/{id}", "PATCH /developer/packages/{id}":
		return with(pack, "name", "Nový")
	case "POST /operator/shops/{shopId}/accesses":
		return object{"packageId": id("POST /operator/packages"), "permissions": toAny(permission.All),
			"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000, "active": true}
	case "PATCH /developer/shops/{shopId}/accesses/{accessId}":
		return object{"permissions": toAny(permission.All[:3]), "hourlyLimit": 1_000, "dailyLimit": 20_000}
	case "PATCH /operator/shops/{shopId}/accesses/{accessId}":
		return object{"permissions": toAny(permission.All[:3]), "hourlyLimit": 10_000, "dailyLimit": 20_000}
	case "POST /operator/shops/{shopId}/accesses/{accessId}/tokens",
		"POST /developer/shops/{shopId}/accesses/{accessId}/tokens":
		return object{"expiresAt": "2030-01-01T00:00:00.5Z"}
	case "POST /operator/shops/{shopId}/search-index":
		return object{"from": "P"}
	case "POST /operator/shops/{shopId}/admins", "POST /developer/shops/{shopId}/admins":
		return object{"email": "petra" + n + "@example.cz", "name": "Petra Malá"}
	case "POST /api-engine/tokens":
		return object{"installCode": "none"}
	case "POST /api-engine/categories":
		return object{"name": "Trička", "parentId": nil}
	case "PATCH /api-engine/categories/{id}":
		return object{"name": "Trika", "parentId": nil}
	case "POST /api-engine/customers":
		return customer
	case "PUT /api-engine/customers/{id}/data", "PUT /api-engine/products/{id}/data",
		"PUT /api-engine/orders/{id}/data":
		return object{"crmId": "77", "sent": []any{json.Number("1"), nil, true}, "<é>": object{}}
	case "PATCH /api-engine/customers/{id}":
		return with(customer, "note", "jiná")
	case "POST /api-engine/products":
		return with(with(product, "categoryIds", []any{id("POST /api-engine/categories")}), "variants",
			[]any{with(variant, "code", "V-"+n)})
	case "PATCH /api-engine/products/{id}":
		return with(with(product, "name", "Jiné"), "categoryIds", []any{id("POST /api-engine/categories")})
	case "POST /api-engine/products/{id}/variants":
		return variant
	case "PATCH /api-engine/products/{id}/variants/{variantId}":
		return with(variant, "name", "L")
	case "PATCH /api-engine/products/batch/basic":
		return batch(object{"id": id("POST /api-engine/products"), "ifMatch": "*", "name": "Jiné", "code": "X-" + n,
			"shortDescription": nil, "description": "d", "active": false})
	case "PATCH /api-engine/products/batch/stock":
		return batch(object{"id": id("POST /api-engine/products"),
			"variantId": id("POST /api-engine/products/{id}/variants"), "ifMatch": "*", "change": -2,
			"availability": "later"})
	case "PATCH /api-engine/products/batch/has-units":
		return batch(object{"id": id("POST /api-engine/products"), "ifMatch": "*", "hasUnits": true,
			"units": []any{object{"unit": "box", "quantity": 12}}})
	case "PATCH /api-engine/products/batch/price-levels":
		return batch(object{"id": id("POST /api-engine/products"),
			"variantId": id("POST /api-engine/products/{id}/variants"), "ifMatch": "*",
			"priceLevels": []any{object{"level": "default", "price": "10.00"}}})
	case "POST /api-engine/order-states":
		return object{"name": "Čeká", "color": "#ffffff", "position": 50, "final": false}
	case "PATCH /api-engine/order-states/{id}":
		return object{"name": "Stojí", "color": "#00000A", "position": 51, "final": true}
	case "POST /api-engine/discount-coupons":
		return coupon
	case "PATCH /api-engine/discount-coupons/{id}":
		return with(coupon, "value", "11.50")
	case "POST /api-engine/custom-codes":
		return object{"name": "Konfigurátor", "position": "bodyEnd", "code": "<script>\n\t1 < 2 && \"ž\"</script>",
			"active": true}
	case "PATCH /api-engine/custom-codes/{id}":
		return object{"name": "Jiný", "position": "head", "code": "<!-- & -->", "active": false}
	case "POST /api-engine/cleanup-orders":
		return object{"customCodeId": id("POST /api-engine/custom-codes"),
			"packageId": w.made["POST /operator/shops/{shopId}/accesses"].Get("packageId")}
	case "POST /api-engine/orders":
		line := object{"productId": id("POST /api-engine/products"), "quantity": 2, "note": "s mašlí",
			"variantId": id("POST /api-engine/products/{id}/variants")}
		return object{"email": "jana@example.cz", "items": []any{line}, "customerId": id("POST /api-engine/customers"),
			"phone": "+420", "billingAddress": full, "deliveryAddress": full, "note": "prosím",
			"discountCoupons":      []any{strings.ToLower(w.made["POST /api-engine/discount-coupons"].Get("code"))},
			"orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou"},
			"stateId":              id("POST /api-engine/order-states")}
	case "PATCH /api-engine/orders/{id}":
		return object{"stateId": id("POST /api-engine/order-states"), "note": "jiná"}
	case "PATCH /api-engine/orders/{id}/order-delivery-payment":
		return object{"trackingNumber": "DR1", "trackingLink": "https://tracking.example.com/DR1"}
	case "POST /api-engine/custom-urls":
		return object{"urlItem": object{"type": "product", "id": id("POST /api-engine/products")},
			"url": "Nejlepší tričko " + n}
	case "POST /basket-price-quotes":
		return object{"productId": id("POST /api-engine/products"), "unitPrice": "1234.50", "note": "s rytinou",
			"variantId": id("POST /api-engine/products/{id}/variants"), "externalId": "q/" + n, "expiresIn": 3600,
			"imageIds": []any{w.image()}}
	case "POST /api-engine/images":
		return object{"file": dot(w.T)}
	case "POST /basket-price-quote-images":
		return object{"file": dot(w.T), "quoteId": id("POST /basket-price-quotes")}
	case "POST /basket/items":
		return object{"productId": id("POST /api-engine/products"), "quantity": 2,
			"variantId":  id("POST /api-engine/products/{id}/variants"),
			"quoteToken": w.made["POST /basket-price-quotes"].Get("quoteToken")}
	case "PATCH /basket/items/{id}":
		return object{"quantity": 3}
	case "POST /basket/coupon":
		return object{"code": strings.ToLower(w.made["POST /api-engine/discount-coupons"].Get("code"))}
	case "POST /checkout":
		postal := with(address, "company", "J")
		postal["companyId"], postal["vatId"] = "1", "CZ1"
		return object{"email": "anna@example.cz", "firstName": "Anna", "lastName": "Nová", "phone": "+420",
			"billingAddress":  postal,
			"deliveryAddress": full, "delivery": "Zásilkovna", "payment": "Kartou", "note": "prosím"}
	case "POST /account/register":
		return with(shopper, "password", password)
	case "POST /account/sign-in":
		return object{"email": w.made["POST /account/register"].Get("email"), "password": password}
	case "PATCH /account":
		return with(with(with(shopper, "firstName", "Hana"), "password", "another "+password),
			"currentPassword", password)
	case "POST /account/set-password":
		return object{"token": w.link, "password": password}
	case "POST /consent":
		return object{"value": "granted"}
	case "POST /api-engine/imports":
		return object{"type": "products", "format": "csv", "mode": "upsert"}
	case "POST /api-engine/exports":
		return object{"type": "products", "format": "csv"}
	case "PATCH /api-engine/package":
		return object{"setup": "required", "setupUrl": "https://addon.example/setup"}
	case "POST /api-engine/webhooks":
		return receiver
	case "PATCH /api-engine/webhooks/{id}":
		return with(receiver, "groups", []any{"stock", "prices"})
	case "POST /api-engine/webhooks/{id}/test":
		return object{"event": "orderChange"}
	case "POST /api-engine/webhooks/{id}/replay":
		return object{"from": "2026-11-01T00:00:00Z", "to": "2026-11-20T00:00:00Z", "states": []any{"exhausted"},
			"perSecond": 5}
	}
	return nil
}

// with is the object with one more field, or another value of it.
func with(o object, field string, value any) object {
	all := object{field: value}
	for name, v := range o {
		if name != field {
			all[name] = v
		}
	}
	return all
}

func toAny[T any](list []T) []any {
	all := make([]any, len(list))
	for i, x := range list {
		all[i] = x
	}
	return all
}
