package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/shared/signature"
)

// checkReceiver: the receiver hears of products, takes what the platform has signed, and nothing else.
func checkReceiver(d *desk, g *given) {
	d.hears(g, "productChange")
	d.refuses(g, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
}

// checkRotation: another key is primary, the first one was retired and not merely revoked, and the receiver has
// forgotten it.
func checkRotation(d *desk, g *given) {
	first, err := signature.Parse(g.Key)
	d.must(err)
	d.has("first key that was retired", d.items(g.Token, "/api-engine/webhook-signing-keys"), func(k fields) bool {
		return k["fingerprint"] == first.Fingerprint() && k["state"] != "primary" && k["expiresAt"] != nil
	})
	d.hears(g, "orderChange")
	d.refuses(g, g.Key)
}

// hears holds that a receiver at /hooks of the author's port is enabled, and takes a test event that is signed.
func (d *desk) hears(g *given, event string) {
	r := d.has("enabled receiver of "+event+" at "+g.at("/hooks"), d.items(g.Token, "/api-engine/webhooks"),
		func(r fields) bool {
			events, _ := r["events"].([]any)
			return r["url"] == g.at("/hooks") && r["state"] == "enabled" && slices.Contains(events, any(event))
		})
	d.has("signing key", d.items(g.Token, "/api-engine/webhook-signing-keys"),
		func(k fields) bool { return k["state"] == "primary" })
	_, head := d.send(g.Token, "POST", fmt.Sprintf("/api-engine/webhooks/%v/test", r["id"]), fields{"event": event})
	d.until(func() {
		delivery := d.call(g.Token, "GET", head.Get("Location"), nil)
		d.want(delivery["state"] == "delivered", "a test event is not taken: %v", delivery["attempts"])
	})
}

// refuses holds that the author's receiver answers 401 to what a key has signed that is not its own.
func (d *desk) refuses(g *given, key string) {
	k, err := signature.Parse(key)
	d.must(err)
	body, now := []byte(`{"id":"01","event":"ping","data":{"nonce":"n"}}`), time.Now().Unix()
	stamp := strconv.FormatInt(now, 10)
	r, err := http.NewRequestWithContext(context.Background(), "POST", g.at("/hooks"), bytes.NewReader(body))
	d.must(err)
	for name, value := range map[string]string{"Content-Type": "application/json",
		"X-Webhook-Event": "ping", "X-Webhook-Id": "01", "X-Webhook-Timestamp": stamp,
		"X-Webhook-Signature": signature.Hex(k, now, body),
		"webhook-id":          "01", "webhook-timestamp": stamp,
		"webhook-signature": signature.Standard("01", now, body, k),
	} {
		r.Header.Set(name, value)
	}
	a, err := client.Do(r)
	d.must(err)
	d.must(a.Body.Close())
	d.want(a.StatusCode == http.StatusUnauthorized, "what another key has signed is answered %d", a.StatusCode)
}

func checkStock(d *desk, g *given) {
	goods := d.goods()
	for code, want := range g.Want {
		d.want(strconv.Itoa(goods[code].Stock.Quantity) == want, "the stock of %s is not %s", code, want)
	}
}

func checkPrices(d *desk, g *given) {
	goods := d.goods()
	for code, want := range g.Want {
		d.want(goods[code].Prices[0].Price == want, "the price of %s is not %s", code, want)
	}
}

// checkQuote: a shopper has ordered at the quoted price.
func checkQuote(d *desk, g *given) {
	d.has("order at 432.10 for Anna", d.items(g.Token, "/basket-price-quotes"), func(q fields) bool {
		return q["unitPrice"] == "432.10" && strings.Contains(fmt.Sprint(q["note"]), "Anna") && q["orderId"] != nil
	})
}

// checkImport: the good rows are customers of the shop, by an import.
func checkImport(d *desk, g *given) {
	d.has("import of customers that is done", d.items(g.Token, "/api-engine/imports"),
		func(i fields) bool { return i["type"] == "customers" && i["state"] == "done" })
	customers := d.items(g.Token, "/api-engine/customers")
	for _, name := range []string{"Horáková", "Dvořák", "Benešová", "Král"} {
		d.has("customer "+name, customers, func(c fields) bool {
			return c["lastName"] == name && strings.HasSuffix(fmt.Sprint(c["email"]), "@stara.example")
		})
	}
}

// checkLimits: 45 categories, each once, though the access may make 20 requests an hour.
func checkLimits(d *desk, g *given) {
	access := d.call(d.Run.OperatorToken, "GET", d.accesses()+"/"+g.Access, nil)
	d.want(access["hourlyLimit"] == 20.0, "the limit is another one now")
	count := map[any]int{}
	for _, c := range d.items(d.Run.Demo.Token, "/api-engine/categories") {
		count[c["name"]]++
	}
	for i := range 45 {
		name := fmt.Sprintf("Shelf %02d", i+1)
		d.want(count[name] == 1, "%s is there %d times", name, count[name])
	}
}

// checkInstall switches the add-on on: it takes a token by itself, and says what the merchant has to do.
func checkInstall(d *desk, g *given) {
	path := d.accesses() + "/" + g.Access
	if d.call(d.Run.OperatorToken, "GET", path, nil)["state"] == "active" { // by the check before
		d.call(d.Run.OperatorToken, "POST", path+"/deactivate", nil)
	}
	before := len(d.items(d.Run.OperatorToken, path+"/tokens"))
	d.call(d.Run.OperatorToken, "POST", path+"/activate", nil)
	d.until(func() {
		access := d.call(d.Run.OperatorToken, "GET", path, nil)
		d.want(len(d.items(d.Run.OperatorToken, path+"/tokens")) > before, "no token was taken after activation")
		d.want(access["setup"] == "required" && access["setupUrl"] == g.at("/setup"), "set-up is %v at %v",
			access["setup"], access["setupUrl"])
	})
}

// checkSync: the copy began with an export, and follows what is made, changed and deleted.
func checkSync(d *desk, g *given) {
	d.has("export of products that is done", d.items(g.Token, "/api-engine/exports"),
		func(e fields) bool { return e["type"] == "products" && e["state"] == "done" })
	code := "COPY-" + strconv.FormatInt(time.Now().Unix(), 10)
	shows := func(status int, name string) {
		d.until(func() {
			is, text := d.fetch(g.at("/copy/" + code))
			d.want(is == status && (name == "" || strings.TrimSpace(text) == name), "the copy answers %d %.80q, "+
				"and not %d %s", is, text, status, name)
		})
	}
	at := fmt.Sprintf("/api-engine/products/%v", d.call(d.Run.Demo.Token, "POST", "/api-engine/products", fields{
		"code": code, "name": "One", "priceLevels": []fields{{"level": "default", "price": "1.00"}}})["id"])
	shows(http.StatusOK, "One")
	d.call(d.Run.Demo.Token, "PATCH", at, fields{"name": "Two"})
	shows(http.StatusOK, "Two")
	d.call(d.Run.Demo.Token, "DELETE", at, nil)
	shows(http.StatusNotFound, "")
}

// checkBanner: the storefront shows the banner, by a custom code that goes when the add-on does.
func checkBanner(d *desk, g *given) {
	const banner = "Doprava zdarma od 1 500 Kč"
	_, page := d.fetch(d.Run.Demo.StorefrontURL)
	d.want(strings.Contains(page, banner), "the storefront's first page does not show it")
	code := d.has("custom code with it", d.items(g.Token, "/api-engine/custom-codes"),
		func(c fields) bool { return strings.Contains(fmt.Sprint(c["code"]), banner) })
	d.has("cleanup order for it", d.items(g.Token, "/api-engine/cleanup-orders"),
		func(o fields) bool { return o["customCodeId"] == code["id"] && o["status"] == "active" })
}
