package orders

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
)

func TestATrackingNumberNeedsItsPermission(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 9)
	made := w.order(of(line(tea.ID(), 1)))
	tracking := pathOf(made.ID(), "/order-delivery-payment")
	require.Equal(t, "orders:write", w.Next(reader, "PATCH", tracking, "{}").
		Is(403, "insufficient_permission").Body["permission"])
	brief := w.Next(writer, "PATCH", tracking, `{"trackingNumber":"1"}`).Is(200)
	require.Equal(t, made.ID(), brief.Body["id"], "the order's")
	require.Len(t, brief.Body, 2)
	w.Next(stranger, "PATCH", tracking, "{}").Is(404, "not_found")
}

func TestWhatAnOrderMustNotSay(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 9).ID()
	off := w.product("OFF", "10.00", 9, object{"active": false}).ID()
	cup := w.product("CUP", "10.00", 0, object{"variants": []object{variant("CUP-W", "", 5),
		with(variant("CUP-B", "", 5), "active", false)}})
	white, black := cup.At("variants.0.id").(string), cup.At("variants.1.id").(string)
	gone := w.product("GONE", "10.00", 9).ID()
	w.do("DELETE", "/api-engine/products/"+gone, nil).Is(204)
	foreign := w.Next(stranger, "POST", "/api-engine/products",
		object{"code": "F", "name": "F", "priceLevels": levels("1.00")}).Is(201).ID()
	customer := w.do("POST", "/api-engine/customers",
		object{"email": "a@b.cz", "firstName": "J", "lastName": "N"}).Is(201).ID()
	w.do("DELETE", "/api-engine/customers/"+customer, nil).Is(204)
	address := object{"firstName": "J", "lastName": "N", "street": "S", "city": "B", "zip": "1", "country": "CZ"}
	many := make([]object, 91)
	for i := range many {
		many[i] = line(tea, 1)
	}
	for name, c := range map[string]struct {
		body     object
		at, code string
	}{
		"no e-mail":         {object{"items": []object{line(tea, 1)}}, "body.email", "required"},
		"no lines":          {of(), "body.items", "required"},
		"91 lines":          {of(many...), "body.items", "too_many"},
		"none of something": {of(line(tea, 0)), "body.items[0].quantity", "too_small"},
		"half of something": {of(with(line(tea, 1), "quantity", 1.5)), "body.items[0].quantity",
			"wrong_type"},
		"more than money can be":     {of(line(tea, 999_999_999_999)), "body.items[0].quantity", "too_big"},
		"an unknown product":         {of(line(tea, 1), line(nothing, 1)), "body.items[1].productId", "not_found"},
		"what is no id":              {of(line("S#x", 1)), "body.items[0].productId", "not_found"},
		"a deleted product":          {of(line(gone, 1)), "body.items[0].productId", "not_found"},
		"another shop's product":     {of(line(foreign, 1)), "body.items[0].productId", "not_found"},
		"an inactive product":        {of(line(off, 1)), "body.items[0].productId", "inactive"},
		"variants without one named": {of(line(cup.ID(), 1)), "body.items[0].variantId", "required"},
		"an unknown variant": {of(with(line(cup.ID(), 1), "variantId", nothing)), "body.items[0].variantId",
			"not_found"},
		"a variant where there is no": {of(with(line(tea, 1), "variantId", white)), "body.items[0].variantId",
			"not_found"},
		"an inactive variant": {of(with(line(cup.ID(), 1), "variantId", black)),
			"body.items[0].variantId", "inactive"},
		"an unknown customer": {with(of(line(tea, 1)), "customerId", nothing), "body.customerId", "not_found"},
		"a deleted customer":  {with(of(line(tea, 1)), "customerId", customer), "body.customerId", "not_found"},
		"an odd customer":     {with(of(line(tea, 1)), "customerId", "x"), "body.customerId", "not_found"},
		"an unknown state":    {with(of(line(tea, 1)), "stateId", nothing), "body.stateId", "not_found"},
		"six coupons": {with(of(line(tea, 1)), "discountCoupons",
			[]string{"A", "B", "C", "D", "E", "F"}), "body.discountCoupons", "too_many"},
		"a coupon twice": {with(of(line(tea, 1)), "discountCoupons", []string{"Léto", "B", "lÉTO"}),
			"body.discountCoupons[2]", "duplicate"},
		"a price": {of(with(line(tea, 1), "unitPrice", "1.00")), "body.items[0].unitPrice",
			"read_only"},
		"a name":     {of(with(line(tea, 1), "name", "Tea")), "body.items[0].name", "read_only"},
		"a quote":    {of(with(line(tea, 1), "quoteId", "1")), "body.items[0].quoteId", "read_only"},
		"a number":   {with(of(line(tea, 1)), "number", "1"), "body.number", "read_only"},
		"a currency": {with(of(line(tea, 1)), "currency", "CZK"), "body.currency", "read_only"},
		"totals":     {with(of(line(tea, 1)), "totals", object{}), "body.totals", "read_only"},
		"a tracking number": {with(of(line(tea, 1)), "orderDeliveryPayment", object{"trackingNumber": "1"}),
			"body.orderDeliveryPayment.trackingNumber", "read_only"},
		"an address without a city": {with(of(line(tea, 1)), "billingAddress",
			with(object{"firstName": "J", "lastName": "N", "street": "S", "zip": "1", "country": "CZ"}, "x",
				1)), "", ""},
		"a country in full": {with(of(line(tea, 1)), "deliveryAddress", with(address, "country", "Česko")),
			"body.deliveryAddress.country", "bad_format"},
		"notes as long as a book": {of(with(line(tea, 1), "note", strings.Repeat("a", 64<<10)), with(line(tea, 1),
			"note", strings.Repeat("a", 64<<10)), with(line(tea, 1), "note", strings.Repeat("a", 64<<10)),
			with(line(tea, 1), "note", strings.Repeat("a", 64<<10)),
			with(line(tea, 1), "note", strings.Repeat("a", 64<<10))), "body", "too_big"},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			r := w.do("POST", path, c.body)
			require.Empty(t, w.told())
			if c.at == "" {
				r.Is(422, "invalid")
				return
			}
			r.Fault(c.at, c.code)
		})
	}
	w.T = t
	require.Equal(t, 9, w.stock(tea), "nothing was taken")
	require.Empty(t, w.do("GET", path, nil).Each("id"))
}

func TestTooLittleStockIsAConflictThatTakesNothing(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 5).ID()
	cup := w.product("CUP", "10.00", 100, object{"variants": []object{variant("CUP-W", "", 2)}})
	white := cup.At("variants.0.id").(string)
	r := w.do("POST", path, of(line(tea, 3), with(line(cup.ID(), 3), "variantId", white))).Is(409, "insufficient_stock")
	require.Equal(t, []any{cup.ID(), white, 2.0}, []any{r.Body["productId"], r.Body["variantId"], r.Body["available"]})
	r = w.do("POST", path, of(line(tea, 3), line(tea, 3))).Is(409, "insufficient_stock")
	require.Equal(t, []any{tea, nil, 5.0}, []any{r.Body["productId"], r.Body["variantId"], r.Body["available"]},
		"lines of one product add up")
	w.coupon("UNIQUE", "amount", "1.00", object{"active": false})
	w.do("POST", path, with(of(line(tea, 9)), "discountCoupons", []string{"unique"})).Is(422, "coupon_invalid")
	require.Equal(t, 5, w.stock(tea))
	require.Equal(t, 2, w.stock(cup.ID(), "CUP-W"))
	w.order(of(line(tea, 2), line(tea, 3)))
	require.Equal(t, 0, w.stock(tea))
}

func TestStockThatGoesBetweenReadingAndWritingIsFoundOut(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 5).ID()
	w.state(sale.KeyNew)
	w.Main.Before(func() func([]store.Op) error {
		done := false
		return func(ops []store.Op) error {
			if len(ops) > 1 && !done {
				done = true
				w.As(all, "PATCH", "/api-engine/products/"+tea, object{"stock": object{"quantity": 1}}).Is(200)
			}
			return nil
		}
	}())
	require.Equal(t, 1.0, w.do("POST", path, of(line(tea, 2))).Is(409, "insufficient_stock").Body["available"])
	require.Equal(t, 1, w.stock(tea))
}

func TestReasonsOfCouponsThatDoNotApply(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "100.00", 99).ID()
	now := w.Clock.Now().UTC()
	w.coupon("OFF", "amount", "1.00", object{"active": false})
	w.coupon("SOON", "amount", "1.00", object{"validFrom": now.Add(time.Hour).Format(time.RFC3339)})
	w.coupon("LATE", "amount", "1.00", object{"validTo": now.Add(-time.Hour).Format(time.RFC3339)})
	w.coupon("BIG", "amount", "1.00", object{"minimumOrder": "300.00"})
	w.coupon("ONCE", "amount", "1.00", object{"usageLimit": 1})
	w.coupon("NEVER", "amount", "1.00", object{"usageLimit": 0})
	gone := w.coupon("GONE", "amount", "1.00")
	w.do("DELETE", "/api-engine/discount-coupons/"+gone.ID(), nil).Is(204)
	w.Next(stranger, "POST", "/api-engine/discount-coupons",
		object{"code": "THEIRS", "type": "amount", "value": "1.00"}).Is(201)
	w.order(with(of(line(tea, 1)), "discountCoupons", []string{"once"}))
	w.order(with(of(line(tea, 3)), "discountCoupons", []string{"big"}))
	for code, reason := range map[string]string{"NONE": "unknown", "GONE": "unknown", "THEIRS": "unknown",
		"OFF": "inactive", "SOON": "not_yet_valid",
		"LATE": "expired", "BIG": "minimum", "once": "used_up", "NEVER": "used_up"} {
		r := w.do("POST", path, with(of(line(tea, 1)), "discountCoupons", []string{code})).Is(422, "coupon_invalid")
		require.Equal(t, reason, r.Body["reason"], code)
		require.Empty(t, w.told())
	}
	require.Equal(t, 95, w.stock(tea))
}

func TestCouponsTakeTheirPartAndAreCounted(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "33.33", 99).ID()
	half, ten := w.coupon("HALF", "percentage", "50.00"), w.coupon("TEN", "amount", "10.00", object{"usageLimit": 2})
	third := w.coupon("Třetina", "percentage", "33.33")
	made := w.order(with(of(line(tea, 3)), "discountCoupons", []string{"ten", "half", "TŘETINA"}))
	require.Equal(t, []string{"orders created", "products changed [stock]", "coupons changed", "coupons changed",
		"coupons changed"}, w.told())
	require.Equal(t, []any{
		object{"id": ten.ID(), "code": "TEN", "type": "amount", "value": "10.00", "discount": "10.00"},
		object{"id": half.ID(), "code": "HALF", "type": "percentage", "value": "50.00", "discount": "50.00"},
		object{"id": third.ID(), "code": "Třetina", "type": "percentage", "value": "33.33", "discount": "16.66"},
	}, made.Body["discountCoupons"], "percentages first: 99.99 less 50.00 (half up), less a third of 49.99; then 10.00")
	require.Equal(t, object{"items": "99.99", "discount": "76.66", "total": "23.33"}, made.Body["totals"])
	for _, c := range []hosttest.Answer{half, ten, third} {
		now := w.do("GET", "/api-engine/discount-coupons/"+c.ID(), nil).Is(200)
		require.Equal(t, 1.0, now.Body["used"])
		require.Equal(t, made.Body["changed"], now.Body["changed"], "what a coupon shows moves its changed")
		require.NotEqual(t, c.ETag(), now.ETag())
	}
	small := w.order(with(of(line(w.product("PEN", "5.00", 1).ID(), 1)), "discountCoupons", []string{"ten"}))
	require.Equal(t, object{"items": "5.00", "discount": "5.00", "total": "0.00"}, small.Body["totals"],
		"never below nothing")
	w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(sale.KeyCancelled)}).Is(200)
	require.Equal(t, 2, w.used(ten.ID()), "cancelling gives no use back")
}

func TestAnOrderIsSoldAtItsCustomersPriceLevel(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "100.00", 9, object{"priceLevels": []object{{"level": "default", "price": "100.00"},
		{"level": "wholesale", "price": "80.00"}}}).ID()
	customer := w.do("POST", "/api-engine/customers",
		object{"email": "a@b.cz", "firstName": "J", "lastName": "N", "priceLevel": "wholesale"}).Is(201).ID()
	require.Equal(t, "80.00", w.order(with(of(line(tea, 1)), "customerId", customer)).At("totals.total"))
	require.Equal(t, "100.00", w.order(of(line(tea, 1))).At("totals.total"))
}

func TestOrdersAreFoundByNumberCustomerAndTime(t *testing.T) { found(t, newWorld(t)) }

// found is the collection with its filters.
func found(t *testing.T, w *world) {
	tea := w.product("TEA", "1.00", 99).ID()
	customer := w.do("POST", "/api-engine/customers",
		object{"email": "a@b.cz", "firstName": "J", "lastName": "N"}).Is(201).ID()
	var ids []string
	var last hosttest.Answer
	for i := range 5 {
		body := of(line(tea, 1))
		if i%2 == 1 {
			body["customerId"] = customer
		}
		last = w.order(body)
		ids = append(ids, last.ID())
		require.Equal(t, fmt.Sprintf("2026%06d", i+1), last.Body["number"])
	}
	require.Equal(t, ids, w.do("GET", path, nil).Each("id"))
	require.Equal(t, []string{ids[1], ids[3]}, w.do("GET", path+"?customerId="+customer, nil).Each("id"))
	require.Equal(t, []string{ids[2]}, w.do("GET", path+"?number=2026000003", nil).Each("id"))
	require.Equal(t, []string{ids[1]}, w.do("GET", path+"?number=2026000002&customerId="+customer, nil).Each("id"))
	for _, query := range []string{"?number=2026000003&customerId=" + customer, "?number=1", "?customerId=x",
		"?customerId=" + nothing, "?number=2026000001&changed[after]=2027-01-01"} {
		require.Empty(t, w.do("GET", path+query, nil).Each("id"), query)
	}
	w.do("DELETE", "/api-engine/customers/"+customer, nil).Is(204)
	w.do("PATCH", pathOf(ids[1]), object{"note": "x"}).Is(200)
	require.Equal(t, []string{ids[3], ids[1]}, w.do("GET", path+"?customerId="+customer, nil).Each("id"),
		"by changed, and the deleted customer's still")
	require.Equal(t, []string{ids[4], ids[1]},
		w.do("GET", path+"?changed[after]="+last.Body["changed"].(string), nil).Each("id"))
	page := w.do("GET", path+"?itemsPerPage=2&order[changed]=desc", nil)
	require.Equal(t, []string{ids[1], ids[4]}, page.Each("id"))
	page = w.do("GET", path+"?cursor="+page.Body["nextCursor"].(string), nil)
	require.Equal(t, []string{ids[3], ids[2], ids[0]}, page.Each("id"))
	w.do("GET", path+"?state=x", nil).Is(422, "invalid")
}

func TestAnOrderMovesThroughItsStates(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).ID()
	made := w.order(of(line(tea, 2)))
	one := pathOf(made.ID())
	for i, c := range []struct {
		body   object
		groups string
	}{
		{object{"stateId": w.state(sale.KeyProcessing)}, "[state]"},
		{object{"note": "Fragile"}, "[note]"},
		{object{"stateId": w.state(sale.KeyShipped), "note": nil}, "[note state]"},
		{object{"stateId": w.state(sale.KeyShipped)}, ""},
		{object{}, ""},
	} {
		before := w.do("GET", one, nil)
		after := w.do("PATCH", one, c.body).Is(200)
		if c.groups == "" {
			require.Empty(t, w.told(), i)
			require.Equal(t, before.Body, after.Body)
			require.Equal(t, before.ETag(), after.ETag())
			continue
		}
		require.Equal(t, []string{"orders changed " + c.groups}, w.told())
		require.Greater(t, after.Body["changed"], before.Body["changed"])
		require.Equal(t, after.Body, w.do("GET", one, nil).Body)
	}
	w.do("PATCH", one, object{"stateId": nil}).Fault("body.stateId", "required")
	w.do("PATCH", one, object{"email": "x@y.cz"}).Fault("body.email", "read_only")
	w.do("PATCH", one, object{"items": []object{}}).Fault("body.items", "read_only").Says("stays as it was ordered")
	w.do("PATCH", one, object{"stateId": nothing}).Fault("body.stateId", "not_found")
	w.do("PATCH", one, object{"stateId": ""}).Fault("body.stateId", "not_found")
	w.do("PATCH", one, object{"note": "x"}, "If-Match", made.ETag()).Is(412, "version_conflict")
	w.do("PATCH", pathOf(nothing), object{"note": "x"}).Is(404)
	w.do("PATCH", pathOf("odd"), object{"note": "x"}).Is(404)
	w.do("PATCH", pathOf(nothing), object{"stateId": nothing}).Fault("body.stateId", "not_found")
	w.do("DELETE", one, nil).Is(405)
}

func TestTheHeaviestOrderThatIsAcceptedCanBeMovedTrackedAndCancelled(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 1000).ID()
	heavy := func(n int) object {
		lines := slices.Repeat([]object{with(line(tea, 1), "note", strings.Repeat("a", 64<<10))}, 4)
		return of(append(lines, with(line(tea, 1), "note", strings.Repeat("a", n)))...)
	}
	made := w.order(heavy(1))
	for n, step := 1, 32<<10; step > 0; step /= 2 {
		if r := w.do("POST", path, heavy(n+step)); r.Status == 201 {
			made, n = r, n+step
		} else {
			r.Fault("body", "too_big")
		}
	}
	one, stock := pathOf(made.ID()), w.stock(tea)
	w.do("PATCH", one, object{"stateId": w.state(sale.KeyProcessing)}).Is(200)
	w.do("PATCH", one+"/order-delivery-payment", object{"trackingNumber": "DR1"}).Is(200)
	w.do("PATCH", one, object{"note": "One more"}).Fault("body", "too_big")
	w.do("PATCH", one, object{"stateId": w.state(sale.KeyCancelled)}).Is(200)
	require.Equal(t, stock+5, w.stock(tea))
}

func TestCancellingPutsTheStockBackOnce(t *testing.T) { putBackOnce(t, newWorld(t)) }

// putBackOnce cancels an order of products of which some are gone.
func putBackOnce(t *testing.T, w *world) {
	tea, gone := w.product("TEA", "1.00", 9).ID(), w.product("GONE", "1.00", 9).ID()
	cup := w.product("CUP", "1.00", 0, object{"variants": []object{variant("CUP-W", "", 5), variant("CUP-B", "", 5),
		variant("CUP-R", "", 5)}})
	in := func(i int) object { return with(line(cup.ID(), 2), "variantId", cup.At("variants", i, "id")) }
	made := w.order(of(line(tea, 2), line(tea, 1), line(gone, 1), in(0), in(1), in(2)))
	one := pathOf(made.ID())
	w.do("DELETE", "/api-engine/products/"+gone, nil).Is(204)
	w.do("DELETE", "/api-engine/products/"+cup.ID()+"/variants/"+cup.At("variants.2.id").(string), nil).Is(204)
	require.Equal(t, 6, w.stock(tea))
	w.do("PATCH", one, object{"stateId": w.state(sale.KeyCancelled)}).Is(200)
	require.Equal(t, []string{"orders changed [state]", "products changed [stock]",
		"products changed [stock] 2 variants"}, w.told())
	require.Equal(t, 9, w.stock(tea))
	require.Equal(t, 5, w.stock(cup.ID(), "CUP-W"))
	require.Equal(t, 5, w.stock(cup.ID(), "CUP-B"))

	w.do("PATCH", one, object{"stateId": w.state(sale.KeyNew)}).Is(409, "state_final")
	w.do("PATCH", one, object{"stateId": w.state(sale.KeyReturned)}).Is(409, "state_final")
	w.do("PATCH", one, object{"stateId": w.state(sale.KeyCancelled)}).Is(200)
	w.do("PATCH", one, object{"note": "By phone"}).Is(200)
	w.do("PATCH", statesPath+"/"+w.state(sale.KeyCancelled), object{"final": false}).Is(200)
	w.do("PATCH", one, object{"stateId": w.state(sale.KeyReturned)}).Is(200)
	require.Equal(t, []string{"orders changed [state]"}, w.told(), "it was put back")
	require.Equal(t, 9, w.stock(tea))
}

func TestAnOrderMadeInAStateThatPutsItsStockBackTakesNone(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).ID()
	for _, key := range []string{sale.KeyCancelled, sale.KeyReturned} {
		made := w.order(with(of(line(tea, 99)), "stateId", w.state(key)))
		require.Equal(t, []string{"orders created"}, w.told())
		require.Equal(t, 9, w.stock(tea))
		w.do("PATCH", statesPath+"/"+w.state(key), object{"final": false}).Is(200)
		w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(sale.KeyNew)}).Is(200)
		w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(key)}).Is(200)
		require.Equal(t, []string{"orders changed [state]"}, w.told(), "it had taken none")
		require.Equal(t, 9, w.stock(tea))
	}
}

func TestStockBeyondWhatFitsIsNotPutBack(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).ID()
	made := w.order(of(line(tea, 5)))
	w.do("PATCH", "/api-engine/products/"+tea, object{"stock": object{"quantity": 999_999_999_998}}).Is(200)
	w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(sale.KeyReturned)}).Is(200)
	require.Equal(t, 999_999_999_999, w.stock(tea))
}

func TestDeletedStates(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).ID()
	made := w.order(of(line(tea, 2)))
	first := w.state(sale.KeyNew)
	deleted := w.do("DELETE", statesPath+"/"+first, nil).Is(204)
	require.Equal(t, []string{"states deleted"}, w.told())
	require.Empty(t, deleted.Text)
	read := w.do("GET", statesPath+"/"+first, nil).Is(200)
	require.Equal(t, true, read.Body["deleted"])
	require.Equal(t, read.Body["changed"], read.Body["deletedAt"])
	require.Equal(t, "new", read.Body["key"])
	require.NotContains(t, w.do("GET", statesPath, nil).Each("id"), first)
	require.NotContains(t, w.do("GET", statesPath+"?includeDeleted=false", nil).Each("id"), first)
	require.Contains(t, w.do("GET", statesPath+"?includeDeleted=true", nil).Each("id"), first)
	w.do("GET", statesPath+"?includeDeleted=perhaps", nil).Is(422, "invalid")

	w.do("DELETE", statesPath+"/"+first, nil).Is(204)
	require.Empty(t, w.told(), "it was deleted")
	w.do("PATCH", statesPath+"/"+first, object{"name": "New"}).Is(409, "state_deleted")
	w.do("POST", path, with(of(line(tea, 1)), "stateId", first)).Is(422, "state_deleted")
	w.do("PATCH", pathOf(made.ID()), object{"note": "x", "stateId": first}).Is(200)
	w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(sale.KeyShipped)}).Is(200)
	w.do("PATCH", pathOf(made.ID()), object{"stateId": first}).Is(422, "state_deleted")
	w.do("PATCH", pathOf(nothing), object{"stateId": first}).Is(422, "state_deleted")
	require.Equal(t, w.state(sale.KeyProcessing), w.order(of(line(tea, 1))).Body["stateId"], "the lowest position left")
	require.Equal(t, w.state(sale.KeyShipped),
		w.order(with(of(line(tea, 1)), "stateId", w.state(sale.KeyShipped))).Body["stateId"])
}

func TestOrderStates(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", statesPath, object{"name": " Čeká na platbu ", "color": "#123456"}).Is(201)
	require.Equal(t, []string{"states created"}, w.told())
	require.Equal(t, object{"id": made.ID(), "name": "Čeká na platbu", "color": "#123456", "position": 7.0,
		"final": false, "deleted": false,
		"created": made.Body["created"], "changed": made.Body["created"]}, made.Body)
	for _, odd := range []string{"red", "#fff", "#12345g", "#1234567", "123456", "#f00;}</style><script>", "#123456;",
		"#123456\u2028#123456", "\u202e#123456", "rgb(0,0,0)", "url(javascript:alert(1))"} {
		w.do("POST", statesPath, object{"name": "N", "color": odd}).Fault("body.color", "bad_format")
		w.do("PATCH", statesPath+"/"+made.ID(), object{"color": odd}).Fault("body.color", "bad_format")
	}
	var keys []any
	for _, s := range w.do("GET", statesPath, nil).Items() {
		keys = append(keys, s["key"])
	}
	require.ElementsMatch(t, []any{sale.KeyNew, sale.KeyProcessing, sale.KeyShipped, sale.KeyDelivered,
		sale.KeyCancelled, sale.KeyReturned, nil}, keys)

	at := statesPath + "/" + made.ID()
	changed := w.do("PATCH", at, object{"position": 0, "final": true, "color": nil}).Is(200)
	require.Equal(t, []string{"states changed"}, w.told())
	require.Equal(t, []any{0.0, true, nil},
		[]any{changed.Body["position"], changed.Body["final"], changed.Body["color"]})
	moved := w.do("PATCH", at, object{"position": nil}).Is(200)
	require.Equal(t, 7.0, moved.Body["position"], "behind the others again")
	require.Equal(t, moved.ETag(), w.do("PATCH", at, object{"position": nil}).Is(200).ETag(), "where it is already")
	for _, c := range []struct {
		body     object
		at, code string
	}{
		{object{"name": "A", "key": "new"}, "body.key", "read_only"},
		{object{"name": "A", "deleted": true}, "body.deleted", "read_only"},
		{object{}, "body.name", "required"}, {object{"name": " "}, "body.name", "required"},
		{object{"name": "A", "position": -1}, "body.position", "too_small"},
		{object{"name": "A", "final": 1}, "body.final", "wrong_type"},
	} {
		w.do("POST", statesPath, c.body).Fault(c.at, c.code)
	}
}

func TestAStateBehindTheGreatestPositionHasItToo(t *testing.T) {
	w := newWorld(t)
	const greatest = 999_999_999_999
	w.do("POST", statesPath, object{"name": "Far", "position": greatest}).Is(201)
	behind := w.do("POST", statesPath, object{"name": "Behind"}).Is(201)
	require.EqualValues(t, greatest, behind.Body["position"])
	w.do("PATCH", statesPath+"/"+behind.ID(), object{"name": "As shown", "position": behind.Body["position"]}).Is(200)
}

func TestTheLastStateStaysAndNoMoreThanAHundredAreMade(t *testing.T) { lastOfAHundred(t, newWorld(t)) }

// lastOfAHundred deletes all states at once, then makes too many.
func lastOfAHundred(t *testing.T, w *world) {
	w.seed()
	ids := w.do("GET", statesPath, nil).Each("id")
	replies := hosttest.Together(len(ids),
		func(i int) hosttest.Answer { return w.As(all, "DELETE", statesPath+"/"+ids[i], nil) })
	require.Equal(t, map[int]int{204: 5, 409: 1}, hosttest.Statuses(replies))
	i := slices.IndexFunc(replies, func(r hosttest.Answer) bool { return r.Status == 409 })
	replies[i].Is(409, "last_state")
	require.Equal(t, []string{ids[i]}, w.do("GET", statesPath, nil).Each("id"))
	w.do("DELETE", statesPath+"/"+ids[i], nil).Is(409, "last_state")
	replies = hosttest.Together(102, func(i int) hosttest.Answer {
		return w.As(all, "POST", statesPath, object{"name": fmt.Sprint("State ", i)})
	})
	require.Equal(t, map[int]int{201: 99, 409: 3}, hosttest.Statuses(replies))
	w.do("POST", statesPath, object{"name": "One more"}).Is(409, "too_many_states")
}

func TestTracking(t *testing.T) {
	w := newWorld(t)
	made := w.order(with(of(line(w.product("TEA", "1.00", 9).ID(), 1)), "orderDeliveryPayment",
		object{"delivery": "Zásilkovna"}))
	at := pathOf(made.ID(), "/order-delivery-payment")
	r := w.do("PATCH", at, object{"trackingNumber": " DR1 ", "trackingLink": "https://t.example/DR1?a=1&b=2"}).Is(200)
	require.Equal(t, object{"delivery": "Zásilkovna", "payment": nil, "trackingNumber": "DR1",
		"trackingLink": "https://t.example/DR1?a=1&b=2"}, r.Body)
	require.Equal(t, []string{"orders changed [delivery]"}, w.told())
	order := w.do("GET", pathOf(made.ID()), nil)
	require.Equal(t, r.Body, order.Body["orderDeliveryPayment"])
	require.Equal(t, r.ETag(), order.ETag())
	require.Greater(t, order.Body["changed"], made.Body["changed"])
	require.Equal(t, order.ETag(), w.do("PATCH", at, object{"trackingNumber": "DR1"}).Is(200).ETag())
	require.Empty(t, w.told())
	r = w.do("PATCH", at, object{"trackingNumber": nil}, "If-Match", order.ETag()).Is(200)
	require.Equal(t, []any{nil, "https://t.example/DR1?a=1&b=2"},
		[]any{r.Body["trackingNumber"], r.Body["trackingLink"]})
	w.do("PATCH", at, object{"trackingLink": nil}, "If-Match", order.ETag()).Is(412)
	for _, c := range []struct {
		body     object
		at, code string
	}{
		{object{"trackingNumber": strings.Repeat("x", 65)}, "body.trackingNumber", "too_long"},
		{object{"trackingNumber": 1}, "body.trackingNumber", "wrong_type"},
		{object{"trackingLink": "ftp://x.cz"}, "body.trackingLink", "bad_format"},
		{object{"trackingLink": "javascript:alert(1)"}, "body.trackingLink", "bad_format"},
		{object{"trackingLink": "https://x.cz/ y"}, "body.trackingLink", "bad_format"},
		{object{"trackingLink": "https://x.cz/" + strings.Repeat("y", 2000)}, "body.trackingLink", "too_long"},
		{object{"delivery": "x"}, "body.delivery", "read_only"}, {object{"x": "x"}, "body.x", "unknown_field"},
	} {
		w.do("PATCH", at, c.body).Fault(c.at, c.code)
	}
	w.do("PATCH", pathOf(nothing, "/order-delivery-payment"), object{}).Is(404)
	w.do("PATCH", pathOf(nothing, "/order-delivery-payment"), object{"trackingLink": "x"}).Is(422)
}
