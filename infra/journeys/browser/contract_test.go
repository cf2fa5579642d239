package browser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

var visited = []string{"pageVisit", "cookieConsent"}

// and are the events of a page view with what else it tells.
func and(more ...string) []string { return append(append([]string{}, visited...), more...) }

// TestAShoppingTripIsToldOnce goes the way from the home page to the order and holds every message on it, each once,
// against the schema.
func TestAShoppingTripIsToldOnce(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewShopper(t)
	tab := tabOf(t, browser)
	s := newShop(t, "cs_CZ", "CZK")
	s.installs("head", `<script>window.first = dataLayer[0].eshop ? dataLayer[0].eshop.page.type : "none"</script>`)
	s.installs("orderConfirmed", `<script>window.bought = dataLayer[0].eshop.page.type</script>`)
	is := func(page string, events ...string) {
		t.Helper()
		require.Equal(t, page, browsertest.Eval[string](tab, `first`), "as the head's code saw it")
		require.Equal(t, events, tab.Events())
		require.Equal(t, page, tab.Last("pageVisit")["page"].(fields)["type"])
	}
	tab.Go(s.url + "/")
	is("home", visited...)
	tab.Follow(`.menu a`)
	is("category", visited...)
	tab.Follow(`.cards a[href="` + s.tea + `"]`)
	is("product", visited...)
	shown := tab.Last("pageVisit")["page"].(fields)
	require.Equal(t, fields{"type": "product", "path": s.tea, "productId": s.teaID,
		"product": fields{"id": s.teaID, "code": "CAJ-1", "name": "Ľubovníkový čaj", "price": "119.00"}}, shown)

	// The page's own script tells at once, and not again on the next page.
	tab.Click(toBasket)
	tab.Wait(count + " === 1")
	is("product", and("cartUpdated")...)
	line := fields{"productId": s.teaID, "code": "CAJ-1", "name": "Ľubovníkový čaj", "quantity": 1.0,
		"unitPrice": "119.00"}
	require.Equal(t, fields{"added": []any{line}, "removed": []any{},
		"cart": fields{"items": []any{line}, "total": "119.00", "currency": "CZK"}}, tab.Last("cartUpdated"))
	tab.Go(s.url + s.mug)
	is("product", visited...)

	// A form that is sent as a form, and an add-on's fetch, are told on the next page.
	tab.Run(`document.querySelector('` + toBasket + `').form.submit()`)
	tab.Wait(`location.pathname === "/basket" && document.readyState === "complete" && window.dataLayer?.length > 3`)
	is("basket", and("cartUpdated")...)
	require.Len(t, tab.Last("cartUpdated")["added"], 1)
	require.Equal(t, 201, browsertest.Eval[int](tab, `fetch("/basket/items", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({productId: "`+s.teaID+`", quantity: 2})}).then((answer) => answer.status)`))
	is("basket", and("cartUpdated")...)
	tab.Reload()
	is("basket", and("cartUpdated")...)
	line["quantity"] = 2.0
	require.Equal(t, []any{line}, tab.Last("cartUpdated")["added"])

	// Changes in the basket itself, and a listener that comes late.
	tab.Fill(`.lines input[name=quantity]`, "1")
	tab.Press("\r")
	tab.Wait(count + " === 2")
	is("basket", and("cartUpdated", "cartUpdated")...)
	require.Equal(t, []any{line}, tab.Last("cartUpdated")["removed"])
	require.Equal(t, 2, browsertest.Eval[int](tab, `(() => { let heard = 0;
		dataLayer[0].eshop.on("cartUpdated", () => { heard++; }, {replay: true}); return heard })()`))
	tab.Follow(`a[href="/checkout"]`)
	is("checkout", visited...)
	fill(tab, jana)
	tab.Follow(toOrder)

	is("orderConfirmed", and("orderSubmitted")...)
	require.Equal(t, "orderConfirmed", browsertest.Eval[string](tab, `bought`))
	order := tab.Last("orderSubmitted")["order"].(fields)
	sold := s.order()
	require.Equal(t, []any{sold["id"], sold["number"], "368.00", "0.00"},
		[]any{order["id"], order["number"], order["total"], order["discount"]})
	require.Len(t, order["items"], 2)
	require.Equal(t, "/order/", browsertest.Eval[string](tab, `dataLayer[0].eshop.page.path.slice(0, 7)`))
	link := tab.URL()
	tab.Reload()
	is("orderConfirmed", visited...)
	require.Equal(t, "orderConfirmed", browsertest.Eval[string](tab, `bought`), "at each view")
	tab.Go(s.url + "/none")
	is("other", visited...)

	friend := shopper(t)
	friend.Go(link)
	require.Equal(t, visited, friend.Events(), "who has the link did not order")
}

func TestAReturnThroughTheBackForwardCacheIsAPageView(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewShopper(t)
	tab, other := tabOf(t, browser), tabOf(t, browser)
	s := newShop(t, "cs_CZ", "CZK")
	tab.Go(s.url + "/")
	tab.Run(`addEventListener("pageshow", (e) => { window.kept = e.persisted })`)
	tab.Follow(`.cards a[href="` + s.tea + `"]`)
	s.puts(other, s.mug)
	// another process's write comes in its time
	tab.Wait(`JSON.parse(localStorage.getItem("eshop.cart")).lines.length === 1`)
	tab.Back()
	tab.Wait(`dataLayer.length > 3 && ` + count + ` === 1`)
	require.True(t, browsertest.Eval[bool](tab, `window.kept === true`), "the browser did not keep the page")
	require.Equal(t, and("pageVisit"), tab.Events(), "what the other tab has told is told once")
}

func TestASignInIsToldOnceOnRealPages(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	triesAnew()
	s.puts(tab, s.tea)
	tab.Go(s.url + "/account/register")
	fill(tab, map[string]string{"email": "eva@example.com", "password": "dost dlouhé heslo", "firstName": "Eva",
		"lastName": "Malá"})
	tab.Follow(send)
	require.Equal(t, and("loggedUser"), tab.Events(), "signing in keeps the basket")
	user := tab.Last("loggedUser")["user"].(fields)
	require.Equal(t, true, user["loggedIn"])
	require.NotEmpty(t, user["customerId"])
	tab.Reload()
	require.Equal(t, visited, tab.Events())
	tab.Follow(`main form[action="/account/sign-out"] button`)
	require.Equal(t, fields{"loggedIn": false}, browsertest.Eval[fields](tab, `dataLayer[0].eshop.user`))
	tab.Go(s.url + "/account/sign-in?to=" + s.tea)
	fill(tab, map[string]string{"email": "EVA@example.com", "password": "dost dlouhé heslo"})
	tab.Follow(send)
	require.Equal(t, s.url+s.tea, tab.URL())
	require.Equal(t, and("loggedUser"), tab.Events())
	require.Equal(t, user, tab.Last("loggedUser")["user"])
}

func TestConsentIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewShopper(t)
	tab, other := tabOf(t, browser), tabOf(t, browser)
	s := newShop(t, "cs_CZ", "CZK")
	asks := func(tab *browsertest.Tab) bool {
		return browsertest.Eval[bool](tab,
			`document.querySelector("[data-consent-banner]").getClientRects().length > 0`)
	}
	all := func(value string) fields {
		return fields{"consent": fields{"analytics": value, "marketing": value, "preferences": value}}
	}
	tab.Go(s.url + "/")
	require.True(t, asks(tab))
	require.Equal(t, all("unknown"), tab.Last("cookieConsent"))
	tab.Click(`[data-consent="granted"]`)
	tab.Wait(`dataLayer.length > 3`)
	require.False(t, asks(tab))
	require.Equal(t, and("cookieConsent"), tab.Events())
	require.Equal(t, all("granted"), tab.Last("cookieConsent"))
	for _, path := range []string{"/", s.tea, "/basket", "/account/sign-in", "/none"} {
		other.Go(s.url + path)
		require.False(t, asks(other), path)
		require.Equal(t, all("granted"), other.Last("cookieConsent"))
	}
	other.Click(`[data-consent-again]`)
	require.True(t, asks(other))
	require.True(t, browsertest.Eval[bool](other, `document.activeElement.dataset.consent === "denied"`))
	other.Click(`[data-consent="denied"]`)
	require.Equal(t, all("denied"), other.Last("cookieConsent"))
	tab.Reload()
	require.Equal(t, all("denied"), tab.Last("cookieConsent"))
}

// TestConsentWithoutScripts answers the banner by its form, which leads back to the page.
func TestConsentWithoutScripts(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "sk_SK", "EUR")
	tab.WithoutScripts()
	tab.Go(s.url + s.tea)
	tab.Follow(`[data-consent="denied"]`)
	require.Equal(t, s.url+s.tea, tab.URL())
	hidden := `document.querySelector("[data-consent-banner]").hidden`
	require.True(t, browsertest.Eval[bool](tab, hidden))
	tab.Follow(`[data-consent-again]`)
	require.False(t, browsertest.Eval[bool](tab, hidden))
	require.True(t, strings.HasPrefix(tab.URL(), s.url+s.tea))
}
