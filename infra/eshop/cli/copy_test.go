package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// people is what the source knows of people, in every field that is for it.
var people = []string{"zdenka.neviditelna", "Zdeňka", "Neviditelná", "601 555 777", "Tajná ulice", "Skryté Město",
	"999 88", "Utajená firma", "27074358", "CZ27074358", "Psí štěkot", "crm-zdenka", "kurier.example", "Pro Zdeňku"}

// copied is a source with all that a copy needs to know, and the client of it.
type copied struct {
	t         *testing.T
	source    *client
	from      Shell // the shell of who copies
	p         profile
	out, errs *said
	developer string // the token of who has the copies; "": the operator has them
}

func (c copied) post(path string, body object) string {
	c.t.Helper()
	made, err := ask[struct{ ID string }](c.t.Context(), c.source, "POST", "/api-engine/"+path, body)
	require.NoError(c.t, err)
	return made.ID
}

func (c copied) patch(path string, body object) {
	c.t.Helper()
	_, err := ask[object](c.t.Context(), c.source, "PATCH", "/api-engine/"+path, body)
	require.NoError(c.t, err)
}

// toCopy is the demo shop with what is hard to copy.
func toCopy(t *testing.T) copied {
	sh, out, errs := running(t)
	source, err := connect(options{Shell: sh}, ofAccess)
	require.NoError(t, err)
	p, err := options{Shell: sh}.known()
	require.NoError(t, err)
	c := copied{t: t, source: source, from: sh, p: p, out: out, errs: errs}
	price := []object{{"level": "default", "price": "12.50"}, {"level": "wholesale", "price": "10.00"}}

	top := c.post("categories", object{"name": "Kuchyně"})
	for _, parent := range []string{top, c.post("categories", object{"name": "Zahrada"})} {
		c.post("categories", object{"name": "Hrnky", "parentId": parent})
	}
	var many []object
	for n := range 61 {
		many = append(many, object{"code": fmt.Sprint("MANY-", n), "active": n != 3, "stock": object{"quantity": n},
			"parameters": []object{{"name": "velikost", "value": fmt.Sprint(n)}}})
	}
	product := c.post("products", object{"code": "MANY", "name": "Mnoho", "priceLevels": price, "variants": many[:60],
		"categoryIds": []string{top}, "images": []object{{"url": "https://cdn.example.com/a.png", "alt": "Mnoho"}}})
	last := c.post("products/"+product+"/variants", many[60])
	two := object{"quantity": 2}
	gone := c.post("products", object{"code": "GONE", "name": "Zrušené", "priceLevels": price, "stock": two})
	old := c.post("products", object{"code": "OLD", "name": "Staré", "priceLevels": price, "stock": two})
	plain := c.post("products", object{"code": "PLAIN", "name": "Prosté", "priceLevels": price, "stock": two})
	state := c.post("order-states", object{"name": "Na cestě", "color": "#123456"})
	coupon := c.post("discount-coupons", object{"code": "JARO", "type": "percentage", "value": "10.00"})

	address := object{"street": "Tajná ulice 1", "city": "Skryté Město", "zip": "999 88", "country": "SK"}
	who := c.post("customers", object{"email": "zdenka.neviditelna@example.org", "firstName": "Zdeňka",
		"lastName": "Neviditelná", "phone": "+420 601 555 777", "company": "Utajená firma", "companyId": "27074358",
		"vatId": "CZ27074358", "billingAddress": address, "deliveryAddress": address, "note": "Psí štěkot",
		"externalId": "crm-zdenka", "priceLevel": "wholesale"})
	named := object{"firstName": "Zdeňka", "lastName": "Neviditelná", "company": "Utajená firma", "vatId": "CZ27074358"}
	for field := range address {
		named[field] = address[field]
	}
	order := func(body object, lines ...object) string {
		body["email"], body["phone"], body["note"] = "zdenka.neviditelna@example.org", "+420 601 555 777", "Psí štěkot"
		body["billingAddress"], body["deliveryAddress"], body["items"] = named, named, lines
		return c.post("orders", body)
	}
	line := func(product string) object {
		return object{"productId": product, "quantity": 1, "note": "Pro Zdeňku"}
	}
	variant := line(product)
	variant["variantId"] = last
	first := order(object{"customerId": who, "discountCoupons": []string{"jaro"}, "stateId": state,
		"orderDeliveryPayment": object{"delivery": "Poštou"}}, variant, line(gone))
	c.patch("orders/"+first+"/order-delivery-payment",
		object{"trackingNumber": "DR-1", "trackingLink": "https://kurier.example/DR-1"})
	order(object{}, line(gone))
	order(object{}, line(plain))
	c.post("products/"+plain+"/variants", object{"code": "PLAIN-1"})
	order(object{}, object{"productId": old, "quantity": 2, "note": "Pro Zdeňku"})
	c.patch("products/"+old, object{"active": false})
	c.patch("discount-coupons/"+coupon, object{"active": false})
	_, err = ask[object](t.Context(), source, "DELETE", "/api-engine/products/"+gone, nil)
	require.NoError(t, err)
	return c
}

// copies copies the shop to a domain, until ctx ends, with other addresses for the platforms.
func (c copied) copies(ctx context.Context, from, to string, domain ...string) error {
	sh := c.from
	env := map[string]string{ofAccess: c.source.token, ofOperator: c.p.Tokens[ofOperator], ofDeveloper: c.developer,
		"ESHOP_URL": to}
	sh.Getenv = func(name string) string { return env[name] }
	return execute(ctx, append([]string{"shop", "copy", "--from", from}, domain...), sh)
}

// collections are all that a copy has.
var collections = []string{"categories", "discount-coupons", "customers", "order-states", "products", "orders"}

// access asks the copy at a domain.
func (c copied) access(domain string) *client {
	c.t.Helper()
	operator := newClient(c.p.URL, c.p.Tokens[ofOperator])
	shops, err := list[object](c.t.Context(), operator, "/operator/shops?domain="+domain)
	require.NoError(c.t, err)
	require.Len(c.t, shops, 1)
	require.Equal(c.t, true, shops[0]["test"], "it is a developer's")
	of := fmt.Sprint("/operator/shops/", shops[0]["id"], "/accesses")
	accesses, err := list[object](c.t.Context(), operator, of+"?itemsPerPage=2")
	require.NoError(c.t, err)
	require.Len(c.t, accesses, 1)
	token, err := ask[struct{ Token string }](c.t.Context(), operator, "POST",
		fmt.Sprint(of, "/", accesses[0]["id"], "/tokens"), object{})
	require.NoError(c.t, err)
	return newClient(c.p.URL, token.Token)
}

// all is what the shop of an access holds, by its collections.
func (c copied) all(access *client) map[string][]object {
	c.t.Helper()
	all := map[string][]object{}
	for _, what := range collections {
		of, err := list[object](c.t.Context(), access, "/api-engine/"+what+"?itemsPerPage=250")
		require.NoError(c.t, err)
		all[what] = of
	}
	return all
}

// has is what the copy at a domain holds.
func (c copied) has(domain string) map[string][]object { c.t.Helper(); return c.all(c.access(domain)) }

func byID(all []object) map[any]object {
	ids := map[any]object{}
	for _, o := range all {
		ids[o["id"]] = o
	}
	return ids
}

func text(t *testing.T, of any) string {
	b, err := json.Marshal(of)
	require.NoError(t, err)
	return string(b)
}

// same is what a shop holds in words that are the same in another copy: ids are what they are of, and pictures and
// moments are left out.
func same(t *testing.T, all map[string][]object) string {
	name := map[string]string{}
	for _, what := range collections {
		for _, o := range all[what] {
			name[fmt.Sprint(o["id"])] = fmt.Sprint(o["code"], o["name"], o["email"], o["note"])
			variants, _ := o["variants"].([]any)
			for _, v := range variants {
				name[fmt.Sprint(v.(object)["id"])] = fmt.Sprint(v.(object)["code"])
			}
		}
	}
	var lines []string
	for _, what := range collections {
		for _, o := range all[what] {
			o = maps.Clone(o)
			for _, field := range []string{"created", "changed", "url", "number"} {
				delete(o, field)
			}
			lines = append(lines, regexp.MustCompile(`[0-9A-Z]{26}(-[A-Z2-7]{26})?`).ReplaceAllStringFunc(what+text(t, o),
				func(id string) string { return "<" + name[id] + ">" }))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// in is the same in a test of a part.
func (c copied) in(t *testing.T) copied { c.t = t; return c }

func TestAShopIsCopied(t *testing.T) {
	c := toCopy(t)
	for _, part := range []struct {
		name string
		do   func(copied, *testing.T)
	}{
		{"with what the token may read, and with nothing of people", copied.hasAll},
		{"by several copies, each killed in its midst", copied.goesOn},
		{"with its own stock and state of what orders have sold, also by an interrupted copy", copied.putsBack},
		{"though the source has no more requests left for a while", copied.waits},
		{"as a test shop of the developer whose token there is", copied.isOf},
		{"with words on what to do about a token that is over", copied.tellsOfTokens},
		{"without what the token may not read", copied.hasLess},
		{"over no shop but a copy", copied.keepsOthers},
	} {
		t.Run(part.name, func(t *testing.T) { part.do(c.in(t), t) })
	}
}

func (c copied) hasAll(t *testing.T) {
	require.NoError(t, c.copies(t.Context(), c.p.URL, c.p.URL, "tea.test"), c.errs)
	require.Contains(t, c.out.String(), "left out  2 of the orders: what was sold is not in the copy\n")
	require.Contains(t, c.out.String(), "left out  1 of the orders in part: what was sold is not in the copy\n")
	require.Contains(t, c.out.String(), "left out  1 of the coupons of orders: they do not apply any more\n")
	all, source := c.has("tea.test"), c.all(c.source)
	whole := text(t, all)
	for _, of := range people {
		require.NotContains(t, whole, of)
	}
	for _, what := range collections {
		left := map[string]int{"orders": 2}[what]
		require.Len(t, all[what], len(source[what])-left, what)
	}
	for _, of := range slices.Concat(source["customers"], source["orders"]) {
		require.NotContains(t, whole, of["email"])
		if phone, is := of["phone"]; is {
			require.NotContains(t, whole, phone)
		}
	}
	// The products are the same ones, in the same categories, but for the addresses of pictures.
	products := func(all map[string][]object) string {
		return same(t, map[string][]object{"categories": all["categories"], "products": all["products"],
			"order-states": all["order-states"]})
	}
	pictures := regexp.MustCompile(`"url":"[^"]*/images/<>"`)
	require.Equal(t, pictures.ReplaceAllString(products(source), "picture"),
		pictures.ReplaceAllString(products(all), "picture"))

	at := slices.IndexFunc(all["orders"], func(o object) bool {
		return o["orderDeliveryPayment"].(object)["delivery"] == "Poštou"
	})
	require.Equal(t, "Na cestě", byID(all["order-states"])[all["orders"][at]["stateId"]]["name"])
	require.Equal(t, all["orders"][at]["email"], byID(all["customers"])[all["orders"][at]["customerId"]]["email"])
	require.Equal(t, "10.00", all["orders"][at]["items"].([]any)[0].(object)["unitPrice"], "at the customer's level")

	before := map[any]object{}
	for _, what := range collections {
		maps.Copy(before, byID(all[what]))
	}
	require.NoError(t, c.copies(t.Context(), c.p.URL, c.p.URL, "tea.test"), c.errs)
	for what, records := range c.has("tea.test") {
		for _, o := range records {
			require.Equal(t, before[o["id"]], o, "twice changes nothing of %s", what)
		}
	}
	// What is new comes, and what cannot come is told.
	_, err := ask[object](t.Context(), c.access("tea.test"), "POST", "/api-engine/products", object{"code": "OTHER",
		"name": "Jiné", "externalId": "taken", "priceLevels": []object{{"level": "default", "price": "1.00"}}})
	require.NoError(t, err)
	rejected := c.post("products", object{"code": "NEW", "name": "Nové", "externalId": "taken",
		"priceLevels": []object{{"level": "default", "price": "1.00"}}, "stock": object{"quantity": 1}})
	newer := c.post("products", object{"code": "NEWER", "name": "Novější",
		"priceLevels": []object{{"level": "default", "price": "1.00"}}, "stock": object{"quantity": 1}})
	c.post("orders", object{"email": "petr@example.org", "items": []object{{"productId": rejected, "quantity": 1},
		{"productId": newer, "quantity": 1}}})
	for _, limit := range []any{7, nil} {
		c.patch("discount-coupons/"+fmt.Sprint(source["discount-coupons"][0]["id"]), object{"usageLimit": limit})
		require.NoError(t, c.copies(t.Context(), c.p.URL, c.p.URL, "tea.test"), c.errs)
		require.Equal(t, limit == 7, strings.Contains(text(t, c.has("tea.test")), `"usageLimit":7`))
	}
	require.Contains(t, c.errs.String(), "left out: NEW: ")
	require.Regexp(t, `left out  1 of the products: .*externalId`, c.out.String())
	require.NotRegexp(t, `left out  [^1] of the products`, c.out.String(), "what was sold comes several times")
}

// passing is a server that hands each request on, unless instead says that it has answered it. Files of imports come to
// it, too.
func passing(t *testing.T, to string, instead func(w http.ResponseWriter, r *http.Request, pass func()) bool) string {
	at, err := url.Parse(to)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(at)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		pass := func() { proxy.ServeHTTP(w, r) }
		if !instead(w, r, pass) {
			pass()
		}
	}))
	t.Cleanup(s.Close)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method+r.Request.URL.Path != "POST/api-engine/imports" {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		body = bytes.Replace(body, []byte(`"uploadUrl":"`+to), []byte(`"uploadUrl":"`+s.URL), 1)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
	return s.URL
}

// goesOn: the first copy is killed at its 7th request, the next one at its 14th, and so on until one comes to its end.
func (c copied) goesOn(t *testing.T) {
	require.NoError(t, c.copies(t.Context(), c.p.URL, c.p.URL, "whole.test"), c.errs)
	runs := 0
	for done := false; !done; runs++ {
		ctx, kill := context.WithCancel(t.Context())
		var requests atomic.Int64
		to := passing(t, c.p.URL, func(_ http.ResponseWriter, _ *http.Request, pass func()) bool {
			last := requests.Add(1) == int64(7*(runs+1))
			if last && runs%2 == 0 {
				pass() // it is done, and nobody hears of it
			}
			if last {
				kill()
			}
			return last
		})
		err := c.copies(ctx, c.p.URL, to, "killed.test")
		if done = ctx.Err() == nil; done {
			require.NoError(t, err, c.errs)
		}
		kill()
	}
	require.Greater(t, runs, 5)
	require.Equal(t, same(t, c.has("whole.test")), same(t, c.has("killed.test")))
}

// putsBack: an interruption while the products are made to be plenty, while orders are made, and before the products
// are what they were.
func (c copied) putsBack(t *testing.T) {
	operator := newClient(c.p.URL, c.p.Tokens[ofOperator])
	dora, err := ask[struct{ Token string }](t.Context(), operator, "POST", "/operator/developers",
		object{"email": "dora@addon.example", "name": "Dora"})
	require.NoError(t, err)
	c.developer = dora.Token
	for n, at := range []struct {
		imports int64 // of the customers, of the products, of plenty, and back
		request string
	}{{3, "GET /api-engine/imports/"}, {3, "POST /api-engine/orders"}, {4, "POST /api-engine/imports"}} {
		ctx, kill := context.WithCancel(t.Context())
		var begun atomic.Int64
		to := passing(t, c.p.URL, func(_ http.ResponseWriter, r *http.Request, _ func()) bool {
			request := r.Method + " " + r.URL.Path
			if request == "POST /api-engine/imports" {
				begun.Add(1)
			}
			if begun.Load() == at.imports && strings.HasPrefix(request, at.request) {
				kill()
			}
			return false
		})
		domain, before := fmt.Sprintf("back-%d.test", n), len(c.errs.String())
		require.ErrorContains(t, c.copies(ctx, c.p.URL, to, domain), "interrupted")
		require.Error(t, ctx.Err(), at)
		require.Eventually(t, func() bool {
			return strings.Contains(c.errs.String()[before:], "interrupted: an import that has begun ends first")
		}, time.Minute, time.Millisecond)
		products := c.has(domain)["products"]
		require.NotContains(t, text(t, products), `"quantity":999999999999`, at)
		old := slices.IndexFunc(products, func(o object) bool { return o["code"] == "OLD" })
		require.Equal(t, false, products[old]["active"], at)
	}
}

// waits: each third request to the source is refused, of which the first is of too many. Of each kind of request to the
// copy the first is done, and its answer is lost. No token goes to the other side.
func (c copied) waits(t *testing.T) {
	var requests atomic.Int64
	from := passing(t, c.p.URL, func(w http.ResponseWriter, r *http.Request, _ func()) bool {
		if token := r.Header.Get("Authorization"); token != "" && token != "Bearer "+c.source.token {
			t.Error("another token than the source's came to the source")
		}
		n := requests.Add(1)
		if n%3 == 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(map[bool]int{true: 429, false: 503}[n%2 == 0])
		}
		return n%3 == 0
	})
	var lost sync.Map
	to := passing(t, c.p.URL, func(_ http.ResponseWriter, r *http.Request, pass func()) bool {
		if strings.Contains(r.Header.Get("Authorization"), c.source.token) {
			t.Error("the source's token came to the copy")
		}
		kind := r.Method + " " + regexp.MustCompile("[0-9A-Z]{26}").ReplaceAllString(r.URL.Path, "")
		begins := strings.HasPrefix(r.URL.Path, "/operator/") || r.URL.Path == "/developer/shops" // it is asked once
		if _, known := lost.LoadOrStore(kind, true); !known && !begins {
			pass()
			panic(http.ErrAbortHandler)
		}
		return false
	})
	require.NoError(t, c.copies(t.Context(), from, to, "waits.test", "--token", c.source.token), c.errs)
	require.Len(t, c.has("waits.test")["orders"], len(c.all(c.source)["orders"])-2)
}

// isOf: the shop that is copied is named by a profile.
func (c copied) isOf(t *testing.T) {
	operator := newClient(c.p.URL, c.p.Tokens[ofOperator])
	ada, err := ask[struct{ ID, Token string }](t.Context(), operator, "POST", "/operator/developers",
		object{"email": "ada@addon.example", "name": "Ada"})
	require.NoError(t, err)
	c.developer, c.from.Config = ada.Token, t.TempDir()
	live := profile{URL: c.p.URL, Tokens: map[string]string{ofAccess: c.source.token}}
	require.NoError(t, c.from.keepProfiles(map[string]profile{"live": live}))
	old := slices.IndexFunc(c.all(c.source)["products"], func(o object) bool { return o["code"] == "OLD" })
	c.patch(fmt.Sprint("products/", c.all(c.source)["products"][old]["id"]),
		object{"priceLevels": []object{{"level": "default", "price": "999999999999.00"}}})
	c.source = newClient("", "")
	elsewhere := passing(t, c.p.URL, func(http.ResponseWriter, *http.Request, func()) bool { return false })
	require.NoError(t, c.copies(t.Context(), "live", elsewhere, "ada.test"), c.errs)
	require.Contains(t, c.out.String(), "left out  1 of the orders: 422 invalid", "two of them cost too much")
	shops, err := list[object](t.Context(), newClient(c.p.URL, ada.Token), "/developer/shops?itemsPerPage=9")
	require.NoError(t, err)
	require.Len(t, shops, 1)
	require.Equal(t, []any{"ada.test", ada.ID}, []any{shops[0]["domain"], shops[0]["developerId"]})

	c.source = c.access("ada.test")
	require.ErrorContains(t, c.copies(t.Context(), c.p.URL, c.p.URL, "ada.test"), "is the source itself")
	_, err = ask[object](t.Context(), newClient(c.p.URL, ada.Token), "POST", "/developer/shops", object{"name": "E",
		"domain": "eur.test", "locale": "sk_SK", "currency": "EUR", "owner": object{"email": "ada@addon.example"}})
	require.NoError(t, err)
	require.ErrorContains(t, c.copies(t.Context(), c.p.URL, c.p.URL, "eur.test"), "in EUR, and the source has CZK")
}

func (c copied) tellsOfTokens(t *testing.T) {
	refusing := func(request string) string {
		return passing(t, c.p.URL, func(w http.ResponseWriter, r *http.Request, _ func()) bool {
			refused := r.Method+" "+r.URL.Path == request
			if refused {
				w.WriteHeader(http.StatusUnauthorized)
			}
			return refused
		})
	}
	require.ErrorContains(t, c.copies(t.Context(), refusing("GET /api-engine/products"), c.p.URL, "tea.test"),
		"set ESHOP_TOKEN to a valid token of your access, or run eshop login: 401")
	require.ErrorContains(t, c.copies(t.Context(), c.p.URL, refusing("POST /api-engine/imports"), "tea.test"),
		"the copy's own token was good for 24 hours: the same command goes on with another: 401")
	c.developer = "esk_dev_over"
	require.ErrorContains(t, c.copies(t.Context(), c.p.URL, c.p.URL, "tea.test"),
		"set ESHOP_DEVELOPER_TOKEN to a valid token of a developer, or run eshop login: 401")
}

func (c copied) hasLess(t *testing.T) {
	operator := newClient(c.p.URL, c.p.Tokens[ofOperator])
	pkg, err := ask[object](t.Context(), operator, "POST", "/operator/packages",
		object{"code": "few", "name": "Few", "instructions": "", "permissions": []string{"products:read"}})
	require.NoError(t, err)
	shop, err := ask[object](t.Context(), c.source, "GET", "/api-engine/shop", nil)
	require.NoError(t, err)
	access, err := ask[object](t.Context(), operator, "POST", fmt.Sprint("/operator/shops/", shop["id"], "/accesses"),
		object{"packageId": pkg["id"]})
	require.NoError(t, err)
	c.source.token = fmt.Sprint(access["token"])
	require.NoError(t, c.copies(t.Context(), c.p.URL, c.p.URL, "few.test"), c.errs)
	for _, line := range []string{"the shop's name, language and currency: the token lacks shop:read",
		"coupons: the token lacks coupons:read", "customers: the token lacks customers:read",
		"order states: the token lacks orders:read", "orders: the token lacks orders:read"} {
		require.Contains(t, c.out.String(), "left out  "+line+"\n")
	}
	all := c.has("few.test")
	require.NotEmpty(t, all["products"])
	require.Empty(t, slices.Concat(all["customers"], all["orders"], all["discount-coupons"]))
}

// keepsOthers: a shop of one's own stays as it is, and so does the source, also if the token cannot read which
// shop it is of.
func (c copied) keepsOthers(t *testing.T) {
	operator := newClient(c.p.URL, c.p.Tokens[ofOperator])
	dev, err := ask[struct{ Token string }](t.Context(), operator, "POST", "/operator/developers",
		object{"email": "eva@addon.example", "name": "Eva"})
	require.NoError(t, err)
	c.developer = dev.Token
	developer := newClient(c.p.URL, dev.Token)
	pkg, err := ask[object](t.Context(), developer, "POST", "/developer/packages",
		object{"code": "evas", "name": "Eva's", "instructions": "", "permissions": []string{"products:read"}})
	require.NoError(t, err)
	installed := func(domain string) string {
		shop, err := ensure(t.Context(), developer, "/developer/shops", "domain", object{"name": "Eva's",
			"domain": domain, "locale": "cs_CZ", "currency": "CZK", "owner": object{"email": "eva@addon.example"}})
		require.NoError(t, err)
		access, err := ask[object](t.Context(), developer, "POST",
			fmt.Sprint("/developer/shops/", shop["id"], "/accesses"), object{"packageId": pkg["id"]})
		require.NoError(t, err)
		return fmt.Sprint(access["token"])
	}
	evas := newClient(c.p.URL, installed("evas.test"))
	require.ErrorContains(t, c.copies(t.Context(), c.p.URL, c.p.URL, "evas.test"),
		"the shop at evas.test is yours, but no copy: name another domain, as in eshop shop copy --from "+c.p.URL+
			" copy.evas.test")
	has, err := ask[page[object]](t.Context(), evas, "GET", "/api-engine/products", nil)
	require.NoError(t, err)
	require.Empty(t, has.Items)

	require.NoError(t, c.copies(t.Context(), c.p.URL, c.p.URL, "copy.evas.test"), c.errs)
	c.source.token = installed("copy.evas.test")
	require.ErrorContains(t, c.copies(t.Context(), c.p.URL, c.p.URL, "copy.evas.test"), "is the source itself")
}

// TestNoCopyIsMadeWhereNobodyHasNamedThePlatform: the usual profile may be of a platform where people buy.
func TestNoCopyIsMadeWhereNobodyHasNamedThePlatform(t *testing.T) {
	sh, _, _ := running(t)
	p, err := options{Shell: sh}.known()
	require.NoError(t, err)
	env := map[string]string{"DATA": t.TempDir(), ofAccess: p.Tokens[ofAccess]}
	sh.Getenv, sh.Config = func(name string) string { return env[name] }, t.TempDir()
	require.NoError(t, sh.keepProfiles(map[string]profile{usual: p}))
	copies := []string{"shop", "copy", "--from", p.URL}
	err = execute(t.Context(), copies, sh)
	require.ErrorContains(t, err, "no platform runs here")
	require.ErrorContains(t, err, "name one by --url, or by a --profile")
	shops, err := list[object](t.Context(), newClient(p.URL, p.Tokens[ofOperator]), "/operator/shops?itemsPerPage=9")
	require.NoError(t, err)
	require.Len(t, shops, 1)
	require.NoError(t, execute(t.Context(), append(copies, "--profile", usual), sh))
	require.NoError(t, execute(t.Context(), append(copies, "--url", p.URL), sh), "its token is the usual profile's")
}

func TestWhatMayPassIsAskedAgain(t *testing.T) {
	for _, row := range []struct {
		failed error
		tries  int
		after  time.Duration
		again  bool
	}{
		{&refusal{status: 429, after: time.Hour}, 9, time.Hour, true},
		{&refusal{status: 429}, 0, time.Second, true},
		{&refusal{status: 429}, 9, 32 * time.Second, true},
		{&refusal{status: 503, after: 3 * time.Second}, 0, 3 * time.Second, true},
		{&refusal{status: 500}, 4, 16 * time.Second, true},
		{&refusal{status: 500}, 5, 32 * time.Second, false},
		{errors.New("no platform answers"), 1, 2 * time.Second, true},
		{errors.New("no platform answers"), 5, 32 * time.Second, false},
		{&refusal{status: 401}, 0, time.Second, false},
	} {
		after, again := pause(row.failed, row.tries, time.Second)
		require.Equal(t, row.after, after, row)
		require.Equal(t, row.again, again, row)
	}
}

func TestSomebodyMadeUpIsTheSameTomorrow(t *testing.T) {
	require.Equal(t, madeUp("a"), madeUp("a"))
	require.NotEqual(t, madeUp("a").Email, madeUp("b").Email)
	require.Regexp(t, `^[a-z]+-[a-z]+-[0-9a-f]{16}@example\.com$`, madeUp("a").Email)
	require.Regexp(t, `^\+44 7700 900\d{3}$`, madeUp("a").Phone)
}
