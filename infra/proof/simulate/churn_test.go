package main

import (
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// stranger is somebody at an address of their own: who looks around, tries passwords and tokens, or becomes a customer.
func (x *shop) stranger(r *rand.Rand) {
	c := x.sim.client(fmt.Sprint("esk_", r.Uint64()))
	c.from = fmt.Sprintf("198.51.%d.%d:1", r.IntN(256), r.IntN(256))
	c.ask("GET", "/api-engine/customers", nil)
	c.host = fmt.Sprintf("x%d.example", r.Uint64())
	c.ask("GET", "/", nil)
	c.host = x.host
	for _, path := range []string{"/", "/caj-0", "/categories", fmt.Sprint("/nothing-", r.Uint64()),
		fmt.Sprint("/search?q=caj+", r.Uint64()), "/basket", fmt.Sprint("/order/", r.Uint64())} {
		c.ask("GET", path, nil)
	}
	email := fmt.Sprintf("s%d@b.cz", r.Uint64())
	form := fields{"email": email, "password": "not this password"}
	c.ask("POST", "/account/sign-in", form)
	admin := *x.merchant.client
	admin.from, admin.cookie = c.from, ""
	admin.ask("POST", "/admin/sign-in", url.Values{"email": {email}, "password": {"not this password"}})
	if r.IntN(4) > 0 {
		return
	}
	a := c.ask("POST", "/account/register", fields{"email": email, "firstName": "Jana", "lastName": "Nováková",
		"password": "a good password"})
	c.cookie = a.cookie("account")
	if a.Status >= 300 {
		x.sim.T.Errorf("nobody is registered: %d %v", a.Status, a.Body)
	}
	if r.IntN(2) == 0 {
		c.ask("POST", "/account/sign-out", nil)
	}
}

// churner is a partner who makes all that can be taken away, and takes it away.
type churner struct {
	shop         *shop
	client       *client
	path, listen string // of its access, and of its receiver
	erased       int    // customers
}

// settle gives the churner its access, and does each of its deeds once, so that all is there that a shop has but once.
func (c *churner) settle(x *shop) {
	c.shop = x
	c.client, c.path = x.install("churning", append([]string{"codes:write"}, everything...))
	to := &receiver{sim: x.sim, flaky: true}
	c.listen = x.sim.receives(to)
	to.address = c.listen
	r := x.sim.random(2)
	for _, do := range churns {
		do(c, r)
	}
}

// actor does one deed after the other.
func (c *churner) actor() func(*rand.Rand) {
	return func(r *rand.Rand) { churns[r.IntN(len(churns))](c, r) }
}

// made makes something in a collection, and returns its path.
func (c *churner) made(collection string, body fields) (path string) {
	return collection + "/" + c.client.must("POST", collection, body).text("id")
}

// gone deletes what is at the path, after a while.
func (c *churner) gone(path string) {
	c.shop.sim.rest(time.Minute)
	c.client.must("DELETE", path, nil)
}

// image sends a picture, each time another one.
func (c *churner) image(r *rand.Rand, path string) answer {
	m := image.NewGray(image.Rect(0, 0, 40, 30))
	for n := range m.Pix {
		m.Pix[n] = byte(r.Uint32())
	}
	var b strings.Builder
	b.WriteString("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n" +
		"Content-Type: image/png\r\n\r\n")
	require.NoError(c.shop.sim.T, png.Encode(&b, m))
	b.WriteString("\r\n--x--\r\n")
	return c.client.ask("POST", path, text(b.String()), "Content-Type", "multipart/form-data; boundary=x")
}

// unique is a name that nothing else has.
func unique(r *rand.Rand) string { return fmt.Sprint("Y-", r.Uint64()) }

// churns make something each, and take it away.
var churns = []func(*churner, *rand.Rand){
	func(c *churner, r *rand.Rand) {
		name, prices := unique(r), []fields{{"level": "default", "price": "100.00"}}
		p := c.made("/api-engine/products", fields{"code": name, "externalId": name, "name": name, "vatRate": "21.00",
			"priceLevels": prices, "images": []fields{{"url": c.image(r, "/api-engine/images").text("url")}},
			"variants": []fields{{"code": name + "-V", "parameters": []fields{{"name": "Barva", "value": "bílá"}},
				"priceLevels": prices}}})
		c.shop.sim.rest(time.Minute)
		c.client.must("PATCH", p, fields{"name": name + " jinak"})
		c.gone(p)
	},
	func(c *churner, r *rand.Rand) {
		p := c.made("/api-engine/categories", fields{"name": unique(r)})
		c.client.must("PATCH", p, fields{"name": unique(r)})
		c.gone(p)
	},
	func(c *churner, r *rand.Rand) {
		c.gone(c.made("/api-engine/discount-coupons", fields{"code": unique(r), "type": "amount", "value": "1.00"}))
	},
	func(c *churner, r *rand.Rand) { // one who registered, and wants to be forgotten
		email := unique(r) + "@b.cz"
		shopper := c.shop.sim.client("")
		shopper.host = c.shop.host
		shopper.must("POST", "/account/register", fields{"email": email, "firstName": "Jana", "lastName": "Nováková",
			"password": "a good password"})
		for _, one := range c.client.must("GET", customersPath+"?email="+email, nil).list("items") {
			c.client.must("DELETE", customersPath+"/"+one["id"].(string)+"?erase=true", nil)
			c.erased++
		}
	},
	func(c *churner, r *rand.Rand) {
		p := c.client.registers(c.listen)
		c.client.must("POST", p+"/test", fields{"event": "orderChange"})
		c.gone(p)
	},
	func(c *churner, r *rand.Rand) {
		c.gone(c.made("/api-engine/custom-codes", fields{"name": unique(r), "position": "head", "code": "<!-- -->"}))
	},
	func(c *churner, r *rand.Rand) {
		c.made("/api-engine/exports", fields{"type": "customers", "format": "csv"})
	},
	func(c *churner, r *rand.Rand) {
		q := c.made("/basket-price-quotes", fields{"productId": c.shop.products.ids[0], "unitPrice": "55.00",
			"externalId": unique(r)})
		c.image(r, "/basket-price-quote-images")
		c.gone(q)
	},
	func(c *churner, r *rand.Rand) { c.gone(c.made("/api-engine/webhook-signing-keys", nil)) },
	func(c *churner, r *rand.Rand) {
		for _, d := range c.client.must("GET", "/api-engine/webhook-deliveries?itemsPerPage=3", nil).list("items") {
			c.client.ask("POST", "/api-engine/webhook-deliveries/"+d["id"].(string)+"/redeliver", nil)
		}
	},
	func(c *churner, r *rand.Rand) {
		all, operator := c.path+"/tokens", c.shop.operator
		operator.must("DELETE", all+"/"+operator.must("POST", all, fields{}).text("id"), nil)
	},
	func(c *churner, r *rand.Rand) {
		all, operator := "/operator/shops/"+c.shop.id+"/admins", c.shop.operator
		a := operator.must("POST", all, fields{"email": unique(r) + "@b.cz", "name": "Eva"})
		operator.must("DELETE", all+"/"+a.text("id"), nil)
	},
	// A deleted state stays, since orders may be in it, and a shop has a thousand of them at most.
	func(c *churner, r *rand.Rand) { c.gone(c.made("/api-engine/order-states", fields{"name": unique(r)})) },
}
