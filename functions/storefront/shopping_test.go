package storefront

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
)

// TestABasketIsAnsweredByEachChange is contract, "Baskets and checkout".
func TestABasketIsAnsweredByEachChange(t *testing.T) { onBoth(t, aBasketIsAnsweredByEachChange) }

func aBasketIsAnsweredByEachChange(t *testing.T, w *world) {
	shirt := w.product("SHIRT", "199.00", object{"variants": []any{
		object{"code": "RED", "name": "red", "stock": object{"quantity": 5}},
		object{"code": "BLUE", "name": "blue", "stock": object{"quantity": 5}, "priceLevels": levels("149.00")}}})
	variants := w.As(w.tokens[tea], "GET", "/api-engine/products/"+shirt, nil).Is(200)
	red, blue := variants.Get("variants.0.id"), variants.Get("variants.1.id")
	mug := w.product("MUG", "50.00", nil)
	b := w.visitor()
	require.JSONEq(t, `{"items":[],"coupons":[],"totals":{"items":"0.00","discount":"0.00","total":"0.00"},"currency":"CZK"}`,
		b.JSON("GET", "/basket", nil).Is(200).Text)
	a := b.add(shirt, 2, object{"variantId": red})
	line := a.Get("items.0.id")
	require.Equal(t, object{"id": line, "productId": shirt, "variantId": red, "code": "RED",
		"name": "Product SHIRT – red", "quantity": 2.0,
		"unitPrice": "199.00", "total": "398.00", "quoted": false, "images": []any{}}, a.At("items.0"))
	b.add(shirt, 1, object{"variantId": blue})
	a = b.add(shirt, 3, object{"variantId": red})
	require.Len(t, a.At("items"), 2, "the same variant is one line")
	require.Equal(t, "1144.00", a.Get("totals.total"))
	require.NotContains(t, b.add(mug, 1).At("items.2"), "variantId")
	require.Equal(t, 7.0, b.JSON("PATCH", "/basket/items/"+line, object{"quantity": 7}).Is(200).At("items.0.quantity"))
	require.Len(t, b.JSON("DELETE", "/basket/items/"+line, nil).Is(200).At("items"), 2)
	b.JSON("DELETE", "/basket/items/"+line, nil).Is(404, "not_found")
	b.JSON("PATCH", "/basket/items/"+line, object{"quantity": 1}).Is(404, "not_found")
	b.JSON("PATCH", "/basket/items/odd", object{"quantity": 1}).Is(404, "not_found")
	for _, method := range []string{"GET", "PUT", "POST"} {
		require.Contains(t, []int{405}, b.JSON(method, "/basket/items/"+line, nil).Status, method)
	}

	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "FIVE", "type": "amount", "value": "5.00"})
	require.Equal(t, []any{object{"code": "TEN", "discount": "19.90"}},
		b.JSON("POST", "/basket/coupon", object{"code": "ten"}).Is(200).At("coupons"))
	a = b.JSON("POST", "/basket/coupon", object{"code": "FIVE"}).Is(200)
	require.Equal(t, []any{object{"code": "FIVE", "discount": "5.00"}}, a.At("coupons"), "it replaces the one there")
	require.Equal(t, object{"items": "199.00", "discount": "5.00", "total": "194.00"}, a.At("totals"))
	b.JSON("POST", "/basket/coupon", object{"code": "NONE"}).Is(422, "coupon_invalid")
	require.Equal(t, []any{}, b.JSON("DELETE", "/basket/coupon", nil).Is(200).At("coupons"))
	b.JSON("DELETE", "/basket/coupon", nil).Is(200)
}

// TestQuantitiesAreWholeNumbersFromOne walks what somebody may send.
func TestQuantitiesAreWholeNumbersFromOne(t *testing.T) {
	w := open(t)
	product := w.product("TEA", "0.01", nil)
	b := w.visitor()
	line := b.add(product, 1).Get("items.0.id")
	for text, code := range map[string]string{"0": "too_small", "-1": "too_small", "1000001": "too_big",
		"1e30": "too_big", `"2"`: "wrong_type",
		"1.5": "wrong_type", "null": "required", "true": "wrong_type", "[1]": "wrong_type",
		"99999999999999999999": "too_big"} {
		a := b.JSON("POST", "/basket/items", `{"productId":"`+product+`","quantity":`+text+`}`).Is(422, "invalid")
		require.Equal(t, "body.quantity", a.Get("errors.0.location"), text)
		require.Equal(t, code, a.Get("errors.0.code"), text)
		require.Equal(t, code, b.JSON("PATCH", "/basket/items/"+line, `{"quantity":`+text+`}`).Is(422,
			"invalid").Get("errors.0.code"), text)
		require.NotEqual(t, 303, b.Form("/basket/items", "productId", product, "quantity", text+"x").Status, text)
	}
	b.JSON("POST", "/basket/items", object{"productId": product}).Fault("body.quantity", "required")
	b.JSON("PATCH", "/basket/items/"+line, object{}).Is(422)
	require.Equal(t, 1000.0, b.JSON("PATCH", "/basket/items/"+line, `{"quantity":1e3}`).Is(200).At("items.0.quantity"),
		"1e3 is a whole number")
	b.JSON("PATCH", "/basket/items/"+line, object{"quantity": 1_000_000}).Is(200)
	b.JSON("POST", "/basket/items", object{"productId": product, "quantity": 1}).Fault("body.quantity", "too_big")
}

// TestWhatMayNotBeSoldIsRefused: products of others, gone or inactive ones, variants.
func TestWhatMayNotBeSoldIsRefused(t *testing.T) {
	w := open(t)
	inactive := w.product("OFF", "1.00", object{"active": false})
	foreign := w.productOf(toys, "TOY", "1.00", nil)
	shirt := w.product("SHIRT", "1.00",
		object{"variants": []any{object{"code": "RED"}, object{"code": "OLD", "active": false}}})
	variants := w.As(w.tokens[tea], "GET", "/api-engine/products/"+shirt, nil)
	plain := w.product("TEA", "1.00", nil)
	b := w.visitor()
	for _, c := range []struct {
		body           object
		location, code string
	}{
		{object{"productId": noID}, "body.productId", "not_found"},
		{object{"productId": foreign}, "body.productId", "not_found"},
		{object{"productId": "odd#A"}, "body.productId", "not_found"},
		{object{"productId": ""}, "body.productId", "not_found"},
		{object{"productId": inactive}, "body.productId", "inactive"},
		{object{"productId": shirt}, "body.variantId", "required"},
		{object{"productId": shirt, "variantId": noID}, "body.variantId", "not_found"},
		{object{"productId": shirt, "variantId": variants.Get("variants.1.id")}, "body.variantId", "inactive"},
		{object{"productId": plain, "variantId": variants.Get("variants.0.id")}, "body.variantId", "not_found"},
	} {
		b.JSON("POST", "/basket/items", with(c.body, "quantity", 1)).Fault(c.location, c.code)
	}
	require.Len(t, b.add(plain, 5000).At("items"), 1, "adding is not refused for stock")
}

func TestTheNinetyFirstLineIsTooMuch(t *testing.T) {
	w := open(t)
	b := w.visitor()
	for i := range 90 {
		b.add(w.product(fmt.Sprint("P", i), "1.00", nil), 1)
	}
	last := w.product("LAST", "1.00", nil)
	b.JSON("POST", "/basket/items", object{"productId": last, "quantity": 1}).Fault("body", "too_many")
	a := w.shown(b.Form("/basket/items", "productId", last, "quantity", "1"), 422)
	require.Contains(t, a.Text, `role="alert"`)
	b.checkout()
}

// TestAQuotedLineIsOneOfItsOwn: at the quoted price, never merged, with its note, coupons on top, single use.
func TestAQuotedLineIsOneOfItsOwn(t *testing.T) { onBoth(t, aQuotedLineIsOneOfItsOwn) }

func aQuotedLineIsOneOfItsOwn(t *testing.T, w *world) {
	door, other := w.product("DOOR", "5000.00", nil), w.product("OTHER", "1.00", nil)
	b := w.visitor()
	b.add(door, 1)
	first := w.quote(door, "8123.50", object{"note": `oak <script>alert(1)</script> "2×3"`})
	a := b.add(door, 2, object{"quoteToken": first})
	require.Equal(t, []any{true, "8123.50", 2.0, `oak <script>alert(1)</script> "2×3"`},
		[]any{a.At("items.1.quoted"), a.At("items.1.unitPrice"), a.At("items.1.quantity"), a.At("items.1.note")})
	a = b.add(door, 1, object{"quoteToken": w.quote(door, "8123.50", nil)})
	require.Len(t, a.At("items"), 3)
	require.Len(t, b.add(door, 1).At("items"), 3, "the plain line alone takes more")
	w.change(door, object{"priceLevels": levels("6000.00")})
	a = b.JSON("GET", "/basket", nil)
	require.Equal(t, []any{"6000.00", "8123.50", "8123.50"},
		[]any{a.At("items.0.unitPrice"), a.At("items.1.unitPrice"), a.At("items.2.unitPrice")})
	require.Equal(t, "36370.50", a.Get("totals.total"))
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	require.Equal(t, "32733.45", b.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Get("totals.total"))

	page := b.Page("/basket").Text
	require.Contains(t, page, "oak &lt;script&gt;alert(1)&lt;/script&gt;")
	require.NotContains(t, page, "oak <script>")

	body := func(product, token string) object {
		return object{"productId": product, "quantity": 1, "quoteToken": token}
	}
	revoked := w.addon(tea, "POST", "/basket-price-quotes", object{"productId": door, "unitPrice": "1.00"})
	w.addon(tea, "DELETE", "/basket-price-quotes/"+revoked.ID(), nil)
	expired := w.quote(door, "1.00", object{"expiresIn": 60})
	theirs := w.addon(toys, "POST", "/basket-price-quotes",
		object{"productId": w.productOf(toys, "TOY", "1.00", nil), "unitPrice": "1.00"}).Get("quoteToken")
	fresh := w.quote(door, "7.00", nil)
	w.Clock.Pass(61 * time.Second)
	for _, c := range []struct {
		says           string
		product, token string
		status         int
		code           string
	}{
		{"forged", door, "A" + first[1:], 422, "quote_invalid"},
		{"odd", door, "#<>", 422, "quote_invalid"},
		{"of another product", other, fresh, 422, "quote_invalid"},
		{"of another product, used", other, first, 422, "quote_invalid"},
		{"of another shop", door, theirs, 422, "quote_invalid"},
		{"revoked", door, revoked.Get("quoteToken"), 422, "quote_invalid"},
		{"used", door, first, 409, "quote_used"},
		{"over", door, expired, 410, "quote_expired"},
	} {
		b.JSON("POST", "/basket/items", body(c.product, c.token)).Is(c.status, c.code)
		page := w.shown(b.Form("/basket/items", "productId", c.product, "quantity", "1",
			"quoteToken", c.token), c.status)
		require.Regexp(t, `role="alert"[^>]*><p>[^<]*(Nabídka|nabídk)`, page.Text, c.says)
	}
	b.JSON("POST", "/basket/items", body(door, "")).Is(422, "quote_invalid") // not the list price
	b.JSON("POST", "/basket/items", with(body(door, fresh), "unitPrice",
		"0.01")).Fault("body.unitPrice", "unknown_field")
	answers := hosttest.Together(64,
		func(int) hosttest.Answer { return w.visitor().JSON("POST", "/basket/items", body(door, fresh)) })
	require.Equal(t, map[int]int{201: 1, 409: 63}, hosttest.Statuses(answers))
	require.Equal(t, map[string]any{"id": b.JSON("GET", "/basket", nil).Get("items.0.id")}["id"], a.Get("items.0.id"))
	b.checkout()
}

// TestAQuotedLineIsSoldThoughItsQuoteIsGone, as with the access that made it.
func TestAQuotedLineIsSoldThoughItsQuoteIsGone(t *testing.T) {
	onBoth(t, aQuotedLineIsSoldThoughItsQuoteIsGone)
}

func aQuotedLineIsSoldThoughItsQuoteIsGone(t *testing.T, w *world) {
	door := w.product("DOOR", "5000.00", nil)
	b := w.visitor()
	b.add(door, 1, object{"quoteToken": w.quote(door, "8123.50", nil)})
	b.add(door, 1, object{"quoteToken": w.quote(door, "9.00", nil)})
	quotes := w.addon(tea, "GET", "/basket-price-quotes", nil).Each("id")
	require.Len(t, quotes, 2)
	_, err := w.Main.Write(t.Context(), events.Nothing, store.Delete(sale.QuoteKey(w.shops[tea], quotes[0])))
	require.NoError(t, err)
	order := w.addon(tea, "GET", "/api-engine/orders/"+b.checkout().Get("orderId"), nil)
	require.Equal(t, "8132.50", order.Get("totals.total"))
	require.Equal(t, order.ID(), w.addon(tea, "GET", "/basket-price-quotes/"+quotes[1], nil).Get("orderId"))
}

// TestACheckoutMakesTheOrder: what it takes, what it tells, who sees it.
func TestACheckoutMakesTheOrder(t *testing.T) { onBoth(t, aCheckoutMakesTheOrder) }

func aCheckoutMakesTheOrder(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", object{"stock": object{"quantity": 5}})
	b := w.visitor()
	b.add(product, 2)
	w.Main.NewChanges()
	body := buyer()
	body["deliveryAddress"] = object{"street": "Krátká 1", "city": "Zlín", "zip": "760 01",
		"country": "CZ", "firstName": "Eva"}
	body["delivery"], body["payment"], body["note"] = "Zásilkovna", "Kartou", "<b>ring</b>"
	ordered := b.JSON("POST", "/checkout", body).Is(201)
	require.ElementsMatch(t, []string{"orderId", "number", "confirmationUrl"}, names(ordered.Body))
	require.Regexp(t, `^https://tea\.example/order/[0-9A-Z]{26}[A-Za-z0-9_-]{43}$`, ordered.Get("confirmationUrl"))
	told := w.Main.NewChanges()
	require.Len(t, told, 1)
	require.ElementsMatch(t, []events.Name{events.OrderChange, events.ProductChange}, told[0].Events())
	o := w.As(w.tokens[tea], "GET", "/api-engine/orders/"+ordered.Get("orderId"), nil).Is(200)
	require.Equal(t, []any{"Jana", "Nováková", "Eva", "Nováková", "Zásilkovna", "Kartou",
		"<b>ring</b>", ordered.Get("number")},
		[]any{o.At("billingAddress.firstName"), o.At("billingAddress.lastName"), o.At("deliveryAddress.firstName"),
			o.At("deliveryAddress.lastName"),
			o.At("orderDeliveryPayment.delivery"), o.At("orderDeliveryPayment.payment"), o.At("note"), o.At("number")})
	require.Nil(t, o.At("customerId"))
	require.NotContains(t, o.Text, "confirmation")
	require.NotContains(t, o.Text, b.confirmation(ordered)[len("/order/"):])
	require.Equal(t, 3.0, w.As(w.tokens[tea], "GET", "/api-engine/products/"+product, nil).At("stock.quantity"))
	require.Empty(t, b.JSON("GET", "/basket", nil).At("items"))
	b.JSON("POST", "/checkout", buyer()).Is(409, "basket_empty")
	w.leads(b.Page("/checkout"), 303, "/basket")
	require.Empty(t, b.JSON("GET", "/checkout", nil).Is(200).At("items"))
	for _, a := range []hosttest.Answer{w.shown(b.Form("/checkout", buyerForm()...), 409),
		w.shown(b.Form("/checkout", "email", "jana@"), 422)} {
		require.Contains(t, a.Text, ">Košík je zatím prázdný</h1>")
		require.NotContains(t, a.Text, `role="alert"`, "what else is wrong does not matter")
	}

	path := b.confirmation(ordered)
	for _, who := range []*browser{b, w.visitor()} {
		page := w.shown(who.Page(path), 200)
		require.Equal(t, "same-origin", page.Header.Get("Referrer-Policy"))
		require.Equal(t, "private, no-store", page.Header.Get("Cache-Control"))
		require.Contains(t, page.Header.Get("Vary"), "Accept, Cookie")
		require.Contains(t, page.Text, ordered.Get("number"))
		require.Contains(t, page.Text, "Dlouhá 12")
		require.NotContains(t, page.Text, `rel="canonical"`)
		state := w.state(page)
		require.Equal(t, "orderConfirmed", string(state.Page.Type))
		if who != b {
			require.Nil(t, state.Told.Order, "the order is told in the browser whose basket it was")
			continue
		}
		require.Equal(t, []string{ordered.Get("orderId"), ordered.Get("number"), "CZK", "200.00", "0.00"},
			[]string{state.Told.Order.ID,
				state.Told.Order.Number, state.Told.Order.Currency, state.Told.Order.Total, state.Told.Order.Discount})
		require.Equal(t, ordered.Get("orderId"), state.Told.Ordered)
	}
	states := w.As(w.tokens[tea], "GET", "/api-engine/order-states", nil).Items()
	for _, state := range states {
		if state["key"] == "cancelled" {
			w.As(w.tokens[tea], "PATCH", "/api-engine/orders/"+ordered.Get("orderId"),
				object{"stateId": state["id"]}).Is(200)
		}
	}
	require.NotContains(t, w.shown(b.Page(path), 200).Text, "Děkujeme", "nobody is thanked for what is off")
	w.Clock.Pass(24*time.Hour - time.Second)
	require.Contains(t, b.Page(path).Text, "Dlouhá 12")
	w.Clock.Pass(time.Second)
	page := b.Page(path)
	for _, personal := range []string{"Dlouhá 12", "Krátká 1", "Eva", "Nováková", "jana@example.cz", "602 00", "Brno"} {
		require.NotContains(t, page.Text, personal)
	}
	require.Contains(t, page.Text, ordered.Get("number"))
	require.Contains(t, page.Text, "Product TEA")
	for _, odd := range []string{path + "A", path[:len(path)-43], path[:len(path)-43] + strings.Repeat("A", 43),
		"/order/" + path[len(path)-43:], "/order/x",
		"/order/", "/order", path + "/"} {
		a := w.shown(b.Page(odd), 404)
		require.Equal(t, "other", string(w.state(a).Page.Type), odd)
	}
}

func names(o object) (all []string) {
	for name := range o {
		all = append(all, name)
	}
	return all
}

// TestNothingIsTakenThatWasNotShown: prices, levels, coupons, stock, products.
func TestNothingIsTakenThatWasNotShown(t *testing.T) { onBoth(t, nothingIsTakenThatWasNotShown) }

func nothingIsTakenThatWasNotShown(t *testing.T, w *world) {
	w.unlimited(tea)
	product := w.product("TEA", "100.00", object{"stock": object{"quantity": 3}})
	other := w.product("MUG", "50.00", nil)
	b := w.visitor()
	b.add(other, 1)
	line := b.add(product, 2).Get("items.1.id")
	stock := func() any {
		return w.As(w.tokens[tea], "GET", "/api-engine/products/"+product, nil).At("stock.quantity")
	}

	w.change(product, object{"priceLevels": levels("120.00")})
	a := b.JSON("POST", "/checkout", buyer()).Is(409, "prices_changed")
	require.Equal(t, "290.00", a.Get("basket.totals.total"))
	w.change(product, object{"priceLevels": levels("130.00")})
	page := w.shown(b.Form("/checkout", buyerForm()...), 409)
	require.Contains(t, page.Text, "310"+nbsp+"Kč")
	require.Contains(t, page.Text, `value="Dlouhá 12"`, "what was typed is kept")
	require.Contains(t, page.Text, `role="alert"`)
	require.Equal(t, "checkout", string(w.state(page).Page.Type))
	require.Equal(t, "310.00", w.state(page).Basket.Totals.Total)

	b.JSON("PATCH", "/basket/items/"+line, object{"quantity": 4}).Is(200)
	short := b.JSON("POST", "/checkout", buyer()).Is(409, "insufficient_stock")
	require.Equal(t, 3.0, short.At("available"))
	page = w.shown(b.Form("/checkout", buyerForm()...), 409)
	require.Contains(t, page.Text, `role="alert"`)
	require.Regexp(t, `Product TEA</p>.*<p class="fault">Tolik kusů`, page.Text, "beside the line")
	require.Equal(t, 1, strings.Count(page.Text, `<p class="fault">`))
	b.JSON("PATCH", "/basket/items/"+line, object{"quantity": 3}).Is(200)

	w.change(product, object{"active": false})
	b.JSON("POST", "/checkout", buyer()).Fault("body.items[1].productId", "inactive")
	page = w.shown(b.Form("/checkout", buyerForm()...), 422)
	require.Equal(t, 1, strings.Count(page.Text, `<p class="fault">`))
	require.Regexp(t, `Product TEA</p>.*<p class="fault">To se teď neprodává</p>`, page.Text)
	w.shown(b.Page("/basket"), 200)
	w.change(product, object{"active": true})

	code := w.addon(tea, "POST", "/api-engine/discount-coupons",
		object{"code": "ONE", "type": "amount", "value": "1.00", "usageLimit": 1}).ID()
	b.JSON("POST", "/basket/coupon", object{"code": "ONE"}).Is(200)
	w.addon(tea, "PATCH", "/api-engine/discount-coupons/"+code, object{"active": false})
	b.JSON("POST", "/checkout", buyer()).Is(422, "coupon_invalid")
	w.shown(b.Form("/checkout", buyerForm()...), 422)
	require.Equal(t, 3.0, stock(), "nothing was taken")
	b.JSON("DELETE", "/basket/coupon", nil).Is(200)
	b.Form("/checkout", buyerForm()...).Is(303)
	require.Equal(t, 0.0, stock())
	gone := w.visitor()
	gone.add(product, 1)
	w.addon(tea, "DELETE", "/api-engine/products/"+product, nil)
	gone.JSON("POST", "/checkout", buyer()).Fault("body.items[0].productId", "not_found")
	w.shown(gone.Page("/basket"), 200)
	w.shown(gone.Page("/checkout"), 200)
}

func TestManyCheckoutsOfABasketMakeOneOrder(t *testing.T) {
	onBoth(t, manyCheckoutsOfABasketMakeOneOrder)
}

func manyCheckoutsOfABasketMakeOneOrder(t *testing.T, w *world) {
	w.unlimited(tea)
	product := w.product("TEA", "100.00", nil)
	b := w.visitor()
	b.add(product, 1)
	answers := hosttest.Together(64, func(int) hosttest.Answer {
		return w.Serve(b.Request("POST", "/checkout", hosttest.JSONType, checkoutJSON))
	})
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: 63}, hosttest.Statuses(answers))
	require.Len(t, w.As(w.tokens[tea], "GET", "/api-engine/orders", nil).Items(), 1)
	require.Equal(t, 999.0, w.As(w.tokens[tea], "GET", "/api-engine/products/"+product, nil).At("stock.quantity"))
}

const checkoutJSON = `{"email":"jana@example.cz","firstName":"Jana","lastName":"Nováková","phone":"1",
	"billingAddress":{"street":"Dlouhá 12","city":"Brno","zip":"602 00","country":"CZ"}}`

// TestAnybodyIsSoldToAtTheirLevel: from the moment on at which they have signed in.
func TestAnybodyIsSoldToAtTheirLevel(t *testing.T) { onBoth(t, anybodyIsSoldToAtTheirLevel) }

func anybodyIsSoldToAtTheirLevel(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", object{"priceLevels": []any{object{"level": "default", "price": "100.00"},
		object{"level": "wholesale", "price": "70.00"}}})
	plain := w.product("MUG", "50.00", nil)
	b := w.visitor()
	me := b.registered("jana@example.cz", nil).ID()
	b.JSON("POST", "/account/sign-out", nil).Is(204)
	w.addon(tea, "PATCH", "/api-engine/customers/"+me, object{"priceLevel": "wholesale"})
	b.add(product, 1)
	b.add(plain, 1)
	b.JSON("POST", "/account/sign-in", object{"email": "jana@example.cz", "password": password}).Is(200)
	b.JSON("POST", "/checkout", buyer()).Is(409, "prices_changed")
	require.Equal(t, "120.00", b.JSON("GET", "/basket", nil).Get("totals.total"), "signing in keeps the basket")
	page := b.Page("/product-tea")
	require.Contains(t, page.Text, "70"+nbsp+"Kč")
	require.Equal(t, "70.00", w.state(page).Page.Product.Price)
	order := b.checkout().Get("orderId")
	require.Equal(t, me, w.As(w.tokens[tea], "GET", "/api-engine/orders/"+order, nil).Get("customerId"))
	b.JSON("POST", "/account/sign-out", nil).Is(204)
	require.Equal(t, "100.00", w.state(b.Page("/product-tea")).Page.Product.Price)
}

// TestTwoShopsNeverMix: what is of one shop is nothing in the other, whoever asks.
func TestTwoShopsNeverMix(t *testing.T) { onBoth(t, twoShopsNeverMix) }

func twoShopsNeverMix(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	w.productOf(toys, "TOY", "9.00", nil)
	w.addon(tea, "POST", "/api-engine/custom-codes", object{"name": "c", "position": "head", "code": "<!-- of tea -->"})
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	b.add(product, 1)
	path := b.confirmation(b.checkout())
	b.add(product, 1)

	thief := w.visitorOf(toys)
	for name, value := range b.Cookies { // the same cookies
		thief.Cookies[name] = value
	}
	w.shown(thief.Page(path), 404)
	require.Empty(t, thief.JSON("GET", "/basket", nil).At("items"))
	require.NotEqual(t, b.Cookies["basket"], thief.Cookies["basket"])
	thief.JSON("GET", "/account", nil).Is(401, "unauthenticated")
	thief.JSON("POST", "/account/sign-in",
		object{"email": "jana@example.cz", "password": password}).Is(401, "sign_in_failed")
	thief.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Is(422, "coupon_invalid")
	w.shown(thief.Page("/product-tea"), 404)
	home := w.shown(thief.Page("/"), 200)
	require.NotContains(t, home.Text, "of tea")
	require.NotContains(t, home.Text, "Product TEA")
	require.Contains(t, home.Text, `<html lang="sk"`)
	require.Contains(t, b.Page("/").Text, "<!-- of tea -->")
	require.NotContains(t, thief.Ask("GET", "/sitemap.xml?part=0.", "", "").Text, "product-tea")
	thief.registered("jana@example.cz", nil)
	line := b.JSON("GET", "/basket", nil).Get("items.0.id")
	thief.JSON("PATCH", "/basket/items/"+line, object{"quantity": 1}).Is(404, "not_found")
	other := w.visitor()
	other.JSON("DELETE", "/basket/items/"+line, nil).Is(404, "not_found")
}

// TestAShopIsFoundByItsHost: in any case and with any port; nobody's host is nobody's.
func TestAShopIsFoundByItsHost(t *testing.T) {
	w := open(t)
	for host, lang := range map[string]string{"tea.example": "cs", "TEA.Example:8443": "cs",
		"tea.example:80": "cs", "toys.example": "sk"} {
		require.Contains(t, w.shown(w.visitorOf(host).Page("/"), 200).Text, `<html lang="`+lang+`"`, host)
	}
	for _, host := range []string{"nobody.example", "sub.tea.example", "tea.example.", "127.0.0.1.example"} {
		b := w.visitorOf(host)
		for _, path := range []string{"/", "/basket", "/account", "/order/x", "/a/b"} {
			a := w.shown(b.Page(path), 404)
			require.Contains(t, a.Text, `<html lang="en"`, path)
			require.Empty(t, a.Header["Set-Cookie"])
			require.Equal(t, "no-store", a.Header.Get("Cache-Control"))
		}
		b.JSON("GET", "/basket", nil).Is(404, "not_found")
		b.JSON("POST", "/basket/items", object{}).Is(404, "not_found")
		w.shown(b.Form("/basket/items", "productId", "x"), 404)
		b.JSON("GET", "/robots.txt", nil).Is(404, "not_found")
		b.JSON("GET", "/sitemap.xml", nil).Is(404, "not_found")
	}
}

func TestOneVariantIsChosenBeforehand(t *testing.T) {
	w := open(t)
	id := w.product("SHIRT", "199.00", object{"variants": []any{
		object{"code": "S"}, object{"code": "M", "stock": object{"quantity": 5}},
		object{"code": "L", "stock": object{"quantity": 5}}, object{"code": "XL", "stock": object{"quantity": 5}}}})
	is := w.As(w.tokens[tea], "GET", "/api-engine/products/"+id, nil).Is(200)
	text := w.visitor().Page("/product-shirt").Shown(200).Text
	chosen := regexp.MustCompile(`name="variantId" value="([^"]*)" required checked`).FindAllStringSubmatch(text, -1)
	require.Len(t, chosen, 1)
	require.Equal(t, is.Get("variants.1.id"), chosen[0][1], "the first one in stock")
}
