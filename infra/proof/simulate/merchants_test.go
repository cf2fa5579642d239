package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/proof/model"
)

// merchant is somebody who works in the admin of a shop: they sign in, note something about customers and orders, move
// orders on, rename products, set prices and count the stock, by the same forms as in a browser.
type merchant struct {
	shop   *shop
	client *client
}

// What a merchant signs in with.
const merchantEmail, merchantPassword = "ada@shop.example", "a good password"

// hire makes the merchant an admin of the shop, with a password, while nothing fails.
func (m *merchant) hire(x *shop) {
	m.shop, m.client = x, x.sim.client("")
	made := x.operator.must("POST", "/operator/shops/"+x.id+"/admins", fields{"email": merchantEmail, "name": "Ada"})
	link, err := url.Parse(made.text("setPasswordUrl"))
	require.NoError(x.sim.T, err)
	m.client.host = link.Host
	set := m.client.ask("POST", link.RequestURI(), url.Values{"password": {merchantPassword}})
	require.Equal(x.sim.T, http.StatusSeeOther, set.Status, "a password was not set")
}

// actor is the merchant at work.
func (m *merchant) actor() func(*rand.Rand) {
	return func(r *rand.Rand) {
		switch r.IntN(6) {
		case 0:
			m.noteCustomer(r)
		case 1:
			m.noteOrder(r)
		case 2:
			x := m.shop
			x.products.cancel(x, r, model.Admin, m.moveTo)
		case 3:
			m.edit(r, named, "/admin/products/", "name", "Čaj ")
		case 4:
			m.edit(r, priced, "/admin/prices", "price.", "")
		default:
			m.countStock(r)
		}
	}
}

// submit sends the form of what is wanted. It returns 200 if the page was led on (303), which it is when the form did
// its work. A merchant who is not signed in signs in first and sends the form once more.
func (m *merchant) submit(what, path string, form url.Values) (status int) {
	for range 2 {
		a := m.client.ask("POST", path, form)
		switch {
		case a.Status == http.StatusSeeOther:
			m.shop.sim.did(what)
			return http.StatusOK
		case a.Status != http.StatusUnauthorized || !m.signIn():
			return a.Status
		}
	}
	return http.StatusUnauthorized
}

// signIn signs the merchant in; false if that failed.
func (m *merchant) signIn() bool {
	a := m.client.ask("POST", "/admin/sign-in", url.Values{"email": {merchantEmail}, "password": {merchantPassword}})
	m.client.cookie = cmp.Or(a.cookie("__Host-admin"), a.cookie("admin"))
	return m.client.cookie != ""
}

// noteCustomer changes a customer's note by the form of their page.
func (m *merchant) noteCustomer(r *rand.Rand) {
	x := m.shop
	id := x.customers.pick(r)
	if id == "" {
		return
	}
	ask := model.RecordAsk{Do: model.Change, Value: x.customers.value()}
	begun := x.sim.History.Now()
	status := m.submit("a note on a customer", "/admin/customers/"+id, url.Values{"note": {ask.Value}})
	if status == http.StatusUnauthorized {
		return
	}
	x.sim.History.End(m.client.number, model.Object{Kind: model.Record, ID: id}, begun, ask,
		model.RecordAnswer{Status: status, Value: ask.Value}, status)
	if status == http.StatusOK || status == model.Unknown {
		x.told(model.Admin, status, "customerChange", id)
	}
}

// noteOrder writes something about an order that was not there before.
func (m *merchant) noteOrder(r *rand.Rand) {
	o := m.shop.products.some(r)
	if o == nil {
		return
	}
	status := m.submit("a note on an order", "/admin/orders/"+o.id+"/note",
		url.Values{"note": {fmt.Sprint("note ", r.Uint64())}})
	if status == http.StatusOK || status == model.Unknown {
		m.shop.told(model.Admin, status, "orderChange", o.id)
	}
}

// moveTo moves an order to a state by the form of its page, until that is done: a form that was sent twice does nothing
// the second time.
func (m *merchant) moveTo(o *placed, state string) answer {
	for range 1000 {
		status := m.submit("an order's state", "/admin/orders/"+o.id+"/state", url.Values{"stateId": {state}})
		if status == http.StatusOK {
			return answer{Status: status}
		}
		if status != model.Unknown && status != http.StatusUnauthorized {
			m.shop.sim.T.Errorf("an order was not moved in the admin: %d", status)
			return answer{}
		}
		m.shop.sim.rest(10 * time.Second)
	}
	m.shop.sim.T.Errorf("nobody moves an order in the admin")
	return answer{}
}

// edit changes a part of a product by a form: its name on its own page, or its price on that of all prices.
func (m *merchant) edit(r *rand.Rand, part, path, field, before string) {
	x := m.shop
	product := x.products.ids[r.IntN(len(x.products.ids))]
	ask := model.RecordAsk{Do: model.Change, Value: before + x.products.price()}
	if part == named {
		path += product
	} else {
		field += product
	}
	begun := x.sim.History.Now()
	status := m.submit("a product's "+part, path, url.Values{field: {ask.Value}})
	if status == http.StatusUnauthorized {
		return
	}
	x.edited(m.client, begun, product, part, ask, status)
	if status == http.StatusOK || status == model.Unknown {
		x.told(model.Admin, status, "productChange", product)
	}
}

// countStock sets the stock of a product to what was counted. Its answer does not say whether there was another
// number before, so listeners may hear of it.
func (m *merchant) countStock(r *rand.Rand) {
	x := m.shop
	product := x.products.ids[r.IntN(len(x.products.ids))]
	ask := model.StockAsk{Sets: true, To: r.IntN(2 * pieces)}
	begun := x.sim.History.Now()
	status := m.submit("a count of stock", "/admin/products/stock",
		url.Values{"quantity." + product: {fmt.Sprint(ask.To)}})
	if status == http.StatusUnauthorized {
		return
	}
	x.stock(product, begun, ask, model.StockAnswer{Status: status, There: -1})
	switch status {
	case http.StatusOK:
		x.mayHave(model.Admin, "productChange", product) // or the count was the number that was there
	case model.Unknown:
		x.told(model.Admin, status, "productChange", product)
	}
}
