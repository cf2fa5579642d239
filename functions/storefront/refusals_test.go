package storefront

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// TestEachRefusalHasItsWords walks what may be refused in a form.
func TestEachRefusalHasItsWords(t *testing.T) {
	for _, l := range []language{languageOf("cs_CZ"), languageOf("sk_SK")} {
		for _, code := range []string{"basket_empty", "prices_changed", "insufficient_stock", "quote_invalid",
			"quote_used", "quote_expired", "sign_in_failed", "too_many_tries"} {
			require.NotEqual(t, l.say("refusedIs"), l.notice(&problem.Problem{Code: code}), code)
		}
		for _, reason := range []sale.CouponRefusal{sale.CouponUnknown, sale.CouponInactive,
			sale.CouponNotYetValid, sale.CouponExpired,
			sale.CouponMinimum, sale.CouponUsedUp} {
			require.NotEqual(t, l.say("refusedIs"),
				l.notice((&problem.Problem{Code: "coupon_invalid"}).With("reason", reason)), reason)
		}
		require.Equal(t, l.say("refusedIs"), l.notice(&problem.Problem{Code: "body_too_large"}))
	}
}

// TestAPageIsShownWithoutTheStore: what cannot be read is said by a page, too.
func TestAPageIsShownWithoutTheStore(t *testing.T) {
	w := open(t, far)
	b := w.visitor()
	b.Page("/")
	b.JSON("GET", "/basket", nil)
	w.Main.Down()
	for _, path := range []string{"/", "/basket", "/checkout", "/account/sign-in", "/nowhere", "/order/x"} {
		a := w.shown(b.Page(path), 503)
		require.NotEmpty(t, a.Header.Get("Retry-After"), path)
		require.Equal(t, "other", string(w.state(a).Page.Type), path)
		require.True(t, w.state(a).Unread, path)
		require.NotContains(t, a.Text, "store:")
	}
	w.shown(b.Form("/basket/items", "productId", noID, "quantity", "1"), 503)
	b.JSON("GET", "/basket", nil).Is(503, "unavailable")
	b.JSON("POST", "/account/sign-in", object{"email": "a@example.cz", "password": password}).Is(503, "unavailable")
}

// TestWhoCouldNotBeRecognisedIsUnknown, and not somebody who has signed out.
func TestWhoCouldNotBeRecognisedIsUnknown(t *testing.T) {
	w := open(t)
	b := w.visitor()
	me := b.registered("jana@example.cz", nil).ID()
	require.False(t, w.state(b.Page("/")).Unread)
	table := w.Main.Table
	w.Main.Table = hosttest.Poisoned{Table: table, Key: customer.Key(w.shops[tea], me), Poison: hosttest.PanicsOnRead}
	require.True(t, w.state(w.shown(b.Page("/"), 500)).Unread)
	require.False(t, w.state(w.shown(w.visitor().Page("/"), 200)).Unread,
		"of who comes without a session nothing is unknown")
	w.Main.Table = table
	state := w.state(w.shown(b.Page("/"), 200))
	require.Equal(t, []any{false, true}, []any{state.Unread, state.User.LoggedIn})
}

// TestAFaultOfThePlatformIsNotCalledAnUnknownShop: where the shop is known the page is its own, and else says to try
// again.
func TestAFaultOfThePlatformIsNotCalledAnUnknownShop(t *testing.T) {
	onBoth(t, aFaultOfThePlatformIsNotCalledAnUnknownShop)
}

func aFaultOfThePlatformIsNotCalledAnUnknownShop(t *testing.T, w *world) {
	product, b := w.product("TEA", "1.00", nil), w.visitor()
	b.Page("/")
	w.Main.Before(func([]store.Op) error { panic("what nobody foresaw") })
	a := w.shown(b.Form("/basket/items", "productId", product, "quantity", "1"), 500)
	require.Equal(t, w.shops[tea], w.state(a).Shop.ID)
	b.JSON("POST", "/basket/items", object{"productId": product, "quantity": 1}).Is(500, "internal")

	table := w.Main.Table
	w.Main.Table = hosttest.Poisoned{Table: table, Key: shop.DomainKey(toys), Poison: hosttest.PanicsOnRead}
	require.Contains(t, w.shown(w.visitorOf(toys).Page("/"), 500).Text, "try again in a moment")
	w.Main.Table = table
	require.Contains(t, w.shown(w.visitorOf("nobody.example").Page("/"), 404).Text, "There is no shop here")
	w.Main.Down()
	require.Contains(t, w.shown(w.visitorOf(toys).Page("/"), 503).Text, "try again in a moment")
}

// TestManyMayUseOneBasket at the same time: nothing is lost.
func TestManyMayUseOneBasket(t *testing.T) { onBoth(t, manyMayUseOneBasket) }

func manyMayUseOneBasket(t *testing.T, w *world) {
	product := w.product("TEA", "1.00", nil)
	b := w.visitor()
	b.Page("/")
	answers := hosttest.Together(16, func(int) hosttest.Answer {
		return w.Serve(b.Request("POST", "/basket/items", hosttest.JSONType,
			`{"productId":"`+product+`","quantity":1}`))
	})
	done := float64(hosttest.Statuses(answers)[http.StatusCreated])
	require.Equal(t, 16, hosttest.Statuses(answers)[http.StatusCreated]+
		hosttest.Statuses(answers)[http.StatusServiceUnavailable])
	require.Equal(t, done, b.JSON("GET", "/basket", nil).At("items.0.quantity"))
}

// TestABasketIsKeptForThirtyDays since its last use, of whomever, and to the end of the last one.
func TestABasketIsKeptForThirtyDays(t *testing.T) { onBoth(t, aBasketIsKeptForThirtyDays) }

func aBasketIsKeptForThirtyDays(t *testing.T, w *world) {
	product := w.product("TEA", "1.00", nil)
	b := w.visitor()
	b.add(product, 1)
	day := 24 * time.Hour
	for range 3 {
		w.Clock.Pass(29 * day)
		require.Len(t, b.JSON("GET", "/basket", nil).At("items"), 1)
	}
	for range 3 {
		w.Clock.Pass(29 * day)
		require.Len(t, w.state(b.Page("/")).Basket.Items, 1, "a page uses it, too")
	}
	w.Clock.Pass(31 * day)
	require.Empty(t, b.JSON("GET", "/basket", nil).At("items"))
	b.add(product, 1)
}

// TestAPageExtendsTheBasketOnce, also where it is made in steps.
func TestAPageExtendsTheBasketOnce(t *testing.T) { onBoth(t, aPageExtendsTheBasketOnce) }

func aPageExtendsTheBasketOnce(t *testing.T, w *world) {
	product, b := w.product("TEA", "1.00", nil), w.visitor()
	b.registered("jana@example.cz", nil)
	b.add(product, 1)
	for _, path := range []string{"/", "/account", "/basket", "/checkout", "/account/sign-in"} {
		w.Clock.Pass(24 * time.Hour)
		b.JSON("GET", "/account", nil).Is(200) // extends the session, and no basket
		writes := w.Main.Writes()
		w.shown(b.Page(path), 200)
		require.Equal(t, writes+1, w.Main.Writes(), path)
		b.Page(path)
		require.Equal(t, writes+1, w.Main.Writes(), path)
	}
}

// TestADeletedCustomerIsSignedOut at once.
func TestADeletedCustomerIsSignedOut(t *testing.T) {
	w := open(t)
	b := w.visitor()
	me := b.registered("jana@example.cz", nil).ID()
	b.add(w.product("TEA", "1.00", nil), 1)
	w.addon(tea, "DELETE", "/api-engine/customers/"+me, nil)
	b.JSON("GET", "/account", nil).Is(401, "unauthenticated")
	b.JSON("PATCH", "/account", object{"phone": "1"}).Is(401, "unauthenticated")
	require.False(t, w.state(b.Page("/")).User.LoggedIn)
	order := b.checkout().Get("orderId")
	require.Nil(t, w.As(w.tokens[tea], "GET", "/api-engine/orders/"+order, nil).At("customerId"))
	w.Clock.Pass(time.Minute)
	b.JSON("POST", "/account/sign-in",
		object{"email": "jana@example.cz", "password": password}).Is(401, "sign_in_failed")
	b.registered("jana@example.cz", nil)
}
