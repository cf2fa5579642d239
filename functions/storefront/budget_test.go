package storefront

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
)

// far are the traits of AWS, where what all visitors are shown alike is remembered.
func far(p *host.Parts) { p.Traits = host.Traits{} }

// TestTheBudgetsAreKept counts calls on AWS with what is remembered warm, of a visitor and of one who is signed in: a
// page is at most three calls, the first for its visitor; adding to a basket at most four, and one more of who is
// signed in; a checkout at most two more than a POST of the same order, which is five beside its
// charge, and two more by which it is counted. The orders of who is signed in are two more than an account.
func TestTheBudgetsAreKept(t *testing.T) {
	w := open(t, far)
	room := w.category("Teas", "")
	tee := w.product("TEA", "100.00", object{"categoryIds": []string{room}})
	w.product("MUG", "1.00", object{"categoryIds": []string{room}})
	shirt := w.product("SHIRT", "100.00",
		object{"variants": []any{object{"code": "A", "stock": object{"quantity": 99}}}})
	variant := w.As(w.tokens[tea], "GET", "/api-engine/products/"+shirt, nil).Get("variants.0.id")
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	w.slug("product", tee, "old")
	w.slug("product", tee, "new")
	w.Index()
	first := w.visitor()
	first.add(tee, 1)
	ordered := first.confirmation(first.checkout())

	visitor, member := w.visitor(), w.visitor()
	member.registered("jana@example.cz", nil)
	for _, b := range []*browser{visitor, member} {
		b.Page("/")
		b.add(tee, 1)
	}
	quoted := func(b *browser) func() {
		token := w.quote(tee, "1.00", nil)
		return func() { b.add(tee, 1, object{"quoteToken": token}) }
	}
	page := func(path string, status int) func(b *browser) func() {
		return func(b *browser) func() {
			b.Page(path)
			return func() { w.shown(b.Page(path), status) }
		}
	}
	does := func(f func(b *browser)) func(b *browser) func() {
		return func(b *browser) func() { return func() { f(b) } }
	}
	for _, c := range []struct {
		says       string
		does       func(b *browser) func()
		by, signed []int // waves of calls of a visitor, and of who is signed in
	}{
		{"home", page("/", 200), []int{1}, []int{1}},
		{"a category", page("/teas", 200), []int{1, 1, 1}, []int{1, 1, 1}},
		{"a category, sorted", page("/teas?sort=price&max=90", 200), []int{1, 1, 1}, []int{1, 1, 1}},
		{"all categories", page("/categories", 200), []int{1}, []int{1}},
		{"a product", page("/new", 200), []int{1, 1, 1}, []int{1, 1, 1}},
		{"a product with variants", page("/product-shirt", 200), []int{1, 1, 1}, []int{1, 1, 1}},
		{"the basket", page("/basket", 200), []int{1, 1}, []int{1, 1, 1}},
		{"the checkout", page("/checkout", 200), []int{1, 1}, []int{1, 1, 1, 1}},
		{"the form to sign in", page("/account/sign-in", 200), []int{1}, []int{1}},
		{"an order", page(ordered, 200), []int{1, 1, 1}, []int{1, 1, 1}},
		{"an unknown address", page("/nowhere", 404), []int{1, 1}, []int{1, 1}},
		{"an address of nothing", page("/a/b", 404), []int{1}, []int{1}},
		{"an old address", func(b *browser) func() {
			b.Page("/old")
			return func() { b.Page("/old").Is(301) }
		}, []int{1, 1, 1}, []int{1, 1, 1}},
		{"the basket as JSON", does(func(b *browser) { b.JSON("GET", "/basket", nil).Is(200) }),
			[]int{1, 1}, []int{1, 1, 1}},
		{"adding", does(func(b *browser) { b.add(tee, 1) }), []int{1, 1}, []int{1, 1, 1}},
		{"adding a variant", does(func(b *browser) { b.add(shirt, 1, object{"variantId": variant}) }),
			[]int{1, 1, 1}, []int{1, 1, 1, 1}},
		{"adding at a quote", quoted, []int{1, 1, 1, 1}, []int{1, 1, 1, 1, 1}},
		{"a coupon", does(func(b *browser) { b.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Is(200) }),
			[]int{1, 1, 1}, []int{1, 1, 1, 1}},
		{"a checkout", does(func(b *browser) { b.checkout() }), []int{1, 1, 1, 2, 2, 1}, []int{1, 1, 1, 1, 2, 2, 1}},
	} {
		t.Run(c.says, func(t *testing.T) {
			w.T = t
			w.InWaves(c.by, c.does(visitor))
			w.InWaves(c.signed, c.does(member))
		})
	}
	w.T = t
	own := "/account/orders/" + member.JSON("GET", "/account/orders", nil).Get("items.0.id")
	w.InWaves([]int{1, 1}, page("/account", 200)(member))
	member.add(tee, 1) // and the last order is read for the form
	w.InWaves([]int{1, 1, 1, 1, 1}, page("/checkout", 200)(member))
	w.InWaves([]int{1, 1, 1, 1}, page("/account/orders", 200)(member))
	w.InWaves([]int{1, 1, 1, 1}, page(own, 200)(member))
	require.Nil(t, w.state(visitor.Page(ordered)).Told.Order)

	// Nothing is read of an order for who is not signed in.
	ended := member.Cookies[sessionCookie]
	member.JSON("POST", "/account/sign-out", nil).Is(204)
	member.Cookies[sessionCookie] = ended
	w.InWaves([]int{1}, func() { member.JSON("GET", own, nil).Is(401) })
	w.InWaves([]int{1, 1}, func() { w.leads(member.Page(own), 303, "/account/sign-in?to="+own) })
}
