package admin

import (
	"crypto/rand"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"eshop/shared/base/id"
	"eshop/shared/host/hosttest"
	"eshop/shared/sale"
)

// phoneOrder is the form of a new order as a browser without scripts fills and sends it.
type phoneOrder struct {
	b      *hosttest.Browser
	page   hosttest.Answer
	fields []string // names and values, in the order of the page
}

// orderFormOf reads the form of a page.
func orderFormOf(b *hosttest.Browser, a hosttest.Answer) *phoneOrder {
	a.T.Helper()
	f := &phoneOrder{b: b, page: a}
	at, err := html.Parse(strings.NewReader(a.Text))
	require.NoError(a.T, err)
	for n := range at.Descendants() {
		inForm := slices.ContainsFunc(slices.Collect(n.Ancestors()), func(up *html.Node) bool {
			return up.Data == "form" && attribute(up, "action") == "/admin/orders"
		})
		if name := attribute(n, "name"); inForm && name != "" {
			switch {
			case n.Data == "textarea":
				text := ""
				if n.FirstChild != nil {
					text = n.FirstChild.Data
				}
				f.fields = append(f.fields, name, text)
			case n.Data == "select":
				for o := range n.Descendants() {
					if o.Data == "option" && (has(o, "selected") || !slices.Contains(f.fields, name)) {
						f.set(name, attribute(o, "value"))
					}
				}
			case n.Data == "input" && (attribute(n, "type") != "checkbox" || has(n, "checked")):
				f.fields = append(f.fields, name, attribute(n, "value"))
			}
		}
	}
	return f
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// set types values into fields.
func (f *phoneOrder) set(fields ...string) *phoneOrder {
	for i := 0; i < len(fields); i += 2 {
		if at := slices.Index(f.fields, fields[i]); at >= 0 {
			f.fields[at+1] = fields[i+1]
		} else {
			f.fields = append(f.fields, fields[i], fields[i+1])
		}
	}
	return f
}

// value is what a field shows.
func (f *phoneOrder) value(name string) string {
	if at := slices.Index(f.fields, name); at >= 0 {
		return f.fields[at+1]
	}
	return ""
}

// found are the ids of what a search within the form has found.
func (f *phoneOrder) found() (all []string) {
	for _, m := range regexp.MustCompile(`<li data-id="([^"]*)"`).FindAllStringSubmatch(f.page.Text, -1) {
		all = append(all, m[1])
	}
	return all
}

// press presses a button that asks for something within the form.
func (f *phoneOrder) press(button ...string) *phoneOrder {
	f.page.T.Helper()
	return orderFormOf(f.b, f.b.Form(newOrderPath, append(slices.Clone(f.fields), button...)...).Shown(200))
}

// send sends the form.
func (f *phoneOrder) send() hosttest.Answer { return f.b.Form(ordersPath, f.fields...) }

// TestAnOrderIsMadeByPhone, by somebody whose browser has no scripts: what is filled in stays through each search.
func TestAnOrderIsMadeByPhone(t *testing.T) { onBoth(t, orderByPhone) }

func orderByPhone(t *testing.T, w *world) {
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "MUG", "name": "Hrnek <b>",
		"priceLevels": []object{{"level": "default", "price": "100.00"}, {"level": "vip", "price": "80.00"}},
		"variants": []object{{"code": "MUG-S", "name": "malý", "stock": object{"quantity": 3}},
			{"code": "MUG-X", "name": "skrytý", "active": false}}})
	small := product.Body["variants"].([]any)[0].(object)["id"].(string)
	jana := w.addon(tea, "POST", "/api-engine/customers", object{"email": "j@example.cz", "firstName": "Jana",
		"lastName": "Nová", "phone": "+420 601 123 456", "priceLevel": "vip", "company": "Nová s.r.o.",
		"billingAddress": object{"street": "Dlouhá 1", "city": "Brno", "zip": "602 00", "country": "SK"}}).ID()
	w.Index()
	require.Contains(t, b.Page("/admin/orders").Shown(200).Text, `href="/admin/orders/new"`)
	require.Contains(t, b.Page("/admin/orders?customerId="+jana).Shown(200).Text,
		`href="/admin/orders/new?customerId=`+jana)
	writes := w.Main.Writes()

	f := orderFormOf(b, b.Page(newOrderPath).Shown(200))
	f = f.set("note", "call\nfirst", "_customer", "601123456", "_goods", "hrnek").press()
	require.Equal(t, []string{jana, small}, f.found(), "of both searches, and nothing that is not sold")
	require.Contains(t, f.page.Text, "<strong>100\u00a0Kč")
	f = f.press("_pick", jana)
	require.Equal(t, []string{jana, "j@example.cz", "+420 601 123 456", "Jana", "Nová s.r.o.", "Dlouhá 1", "SK", ""},
		[]string{f.value("customerId"), f.value("email"), f.value("phone"), f.value("billingAddress.firstName"),
			f.value("billingAddress.company"), f.value("billingAddress.street"), f.value("billingAddress.country"),
			f.value("deliveryAddress.street")})
	require.Equal(t, "hrnek", f.value("_goods"))
	require.Contains(t, f.page.Text, "<strong>80\u00a0Kč", "the price of her level")
	f = f.press("_add", product.ID()+"."+small).press("_add", product.ID()+"."+small)
	require.Equal(t, []string{"2", ""}, []string{f.value("items.0.quantity"), f.value("_goods")})
	f = f.press("_add", product.ID()+"."+noID).press("_remove", "1")
	require.Empty(t, f.value("items.1.productId"))
	require.Contains(t, f.page.Text, "<strong>160\u00a0Kč")
	require.Equal(t, "call\nfirst", f.value("note"))
	require.Equal(t, writes, w.Main.Writes(), "nothing is written before the order")

	w.Main.NewChanges()
	first := f.send().Is(303).Header.Get("Location")
	f.send().Leads(303, first)
	require.Equal(t, []string{"orders created", "products changed"}, w.hears(), "twice is once")
	require.Contains(t, b.Page(first).Shown(200).Text, "Objednávka je vytvořená")
	o := w.order(tea, strings.TrimPrefix(first, "/admin/orders/"))
	require.Equal(t, []any{jana, "j@example.cz", "call\nfirst", "160.00"},
		[]any{o["customerId"], o["email"], o["note"], o["totals"].(object)["total"]})
	require.Equal(t, "Doručení na adresu", o["orderDeliveryPayment"].(object)["delivery"])
	require.Equal(t, "Bankovním převodem", o["orderDeliveryPayment"].(object)["payment"])
	require.NotContains(t, o, "deliveryAddress")
	require.Contains(t, b.Page(first).Text, "<small>Ada", "the history says who made it")
	second := f.set("items.0.quantity", "1").send().Is(303).Header.Get("Location")
	require.NotEqual(t, first, second, "another order is another one")

	f = f.press("_nobody", "true")
	require.Equal(t, []string{"", "", "1"},
		[]string{f.value("customerId"), f.value("email"), f.value("items.0.quantity")})
}

// TestACustomerOfAnOrderIsKept: by the e-mail, once.
func TestACustomerOfAnOrderIsKept(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	product := w.sells(tea, "T", "10.00")
	f := orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", product)
	f.set("email", "eva@example.cz")
	writes := w.Main.Writes()
	a := f.send().Shown(422)
	require.Equal(t, writes, w.Main.Writes(), "no number is drawn")
	nobody := func() { require.Empty(t, w.addon(tea, "GET", "/api-engine/customers", nil).Items()) }
	for _, name := range []string{"firstName", "lastName"} {
		require.Contains(t, a.Text, `id="billingAddress-`+name+`-fault" data-code="required"`)
	}
	f.set("billingAddress.firstName", "Eva", "billingAddress.lastName", "Malá", "billingAddress.street", "S",
		"billingAddress.city", "C", "billingAddress.zip", "1", "billingAddress.country", "CZ")
	f.set("items.0.quantity", "99").send().Shown(409)
	nobody()
	f.set("items.0.quantity", "1", "discountCoupons", "NONE").send().Shown(422)
	nobody()
	f.set("discountCoupons", "")
	first := f.send().Is(303).Header.Get("Location")
	f.send().Leads(303, first)
	eva := w.addon(tea, "GET", "/api-engine/customers?email=eva@example.cz", nil).Items()
	require.Len(t, eva, 1)
	require.Equal(t, "Malá", eva[0]["lastName"])
	require.Equal(t, eva[0]["id"], w.order(tea, strings.TrimPrefix(first, "/admin/orders/"))["customerId"])
	f = orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", product)
	f.set("email", "EVA@example.cz")
	again := f.send().Is(303).Header.Get("Location")
	require.Equal(t, eva[0]["id"], w.order(tea, strings.TrimPrefix(again, "/admin/orders/"))["customerId"])
	f = orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", product)
	f.fields = append(f.fields, "_keep", "false", "email", "ivo@example.cz")
	f.set("email", "ivo@example.cz")
	f.send().Is(303)
	require.Empty(t, w.addon(tea, "GET", "/api-engine/customers?email=ivo@example.cz", nil).Items())
}

// TestWhatIsReadByPhoneIsCharged: who is kept may be known, and buy at a level of their own. Then the form shows its
// prices before there is an order.
func TestWhatIsReadByPhoneIsCharged(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "MUG", "name": "Hrnek",
		"priceLevels": []object{{"level": "default", "price": "100.00"}, {"level": "vip", "price": "80.00"}},
		"stock":       object{"quantity": 3}}).ID()
	jana := w.addon(tea, "POST", "/api-engine/customers", object{"email": "j@example.cz", "firstName": "Jana",
		"lastName": "Nová", "priceLevel": "vip"}).ID()
	f := orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", product)
	require.Contains(t, f.page.Text, "<strong>100\u00a0Kč")
	f.fields = append(f.fields, "_keep", "true")
	f = orderFormOf(b, f.set("_keep", "true", "email", "j@example.cz", "phone", "1").send().Shown(422))
	require.Contains(t, f.page.Text, `id="email-fault" data-code="another_level"`)
	require.Contains(t, f.page.Text, "<strong>80\u00a0Kč")
	require.Equal(t, []string{jana, "1"}, []string{f.value("customerId"), f.value("phone")})
	require.Empty(t, w.addon(tea, "GET", "/api-engine/orders", nil).Items())
	o := w.order(tea, strings.TrimPrefix(f.send().Is(303).Header.Get("Location"), "/admin/orders/"))
	require.Equal(t, "80.00", o["totals"].(object)["total"])

	f = orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", product)
	f.set("email", "k@example.cz", "billingAddress.firstName", "K", "billingAddress.lastName", "N",
		"billingAddress.street", "S", "billingAddress.city", "C", "billingAddress.zip", "1")
	f.fields = append(f.fields, "_keep", "true")
	w.Main.Meanwhile(func() {
		w.addon(tea, "POST", "/api-engine/customers", object{"email": "k@example.cz", "firstName": "K",
			"lastName": "N", "priceLevel": "vip"})
	})
	require.Contains(t, f.set("_keep", "true").send().Shown(422).Text, `id="email-fault" data-code="another_level"`,
		"made while the order is")
	require.Len(t, w.addon(tea, "GET", "/api-engine/orders", nil).Items(), 1)
}

// TestTheFormOfAnOrderFindsWhatIsNearest: hidden products stand in no place of others, a code that is typed whole comes
// first, and it is told that there are more.
func TestTheFormOfAnOrderFindsWhatIsNearest(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	exact := w.sells(tea, "A1", "10.00")
	for n := range shownOfKind + 1 {
		w.sells(tea, "A1"+strconv.Itoa(n), "10.00")
		w.addon(tea, "POST", "/api-engine/customers", object{"email": strconv.Itoa(n) + "@example.cz",
			"firstName": "Eva", "lastName": "Malá"})
	}
	for n := range shownOfKind + 1 {
		hidden := w.sells(tea, "A1H"+strconv.Itoa(n), "10.00")
		w.addon(tea, "PATCH", "/api-engine/products/"+hidden, object{"active": false})
	}
	w.Index()
	f := orderFormOf(b, b.Page(newOrderPath).Shown(200)).set("_goods", "A1").press()
	require.Len(t, f.found(), shownOfKind)
	require.Equal(t, exact, f.found()[0])
	const more = "je jich víc"
	require.Contains(t, f.page.Text, more)
	require.Contains(t, f.set("_goods", "", "_customer", "eva").press().page.Text, more)
	f = f.set("_goods", "a11", "_customer", "").press()
	require.Len(t, f.found(), 1)
	require.NotContains(t, f.page.Text, more)
}

// TestAnOrderByPhoneNeedsOnlyWaysThatAreOn: without any the form asks for none, and a way that went off meanwhile is
// chosen anew by who fills it in.
func TestAnOrderByPhoneNeedsOnlyWaysThatAreOn(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	f := orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", w.sells(tea, "T", "10.00"))
	f.fields = append(f.fields, "_keep", "false")
	f.set("email", "eva@example.cz")
	b.Form("/admin/shop", "name", "Tea", "delivery.courier.on", "false").Is(303)
	f = f.press("_recount", "true")
	require.Empty(t, f.value("orderDeliveryPayment.delivery"), "nothing takes the place of what was chosen")
	require.Contains(t, f.page.Text, `name="orderDeliveryPayment.delivery" autocomplete="off" required><option value="">`)
	b.Form("/admin/shop", "name", "Tea", "delivery.pickup.on", "false", "payment.transfer.on", "false",
		"payment.onDelivery.on", "false").Is(303)
	f = f.press("_recount", "true")
	require.NotContains(t, f.page.Text, "orderDeliveryPayment")
	f.send().Is(303)
}

// TestAnOrderByPhoneIsOfTheTimeItIsMade, give or take an hour: that its form was left open, or says so, makes it
// neither older nor younger, and twice is once all the same, hours later, too.
func TestAnOrderByPhoneIsOfTheTimeItIsMade(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	f := orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", w.sells(tea, "T", "10.00"))
	f.fields = append(f.fields, "_keep", "false")
	f.set("email", "eva@example.cz")
	for _, ahead := range []time.Duration{-24 * time.Hour, -30 * time.Minute, time.Minute, 24 * time.Hour} {
		f.set("_id", id.New(w.Clock.Now().Add(ahead), rand.Reader))
		made := f.send().Is(303).Header.Get("Location")
		f.send().Leads(303, made)
		age := w.Clock.Now().Sub(id.Time(strings.TrimPrefix(made, "/admin/orders/")))
		require.True(t, 0 <= age && age < time.Hour+time.Minute, "%v: %v", ahead, age)
		for range 3 { // past full hours, and past the hour in which its form is fresh
			if w.Clock.Pass(50 * time.Minute); ahead < 0 { // no form is of the future
				f.send().Leads(303, made)
			}
		}
		if ahead == -24*time.Hour { // within a day of it, which is 25 hours by their beginnings
			w.Clock.Pass(24*time.Hour - 3*50*time.Minute - time.Second)
			f.b = w.ada(tea)
			f.send().Leads(303, made)
		}
	}
}

// TestWhatIsWrongWithAnOrderStandsAtItsField: what is typed stays, and nothing is taken.
func TestWhatIsWrongWithAnOrderStandsAtItsField(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	product, other := w.sells(tea, "T", "10.00"), w.sells(tea, "U", "10.00")
	strangers := w.addon(toys, "POST", "/api-engine/customers",
		object{"email": "j@example.cz", "firstName": "J", "lastName": "N"}).ID()
	form := func(fields ...string) *phoneOrder {
		f := orderFormOf(b, b.Page(newOrderPath).Shown(200)).press("_add", other).press("_add", product)
		f.fields = append(f.fields, "_keep", "false")
		return f.set("email", "eva@example.cz").set(fields...)
	}
	w.addon(tea, "POST", "/api-engine/discount-coupons", object{"code": "OLD", "type": "percentage", "value": "10.00",
		"validTo": "2020-01-01T00:00:00Z"})
	at := func(id, code string) string { return `id="` + id + `-fault" data-code="` + code + `"` }
	for name, c := range map[string]struct {
		f      *phoneOrder
		status int
		want   []string
		draws  int
	}{
		"no e-mail":            {form("email", ""), 422, []string{at("email", "required"), `href="#email"`}, 0},
		"a quantity of 0":      {form("items.1.quantity", "0"), 422, []string{at("items-1-quantity", "too_small")}, 0},
		"no quantity":          {form("items.1.quantity", ""), 422, []string{at("items-1-quantity", "required")}, 0},
		"a quantity of letter": {form("items.1.quantity", "x"), 422, []string{at("items-1-quantity", "wrong_type")}, 0},
		"too little in stock": {form("items.1.quantity", "11"), 409,
			[]string{at("items-1-quantity", sale.Short), "Tolik kusů skladem není", `value="11"`}, 0},
		"a coupon that is none": {form("discountCoupons", "TEN"), 422,
			[]string{at("discountCoupons", "not_found") + ">Takový kód není", `data-code="coupon_invalid"`}, 0},
		"a coupon that is over": {form("discountCoupons", "OLD"), 422,
			[]string{at("discountCoupons", "conflict") + ">Platnost kódu skončila"}, 1},
		"half an address": {form("billingAddress.firstName", "E"), 422,
			[]string{at("billingAddress-city", "required"), at("billingAddress-zip", "required")}, 0},
		// An order that is picked up needs none (contract, "Ways of delivery and payment"), so it is told by itself.
		"no street": {form("billingAddress.firstName", "E", "billingAddress.lastName", "N", "billingAddress.city", "C",
			"billingAddress.zip", "1"), 422, []string{at("billingAddress-street", "required")}, 0},
		"no lines": {orderFormOf(b, b.Page(newOrderPath).Shown(200)).set("email", "a@example.cz"), 422,
			[]string{at("_goods", "no_lines"), "Přidejte aspoň jeden produkt"}, 0},
		"a stranger": {form("customerId", strangers), 422, []string{`data-code="not_found"`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			writes := w.Main.Writes()
			a := c.f.send().Shown(c.status)
			for _, want := range c.want {
				require.Contains(t, a.Text[strings.Index(a.Text, "<main"):], want)
			}
			require.Equal(t, 1, strings.Count(a.Text, `role="alert"`))
			require.Empty(t, w.addon(tea, "GET", "/api-engine/orders", nil).Items())
			require.LessOrEqual(t, w.Main.Writes()-writes, c.draws, "nothing but a number is written, not the trail")
		})
	}
	w.T = t
	w.addon(tea, "PATCH", "/api-engine/products/"+product, object{"active": false})
	require.Contains(t, form().send().Shown(422).Text, at("items-1-quantity", "inactive"))
	f := orderFormOf(b, b.Page(newOrderPath+"?customerId="+strangers).Shown(200))
	require.Empty(t, f.value("customerId")+f.value("email"), "a stranger is nobody here")
}
