package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend"
	"eshop/shared/frontend/browsertest"
)

func TestTheContractIsThereBeforeAnyOtherScript(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.head = `<script>window.seen = {first: "eshop" in dataLayer[0], page: dataLayer[0].eshop.page.type,
			events: dataLayer.slice(1).map(m => m.event)};
		window.dataLayer = window.dataLayer || []; dataLayer.push({mine: true})</script>`
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/?utm_source=x#y")
	seen := browsertest.Eval[map[string]any](tab, `seen`)
	require.Equal(t, map[string]any{"first": true, "events": []any{"pageVisit", "cookieConsent"}, "page": "home"}, seen)
	require.Equal(t, "1.0.0/", browsertest.Eval[string](tab,
		`dataLayer[0].eshop.version + dataLayer[0].eshop.page.path`))
	require.Empty(t, tab.Faults())
}

// A browser's extension may come before all scripts of a page.
func TestTheContractIsFirstInADataLayerThatIsThere(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.BeforeEachPage(`window.dataLayer = [{early: true}]`)
	tab.Go(s.URL + "/")
	require.True(t, browsertest.Eval[bool](tab, `"eshop" in dataLayer[0] && dataLayer[1].early`))
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
}

func TestAPageViewIsToldOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	for range 2 {
		tab.Go(s.URL + "/")
		require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	}
	tab.Reload()
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	require.Equal(t, map[string]any{"page": map[string]any{"type": "home", "path": "/"}}, tab.Last("pageVisit"))
}

// A page that the browser kept is shown as it was, and told as it is now.
func TestAReturnFromTheBackForwardCacheIsAPageView(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Run(`addEventListener("pageshow", e => { window.kept = e.persisted })`)
	tab.Follow("#away")
	s.set(func() { s.lines = []frontend.Line{line("P1", 2)} })
	tab.Run(`document.cookie = "consent=gdu; Path=/"`)
	tab.Back()
	tab.Wait(`dataLayer.length > 5`)
	require.True(t, browsertest.Eval[bool](tab, `window.kept === true`), "the browser did not keep the page")
	require.Equal(t, []string{"pageVisit", "cookieConsent", "pageVisit", "cookieConsent", "cartUpdated"},
		tab.Events())
	require.Equal(t, consent("granted", "denied", "unknown"), tab.Last("cookieConsent"))
	require.Equal(t, "20.00", browsertest.Eval[string](tab, `dataLayer[0].eshop.cart.total`))
	require.Equal(t, "2", tab.Text("[data-cart-count]"))
	tab.Wait(`document.querySelector("[data-basket]").textContent === "1 lines"`)
}

// A page that the browser kept for somebody else has their name and their prices in it: it is loaded anew.
func TestAReturnAfterASignInLoadsThePageAnew(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	for _, user := range []frontend.User{{LoggedIn: true, CustomerID: "C1"}, {}} {
		tab.Go(s.URL + "/")
		tab.Run(`addEventListener("pageshow", e => { sessionStorage.kept = e.persisted })`)
		tab.Follow("#away")
		s.set(func() {
			s.lines, s.user, s.told.SignIn = append(s.lines, line("P1", 2)), user, user.CustomerID
		})
		tab.Back()
		tab.Wait(fmt.Sprintf(`window.dataLayer && dataLayer[0].eshop.user.loggedIn === %v &&
			dataLayer.some((m) => m.event === "cartUpdated")`, user.LoggedIn))
		require.Equal(t, "true", browsertest.Eval[string](tab, `sessionStorage.kept`),
			"the browser did not keep the page")
		want := []string{"pageVisit", "cookieConsent", "cartUpdated"}
		if user.LoggedIn {
			want = []string{"pageVisit", "cookieConsent", "loggedUser", "cartUpdated"}
		}
		require.Equal(t, want, tab.Events(), "once, by the page as it is now")
		require.Equal(t, user.CustomerID, tab.Text("#user"))
	}
}

// A page out of the browser's ordinary cache shows a basket of the past: nothing is told of that.
func TestABasketOutOfTheCacheIsNotTold(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.cached = true
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Run(`addEventListener("unload", () => {})`) // keeps the page out of the back/forward cache
	s.set(func() { s.lines = []frontend.Line{line("P1", 1)} })
	tab.Follow("#away")
	require.Equal(t, []string{"pageVisit", "cookieConsent", "cartUpdated"}, tab.Events())
	tab.Back()
	tab.Wait(`window.dataLayer && dataLayer.length > 2`)
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	require.Equal(t, "10.00", browsertest.Eval[string](tab, `dataLayer[0].eshop.cart.total`))
}

// What a page could not read is no change: a request that another site sent comes without cookies.
func TestWhatAPageCouldNotReadIsToldAsNoChange(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.lines, s.coupons = []frontend.Line{line("P1", 3)}, []frontend.Coupon{{Code: "TEN", Discount: "1.00"}}
	s.user, s.told.SignIn = frontend.User{LoggedIn: true, CustomerID: "C1"}, "a"
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	known := browsertest.Eval[map[string]any](tab, `({user: dataLayer[0].eshop.user, cart: dataLayer[0].eshop.cart})`)
	require.Equal(t, "29.00", known["cart"].(map[string]any)["total"])
	s.set(func() { s.unread = true })
	tab.Go(s.URL + "/away")
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	require.Equal(t, known,
		browsertest.Eval[map[string]any](tab, `({user: dataLayer[0].eshop.user, cart: dataLayer[0].eshop.cart})`))
	s.set(func() { s.unread = false })
	tab.Go(s.URL + "/")
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	s.set(func() { s.unread, s.lines, s.coupons = true, nil, nil })
	tab.Go(s.URL + "/away")
	s.set(func() { s.unread = false })
	tab.Go(s.URL + "/")
	require.Equal(t, []any{lineOf("P1", 3)}, tab.Last("cartUpdated")["removed"],
		"what really changed is told afterwards")
	other := browsertest.NewShopper(t).Tab()
	s.set(func() { s.unread, s.lines = true, []frontend.Line{line("P1", 3)} })
	other.Go(s.URL + "/")
	require.Equal(t, "0.00 false", browsertest.Eval[string](other,
		`dataLayer[0].eshop.cart.total + " " + dataLayer[0].eshop.user.loggedIn`), "of a browser that was told nothing")
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, other.Events())
}

func TestASignInIsToldOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	shopper := browsertest.NewShopper(t)
	tab, other := shopper.Tab(), shopper.Tab()
	tab.Go(s.URL + "/")
	s.set(func() { s.user = frontend.User{LoggedIn: true, CustomerID: "C1"}; s.told.SignIn = "a" })
	tab.Go(s.URL + "/")
	require.Equal(t, map[string]any{"loggedIn": true, "customerId": "C1"}, tab.Last("loggedUser")["user"])
	tab.Reload()
	other.Go(s.URL + "/")
	require.NotContains(t, tab.Events(), "loggedUser")
	require.NotContains(t, other.Events(), "loggedUser")
	s.set(func() { s.told.SignIn = "b" }) // out and in again
	other.Go(s.URL + "/")
	require.Contains(t, other.Events(), "loggedUser")
}

// lineOf is a line as partners see it.
func lineOf(product string, quantity float64) map[string]any {
	return map[string]any{"productId": product, "code": "C-" + product, "name": "Name of " + product,
		"quantity": quantity, "unitPrice": "10.00"}
}

func TestAChangeMadeElsewhereIsToldAtTheNextPageViewOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	shopper := browsertest.NewShopper(t)
	tab, other := shopper.Tab(), shopper.Tab()
	tab.Go(s.URL + "/")
	other.Go(s.URL + "/")
	s.set(func() { s.lines = []frontend.Line{line("P1", 3), line("P2", 1)} })
	tab.Go(s.URL + "/")
	require.Equal(t, map[string]any{"removed": []any{}, "added": []any{lineOf("P1", 3), lineOf("P2", 1)},
		"cart": map[string]any{"items": []any{lineOf("P1", 3), lineOf("P2", 1)}, "total": "40.00", "currency": "CZK"}},
		tab.Last("cartUpdated"))
	other.Go(s.URL + "/")
	require.NotContains(t, other.Events(), "cartUpdated", "the other tab told it")

	s.set(func() { s.lines = []frontend.Line{line("P1", 1), line("P3", 1)} })
	other.Go(s.URL + "/")
	told := other.Last("cartUpdated")
	require.Equal(t, []any{lineOf("P3", 1)}, told["added"])
	require.Equal(t, []any{lineOf("P1", 2), lineOf("P2", 1)}, told["removed"])
	tab.Reload()
	require.NotContains(t, tab.Events(), "cartUpdated")
}

func TestACouponAddsAndRemovesNoLines(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	s.lines = []frontend.Line{line("P1", 1)}
	tab.Go(s.URL + "/")
	require.NotContains(t, tab.Events(), "cartUpdated", "it begins with what is there")
	s.set(func() { s.coupons = []frontend.Coupon{{Code: "TEN", Discount: "1.00"}} })
	tab.Go(s.URL + "/")
	told := tab.Last("cartUpdated")
	require.Empty(t, told["added"])
	require.Empty(t, told["removed"])
	require.Equal(t, "9.00", told["cart"].(map[string]any)["total"])
}

// Two lines of one product are told apart when one is quoted; the ids of lines stay between page and script.
func TestAQuotedLineIsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	quoted := line("P1", 5)
	quoted.ID, quoted.Quoted, quoted.UnitPrice = "quoted", true, "7.00"
	s.lines = []frontend.Line{line("P1", 1), quoted}
	tab.Go(s.URL + "/")
	s.set(func() { s.lines = s.lines[:1]; s.lines[0].Quantity = 2 })
	tab.Go(s.URL + "/")
	removed := lineOf("P1", 5)
	removed["unitPrice"] = "7.00"
	require.Equal(t, []any{removed}, tab.Last("cartUpdated")["removed"])
	require.Equal(t, []any{lineOf("P1", 1)}, tab.Last("cartUpdated")["added"])
}

func TestAnOrderIsToldOnceAndEmptiesTheBasketSilently(t *testing.T) {
	t.Parallel()
	s := open(t)
	shopper := browsertest.NewShopper(t)
	tab := shopper.Tab()
	s.lines = []frontend.Line{line("P1", 2)}
	tab.Go(s.URL + "/basket")
	order := frontend.Order{ID: "O1", Number: "20260001", Currency: "CZK", Total: "19.00", Discount: "1.00",
		Coupons: []frontend.Coupon{{Code: "TEN", Discount: "1.00"}}, Items: []frontend.Line{line("P1", 2)}}
	s.set(func() { s.lines = nil; s.order = &order; s.told.Ordered = "O1" })
	tab.Go(s.URL + "/order/1")
	require.Equal(t, []string{"pageVisit", "cookieConsent", "orderSubmitted"}, tab.Events())
	require.Equal(t, map[string]any{"order": map[string]any{"id": "O1", "number": "20260001", "currency": "CZK",
		"total": "19.00", "discount": "1.00", "coupons": []any{map[string]any{"code": "TEN", "discount": "1.00"}},
		"items": []any{lineOf("P1", 2)}}}, tab.Last("orderSubmitted"))
	tab.Reload()
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	other := shopper.Tab()
	other.Go(s.URL + "/order/1")
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, other.Events())

	s.set(func() { s.lines = []frontend.Line{line("P2", 1)} })
	tab.Go(s.URL + "/")
	require.Equal(t, []any{lineOf("P2", 1)}, tab.Last("cartUpdated")["added"])
	require.Empty(t, tab.Last("cartUpdated")["removed"])
}

// What was put into the basket after an order that no page has told yet is a change; what the order took is none.
func TestAnOrderMadeElsewhereIsNoChangeOfTheBasket(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	s.lines = []frontend.Line{line("P1", 2)}
	tab.Go(s.URL + "/")
	s.set(func() { s.lines = nil; s.told.Ordered = "O1" })
	tab.Go(s.URL + "/")
	require.NotContains(t, tab.Events(), "cartUpdated")
	s.set(func() { s.lines = []frontend.Line{line("P1", 1)}; s.told.Ordered = "O2" })
	tab.Go(s.URL + "/")
	require.Equal(t, []any{lineOf("P1", 1)}, tab.Last("cartUpdated")["added"])
}

// consent is the detail of cookieConsent.
func consent(analytics, marketing, preferences string) map[string]any {
	return map[string]any{"consent": map[string]any{"analytics": analytics, "marketing": marketing,
		"preferences": preferences}}
}

// throws says whether a call throws a TypeError.
func throws(tab *browsertest.Tab, call string) bool {
	return browsertest.Eval[bool](tab, `(eshop => {
		try { `+call+` } catch (e) { return e instanceof TypeError }
		return false
	})(dataLayer[0].eshop)`)
}

func TestConsentIsToldAtLoadAndOnEachChange(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Run(`window.heard = []; const {eshop} = dataLayer[0];
		eshop.on("cookieConsent", m => heard.push(eshop.consent.marketing + " " + m.eshop.consent.marketing));
		eshop.setConsent({marketing: "granted"}); eshop.setConsent({marketing: "granted"}); eshop.setConsent({})`)
	require.Equal(t, []string{"granted granted"}, browsertest.Eval[[]string](tab, `heard`))
	require.Equal(t, consent("unknown", "granted", "unknown"), tab.Last("cookieConsent"))
	tab.Run(`dataLayer[0].eshop.setConsent({analytics: "denied"})`)
	tab.Reload()
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	require.Equal(t, consent("denied", "granted", "unknown"), tab.Last("cookieConsent"))
	for _, wrong := range []string{`{analytics: "unknown"}`, `{analytics: "yes"}`, `{analytics: null}`, `{other: "granted"}`,
		`"granted"`, `null`, ``, `{marketing: "denied", analytics: 1}`} {
		require.True(t, throws(tab, `eshop.setConsent(`+wrong+`)`), wrong)
	}
	require.Equal(t, []string{"pageVisit", "cookieConsent"}, tab.Events())
	require.Equal(t, "consent=dgu", browsertest.Eval[string](tab, `document.cookie`))
}

func TestTheBannerAsksUntilItIsAnsweredAndAgain(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Click(`[data-consent="denied"]`)
	require.Equal(t, consent("denied", "denied", "denied"), tab.Last("cookieConsent"))
	require.True(t, browsertest.Eval[bool](tab, `document.querySelector("[data-consent-banner]").hidden`))
	tab.Go(s.URL + "/")
	require.True(t, browsertest.Eval[bool](tab, `document.querySelector("[data-consent-banner]").hidden`))
	tab.Click(`[data-consent-again]`)
	require.True(t, browsertest.Eval[bool](tab, `document.activeElement.dataset.consent === "granted"`))
	tab.Click(`[data-consent="granted"]`)
	require.Equal(t, "granted", browsertest.Eval[string](tab, `dataLayer[0].eshop.consent.preferences`))
	require.Equal(t, "consent=ggg", browsertest.Eval[string](tab, `document.cookie`))
}

func TestAListenerThatComesLateGetsWhatItMissed(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Run(`window.late = []; window.later = []; const {eshop} = dataLayer[0], hear = m => late.push(m);
		eshop.on("cookieConsent", hear, {replay: true}); eshop.on("cookieConsent", hear, {replay: true});
		eshop.on("cookieConsent", m => later.push(m.eshop.consent.analytics));
		eshop.setConsent({analytics: "granted"}); eshop.off("cookieConsent", hear); eshop.setConsent({analytics: "denied"})`)
	heard := browsertest.Eval[[]string](tab, `late.map(m => m.eshop.consent.analytics)`)
	require.Equal(t, []string{"unknown", "granted"}, heard)
	require.Equal(t, []string{"granted", "denied"}, browsertest.Eval[[]string](tab, `later`))
	require.True(t, browsertest.Eval[bool](tab, `JSON.stringify(late[0]) === JSON.stringify(dataLayer[2])`))
	for _, wrong := range []string{`"cartupdated", () => {}`, `"pageVisit"`, `"pageVisit", {}`} {
		require.True(t, throws(tab, `eshop.on(`+wrong+`)`), wrong)
		require.True(t, throws(tab, `eshop.off(`+wrong+`)`), wrong)
	}
}

// Faults and meddling of one listener are its own: messages are copies, and their order holds when one causes another.
func TestAListenerHindersNoOther(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Run(`window.heard = []; const e = dataLayer[0].eshop;
		e.on("cookieConsent", m => { if (m.eshop.consent.marketing === "unknown") e.setConsent({marketing: "granted"}) });
		e.on("cookieConsent", m => { m.eshop.consent.analytics = "spoilt"; throw new Error("of a partner") });
		e.on("cookieConsent", m => heard.push(m.eshop.consent.analytics + " " + m.eshop.consent.marketing));
		e.setConsent({analytics: "granted"})`)
	require.Equal(t, []string{"granted unknown", "granted granted"}, browsertest.Eval[[]string](tab, `heard`))
	require.Equal(t, "granted", tab.Last("cookieConsent")["consent"].(map[string]any)["analytics"])
	tab.Wait(`true`)
	require.NotEmpty(t, tab.Faults(), "it is reported")
	require.Contains(t, tab.Faults()[0], "of a partner")
}

func TestTheShopsOwnFormTellsAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Fill("#quantity", "4")
	tab.Click("#add")
	tab.Wait(`document.querySelector("[data-live]").textContent === "In the basket"`)
	require.Equal(t, []any{lineOf("P1", 4)}, tab.Last("cartUpdated")["added"])
	require.Equal(t, "4", tab.Text("[data-cart-count]"))
	tab.Wait(`document.querySelector("[data-basket]").textContent === "1 lines"`)
	require.Equal(t, s.URL+"/", tab.URL())
	tab.Go(s.URL + "/")
	require.NotContains(t, tab.Events(), "cartUpdated", "it was told already")
	require.Empty(t, tab.Faults())
}

func TestAChangeWhoseAnswerIsLostIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.loses = 1
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Click("#add")
	tab.Wait(`document.querySelector("[data-live]").textContent === "In the basket"`)
	require.Equal(t, "1", tab.Text("[data-cart-count]"))
	s.set(func() { require.Len(t, s.lines, 1) })
}

func TestWhatShowsTheBasketIsMadeAnewWhateverHasChanged(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	s.set(func() { s.lines = []frontend.Line{line("P1", 1)} })
	tab.Run(`document.dispatchEvent(new CustomEvent("eshop:basket",
		{detail: {items: [], coupons: [], totals: {total: "0.00"}, currency: "CZK"}}))`) // which changes nothing of the cart
	tab.Wait(`document.querySelector("[data-basket]").textContent === "1 lines"`)
}

func TestWhatTheScriptCannotDoTheFormDoes(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.refuses = true
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Follow("#add")
	require.Equal(t, s.URL+"/basket", tab.URL())
	require.Equal(t, []any{lineOf("P1", 1)}, tab.Last("cartUpdated")["added"])
}

func TestABrowserThatKeepsNothingHindersNobody(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.told.SignIn, s.user = "a", frontend.User{LoggedIn: true, CustomerID: "C1"}
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/")
	tab.Run(`for (const [key, spoilt] of Object.entries({cart: "[1", orders: "5", signIn: "null", at: "{}"}))
		localStorage.setItem("eshop." + key, spoilt)`)
	tab.Reload()
	require.Equal(t, []string{"pageVisit", "cookieConsent", "loggedUser"}, tab.Events(), "what is spoilt is forgotten")
	tab.BeforeEachPage(`for (const kind of ["localStorage", "sessionStorage"])
			Object.defineProperty(window, kind, {get() { throw new Error("refused") }});
		Object.defineProperty(crypto, "randomUUID", {value: undefined})`)
	tab.Go(s.URL + "/")
	require.Equal(t, []string{"pageVisit", "cookieConsent", "loggedUser"}, tab.Events())
	tab.Click("#add")
	tab.Wait(`dataLayer.length === 5`)
	require.Empty(t, tab.Faults())
}
