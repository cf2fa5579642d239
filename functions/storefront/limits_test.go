package storefront

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// at is a visitor of a shop from an address.
func (w *world) at(host, address string) *browser {
	b := w.visitorOf(host)
	b.Address = address + ":4711"
	return b
}

// limited wants a 429 that says when to come again, and on the page a sentence in the language of the shop.
func (w *world) limited(b *browser, path string, body object, form []string, sentence string) {
	w.T.Helper()
	a := b.JSON("POST", path, body).Is(429, "too_many_tries")
	require.Equal(w.T, "application/problem+json", a.Header.Get("Content-Type"))
	require.Regexp(w.T, `^([1-9]|[1-5][0-9]|60)$`, a.Header.Get("Retry-After"))
	page := w.shown(b.Form(path, form...), 429)
	require.Equal(w.T, a.Header.Get("Retry-After"), page.Header.Get("Retry-After"))
	require.Contains(w.T, page.Text, sentence)
}

// TestWhatAStrangerMayMakeIsBounded: new baskets of an address, in any minute and each shop. Whoever has a basket goes
// on, and so does everybody else.
func TestWhatAStrangerMayMakeIsBounded(t *testing.T) { onBoth(t, whatAStrangerMayMakeIsBounded) }

func whatAStrangerMayMakeIsBounded(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	toy := w.productOf(toys, "TOY", "1.00", nil)
	first := w.at(tea, "203.0.113.7")
	first.add(product, 1)
	for i := range 119 {
		a := w.at(tea, "203.0.113.7").JSON("POST", "/basket/items", object{"productId": product, "quantity": 1},
			"X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i), "Forwarded", fmt.Sprintf("for=198.51.100.%d", i))
		a.Is(201)
	}
	stranger, form := w.at(tea, "203.0.113.7"), []string{"productId", product, "quantity", "1"}
	wanted := object{"productId": product, "quantity": 1}
	writes := w.Main.Writes()
	w.limited(stranger, "/basket/items", wanted, form, "Počkejte prosím minutu a zkuste to znovu.")
	require.Equal(t, writes, w.Main.Writes(), "a refusal writes nothing")
	w.shown(stranger.Page("/product-tea"), 200)
	w.shown(stranger.Page("/basket"), 200)
	stranger.JSON("POST", "/basket/items", object{"productId": noID, "quantity": 1}).Is(422)
	first.add(product, 1)
	w.at(tea, "203.0.113.8").add(product, 1)
	w.at(toys, "203.0.113.7").add(toy, 1)
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	stranger.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Is(429, "too_many_tries")
	w.Clock.Pass(time.Minute)
	stranger.add(product, 1)
}

// TestAStrangersNetworkIsItsPrefix: of IPv6 a connection is given a /64, all of whose addresses are one stranger's.
func TestAStrangersNetworkIsItsPrefix(t *testing.T) {
	w := open(t)
	w.operator("PATCH", "/operator/shops/"+w.shops[toys], object{"visitorLimits": object{"basketsPerMinute": 2}})
	toy := w.productOf(toys, "TOY", "1.00", nil)
	for i := range 2 {
		w.at(toys, fmt.Sprintf("[2001:db8::%d]", i)).add(toy, 1)
	}
	w.limited(w.at(toys, "[2001:db8::ffff:1]"), "/basket/items", object{"productId": toy, "quantity": 1},
		[]string{"productId", toy, "quantity", "1"}, "Počkajte prosím minútu a skúste to znova.")
	w.at(toys, "[2001:db8:0:1::1]").add(toy, 1)
}

// TestCheckoutsOfAStrangerAreBounded: those of an address, and those of one basket.
func TestCheckoutsOfAStrangerAreBounded(t *testing.T) { onBoth(t, checkoutsOfAStrangerAreBounded) }

func checkoutsOfAStrangerAreBounded(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	b := w.at(tea, "203.0.113.7")
	for range 5 {
		b.add(product, 1)
		b.checkout()
	}
	b.add(product, 1)
	w.limited(b, "/checkout", buyer(), buyerForm(), "Počkejte prosím minutu a zkuste to znovu.")
	w.shown(b.Page("/checkout"), 200)
	for range 15 {
		other := w.at(tea, "203.0.113.7")
		other.add(product, 1)
		other.checkout()
	}
	last := w.at(tea, "203.0.113.7")
	last.add(product, 1)
	w.limited(last, "/checkout", buyer(), buyerForm(), "Počkejte prosím minutu a zkuste to znovu.")
	elsewhere := w.at(tea, "203.0.113.8")
	elsewhere.add(product, 1)
	elsewhere.checkout()
	w.Clock.Pass(time.Minute)
	b.checkout()
	last.checkout()
}

// TestChangesOfCustomersByThemselvesAreBounded: 20 of one customer in any minute, from wherever they come and whatever
// comes of them. Everybody else goes on, and so does what the shopper reads.
func TestChangesOfCustomersByThemselvesAreBounded(t *testing.T) {
	onBoth(t, changesOfCustomersByThemselvesAreBounded)
}

func changesOfCustomersByThemselvesAreBounded(t *testing.T, w *world) {
	b, phone, other := w.at(tea, "203.0.113.7"), w.at(tea, "203.0.113.9"), w.at(tea, "203.0.113.7")
	b.registered("jana@example.cz", nil)
	other.registered("petr@example.cz", nil)
	phone.JSON("POST", "/account/sign-in", object{"email": "jana@example.cz", "password": password}).Is(200)
	for i := range 10 {
		b.JSON("PATCH", "/account", object{"phone": fmt.Sprint(i)}).Is(200)
		w.leads(phone.Form("/account", "_method", "PATCH", "phone", fmt.Sprint("+", i)), 303, "/account?saved")
	}
	w.told()
	writes := w.Main.Writes()
	for _, same := range []*browser{b, phone} {
		a := same.JSON("PATCH", "/account", object{"phone": "x"}).Is(429, "too_many_tries")
		require.Regexp(t, `^([1-9]|[1-5][0-9]|60)$`, a.Header.Get("Retry-After"))
		page := w.shown(same.Form("/account", "_method", "PATCH", "phone", "420 601"), 429)
		require.Equal(t, a.Header.Get("Retry-After"), page.Header.Get("Retry-After"))
		require.Contains(t, page.Text, "Počkejte prosím minutu a zkuste to znovu.")
		require.Contains(t, page.Text, `value="420 601"`, "what was typed stays in the form")
	}
	require.Equal(t, writes, w.Main.Writes(), "a refusal writes nothing")
	require.Empty(t, w.told())
	require.Equal(t, "+9", b.JSON("GET", "/account", nil).Is(200).Get("phone"))
	other.JSON("PATCH", "/account", object{"phone": "1"}).Is(200)
	w.Clock.Pass(time.Minute)
	b.JSON("PATCH", "/account", object{"phone": "2"}).Is(200)
}

// TestTheOperatorSetsWhatStrangersMay: a limit, none, and the default again.
func TestTheOperatorSetsWhatStrangersMay(t *testing.T) {
	w := open(t)
	product := w.product("TEA", "100.00", nil)
	set := func(limits any) {
		w.operator("PATCH", "/operator/shops/"+w.shops[tea], object{"visitorLimits": limits})
	}
	set(object{"basketsPerMinute": 1, "checkoutsPerBasket": 0, "checkoutsPerMinute": 6})
	shop := w.operator("GET", "/operator/shops/"+w.shops[tea], nil)
	require.Equal(t, object{"basketsPerMinute": 1.0, "checkoutsPerBasket": 0.0, "checkoutsPerMinute": 6.0},
		shop.Body["visitorLimits"])
	b, other := w.visitor(), w.visitor()
	for range 6 {
		b.add(product, 1)
		b.checkout()
	}
	b.add(product, 1)
	b.JSON("POST", "/checkout", buyer()).Is(429, "too_many_tries")
	wanted := object{"productId": product, "quantity": 1}
	other.JSON("POST", "/basket/items", wanted).Is(429, "too_many_tries")
	set(object{"basketsPerMinute": 0})
	for range 130 {
		w.visitor().add(product, 1)
	}
	set(nil)
	require.Nil(t, w.operator("GET", "/operator/shops/"+w.shops[tea], nil).Body["visitorLimits"])
	for range 119 {
		w.visitor().add(product, 1) // the first was counted, those without a limit were not
	}
	w.visitor().JSON("POST", "/basket/items", wanted).Is(429, "too_many_tries")
	for _, wrong := range []any{-1, 1001, "x", true} {
		w.As(hosttest.OperatorToken, "PATCH", "/operator/shops/"+w.shops[tea],
			object{"visitorLimits": object{"basketsPerMinute": wrong}}).Is(422, "invalid")
	}
}

// TestAPageViewMakesNothing: a stranger who looks at every page, and asks for all that a script reads, leaves no row.
func TestAPageViewMakesNothing(t *testing.T) { onBoth(t, aPageViewMakesNothing) }

func aPageViewMakesNothing(t *testing.T, w *world) {
	w.product("TEA", "100.00", nil)
	w.visitor().Page("/")
	writes := w.Main.Writes()
	for _, pattern := range w.API.Patterns() {
		path, reads := strings.CutPrefix(pattern, "GET ")
		if !reads || strings.HasPrefix(path, "/api-engine") || strings.HasPrefix(path, "/operator") ||
			strings.HasPrefix(path, "/basket-price") {
			continue
		}
		path = strings.NewReplacer("{$}", "", "{slug}", "product-tea", "{", "", "}", "").Replace(path)
		w.visitor().Page(path + "?" + url.Values{"q": {"x"}}.Encode())
		w.visitor().JSON("GET", path, nil, "Idempotency-Key", "k")
	}
	require.Equal(t, writes, w.Main.Writes())
}
