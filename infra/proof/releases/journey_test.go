package releases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/webhook/canaryhook"
)

// journey is what is known of what was written.
type journey struct {
	*world
	to       *receiver
	tenants  []tenant
	ids      map[string]string // of a record of each kind in the resting shop, as fill names them
	own      map[string]string // what a developer has, named so
	variants []string          // of its product

	operator, developer, token, cookie, admin string // headers of who asks
	Resting                                   []ask  // each of which is answered the same at any time
	Begin                                     []ask  // what begins to move once more what was left
	End                                       []ask  // how it is in the end
	Hears                                     []told // what the receiver has to hear then
}

// told is what comes to a receiver: a call to a path, with this text in it.
type told struct{ Path, Text string }

// password is everybody's.
const password = "correct horse battery"

// write leaves a row of every kind.
func write(w *world) *journey {
	j := &journey{world: w, to: newReceiver(w.t), ids: map[string]string{}, operator: "Bearer " + operatorToken}
	rest := j.opens("resting", "cs_CZ", "CZK")
	j.settingUp(rest)
	j.token = rest.token
	j.goods()
	j.imports()
	j.exports()
	j.leaves(rest)
	j.people(rest)
	j.hooks(rest)
	j.author()
	j.canary()
	j.activation(rest)
	j.rests(rest)
	j.moves()
	return j
}

// header are the names and values of who asks.
func header(authorization string, more ...string) map[string]string {
	h := map[string]string{"Content-Type": "application/json"}
	if authorization != "" {
		h["Authorization"] = authorization
	}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = more[i+1]
	}
	return h
}

// do makes a request of an operation and wants it to be answered with that status.
func (j *journey) do(status int, route, path, who string, body any, more ...string) object {
	j.t.Helper()
	a := ask{Route: route, Path: path, Header: header(who, more...)}
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(j.t, err)
		a.Body = string(b)
	}
	j.pass(time.Second)
	got := a.send(j.t, j.world, "")
	require.Equal(j.t, status, got.Status, "%s %s: %s", route, path, got.JSON)
	if len(got.JSON) == 0 {
		return nil
	}
	return got.fields(j.t)
}

// post makes a record, by the add-on of the resting shop, and keeps its id.
func (j *journey) post(path string, body object) object {
	j.t.Helper()
	made := j.do(201, "POST "+path, path, j.token, body)
	if id, is := made["id"].(string); is {
		name := path[strings.LastIndex(path, "/")+1:] + "/{id}"
		if _, has := j.ids[name]; !has {
			j.ids[name] = id
		}
	}
	return made
}

// tenant is a shop with an access.
type tenant struct{ shop, pkg, access, token, domain string }

// opens opens a shop, with an add-on that may do everything and whose own server hears of its activation.
func (j *journey) opens(name, locale, currency string) tenant {
	j.t.Helper()
	op := func(status int, method, path string, body any) object {
		j.t.Helper()
		return j.do(status, method+" "+path, path, j.operator, body)
	}
	tn := tenant{domain: name + "-shop.example"}
	tn.shop = op(201, "POST", "/operator/shops", object{"name": "Obchod " + name, "domain": tn.domain, "locale": locale,
		"currency": currency, "owner": object{"email": "owner@" + tn.domain},
		"visitorLimits": object{"basketsPerMinute": 120, "checkoutsPerMinute": 20,
			"checkoutsPerBasket": 5}})["id"].(string)
	tn.pkg = op(201, "POST", "/operator/packages", object{"code": "sync-" + name, "name": "Sync",
		"instructions": "# Jak", "permissions": permission.All, "systemUrl": j.to.URL + "/system"})["id"].(string)
	op(201, "POST", "/operator/packages/"+tn.pkg+"/system-keys", nil)
	made := op(201, "POST", "/operator/shops/"+tn.shop+"/accesses", object{"packageId": tn.pkg,
		"permissions": permission.All, "hourlyLimit": 36_000, "dailyLimit": 86_400})
	tn.access, tn.token = made["id"].(string), "Bearer "+made["token"].(string)
	j.work()
	j.tenants = append(j.tenants, tn)
	return tn
}

// goods are categories, products, customers, orders and all that goes with them.
func (j *journey) goods() {
	tea := j.post("/api-engine/categories", object{"name": "Čaje"})
	green := j.post("/api-engine/categories", object{"name": "Zelené", "parentId": tea["id"]})
	var variants []object
	for n := range 60 { // more than fit one part
		variants = append(variants, object{"code": fmt.Sprint("V-", n), "name": fmt.Sprint("Balení ", n),
			"stock":      object{"quantity": n + 30, "availability": "skladem"},
			"parameters": []object{{"name": "g", "value": "50"}}})
	}
	prices := []object{{"level": "default", "price": "199.00"}, {"level": "wholesale", "price": "150.50"}}
	product := j.post("/api-engine/products", object{"code": "T-1", "externalId": "e/1", "name": "Sencha",
		"vatRate": "21.00", "ean": "859", "manufacturer": "Š & Č", "shortDescription": "lehký",
		"description": strings.Repeat("Čaj z hor. ", 900),
		"images": []object{{"url": "https://cdn.example.com/a.jpg", "alt": "z boku"},
			{"url": j.image("/api-engine/images")["url"]}}, "hasUnits": true,
		"units": []object{{"unit": "box", "quantity": 10}}, "categoryIds": []any{tea["id"], green["id"]},
		"priceLevels": prices, "stock": object{"quantity": 100, "availability": "skladem"}, "variants": variants})
	for _, v := range product["variants"].([]any) {
		j.variants = append(j.variants, v.(object)["id"].(string))
	}
	j.ids["variants/{variantId}"] = j.variants[0]
	j.post("/api-engine/custom-urls", object{"url": "Nejlepší čaj",
		"urlItem": object{"type": "product", "id": product["id"]}})
	j.ids["/{slug}"] = "nejlepsi-caj"
	j.post("/api-engine/custom-urls", object{"url": "Všechny čaje",
		"urlItem": object{"type": "category", "id": tea["id"]}})
	address := object{"firstName": "Jana", "lastName": "Nováková", "company": "J", "companyId": "1", "vatId": "CZ1",
		"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	who := j.post("/api-engine/customers", object{"email": "jana@háčky.example", "externalId": "c/1",
		"firstName": "Jana", "lastName": "Nováková", "phone": "+420 601", "priceLevel": "wholesale", "note": "n",
		"billingAddress": object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}})
	state := j.post("/api-engine/order-states", object{"name": "Čeká", "color": "#ffffff",
		"position": 50, "final": false})
	gone := j.post("/api-engine/order-states", object{"name": "Zrušený stav", "position": 60, "final": true})
	j.do(204, "DELETE", "/api-engine/order-states/"+gone["id"].(string), j.token, nil)
	coupon := j.post("/api-engine/discount-coupons", object{"code": "LÉTO1", "type": "percentage", "value": "10.00",
		"minimumOrder": "1.00", "usageLimit": 100, "validFrom": "2020-01-01T00:00:00Z", "active": true})
	order := j.post("/api-engine/orders", object{"email": "jana@example.cz", "customerId": who["id"],
		"stateId": state["id"], "items": []object{{"productId": product["id"], "quantity": 2, "note": "s mašlí",
			"variantId": j.ids["variants/{variantId}"]}},
		"billingAddress": address, "deliveryAddress": address, "note": "prosím",
		"discountCoupons":      []any{coupon["code"]},
		"orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou"}})
	j.do(200, "PATCH", "/api-engine/orders/"+order["id"].(string)+"/order-delivery-payment", j.token,
		object{"trackingNumber": "DR1", "trackingLink": "https://tracking.example.com/DR1"})
	for path, record := range map[string]object{"customers": who, "products": product, "orders": order} {
		j.do(200, "PUT", "/api-engine/"+path+"/"+record["id"].(string)+"/data", j.token, object{"crmId": "77"})
	}
	code := j.post("/api-engine/custom-codes", object{"name": "Konfigurátor", "position": "bodyEnd", "active": true,
		"code": "<script>1 < 2</script>"})
	j.ids["code"] = code["id"].(string)
	lost := j.post("/api-engine/products", object{"code": "T-2", "name": "Bude smazán", "priceLevels": prices,
		"images": []object{{"url": j.image("/api-engine/images")["url"]}}}) // it ends with the product
	j.do(204, "DELETE", "/api-engine/products/"+lost["id"].(string), j.token, nil)
	j.do(201, "POST", "/api-engine/customers", j.token, object{"email": "trasa@example.com", "firstName": "T",
		"lastName": "R"}, "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	other := j.post("/api-engine/customers", object{"email": "pryc@example.com", "firstName": "P", "lastName": "R"})
	j.do(204, "DELETE", "/api-engine/customers/"+other["id"].(string), j.token, nil)
	erased := j.post("/api-engine/customers", object{"email": "vymaz@example.com", "firstName": "V", "lastName": "Z"})
	j.ids["erasures/{id}"] = erased["id"].(string)
	j.do(202, "DELETE", "/api-engine/customers/"+erased["id"].(string)+"?erase=true", j.token, nil)
	j.quotes(product["id"].(string))
}

// quotes are prices for one basket, with pictures.
func (j *journey) quotes(product string) {
	quote := func(n int) object {
		return object{"productId": product, "variantId": j.ids["variants/{variantId}"], "unitPrice": "1234.50",
			"note": "s rytinou", "externalId": fmt.Sprint("q/", n), "expiresIn": 30 * 24 * 3600,
			"imageIds": []any{j.image("/basket-price-quote-images")["id"]}}
	}
	made := j.post("/basket-price-quotes", quote(1))
	j.ids["quoteToken"] = made["quoteToken"].(string)
	gone := j.post("/basket-price-quotes", quote(2))
	j.do(204, "DELETE", "/basket-price-quotes/"+gone["id"].(string), j.token, nil) // its image ends
}

// image is a new one, sent to a path.
func (j *journey) image(path string) object {
	j.t.Helper()
	var dot, b bytes.Buffer
	require.NoError(j.t, png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))))
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "a name")
	require.NoError(j.t, err)
	_, _ = part.Write(dot.Bytes())
	require.NoError(j.t, form.Close())
	got := ask{Route: "POST " + path, Path: path, Body: b.String(),
		Header: header(j.token, "Content-Type", form.FormDataContentType())}.send(j.t, j.world, "")
	require.Equal(j.t, 201, got.Status, string(got.JSON))
	made := got.fields(j.t)
	at := made["url"].(string)
	j.ids["images/{secret}"] = cmp.Or(j.ids["images/{secret}"], at[strings.LastIndex(at, "/")+1:])
	return made
}

// kept are answers that are given again.
func (j *journey) kept() {
	short := object{"email": "klic@example.com", "firstName": "K", "lastName": "L"}
	long := []object{}
	for n := range 40 { // its answer is kept compressed
		long = append(long, object{"id": j.ids["products/{id}"], "variantId": j.variants[n], "change": n - 25})
	}
	j.again(201, "POST /api-engine/customers", "/api-engine/customers", short, "Idempotency-Key", "kept-1")
	j.again(200, "PATCH /api-engine/products/batch/stock", "/api-engine/products/batch/stock", object{"items": long},
		"Idempotency-Key", "kept-2")
}

// again makes a request that is answered the same whenever it comes again.
func (j *journey) again(status int, route, path string, body object, more ...string) {
	j.t.Helper()
	j.do(status, route, path, j.token, body, more...)
	b, err := json.Marshal(body)
	require.NoError(j.t, err)
	j.Resting = append(j.Resting, ask{Route: route, Path: path, Body: string(b), Header: header(j.token, more...)})
}

// exports are one whose file is there.
func (j *journey) exports() {
	made := j.post("/api-engine/exports", object{"type": "customers", "format": "csv"})
	j.ids["exports/{id}"] = made["id"].(string)
	j.work()
	require.Equal(j.t, "done", j.do(200, "GET", "/api-engine/exports/"+made["id"].(string), j.token, nil)["state"])
}

// leaves are an export of a whole shop, and a shop that is closed.
func (j *journey) leaves(tn tenant) {
	all := j.do(201, "POST", "/operator/shops/"+tn.shop+"/exports", j.operator, nil)
	j.ids["exports/{exportId}"] = all["id"].(string)
	gone := j.opens("leaving", "cs_CZ", "CZK")
	j.ids["closed shop"] = gone.shop
	j.do(202, "DELETE", "/operator/shops/"+gone.shop, j.operator, nil)
	for range 2 { // until it is closed
		j.work()
		j.pass(time.Minute)
	}
	j.work()
}

// imports are one that is done, with a fault.
func (j *journey) imports() {
	made := j.post("/api-engine/imports", object{"type": "customers", "format": "csv", "mode": "upsert"})
	j.upload(made, "email,firstName,lastName\nnova@example.com,Nová,Osoba\nnobody,,\n")
	j.work()
	require.Equal(j.t, "done", j.do(200, "GET", "/api-engine/imports/"+made["id"].(string), j.token, nil)["state"])
}

func (j *journey) upload(made object, file string) {
	j.t.Helper()
	got := j.uploadOf(made, file).send(j.t, j.world, "")
	require.Equal(j.t, http.StatusNoContent, got.Status)
}

// uploadOf is the request that brings an import's file.
func (j *journey) uploadOf(made object, file string) ask {
	to, err := url.Parse(made["uploadUrl"].(string))
	require.NoError(j.t, err)
	return ask{Route: "PUT /uploads/{key...}", Path: to.RequestURI(), Body: file,
		Header: header("", "Content-Type", "text/csv")}
}

// people are shoppers and admins, their sessions, passwords, links and baskets.
func (j *journey) people(tn tenant) {
	shop, back := tn.domain, "admin."+tn.domain
	address := object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	shopper := object{"email": "anna@example.cz", "firstName": "Anna", "lastName": "Nová", "billingAddress": address,
		"password": password}
	made, cookies := j.visits(201, shop, "POST /account/register", "/account/register", "", shopper)
	_, more := j.visits(201, shop, "POST /basket/items", "/basket/items", cookies, object{
		"productId": j.ids["products/{id}"], "variantId": j.ids["variants/{variantId}"], "quantity": 1,
		"quoteToken": j.ids["quoteToken"]})
	j.cookie = strings.Trim(cookies+"; "+more, "; ")
	own := j.post("/api-engine/orders", object{"email": "anna@example.cz", "customerId": made["id"],
		"items": []object{{"productId": j.ids["products/{id}"], "variantId": j.ids["variants/{variantId}"],
			"quantity": 1}}, "orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou"}})
	j.ids["own order"] = own["id"].(string)
	u := j.p.Unit()
	u.Shop = tn.shop
	link, err := customer.NewAccounts(signin.Tries{}).MakeLink(j.t.Context(), u, made["id"].(string))
	require.NoError(j.t, err)
	j.ids["link"] = link
	j.checkout(shop)

	var links []string
	for _, name := range []string{"petra", "pavel"} {
		path := "/operator/shops/" + tn.shop + "/admins"
		a := j.do(201, "POST "+path, path, j.operator, object{"email": name + "@example.cz", "name": name})
		j.ids["admins/{adminId}"] = a["id"].(string)
		at, err := url.Parse(a["setPasswordUrl"].(string))
		require.NoError(j.t, err)
		links = append(links, at.RequestURI())
	}
	j.ids["adminLink"] = links[1]
	j.visits(303, back, "POST /admin/set-password", links[0], "", url.Values{"password": {password}})
	j.pass(time.Minute)
	_, j.admin = j.visits(303, back, "POST /admin/sign-in", "/admin/sign-in", "",
		url.Values{"email": {"petra@example.cz"}, "password": {password}})
	j.visits(303, back, "POST /admin/shop", "/admin/shop", j.admin, url.Values{"accent": {"#b4552d"},
		"welcome": {"Vítejte"}, "contact": {"Brno"}, "terms": {"# Podmínky"}, "privacy": {"Nic"},
		"payment.transfer.note": {"VS {number}"}, "payment.onDelivery.note": {"Hotově"},
		"payment.transfer.iban": {"CZ6508000000192000145399"}, "delivery.new.name": {"Zásilkovna"}})
}

// checkout orders what is in a basket of somebody who never signed in.
func (j *journey) checkout(shop string) {
	_, cookies := j.visits(201, shop, "POST /basket/items", "/basket/items", "",
		object{"productId": j.ids["products/{id}"], "variantId": j.ids["variants/{variantId}"], "quantity": 1})
	_, _ = j.visits(200, shop, "POST /basket/coupon", "/basket/coupon", cookies, object{"code": "léto1"})
	address := object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	done, _ := j.visits(201, shop, "POST /checkout", "/checkout", cookies, object{"email": "host@example.cz",
		"firstName": "H", "lastName": "O", "phone": "+420", "billingAddress": address,
		"delivery": "Zásilkovna", "payment": "Kartou"})
	at, _ := done["confirmationUrl"].(string)
	j.ids["order/{secret}"] = at[strings.LastIndex(at, "/")+1:]
}

// visits makes a request as somebody's browser does, at a host with cookies, and returns those that it is given.
func (j *journey) visits(status int, at, route, path, cookies string, body any) (object, string) {
	j.t.Helper()
	a := ask{Route: route, Path: path, Host: at, Header: map[string]string{"Sec-Fetch-Site": "same-origin"}}
	if form, is := body.(url.Values); is {
		a.Body, a.Header["Content-Type"] = form.Encode(), "application/x-www-form-urlencoded"
	} else {
		b, err := json.Marshal(body)
		require.NoError(j.t, err)
		a.Body, a.Header["Content-Type"] = string(b), "application/json"
	}
	if cookies != "" {
		a.Header["Cookie"] = cookies
	}
	var given []string
	got := a.send(j.t, doing(func(r *http.Request) (*http.Response, error) {
		answer, err := j.world.Do(r)
		for _, c := range answer.Cookies() {
			given = append(given, c.Name+"="+c.Value)
		}
		return answer, err
	}), "")
	require.Equal(j.t, status, got.Status, "%s %s: %s", route, path, got.JSON)
	if len(got.JSON) == 0 {
		return nil, strings.Join(given, "; ")
	}
	return got.fields(j.t), strings.Join(given, "; ")
}

type doing func(*http.Request) (*http.Response, error)

func (d doing) Do(r *http.Request) (*http.Response, error) { return d(r) }

// hooks are receivers of the resting shop, and what was sent to them: one that heard everything, and one that is down,
// whose delivery waits for half an hour.
func (j *journey) hooks(tn tenant) {
	for range 2 {
		key := j.post("/api-engine/webhook-signing-keys", nil)
		j.do(200, "POST", "/api-engine/webhook-signing-keys/"+key["id"].(string)+"/activate", j.token, nil)
	}
	j.post("/api-engine/webhooks", object{"url": j.to.URL + "/good",
		"events": []string{"customerCreate", "productChange"}, "groups": []string{"stock"}})
	j.post("/api-engine/webhooks", object{"url": j.to.URL + "/down", "events": []string{"customerDelete"}})
	j.work()
	at := "/api-engine/webhooks/" + j.ids["webhooks/{id}"]
	require.Equal(j.t, "enabled", j.do(200, "GET", at, j.token, nil)["state"])
	j.kept()
	gone := j.post("/api-engine/customers", object{"email": "down@example.com", "firstName": "D", "lastName": "O"})
	j.do(204, "DELETE", "/api-engine/customers/"+gone["id"].(string), j.token, nil)
	for _, wait := range []time.Duration{0, 15 * time.Second, 90 * time.Second, 7 * time.Minute} {
		j.pass(wait)
		j.work()
	}
	require.Len(j.t, j.to.heard("/down", "customerDelete"), 4, "the next attempt is in half an hour")
	page := j.do(200, "GET", "/api-engine/webhook-deliveries?event=customerCreate", j.token, nil)
	id := page["items"].([]any)[0].(object)["id"].(string)
	j.ids["webhook-deliveries/{id}"] = id
	j.do(202, "POST", "/api-engine/webhook-deliveries/"+id+"/redeliver", j.token, nil)
	j.do(202, "POST", at+"/test", j.token, object{"event": "productChange"})
	j.replay(j.token, j.ids["webhooks/{id}"])
	replayed := func() bool {
		return j.do(200, "GET", at+"/replay", j.token, nil)["state"] != "running"
	}
	for n := 0; !replayed(); n++ {
		require.Less(j.t, n, 100, "the replay does not come to its end")
		j.pass(time.Second)
		j.work()
	}
}

// replay lets all deliveries of the receiver that were delivered go once more.
func (j *journey) replay(token, receiver string) {
	j.t.Helper()
	path := "/api-engine/webhooks/" + receiver + "/replay"
	j.do(202, "POST", path, token, object{"from": j.now().Add(-24 * time.Hour).Format(time.RFC3339),
		"to": j.now().Format(time.RFC3339), "states": []string{"delivered"}, "perSecond": 10})
}

// activation is what the add-on does on its own: an install code is used for a token, and what an operator sees.
func (j *journey) activation(tn tenant) {
	code := j.installCode(tn.access)
	made := j.do(201, "POST", "/api-engine/tokens", "", object{"installCode": code})
	require.NotEmpty(j.t, made["token"])
	tokens := "/operator/shops/" + tn.shop + "/accesses/" + tn.access + "/tokens"
	j.do(201, "POST", tokens, j.operator, object{"expiresAt": j.now().Add(900 * 24 * time.Hour).Format(time.RFC3339)})
	page := j.do(200, "GET", "/operator/packages/"+tn.pkg+"/webhook-deliveries", j.operator, nil)
	j.ids["webhook-deliveries/{deliveryId}"] = page["items"].([]any)[0].(object)["id"].(string)
	for name, id := range map[string]string{"shops/{id}": tn.shop, "shops/{shopId}": tn.shop, "packages/{id}": tn.pkg,
		"packages/{packageId}": tn.pkg, "packages/{accessId}": tn.access, "accesses/{accessId}": tn.access,
		"api/{accessId}": tn.access, "coupons/{id}": j.ids["discount-coupons/{id}"],
		"deliveries/{id}": j.ids["webhook-deliveries/{id}"], "receivers/{id}": j.ids["webhooks/{id}"]} {
		j.ids[name] = id
	}
	cleanup := j.post("/api-engine/cleanup-orders", object{"customCodeId": j.ids["code"], "packageId": tn.pkg})
	require.NotEmpty(j.t, cleanup["id"])
	j.work()
	j.reads(tn)
}

// canary leaves what the canary hears.
func (j *journey) canary() {
	j.t.Helper()
	ctx, p := j.t.Context(), j.p
	require.NoError(j.t, canaryhook.Heard{Signature: "s", Timestamp: 1, Body: []byte("{}")}.Keep(ctx, p.Main,
		"4bf92f3577b34da6a3ce929d0e0e4736-00", p.Now()))
}

// author is a developer with a package on a test shop.
func (j *journey) author() {
	j.t.Helper()
	makes := func(path string, body object) string {
		j.t.Helper()
		who := j.developer
		if strings.HasPrefix(path, "/operator/") {
			who = j.operator
		}
		made := j.do(201, "POST", path, who, body)
		if path == "/operator/developers" {
			j.developer = "Bearer " + made["token"].(string)
		}
		return made["id"].(string)
	}
	j.ids["tokens/{id}"] = makes("/operator/tokens", object{"name": "Jana"})
	j.ids["developers/{id}"] = makes("/operator/developers", object{"name": "Ada", "email": "ada@addon.example"})
	shop := makes("/developer/shops", object{"name": "Test", "domain": "tea.test", "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "ada@addon.example"}})
	pkg := makes("/developer/packages", object{"code": "own", "name": "Own", "instructions": "# Jak",
		"permissions": permission.All, "systemUrl": j.to.URL + "/own"})
	accesses := "/developer/shops/" + shop + "/accesses"
	access := makes(accesses, object{"packageId": pkg})
	makes(accesses, object{"packageId": makes("/developer/packages", object{"code": "bare", "name": "Bare",
		"instructions": "", "permissions": permission.All})}) // what is for it is kept and not sent
	j.work()
	page := j.do(200, "GET", "/developer/packages/"+pkg+"/webhook-deliveries", j.developer, nil)
	j.own = map[string]string{"shops/{id}": shop, "shops/{shopId}": shop, "packages/{id}": pkg,
		"packages/{packageId}": pkg, "accesses/{accessId}": access,
		"webhook-deliveries/{deliveryId}": page["items"].([]any)[0].(object)["id"].(string)}
}

// installCode is the one that the package was sent for an access.
func (j *journey) installCode(access string) string {
	j.t.Helper()
	calls := j.to.heard("/system", access)
	require.NotEmpty(j.t, calls)
	found := regexp.MustCompile(`"installCode":"([^"]+)"`).FindStringSubmatch(calls[0])
	require.Len(j.t, found, 2, calls[0])
	return found[1]
}

// reads are all operations that read, of all functions, about the resting shop, as those who may.
func (j *journey) reads(tn tenant) {
	for _, pattern := range readings() {
		ids := j.ids
		if strings.HasPrefix(pattern, "GET /developer/") {
			ids = j.own
		}
		a := ask{Route: pattern, Path: fill(j.t, pattern, ids), Header: map[string]string{}}
		switch {
		case strings.HasPrefix(a.Path, "/developer"):
			a.Header["Authorization"] = j.developer
		case strings.HasPrefix(a.Path, "/operator"):
			a.Header["Authorization"] = j.operator
		case strings.HasPrefix(a.Path, "/api-engine"), strings.HasPrefix(a.Path, "/basket-price-quotes"):
			a.Header["Authorization"] = j.token
		case a.Path == "/admin" || strings.HasPrefix(a.Path, "/admin/"):
			a.Host, a.Header["Cookie"] = "admin."+tn.domain, j.admin
		default:
			a.Host, a.Header["Cookie"] = tn.domain, j.cookie
		}
		switch pattern {
		case "GET /admin/set-password":
			a.Path = j.ids["adminLink"]
		case "GET /account/orders/{id}":
			a.Path = "/account/orders/" + j.ids["own order"]
		case "GET /account/set-password":
			a.Path += "?token=" + j.ids["link"]
		case "GET /operator/shops/{shopId}/deletion":
			a.Path = "/operator/shops/" + j.ids["closed shop"] + "/deletion"
		case "GET /operator/accesses":
			a.Path += "?packageId=" + tn.pkg
		}
		if slices.Contains(paged, pattern) {
			a.Path += "?itemsPerPage=250"
		}
		j.Resting = append(j.Resting, a)
	}
}

// paged are operations that answer pages.
var paged = []string{"GET /api-engine/customers", "GET /api-engine/products", "GET /api-engine/changes",
	"GET /api-engine/webhook-deliveries", "GET /api-engine/orders", "GET /api-engine/custom-urls"}

// goesOn asks for a second page by the cursor that the first one had: readers keep it while versions change.
func (j *journey) goesOn(path string) {
	first := j.do(200, "GET "+path, path+"?itemsPerPage=3", j.token, nil)
	j.Resting = append(j.Resting, ask{Route: "GET " + path, Header: header(j.token),
		Path: path + "?itemsPerPage=3&cursor=" + url.QueryEscape(first["nextCursor"].(string))})
}

// rests are what else is asked of the resting shop.
func (j *journey) rests(tn tenant) {
	signIn, err := json.Marshal(object{"email": "anna@example.cz", "password": password})
	require.NoError(j.t, err)
	for _, path := range []string{"/api-engine/changes", "/api-engine/customers", "/api-engine/webhook-deliveries"} {
		j.goesOn(path)
	}
	j.Resting = append(j.Resting, ask{Route: "POST /account/sign-in", Path: "/account/sign-in", Host: tn.domain,
		Header: header("", "Sec-Fetch-Site", "same-origin"), Body: string(signIn)})
}
