package browser

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

func TestAShopperHasAnAccount(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	triesAnew()
	tab.Go(s.url + "/account")
	require.Equal(t, s.url+"/account/sign-in?to=/account", tab.URL())
	tab.Follow(`main a[href^="/account/register"]`)
	fill(tab, map[string]string{"email": "jana@example.com", "password": "krátké", "firstName": "Jana",
		"lastName": "Nováková"})
	tab.Follow(send)
	require.Contains(t, tab.Text("#password-fault"), "10 až 200")
	require.Equal(t, "Nováková", value(tab, "lastName"))
	require.Equal(t, "", value(tab, "password"), "a password is never shown again")
	fill(tab, map[string]string{"password": "dost dlouhé heslo"})
	tab.Follow(send)
	require.Equal(t, s.url+"/account", tab.URL())

	fill(tab, map[string]string{"firstName": "Johana", "phone": "+420 777 888 999"})
	tab.Follow(send)
	require.Equal(t, []string{"Johana", "+420 777 888 999"}, []string{value(tab, "firstName"), value(tab, "phone")})
	require.NotEmpty(t, tab.Text(".notice.good"))
	customer := s.get("/api-engine/customers?email=jana@example.com")["items"].([]any)[0].(fields)
	require.Equal(t, "Johana", customer["firstName"])

	fill(tab, map[string]string{"password": "docela jiné heslo", "currentPassword": "to není ono"})
	tab.Follow(send)
	require.Contains(t, tab.Text("#currentPassword-fault"), "Heslo nesouhlasí")
	s.puts(tab, s.tea)
	tab.Follow(`a.cart`)
	tab.Follow(`a[href="/checkout"]`)
	require.Equal(t, "Johana", value(tab, "firstName"), "what the shop knows need not be typed")

	tab.Go(s.url + "/account")
	tab.Follow(`main form[action="/account/sign-out"] button`)
	tab.Go(s.url + "/account")
	require.Equal(t, s.url+"/account/sign-in?to=/account", tab.URL())
	fill(tab, map[string]string{"email": "jana@example.com", "password": "to není ono"})
	tab.Follow(send)
	require.Contains(t, tab.Text(".notice"), "nesouhlasí")
	require.Equal(t, "jana@example.com", value(tab, "email"))
	fill(tab, map[string]string{"password": "dost dlouhé heslo"})
	tab.Follow(send)
	require.Equal(t, s.url+"/account", tab.URL())
}

// value is what a field of the page's form holds.
func value(tab *browsertest.Tab, name string) string {
	return browsertest.Eval[string](tab, `document.querySelector('main [name="`+name+`"]').value`)
}

// TestACheckoutSaysWhatIsWrongBesideIt, with all else as it was typed.
func TestACheckoutSaysWhatIsWrongBesideIt(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.puts(tab, s.tea)
	tab.Follow(`a.cart`)
	tab.Follow(`a[href="/checkout"]`)
	tab.Width(360)
	require.True(t, browsertest.Eval[bool](tab, `(() => {
		const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
		const tops = ['[name="note"]', ".ordered", ".totals", '`+toOrder+`'].map(top);
		return tops.every((y, i) => !i || tops[i - 1] < y);
	})()`), "what is ordered, and for how much, stands right before the button that orders it")
	fill(tab, jana)
	fill(tab, map[string]string{"email": "jana@doma", "note": "Zvonek nefunguje"})
	tab.Click(`label:has([value="Osobní odběr"])`)
	tab.Follow(toOrder)
	require.Equal(t, s.url+"/checkout", tab.URL())
	require.Equal(t, "true", browsertest.Eval[string](tab,
		`document.querySelector("#email").getAttribute("aria-invalid")`))
	require.Equal(t, 1, browsertest.Eval[int](tab, `document.querySelectorAll("[aria-invalid]").length`))
	require.NotEmpty(t, tab.Text("#email-fault"))
	require.True(t, browsertest.Eval[bool](tab, `document.activeElement.matches('.notice[role="alert"]')`),
		"the focus is at what is wrong")
	tab.Click(`.notice a[href="#email"]`)
	require.Equal(t, "email", browsertest.Eval[string](tab, `document.activeElement.id`))
	for name, typed := range jana {
		if name != "email" {
			require.Equal(t, typed, value(tab, name))
		}
	}
	require.Equal(t, []string{"jana@doma", "Zvonek nefunguje"}, []string{value(tab, "email"), value(tab, "note")})
	require.True(t, browsertest.Eval[bool](tab, `document.querySelector('[value="Osobní odběr"]').checked`))
	const valid = `document.querySelector("main form").checkValidity()`
	fill(tab, map[string]string{"email": jana["email"], "billingAddress.zip": "2720x"})
	require.False(t, browsertest.Eval[bool](tab, valid), "a Czech postcode has five digits")
	lives := func(country string) {
		tab.Run(`const select = document.querySelector('[name="billingAddress.country"]');
			select.value = "` + country + `"; select.dispatchEvent(new Event("input", {bubbles: true}))`)
	}
	lives("AT")
	require.True(t, browsertest.Eval[bool](tab, valid), "an Austrian one has not")
	lives("CZ")
	fill(tab, jana)
	tab.Follow(toOrder)
	require.Contains(t, tab.URL(), "/order/")
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector("[data-share]").hidden`))
	require.Contains(t, tab.Text("main"), "Osobní odběr")
	require.Contains(t, tab.Text("address"), "Česko")
}

// TestAShopperPicksUpAndPaysByACode: what a merchant says of the ways is in the checkout and on the order's page, and
// who picks up needs no street.
func TestAShopperPicksUpAndPaysByACode(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "sk_SK", "EUR")
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin/shop")
	tab.Run(`document.querySelectorAll("details.way").forEach((e) => e.open = true)`)
	fill(tab, map[string]string{"payment.transfer.iban": "SK31 1200 0000 1987 4263 7540",
		"delivery.pickup.note": "Hlavná 1", "delivery.new.name": "Kuriérom na bicykli"})
	tab.Click(`#payment-onDelivery-on`)
	tab.Follow(`main form .button`)
	require.Contains(t, tab.Text("#payment-transfer-iban-fault"), "Check the IBAN")
	seen(t, tab, "admin-shop-faults-en", 360, false)
	fill(tab, map[string]string{"payment.transfer.iban": "SK31 1200 0000 1987 4263 7541"})
	tab.Follow(`main form .button`)
	require.Contains(t, tab.Text(".notice.good"), "Saved: ")

	s.puts(tab, s.tea)
	tab.Go(s.url + "/checkout")
	require.Equal(t, []string{"Doručenie na adresu", "Osobný odber", "Kuriérom na bicykli", "Bankovým prevodom"},
		browsertest.Eval[[]string](tab, `[...document.querySelectorAll(".ways input")].map((e) => e.value)`))
	require.Contains(t, tab.Text(".ways .way"), "Hlavná 1")
	fill(tab, jana)
	fill(tab, map[string]string{"billingAddress.street": ""})
	tab.Follow(toOrder)
	require.NotEmpty(t, tab.Text("#billingAddress-street-fault"), "the first way brings it")
	tab.Click(`label:has([value="Osobný odber"])`)
	tab.Follow(toOrder)
	require.Contains(t, tab.URL(), "/order/")
	require.Contains(t, tab.Text(".transfer"), "SK31 1200 0000 1987 4263 7541")
	require.Contains(t, tab.Text("[data-delivery]"), "Hlavná 1")
	require.InDelta(t, 176, browsertest.Eval[float64](tab,
		`document.querySelector(".transfer svg[role=img][aria-label]").getBoundingClientRect().height`), 1)
	for _, width := range []int{360, 1280} {
		tab.Width(width)
		seen(t, tab, "order-code-sk", width, false)
	}
}

// TestACheckoutSaysWhichLineCannotBeSold: the shopper finds the fault beside the line that it is of.
func TestACheckoutSaysWhichLineCannotBeSold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change fields
		says   string
	}{
		"too few are left": {fields{"stock": fields{"quantity": 0}}, "zbývá"},
		"it is gone":       {fields{"active": false}, "neprodává"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := shopper(t)
			s := newShop(t, "cs_CZ", "CZK")
			s.puts(tab, s.mug)
			s.puts(tab, s.tea)
			tab.Go(s.url + "/checkout")
			fill(tab, jana)
			s.do(200, "PATCH", "/api-engine/products/"+s.teaID, c.change)
			tab.Follow(toOrder)
			require.Equal(t, s.url+"/checkout", tab.URL())
			require.Contains(t, tab.Text(`.ordered li:nth-child(2) .fault`), c.says)
			require.Equal(t, 1, browsertest.Eval[int](tab, `document.querySelectorAll("main .fault").length`))
			require.Equal(t, "Dlouhá 12", value(tab, "billingAddress.street"))
		})
	}
}

func TestACouponIsTaken(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.post("/api-engine/discount-coupons", fields{"code": "SLEVA10", "type": "percentage", "value": "10.00"})
	s.puts(tab, s.tea)
	tab.Follow(`a.cart`)
	tab.Fill("#code", "NENI")
	tab.Follow(".coupon button")
	require.Contains(t, tab.Text("#code-fault"), "neznáme")
	require.Equal(t, "NENI", value(tab, "code"))
	tab.Fill("#code", "sleva10")
	tab.Click(".coupon button")
	tab.Wait(`document.querySelector(".totals .sum dd").innerText.includes("107,10")`)
	told := tab.Last("cartUpdated")
	require.Equal(t, []any{"107.10", []any{}, []any{}},
		[]any{told["cart"].(fields)["total"], told["added"], told["removed"]})
	require.Equal(t, "107,10\u00a0Kč", tab.Text("[data-cart-total]"))
	tab.Follow(`a[href="/checkout"]`)
	require.Contains(t, tab.Text(".side"), "SLEVA10")
	fill(tab, jana)
	tab.Follow(toOrder)
	order := tab.Last("orderSubmitted")["order"].(fields)
	require.Equal(t, []any{"107.10", "11.90", []any{fields{"code": "SLEVA10", "discount": "11.90"}}},
		[]any{order["total"], order["discount"], order["coupons"]})
}

// TestTheScriptWritesWhatTheServerWrites has the numbers of a basket by the script, and by the page after it.
func TestTheScriptWritesWhatTheServerWrites(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{{"cs_CZ", "CZK", "5\u00a0251,50\u00a0Kč"}, {"sk_SK", "CZK", "5\u00a0251,50\u00a0Kč"},
		{"cs_CZ", "EUR", "5\u00a0251,50\u00a0€"}, {"sk_SK", "EUR", "5\u00a0251,50\u00a0€"}} {
		tab := shopper(t)
		s := newShop(t, c[0], c[1])
		screw, _ := s.sells(fields{"code": "S", "name": "Vrut", "stock": fields{"quantity": 9000},
			"priceLevels": price("3.50")})
		last, _ := s.sells(fields{"code": "L", "name": "Matka", "stock": fields{"quantity": 9000},
			"priceLevels": price("1.50")})
		tab.Go(s.url + screw)
		tab.Fill("#quantity", "1500")
		tab.Click(toBasket)
		tab.Wait(`document.querySelector("[data-cart-count]").textContent === "1\u00a0500"`)
		if c[1] == "CZK" {
			require.Equal(t, "5\u00a0250\u00a0Kč", tab.Text("[data-cart-total]"), "whole crowns have no places")
		}
		tab.Go(s.url + last)
		tab.Click(toBasket)
		tab.Wait(`document.querySelector("[data-cart-count]").textContent === "1\u00a0501"`)
		require.Equal(t, c[2], tab.Text("[data-cart-total]"), c)
		tab.Reload()
		require.Equal(t, []string{"1\u00a0501", c[2]},
			[]string{tab.Text("[data-cart-count]"), tab.Text("[data-cart-total]")})
	}
}

// TestAKeyboardIsEnough buys something by Tab, the arrows and Enter alone.
func TestAKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	tab.Go(s.url + "/")
	tab.Press("\t")
	require.True(t, browsertest.Eval[bool](tab, `document.activeElement.matches(".skip")`), "past the menu first")
	tab.Press("\r")
	require.Equal(t, "content", browsertest.Eval[string](tab, `document.activeElement.id`))
	tab.TabTo(`.cards a[href="` + s.mug + `"]`)
	tab.Enter()
	tab.TabTo(`[name=variantId]`)
	tab.Press(" ")
	tab.TabTo(toBasket)
	require.NotEqual(t, "none", browsertest.Eval[string](tab, `getComputedStyle(document.activeElement).outlineStyle`),
		"to be seen")
	tab.Press("\r")
	tab.Wait(count + " === 1")
	require.Contains(t, tab.Text("[data-live]"), "V košíku: ")
	tab.Press("\r")
	tab.Wait(count + " === 2")
	tab.Go(s.url + "/basket")
	tab.TabTo(`.lines input[name=quantity]`)
	tab.Type("1")
	tab.Press("\r")
	tab.Wait(count + " === 1")
	require.True(t, browsertest.Eval[bool](tab, `document.activeElement.matches(".lines input[name=quantity]")`),
		"where it was")
	tab.TabTo(`a[href="/checkout"]`)
	tab.Enter()
	for _, name := range []string{"email", "phone", "firstName", "lastName", "billingAddress.street",
		"billingAddress.city", "billingAddress.zip"} {
		tab.TabTo(`[name="` + name + `"]`)
		tab.Type(jana[name])
	}
	tab.TabTo(toOrder)
	tab.Enter()
	require.Contains(t, tab.URL(), "/order/")
	require.Equal(t, "1", string(s.order()["items"].([]any)[0].(fields)["code"].(string)[len("POR-1-")]),
		"the first variant")
}

// TestTheKeyboardStaysWhereItWas when a script makes the basket anew; at the basket when what it was on is gone.
func TestTheKeyboardStaysWhereItWas(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.puts(tab, s.tea)
	require.Equal(t, "/basket", browsertest.Eval[string](tab,
		`document.querySelector("[data-live] a").getAttribute("href")`))
	tab.Press("x") // it stays until somebody leaves it
	tab.Press("\x1b")
	tab.Wait(`!document.querySelector("[data-live] a")`)
	tab.Go(s.url + "/basket")
	on := func() string { return browsertest.Eval[string](tab, `document.activeElement.outerHTML.slice(0, 60)`) }
	tab.Fill(".lines input[name=quantity]", "2")
	tab.TabTo(`.lines [data-step="1"]`)
	was := on()
	tab.Press("\r")
	tab.Wait(`document.querySelector(".totals .sum dd").textContent.startsWith("357")`)
	require.Equal(t, was, on())
	tab.TabTo(".lines button.plain")
	tab.Press("\r")
	tab.Wait(`document.querySelector(".empty")`)
	require.Equal(t, "content", browsertest.Eval[string](tab, `document.activeElement.id`))
}

// TestAQuantityCountsAsSoonAsItIsChanged, by the buttons beside it too, and of more than there is the line says so.
func TestAQuantityCountsAsSoonAsItIsChanged(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.do(200, "PATCH", "/api-engine/products/"+s.teaID, fields{"stock": fields{"quantity": 3}})
	tab.Go(s.url + s.tea)
	tab.Click(`[data-step="-1"]`)
	require.Equal(t, "1", value(tab, "quantity"), "none is less than one")
	tab.Click(`[data-step="1"]`)
	tab.Click(toBasket)
	tab.Wait(count + " === 2")
	tab.Go(s.url + "/basket")
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector(".recount").checkVisibility()`))
	for range 3 {
		tab.Click(`.lines [data-step="1"]`)
	}
	tab.Wait(count + ` === 5 && document.querySelector(".lines .fault")?.textContent.includes("3\u00a0kusy")`)
	require.Equal(t, "595\u00a0Kč", tab.Text(".totals .sum dd"))
	tab.Fill(".lines input[name=quantity]", "3")
	tab.Press("\t")
	tab.Wait(count + ` === 3 && !document.querySelector(".lines .fault")`)
}

// TestAVariantIsChosenByEachParameter: price, stock and what is bought follow at once, and the quantity and the
// keyboard stay. Without JavaScript another page does the same.
func TestAVariantIsChosenByEachParameter(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := demoShop(t)
	const coffee, kilo, price = "/etiopie-yirgacheffe", `.axis:nth-of-type(2) li:nth-child(2) a`, `[data-price]`
	tab.Go(s.url + coffee)
	require.Equal(t, "219\u00a0Kč", tab.Text(price))
	tab.Fill("#quantity", "2")
	tab.Run(`window.stays = true`)
	tab.TabTo(kilo)
	tab.Press("\r")
	tab.Wait(`document.querySelector("[data-price]").textContent === "769\u00a0Kč"`)
	require.Equal(t, "mletá", tab.Text(".axis a.off"), "that is not sold by the kilogram")
	require.True(t, browsertest.Eval[bool](tab, `window.stays && document.activeElement.textContent === "1 kg"`))
	tab.Click(toBasket)
	tab.Wait(count + " === 2")
	line := tab.Last("cartUpdated")["added"].([]any)[0].(fields)
	require.Equal(t, "KAV-001-3", line["code"])

	tab.Go(s.url + s.mug)
	tab.Click(`label:has([name=variantId]):nth-of-type(3)`)
	tab.Wait(`document.querySelector("[data-price]").textContent === "259\u00a0Kč"`)

	tab.WithoutScripts()
	tab.Go(s.url + coffee)
	tab.Follow(kilo)
	require.Equal(t, "769\u00a0Kč", tab.Text(price))
	tab.Follow(toBasket)
	require.Contains(t, tab.Text(".lines"), "zrnková 1 kg")
}

// TestABusyButtonSaysSo at once, however long the shop's answer takes, and a second press sends nothing.
func TestABusyButtonSaysSo(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	tab.BeforeEachPage(`const real = window.fetch; window.asked = 0;
		window.fetch = (...of) => (window.asked++, new Promise((go) => { window.answers = () => go(real(...of)); }))`)
	tab.Go(s.url + s.tea)
	tab.Click(toBasket)
	tab.Wait(`document.querySelector('` + toBasket + `').getAttribute("aria-busy") === "true"`)
	require.Less(t, browsertest.Eval[float64](tab,
		`Number(getComputedStyle(document.querySelector('`+toBasket+`')).opacity)`), 1.0)
	tab.Click(toBasket)
	require.Equal(t, 1, browsertest.Eval[int](tab, `window.asked`))
	tab.Run(`window.answers()`)
	tab.Wait(count + ` === 1 && !document.querySelector("[aria-busy]")`)
}

// TestTheBannerCoversNothingThatHasTheFocus: whoever goes by Tab sees where they are, to the end of the page.
func TestTheBannerCoversNothingThatHasTheFocus(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.puts(tab, s.tea)
	for _, width := range []int{1280, 360} {
		tab.Width(width)
		tab.Go(s.url + "/checkout")
		tab.Wait(`document.querySelector("[data-consent-banner]").checkVisibility()`)
		seen := 0
		require.Equal(t, "static", browsertest.Eval[string](tab,
			`getComputedStyle(document.querySelector("[data-consent-banner]")).position`), "nor a button to buy")
		for !browsertest.Eval[bool](tab, `document.activeElement.matches("[data-consent-again]")`) {
			tab.Press("\t")
			tab.Wait(`(() => { const e = document.activeElement, r = e.getClientRects()[0];
				const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
				return Boolean(top) && (e.contains(top) || top.contains(e)) })()`)
			seen++
		}
		require.Greater(t, seen, 20)
	}
}

// TestScriptsAreNotNeeded goes the same way by forms and links alone.
func TestScriptsAreNotNeeded(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "sk_SK", "EUR")
	tab.WithoutScripts()
	tab.Go(s.url + "/")
	require.False(t, browsertest.Eval[bool](tab, `Boolean(window.dataLayer)`))
	tab.Follow(`.cards a[href="` + s.mug + `"]`)
	tab.Click(`label:has([name=variantId]):nth-of-type(2)`)
	tab.Follow(toBasket)
	require.Equal(t, s.url+"/basket", tab.URL())
	tab.Fill(`.lines input[name=quantity]`, "2")
	tab.Follow(`.lines button.second`)
	require.Equal(t, "518,00\u00a0€", tab.Text(".totals .sum dd"))
	tab.Go(s.url + s.tea)
	tab.Follow(toBasket)
	tab.Follow(`.lines li:last-child button.plain`)
	require.Equal(t, 1, browsertest.Eval[int](tab, `document.querySelectorAll(".lines li").length`))
	tab.Follow(`a[href="/checkout"]`)
	fill(tab, jana)
	tab.Follow(toOrder)
	require.Contains(t, tab.URL(), "/order/")
	require.Equal(t, "518.00", s.order()["totals"].(fields)["total"])
}

// TestTwoShopsAreStrangers: in one browser each has a basket and a session of its own.
func TestTwoShopsAreStrangers(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	cs, sk := newShop(t, "cs_CZ", "CZK"), newShop(t, "sk_SK", "EUR")
	triesAnew()
	cs.puts(tab, cs.tea)
	tab.Go(sk.url + "/")
	require.Equal(t, "sk", browsertest.Eval[string](tab, `document.documentElement.lang`))
	require.Equal(t, 0, browsertest.Eval[int](tab, count))
	require.Equal(t, visited, tab.Events())
	sk.puts(tab, sk.mug)
	tab.Go(cs.url + cs.mug)
	require.Equal(t, 1, browsertest.Eval[int](tab, count))
	require.Equal(t, visited, tab.Events())
	for _, s := range []*shop{cs, sk} {
		tab.Go(s.url + "/account/register")
		fill(tab, map[string]string{"email": "jana@example.com", "password": "dost dlouhé heslo",
			"firstName": "Jana " + s.id[:4], "lastName": "Nováková"})
		require.False(t, browsertest.Eval[bool](tab, `dataLayer[0].eshop.user.loggedIn`))
		tab.Follow(send)
		require.True(t, browsertest.Eval[bool](tab, `dataLayer[0].eshop.user.loggedIn`))
	}
	tab.Follow(`main form[action="/account/sign-out"] button`)
	tab.Go(cs.url + "/basket")
	require.True(t, browsertest.Eval[bool](tab, `dataLayer[0].eshop.user.loggedIn`), "out of the other one only")
	require.Equal(t, cs.teaID, browsertest.Eval[string](tab, `dataLayer[0].eshop.cart.items[0].productId`))
	tab.Go(cs.url + sk.tea + "-none")
	require.Equal(t, visited, tab.Events())
}
