package storefront

import (
	"html"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCustomersSeeTheirOwnOrders, newest first, by pages, and nobody else's.
func TestCustomersSeeTheirOwnOrders(t *testing.T) { onBoth(t, customersSeeTheirOwnOrders) }

func customersSeeTheirOwnOrders(t *testing.T, w *world) {
	product := w.product("TEA", "100.00", nil)
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	b := w.visitor()
	w.leads(b.Page("/account/orders"), 303, "/account/sign-in?to=/account/orders")
	b.JSON("GET", "/account/orders", nil).Is(401, "unauthenticated")
	b.registered("jana@example.cz", nil)
	require.Empty(t, b.JSON("GET", "/account/orders", nil).Is(200).At("items"))
	require.Contains(t, w.shown(b.Page("/account/orders"), 200).Text, "Zatím tu žádná objednávka není")

	order := func(b *browser) string {
		w.Clock.Pass(time.Minute)
		b.add(product, 2)
		return b.checkout().Get("orderId")
	}
	b.add(product, 1)
	b.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Is(200)
	ids := []string{order(b)}
	for range 12 {
		ids = append([]string{order(b)}, ids...)
	}
	first, newest := ids[12], "/account/orders/"+ids[0]
	w.addon(tea, "PATCH", "/api-engine/orders/"+first+"/order-delivery-payment",
		object{"trackingNumber": "DR1", "trackingLink": "https://tracking.example/DR1"})
	page := b.JSON("GET", "/account/orders", nil).Is(200)
	found := func() (all []string) {
		for i := range page.At("items").([]any) {
			all = append(all, page.Get("items."+strconv.Itoa(i)+".id"))
		}
		return all
	}
	require.Equal(t, ids[:10], found(), "whichever has changed last")
	require.ElementsMatch(t, []string{"id", "number", "created", "state", "currency", "total", "discount", "coupons",
		"items", "orderDeliveryPayment"}, names(page.At("items.0").(object)))
	page = b.JSON("GET", "/account/orders?cursor="+page.Get("nextCursor"), nil).Is(200)
	require.Equal(t, ids[10:], found())
	require.NotContains(t, names(page.Body), "nextCursor")
	b.JSON("GET", "/account/orders?cursor=x", nil).Is(422, "bad_cursor")

	list := w.shown(b.Page("/account/orders"), 200).Text
	require.Contains(t, list, `href="`+newest+`"`)
	require.Contains(t, list, `href="/account/orders?after=`+ids[9]+`" rel="next"`)
	list = w.shown(b.Page("/account/orders?after="+ids[9]), 200).Text
	require.NotContains(t, list, newest)
	require.Contains(t, list, `href="/account/orders/`+first+`"`)
	require.NotContains(t, list, `rel="next"`)

	one := b.JSON("GET", "/account/orders/"+first, nil).Is(200)
	require.Equal(t, []string{"270.00", "30.00", "TEN", "Product TEA", "Nová", "DR1"},
		[]string{one.Get("total"), one.Get("discount"), one.Get("coupons.0.code"), one.Get("items.0.name"),
			one.Get("state"), one.Get("orderDeliveryPayment.trackingNumber")})
	require.EqualValues(t, 3, one.At("items.0.quantity"))
	w.Clock.Pass(25 * time.Hour)
	shown := w.shown(b.Page("/account/orders/"+first), 200)
	for _, text := range []string{one.Get("number"), "Dlouhá 12", "270\u00a0Kč",
		`href="https://tracking.example/DR1">DR1<`} {
		require.Contains(t, shown.Text, text)
	}
	require.Nil(t, w.state(shown).Told.Order, "it is told once, by the page that confirms it")

	other := w.visitor()
	w.leads(other.Page(newest), 303, "/account/sign-in?to="+newest)
	other.JSON("GET", newest, nil).Is(401, "unauthenticated")
	guest := order(other)
	other.registered("eva@example.cz", nil)
	require.Empty(t, other.JSON("GET", "/account/orders", nil).Is(200).At("items"))
	for _, id := range []string{ids[0], guest, noID, "x"} {
		other.JSON("GET", "/account/orders/"+id, nil).Is(404, "not_found")
		w.shown(other.Page("/account/orders/"+id), 404)
	}
	abroad := w.visitorOf(toys)
	abroad.registered("jana@example.cz", nil)
	abroad.JSON("GET", newest, nil).Is(404, "not_found")
}

// TestAnOrderShowsItsProductsPictures as the basket does; a line whose product is gone has none.
func TestAnOrderShowsItsProductsPictures(t *testing.T) {
	w := open(t)
	of := func(name string) object {
		return object{"images": []any{object{"url": "https://cdn.example/" + name}}}
	}
	tee, mug := w.product("TEA", "100.00", of("tea.jpg")), w.product("MUG", "50.00", of("mug.jpg"))
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	b.add(tee, 1)
	b.add(mug, 1)
	basket := b.Page("/basket").Text
	ordered := b.checkout()
	for _, path := range []string{b.confirmation(ordered), "/account/orders/" + ordered.Get("orderId")} {
		for _, picture := range []string{"tea.jpg", "mug.jpg"} {
			require.Contains(t, basket, `src="https://cdn.example/`+picture)
			require.Contains(t, w.shown(b.Page(path), 200).Text, `src="https://cdn.example/`+picture, path)
		}
	}
	w.addon(tea, "DELETE", "/api-engine/products/"+mug, nil)
	for _, path := range []string{b.confirmation(ordered), "/account/orders/" + ordered.Get("orderId")} {
		page := w.shown(b.Page(path), 200).Text
		require.Contains(t, page, "tea.jpg")
		require.Contains(t, page, "Product MUG")
		require.NotContains(t, page, "mug.jpg")
	}
}

// TestBuyingAgainNeedsNoTyping: the form of who is signed in says what the account says, else what the last order said.
func TestBuyingAgainNeedsNoTyping(t *testing.T) {
	w := open(t)
	product := w.product("TEA", "100.00", nil)
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	form := func(b *browser) string {
		b.add(product, 1)
		return html.UnescapeString(w.shown(b.Page("/checkout"), 200).Text)
	}
	for _, value := range []string{"+420 601 123 456", "Dlouhá 12"} {
		require.NotContains(t, form(b), value)
	}
	first := buyer()
	first["deliveryAddress"] = object{"firstName": "Eva", "street": "Krátká 1", "city": "Zlín", "zip": "760 01",
		"country": "SK"}
	first["billingAddress"].(object)["company"] = "Novák a syn"
	b.JSON("POST", "/checkout", first).Is(201)
	again := form(b)
	for _, value := range []string{"+420 601 123 456", "Dlouhá 12", "Brno", "602 00", "Novák a syn", "Eva", "Krátká 1",
		"Zlín", "760 01"} {
		require.Contains(t, again, `value="`+value+`"`)
	}
	require.Contains(t, again, `<option value="SK" selected`)
	require.Equal(t, 2, strings.Count(again, "<details open"), "what is filled is not folded")

	b.JSON("PATCH", "/account", object{"phone": "+420 777 000 111",
		"billingAddress": object{"street": "Nová 3", "city": "Praha", "zip": "", "country": "CZ"}}).Is(200)
	own := form(b)
	for _, value := range []string{"+420 777 000 111", "Nová 3", "Praha"} {
		require.Contains(t, own, `value="`+value+`"`)
	}
	for _, value := range []string{"+420 601 123 456", "Dlouhá 12", "602 00"} {
		require.NotContains(t, own, `value="`+value, "the account says it all")
	}
	other := w.visitor()
	other.registered("eva@example.cz", nil)
	require.NotContains(t, form(other), "Krátká 1", "of somebody else")
	require.NotContains(t, form(w.visitor()), "Krátká 1", "of nobody")
}
