package admin

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/ports/blob/folder"

	"github.com/stretchr/testify/require"
)

// hears are what was told of what was done since it was asked last.
func (w *world) hears() (all []string) {
	for _, c := range w.Main.NewChanges() {
		for _, r := range c.Records {
			all = append(all, fmt.Sprint(r.Kind, " ", r.Did))
		}
		for _, n := range c.Notices {
			all = append(all, string(n.Event))
		}
	}
	return all
}

// sells is the id of a new product of a shop.
func (w *world) sells(domain, code, price string) string {
	w.T.Helper()
	return w.addon(domain, "POST", "/api-engine/products",
		object{"code": code, "name": "Tea <" + code + ">", "stock": object{"quantity": 10},
			"priceLevels": []object{{"level": "default", "price": price}}}).ID()
}

// ordered is the id of a new order of one product of a shop, a second after what was done before; what more says
// overrides.
func (w *world) ordered(domain, product string, more object) string {
	w.T.Helper()
	body := object{"email": "jana@example.cz", "items": []object{{"productId": product, "quantity": 2}}}
	for name, v := range more {
		body[name] = v
	}
	w.Clock.Pass(time.Second)
	return w.addon(domain, "POST", "/api-engine/orders", body).ID()
}

// stateID is the id of a shop's order state by its key.
func (w *world) stateID(domain, key string) string {
	w.T.Helper()
	a := w.addon(domain, "GET", "/api-engine/order-states", nil)
	return a.Each("id")[slices.Index(a.Each("key"), key)]
}

// order is an order as the API shows it.
func (w *world) order(domain, id string) object {
	w.T.Helper()
	return w.addon(domain, "GET", "/api-engine/orders/"+id, nil).Body
}

func TestAShopsOrdersAreListedNewestFirst(t *testing.T) { onBoth(t, listedOrders) }

func listedOrders(t *testing.T, w *world) {
	b := w.ada(tea)
	require.Contains(t, b.Page("/admin/orders").Shown(200).Text, "Zatím nepřišla žádná objednávka.")
	product := w.sells(tea, "T", "10.00")
	jana := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "j@example.cz", "firstName": "J", "lastName": "N"}).ID()
	first := w.ordered(tea, product, nil)
	between := w.Clock.Now()
	second := w.ordered(tea, product, object{"customerId": jana,
		"billingAddress": object{"firstName": "<b>Jana", "lastName": "N", "street": "S",
			"city": "B", "zip": "1", "country": "CZ"}})

	page := b.Page("/admin/orders").Shown(200)
	require.Equal(t, []string{second, first}, rowsOf(page))
	require.Contains(t, page.Text, `data-state="new"`)
	require.Contains(t, page.Text, "Nová")
	require.Contains(t, page.Text, "&lt;b&gt;Jana N")
	number := w.order(tea, first)["number"].(string)
	for query, want := range map[string][]string{
		"?number=" + number:                         {first},
		"?customerId=" + jana:                       {second},
		"?customerId=" + jana + "&number=" + number: nil,
		"?customerId=none":                          nil,
		"?order%5Bchanged%5D=asc":                   {first, second},
		"?changed%5Bafter%5D=" + url.QueryEscape(between.Add(500*time.Millisecond).UTC().
			Format(time.RFC3339Nano)): {second},
	} {
		require.Equal(t, want, rowsOf(b.Page("/admin/orders"+query).Shown(200)), query)
	}
	b.Page("/admin/orders?odd=1").Shown(422)
	require.Empty(t, rowsOf(w.ada(toys).Page("/admin/orders").Shown(200)))

	page = b.Page("/admin/orders?itemsPerPage=1").Shown(200)
	require.Equal(t, []string{second}, rowsOf(page))
	next := regexp.MustCompile(`<a href="([^"]*)" rel="next">`).FindStringSubmatch(page.Text)
	require.NotNil(t, next)
	require.Equal(t, []string{first}, rowsOf(b.Page(regexp.MustCompile(`&amp;`).ReplaceAllString(next[1], "&")).
		Shown(200)), "the next page is older")
}

var historyItem = regexp.MustCompile(`(?s)<ol class="history">.*?</ol>`)

func TestAnOrderIsMovedNotedAndShipped(t *testing.T) { onBoth(t, changedOrder) }

func changedOrder(t *testing.T, w *world) {
	b, product := w.ada(tea), w.sells(tea, "T", "1500.00")
	id := w.ordered(tea, product, object{"note": "Ring <twice>", "phone": "+420 1"})
	path := "/admin/orders/" + id
	page := b.Page(path).Shown(200)
	for _, part := range []string{`data-id="` + id + `" data-state="new"`, "Tea &lt;T&gt;", "3\u00a0000\u00a0Kč",
		"Ring &lt;twice&gt;", "jana@example.cz"} {
		require.Contains(t, page.Text, part)
	}
	w.hears()

	processing, cancelled := w.stateID(tea, "processing"), w.stateID(tea, "cancelled")
	w.Clock.Pass(time.Hour)
	page = does(b, path+"/state", "stateId", processing)
	require.Contains(t, page.Text, "Stav změněn: objednávka 2026")
	require.Contains(t, page.Text, `data-state="processing"`)
	require.Regexp(t, `(?s)Nová.*Vyřizuje se`, historyItem.FindString(page.Text),
		"the state that it was made in comes first")
	require.Equal(t, []string{"orders changed"}, w.hears())
	require.Equal(t, processing, w.order(tea, id)["stateId"])
	require.NotContains(t, w.order(tea, id), "moves", "the API does not show the history")
	b.Form(path+"/state", "stateId", processing).Leads(303, path)
	require.Empty(t, w.hears(), "done twice it tells nothing")

	does(b, path+"/note", "note", "Called back")
	require.Equal(t, []string{"orders changed"}, w.hears())
	require.Equal(t, "Called back", w.order(tea, id)["note"])
	does(b, path+"/note", "note", "")
	require.NotContains(t, w.order(tea, id), "note", "an empty field clears")
	does(b, path+"/shipment", "trackingNumber", "DR1", "trackingLink", "https://track.example/DR1")
	does(b, path+"/shipment", "trackingNumber", "")
	shipping := w.order(tea, id)["orderDeliveryPayment"].(object)
	require.Equal(t, []any{nil, "https://track.example/DR1"},
		[]any{shipping["trackingNumber"], shipping["trackingLink"]}, "a missing field stays")
	require.Len(t, w.hears(), 3)
	page = b.Page(path).Shown(200)
	require.Contains(t, page.Text, path+`/ship"`)

	wrong := b.Form(path+"/shipment", "trackingNumber", "DR2", "trackingLink", "javascript:alert(1)").Shown(422)
	require.Contains(t, wrong.Text, `data-code="bad_format"`)
	require.Contains(t, wrong.Text, `value="DR2"`, "what was typed is kept")
	require.NotContains(t, wrong.Text, `href="javascript:`)
	for _, c := range []struct{ state, code string }{{"", "required"}, {noID, "not_found"},
		{w.stateID(toys, "processing"), "not_found"}} {
		require.Contains(t, b.Form(path+"/state", "stateId", c.state).Shown(422).Text, `data-code="`+c.code+`"`, c)
	}
	b.Form(path+"/state", "stateId", processing, "note", "x").Shown(422)
	w.addon(tea, "DELETE", "/api-engine/order-states/"+w.stateID(tea, "shipped"), nil)
	deleted := w.addon(tea, "GET", "/api-engine/order-states?includeDeleted=true", nil)
	shipped := deleted.Each("id")[slices.Index(deleted.Each("key"), "shipped")]
	require.NotContains(t, b.Page(path).Shown(200).Text, `value="`+shipped+`"`, "it is not offered")
	require.Contains(t, b.Form(path+"/state", "stateId", shipped).Shown(422).Text, `data-code="state_deleted"`)
	w.hears()

	page = does(b, path+"/state", "stateId", cancelled)
	require.ElementsMatch(t, []string{"orders changed", "products changed"}, w.hears(), "its stock is back")
	require.NotContains(t, page.Text, path+`/state"`, "no order leaves a final state")
	require.Contains(t, b.Form(path+"/state", "stateId", processing).Shown(409).Text,
		`role="alert" data-code="state_final"`)

	other := w.ada(toys)
	for _, path := range []string{path, "/admin/orders/" + noID, "/admin/orders/odd"} {
		other.Page(path).Shown(404)
		other.Form(path+"/state", "stateId", w.stateID(toys, "processing")).Shown(404)
		other.Form(path+"/note", "note", "x").Shown(404)
		other.Form(path+"/shipment", "trackingNumber", "x").Shown(404)
		other.Form(path+"/ship", "stateId", w.stateID(toys, "shipped"), "trackingNumber", "x").Shown(404)
	}
	require.Empty(t, w.hears())
}

func TestAnOrderIsMarkedAsShippedByOneChange(t *testing.T) { onBoth(t, shippedOrder) }

func shippedOrder(t *testing.T, w *world) {
	b, product := w.ada(tea), w.sells(tea, "T", "10.00")
	id := w.ordered(tea, product, nil)
	path, shipped := "/admin/orders/"+id, w.stateID(tea, "shipped")
	page := b.Page(path).Shown(200)
	require.Contains(t, page.Text, `<option value="`+shipped+`" selected>Odeslána`, "that one is preselected")
	w.hears()
	for _, c := range []struct{ state, link, code string }{{"", "", "required"}, {noID, "", "not_found"},
		{w.stateID(toys, "shipped"), "", "not_found"}, {shipped, "javascript:alert(1)", "bad_format"}} {
		wrong := b.Form(path+"/ship", "stateId", c.state, "trackingNumber", "DR<1>", "trackingLink", c.link).Shown(422)
		require.Contains(t, wrong.Text, `data-code="`+c.code+`"`, c)
		require.Contains(t, wrong.Text, `id="ship-trackingNumber" name="trackingNumber" type="text" value="DR&lt;1&gt;"`,
			"what was typed is kept in its form")
		require.Contains(t, wrong.Text, `id="shipment-trackingNumber" name="trackingNumber" type="text" value=""`)
	}
	require.Empty(t, w.hears())

	send := []string{"stateId", shipped, "trackingNumber", "DR1", "trackingLink", "https://track.example/DR1"}
	page = does(b, path+"/ship", send...)
	require.Contains(t, page.Text, "Odesláno: objednávka "+w.order(tea, id)["number"].(string)+"<")
	require.NotContains(t, page.Text, path+`/ship"`, "it is shipped once")
	require.Contains(t, page.Text, "<strong>DR1</strong>")
	require.Contains(t, page.Text, `href="https://track.example/DR1"`)
	changes := w.Main.NewChanges()
	require.Len(t, changes, 1, "one change is told")
	require.Len(t, changes[0].Records, 1)
	require.Equal(t, []events.Group{events.Delivery, events.State}, changes[0].Records[0].Groups)
	over := w.order(tea, id)
	require.Equal(t, shipped, over["stateId"])
	require.Equal(t, "DR1", over["orderDeliveryPayment"].(object)["trackingNumber"])
	b.Form(path+"/ship", send...).Leads(303, path)
	require.Empty(t, w.hears(), "done twice it tells nothing")

	// A shop without the state moves its orders to the next one.
	w.addon(tea, "DELETE", "/api-engine/order-states/"+shipped, nil)
	next := b.Page("/admin/orders/" + w.ordered(tea, product, nil)).Shown(200).Text
	require.Contains(t, next, `<option value="`+w.stateID(tea, "processing")+`" selected>`)
	done := w.ordered(tea, product, object{"stateId": w.stateID(tea, "cancelled")})
	require.NotContains(t, b.Page("/admin/orders/"+done).Shown(200).Text, `/ship"`)
	b.Form("/admin/orders/"+done+"/ship", "stateId", w.stateID(tea, "delivered")).Shown(409)
}

func TestAnOrderShowsTheNotesAndPicturesOfItsQuotes(t *testing.T) {
	w := open(t, func(p *host.Parts) {
		var err error
		p.Files, err = folder.Open(t.TempDir(), folder.Options{Base: "https://files.example", Key: p.Key, Now: p.Now})
		require.NoError(t, err)
	})
	product := w.sells(tea, "DOOR", "9000.00")
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 3, 2))))
	uploaded := w.Serve(w.Form(w.tokens[tea], "/basket-price-quote-images", picture.Bytes())).Is(201)
	quote := w.addon(tea, "POST", "/basket-price-quotes",
		object{"productId": product, "unitPrice": "8123.50", "note": `oak <script>alert(1)</script>`,
			"imageIds": []string{uploaded.ID()}}).Get("quoteToken")
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "TEN", "type": "percentage", "value": "10.00"})
	shopper := w.Visitor(tea)
	shopper.JSON("POST", "/basket/items", object{"productId": product, "quantity": 1, "quoteToken": quote}).Is(201)
	shopper.JSON("POST", "/basket/coupon", object{"code": "TEN"}).Is(200)
	made := shopper.JSON("POST", "/checkout",
		object{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková", "phone": "1",
			"billingAddress": object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}}).Is(201)

	page := w.ada(tea).Page("/admin/orders/" + made.Get("orderId")).Shown(200)
	for _, part := range []string{"oak &lt;script&gt;", `src="` + uploaded.Get("url") + `" alt="Obrázek 1"`,
		"Cena na míru", "8\u00a0123,50\u00a0Kč",
		"TEN", "−812,35\u00a0Kč", "7\u00a0311,15\u00a0Kč", "<li>Dlouhá 12</li>", "<li>602 00 Brno</li>",
		"<li>Česko</li>"} {
		require.Contains(t, page.Text, part)
	}
	path := "/admin/orders/" + made.Get("orderId") + "/delivery-note"
	require.Contains(t, page.Text, `href="`+path+`"`)
	page = w.ada(tea).Page(path).Shown(200)
	for _, part := range []string{"Dodací list 2026", "Shop &lt;tea.example&gt;", "oak &lt;script&gt;", `<td data-label="Kód">DOOR</td>`,
		"<li>602 00 Brno</li>"} {
		require.Contains(t, page.Text, part)
	}
	require.NotContains(t, page.Text, "Kč", "it has no prices")
	w.ada(toys).Page(path).Shown(404)
}

func TestSeveralOrdersAreMovedAtOnce(t *testing.T) { onBoth(t, severalOrders) }

func severalOrders(t *testing.T, w *world) {
	b, product := w.ada(tea), w.sells(tea, "T", "10.00")
	first, second := w.ordered(tea, product, nil), w.ordered(tea, product, nil)
	processing := w.stateID(tea, "processing")
	final := w.ordered(tea, product, object{"stateId": w.stateID(tea, "cancelled")})
	number := w.order(tea, final)["number"].(string)
	page := b.Page("/admin/orders").Shown(200)
	require.Contains(t, page.Text, `<input type="checkbox" name="orderId" value="`+first+`"`)
	require.Contains(t, page.Text, `<a href="/admin/orders" aria-current="true">Všechny</a>`)
	require.Regexp(t, `(?s)\?stateId=`+w.stateID(tea, "new")+`".*Nová.*\?stateId=`+processing+`".*Vyřizuje se`, page.Text)
	w.hears()

	send := []string{"stateId", processing, "orderId", first, "orderId", second, "orderId", first, "orderId", final,
		"_to", "/admin/orders?stateId=x&itemsPerPage=3"}
	b.Form("/admin/orders/state", send...).Leads(303, "/admin/orders?stateId=x&itemsPerPage=3")
	page = b.Page("/admin/orders").Shown(200)
	for _, id := range []string{first, second} {
		require.Equal(t, processing, w.order(tea, id)["stateId"])
	}
	require.Contains(t, page.Text, "Změněné objednávky: 2<")
	require.Contains(t, page.Text, `role="alert">Beze změny zůstaly: `+number+" – ")
	page = b.Page("/admin/orders?itemsPerPage=9&stateId=" + processing).Shown(200)
	require.Contains(t, page.Text, `<input type="hidden" name="stateId" value="`+processing+`">`, "a search stays there")
	require.Contains(t, page.Text, `<a href="/admin/orders?itemsPerPage=9">Všechny</a>`)
	require.Contains(t, page.Text, `itemsPerPage=9&amp;stateId=`+processing+`" aria-current="true">`)
	changes := w.Main.NewChanges()
	require.Len(t, changes, 2, "each is told by itself")
	require.NotEqual(t, changes[0].Request, changes[1].Request, "its webhook has an id of its own")
	b.Form("/admin/orders/state", send...).Is(303)
	require.Empty(t, w.hears(), "done twice it tells nothing")

	theirs := w.ordered(toys, w.sells(toys, "T", "1.00"), nil)
	w.hears()
	page = does(b, "/admin/orders/state", "stateId", processing, "orderId", theirs)
	require.NotContains(t, page.Text, "notice good")
	require.Contains(t, page.Text, theirs, "what is another shop's is not there")
	for _, odd := range []string{`<b>"`, "odd", strings.Repeat("0", 10_000)} {
		b.Form("/admin/orders/state", "stateId", processing, "orderId", odd, "orderId", first).Shown(422)
	}
	require.Contains(t, does(b, "/admin/orders/state", "stateId", processing, "_to", "//evil.example").Text,
		"Nic jste nevybrali.")
	for _, state := range []string{"", noID, w.stateID(toys, "processing")} {
		b.Form("/admin/orders/state", "stateId", state, "orderId", first).Shown(422)
	}
	require.Empty(t, w.hears())
	does(b, "/admin/orders/state", "stateId", w.stateID(tea, "cancelled"), "orderId", first, "orderId", second)
	require.ElementsMatch(t, []string{"orders changed", "products changed", "orders changed", "products changed"},
		w.hears(), "the stock is back, though both put it into one product")
}

func TestAnOrdersHistorySaysWhoMovedIt(t *testing.T) { onBoth(t, whoMoved) }

func whoMoved(t *testing.T, w *world) {
	eva := w.person(tea, "eva@"+tea, "Eva <b>")
	b := w.merchant(tea)
	b.Form(signInPath, "email", "eva@"+tea, "password", password).Leads(303, "/admin")
	w.Clock.Pass(tries)
	product := w.sells(tea, "T", "10.00")
	shopper := w.Visitor(tea)
	shopper.JSON("POST", "/basket/items", object{"productId": product, "quantity": 1}).Is(201)
	id := shopper.JSON("POST", "/checkout",
		object{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková", "phone": "1",
			"billingAddress": object{"street": "S", "city": "B", "zip": "1", "country": "CZ"}}).Is(201).Get("orderId")
	path := "/admin/orders/" + id
	w.Clock.Pass(time.Second)
	does(b, path+"/state", "stateId", w.stateID(tea, "processing"))
	w.Clock.Pass(time.Second)
	w.addon(tea, "PATCH", "/api-engine/orders/"+id, object{"stateId": w.stateID(tea, "new")})
	w.Clock.Pass(time.Second)
	does(b, "/admin/orders/state", "stateId", w.stateID(tea, "processing"), "orderId", id)
	w.Clock.Pass(time.Second)
	does(b, path+"/ship", "stateId", w.stateID(tea, "shipped"))
	const order = `(?s)zákazník v e-shopu<.*%s<.*doplněk Goods<.*%s<.*%s<`
	require.Regexp(t, fmt.Sprintf(order, "Eva &lt;b&gt;", "Eva &lt;b&gt;", "Eva &lt;b&gt;"),
		historyItem.FindString(b.Page(path).Shown(200).Text))
	require.NotContains(t, fmt.Sprint(w.order(tea, id)), eva, "the API does not show it")

	ada := w.ada(tea)
	ada.Form("/admin/people/"+eva+"/delete").Leads(303, "/admin/people")
	page := ada.Page(path).Shown(200)
	require.NotContains(t, page.Text, "Eva", "the name goes with the person")
	gone := `kolega, který tu už není \(…` + eva[len(eva)-4:] + `\)`
	require.Regexp(t, fmt.Sprintf(order, gone, gone, gone), historyItem.FindString(page.Text))
}
