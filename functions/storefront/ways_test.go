package storefront

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/paycode"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// settle gives a shop a delivery that is picked up, one that is brought, and a payment to this account.
func (w *world) settle(domain, account string) {
	w.T.Helper()
	ways := shop.Ways{
		Delivery: shop.WayList{{Key: "b", WayFields: shop.WayFields{Name: "Brought", On: true}},
			{Key: "p", WayFields: shop.WayFields{Name: "Picked up", On: true, Pickup: true, Note: "Údolní 12"}}},
		Payment: shop.WayList{{Key: "a", WayFields: shop.WayFields{Name: "To the account", On: true,
			IBAN: field.Line(account), Note: "Thanks for {number}"}}}}
	w.offer(domain, ways)
}

// offer gives a shop these ways.
func (w *world) offer(domain string, ways shop.Ways) {
	w.T.Helper()
	_, err := w.P.Main.Write(w.T.Context(), events.Nothing, store.Put(store.Item{Key: shop.FaceKey(w.shops[domain]),
		Version: "1", Doc: record.Document(shop.Face{Ways: ways})}))
	require.NoError(w.T, err)
	w.Clock.Pass(time.Minute) // the shop is remembered for half of it
}

func TestAnOrderThatIsPaidToAnAccountShowsItsCode(t *testing.T) { onBoth(t, ordersToAccounts) }

func ordersToAccounts(t *testing.T, w *world) {
	for _, c := range []struct{ domain, price, iban, account, sum, amount, currency string }{
		{tea, "480.50", "CZ6508000000192000145399", "19-2000145399/0800", "961.00", "961\u00a0Kč", "CZK"},
		{toys, "12.05", "SK3112000000198742637541", "SK31 1200 0000 1987 4263 7541", "24.10", "24,10\u00a0€", "EUR"},
	} {
		w.settle(c.domain, c.iban)
		bear, gift := w.productOf(c.domain, "BEAR", c.price, nil), w.productOf(c.domain, "GIFT", "0.00", nil)
		b := w.visitorOf(c.domain)
		b.registered("jana@example.cz", nil)
		order := func(product, payment string) (confirmation, own, number string) {
			b.add(product, 2)
			body := buyer()
			body["payment"] = payment
			confirmation = b.confirmation(b.JSON("POST", "/checkout", body).Is(201))
			last := b.JSON("GET", "/account/orders", nil)
			return confirmation, "/account/orders/" + last.Get("items.0.id"), last.Get("items.0.number")
		}
		at, own, number := order(bear, "To the account")
		text, err := paycode.Transfer{IBAN: c.iban, Name: "Shop <" + c.domain + ">", Amount: c.sum,
			Currency: c.currency, Symbol: number}.Text()
		require.NoError(t, err)
		code, _, err := paycode.Draw(text)
		require.NoError(t, err)
		for _, path := range []string{at, own} {
			page := w.shown(b.Page(path), 200).Text
			for _, part := range []string{`<path d="` + code + `"/>`, "<dd>" + c.account + "</dd>",
				"<dd>" + c.amount + "</dd>", "<dd>" + number + "</dd>", "Thanks for " + number} {
				require.Contains(t, page, part)
			}
		}
		require.NotContains(t, b.JSON("GET", own, nil).Is(200).Text, c.iban)

		free, _, _ := order(gift, "To the account")
		require.NotContains(t, w.shown(b.Page(free), 200).Text, `class="transfer"`, "there is nothing to pay")
		other, _, _ := order(bear, "Otherwise")
		require.NotContains(t, w.shown(b.Page(other), 200).Text, "data-payment")
		w.Clock.Pass(25 * time.Hour)
		require.NotContains(t, w.shown(b.Page(at), 200).Text, `class="transfer"`)
	}
}

func TestAnOrderThatIsPickedUpNeedsNoStreet(t *testing.T) { onBoth(t, pickedUp) }

func pickedUp(t *testing.T, w *world) {
	bear := w.product("BEAR", "10.00", nil)
	const form = "/checkout"
	without := func(more ...string) []string {
		values := buyerForm()
		for i := 0; i < len(values); i += 2 {
			if values[i] == "billingAddress.street" {
				values[i+1] = ""
			}
		}
		return append(values, more...)
	}
	b := w.visitor()
	b.add(bear, 1)
	page := w.shown(b.Page(form), 200).Text
	require.Regexp(t, `id="billingAddress-street"[^>]* aria-describedby="billingAddress-street-hint"`, page)
	require.NotRegexp(t, `id="billingAddress-street"[^>]* required`, page, "a new shop has a pick-up")
	for _, delivery := range []string{"", "Doručení na adresu", "Unknown"} {
		refused := w.shown(b.Form(form, without("delivery", delivery)...), 422).Text
		require.Contains(t, refused, `id="billingAddress-street-fault" data-code="required"`)
	}
	for range 9 { // forms that are refused count as no tries
		w.shown(b.Form(form, without()...), 422)
	}
	made := b.Form(form, without("delivery", "Osobní odběr")...)
	require.Equal(t, 303, made.Status, made.Text)
	order := w.addon(tea, "GET", "/api-engine/orders", nil).At("items.0").(object)
	require.Equal(t, "", order["billingAddress"].(object)["street"])
	require.Equal(t, "Brno", order["billingAddress"].(object)["city"])
	page = w.shown(b.Page(made.Header.Get("Location")), 200).Text
	require.Contains(t, page, "<address>Jana Nováková<br>602 00 Brno<br>")

	// Another address is a whole one or none.
	b.add(bear, 1)
	elsewhere := without("delivery", "Osobní odběr", "deliveryAddress.city", "Praha", "deliveryAddress.zip", "1",
		"deliveryAddress.country", "CZ")
	require.Contains(t, w.shown(b.Form(form, elsewhere...), 422).Text, `id="deliveryAddress-street-fault"`)

	// A shop of which nothing is picked up has a field that must be filled in, and one without ways offers none.
	w.offer(tea, shop.Ways{Delivery: shop.WayList{}, Payment: shop.WayList{}})
	page = w.shown(b.Page(form), 200).Text
	require.Regexp(t, `id="billingAddress-street"[^>]* required`, page)
	require.NotContains(t, page, "billingAddress-street-hint")
	require.NotContains(t, page, `name="delivery"`)
	require.NotContains(t, page, `name="payment"`)
	w.shown(b.Form(form, without("delivery", "Osobní odběr")...), 422)
}
