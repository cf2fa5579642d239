package orders

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/store"
)

func TestPermissionsAreAskedFor(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 9)
	made := w.order(of(line(tea.id(), 1)))
	one, tracking := path2(made.id()), path2(made.id(), "/order-delivery-payment")
	state := statesPath + "/" + w.state(KeyShipped)
	for _, c := range []struct{ token, method, path, body, needs string }{
		{writer, "GET", path, "", "orders:read"}, {writer, "GET", one, "", "orders:read"}, {writer, "GET", statesPath, "", "orders:read"}, {writer, "GET", state, "", "orders:read"},
		{reader, "POST", path, "{}", "orders:write"}, {reader, "PATCH", one, "{}", "orders:write"}, {reader, "PATCH", tracking, "{}", "orders:write"},
		{reader, "POST", statesPath, "{}", "orders:write"}, {reader, "PATCH", state, "{}", "orders:write"}, {reader, "DELETE", state, "", "orders:write"},
		{nobody, "GET", one, "", "orders:read"},
	} {
		require.Equal(t, c.needs, w.as(c.token, c.method, c.path, c.body).is(403, "insufficient_permission").body["permission"])
	}
	brief := w.as(writer, "PATCH", one, `{"note":"x"}`).is(200)
	require.Equal(t, made.id(), brief.body["id"])
	require.Len(t, brief.body, 2)
	brief = w.as(writer, "PATCH", tracking, `{"trackingNumber":"1"}`).is(200)
	require.Equal(t, made.id(), brief.body["id"], "the order's")
	require.Len(t, brief.body, 2)
	for _, path := range []string{one, tracking, state} {
		if path != tracking {
			w.as(stranger, "GET", path, nil).is(404, "not_found")
		}
		w.as(stranger, "PATCH", path, "{}").is(404, "not_found")
	}
	require.Empty(t, w.as(stranger, "GET", path, nil).list("id"))
	require.Empty(t, w.as(stranger, "GET", path+"?number=2026000001", nil).list("id"))
}

func TestWhatAnOrderMustNotSay(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "10.00", 9).id()
	off := w.product("OFF", "10.00", 9, object{"active": false}).id()
	cup := w.product("CUP", "10.00", 0, object{"variants": []object{variant("CUP-W", "", 5), with(variant("CUP-B", "", 5), "active", false)}})
	white, black := cup.at("variants", 0, "id").(string), cup.at("variants", 1, "id").(string)
	gone := w.product("GONE", "10.00", 9).id()
	w.do("DELETE", "/api-engine/products/"+gone, nil).is(204)
	foreign := w.as(stranger, "POST", "/api-engine/products", object{"code": "F", "name": "F", "priceLevels": levels("1.00")}).is(201).id()
	customer := w.do("POST", "/api-engine/customers", object{"email": "a@b.cz", "firstName": "J", "lastName": "N"}).is(201).id()
	w.do("DELETE", "/api-engine/customers/"+customer, nil).is(204)
	address := object{"firstName": "J", "lastName": "N", "street": "S", "city": "B", "zip": "1", "country": "CZ"}
	many := make([]object, 91)
	for i := range many {
		many[i] = line(tea, 1)
	}
	for name, c := range map[string]struct {
		body     object
		at, code string
	}{
		"no e-mail":                   {object{"items": []object{line(tea, 1)}}, "body.email", "required"},
		"no lines":                    {of(), "body.items", "required"},
		"91 lines":                    {of(many...), "body.items", "too_many"},
		"none of something":           {of(line(tea, 0)), "body.items[0].quantity", "too_small"},
		"half of something":           {of(with(line(tea, 1), "quantity", 1.5)), "body.items[0].quantity", "wrong_type"},
		"more than money can be":      {of(line(tea, 999_999_999_999)), "body.items[0].quantity", "too_big"},
		"an unknown product":          {of(line(tea, 1), line(nothing, 1)), "body.items[1].productId", "not_found"},
		"what is no id":               {of(line("S#x", 1)), "body.items[0].productId", "not_found"},
		"a deleted product":           {of(line(gone, 1)), "body.items[0].productId", "not_found"},
		"another shop's product":      {of(line(foreign, 1)), "body.items[0].productId", "not_found"},
		"an inactive product":         {of(line(off, 1)), "body.items[0].productId", "inactive"},
		"variants without one named":  {of(line(cup.id(), 1)), "body.items[0].variantId", "required"},
		"an unknown variant":          {of(with(line(cup.id(), 1), "variantId", nothing)), "body.items[0].variantId", "not_found"},
		"a variant where there is no": {of(with(line(tea, 1), "variantId", white)), "body.items[0].variantId", "not_found"},
		"an inactive variant":         {of(with(line(cup.id(), 1), "variantId", black)), "body.items[0].variantId", "inactive"},
		"an unknown customer":         {with(of(line(tea, 1)), "customerId", nothing), "body.customerId", "not_found"},
		"a deleted customer":          {with(of(line(tea, 1)), "customerId", customer), "body.customerId", "not_found"},
		"an odd customer":             {with(of(line(tea, 1)), "customerId", "x"), "body.customerId", "not_found"},
		"an unknown state":            {with(of(line(tea, 1)), "stateId", nothing), "body.stateId", "not_found"},
		"six coupons":                 {with(of(line(tea, 1)), "discountCoupons", []string{"A", "B", "C", "D", "E", "F"}), "body.discountCoupons", "too_many"},
		"a coupon twice":              {with(of(line(tea, 1)), "discountCoupons", []string{"Léto", "B", "lÉTO"}), "body.discountCoupons[2]", "duplicate"},
		"a price":                     {of(with(line(tea, 1), "unitPrice", "1.00")), "body.items[0].unitPrice", "read_only"},
		"a name":                      {of(with(line(tea, 1), "name", "Tea")), "body.items[0].name", "read_only"},
		"a quote":                     {of(with(line(tea, 1), "quoteId", "1")), "body.items[0].quoteId", "read_only"},
		"a number":                    {with(of(line(tea, 1)), "number", "1"), "body.number", "read_only"},
		"a currency":                  {with(of(line(tea, 1)), "currency", "CZK"), "body.currency", "read_only"},
		"totals":                      {with(of(line(tea, 1)), "totals", object{}), "body.totals", "read_only"},
		"a tracking number":           {with(of(line(tea, 1)), "orderDeliveryPayment", object{"trackingNumber": "1"}), "body.orderDeliveryPayment.trackingNumber", "read_only"},
		"an unknown field":            {with(of(line(tea, 1)), "discount", "1.00"), "body.discount", "unknown_field"},
		"an address without a city":   {with(of(line(tea, 1)), "billingAddress", with(object{"firstName": "J", "lastName": "N", "street": "S", "zip": "1", "country": "CZ"}, "x", 1)), "", ""},
		"a country in full":           {with(of(line(tea, 1)), "deliveryAddress", with(address, "country", "Česko")), "body.deliveryAddress.country", "bad_format"},
		"notes as long as a book": {of(with(line(tea, 1), "note", strings.Repeat("a", 64<<10)), with(line(tea, 1), "note", strings.Repeat("a", 64<<10)), with(line(tea, 1), "note", strings.Repeat("a", 64<<10)),
			with(line(tea, 1), "note", strings.Repeat("a", 64<<10)), with(line(tea, 1), "note", strings.Repeat("a", 64<<10))), "body", "too_big"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			r := w.do("POST", path, c.body)
			require.Empty(t, w.told())
			if c.at == "" {
				r.is(422, "invalid")
				return
			}
			r.fault(c.at, c.code)
		})
	}
	w.t = t
	require.Equal(t, 9, w.stock(tea), "nothing was taken")
	require.Empty(t, w.do("GET", path, nil).list("id"))
}

func TestTooLittleStockIsAConflictThatTakesNothing(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 5).id()
	cup := w.product("CUP", "10.00", 100, object{"variants": []object{variant("CUP-W", "", 2)}})
	white := cup.at("variants", 0, "id").(string)
	r := w.do("POST", path, of(line(tea, 3), with(line(cup.id(), 3), "variantId", white))).is(409, "insufficient_stock")
	require.Equal(t, []any{cup.id(), white, 2.0}, []any{r.body["productId"], r.body["variantId"], r.body["available"]})
	r = w.do("POST", path, of(line(tea, 3), line(tea, 3))).is(409, "insufficient_stock")
	require.Equal(t, []any{tea, nil, 5.0}, []any{r.body["productId"], r.body["variantId"], r.body["available"]}, "lines of one product add up")
	w.coupon("UNIQUE", "amount", "1.00", object{"active": false})
	w.do("POST", path, with(of(line(tea, 9)), "discountCoupons", []string{"unique"})).is(422, "coupon_invalid")
	require.Equal(t, 5, w.stock(tea))
	require.Equal(t, 2, w.stock(cup.id(), "CUP-W"))
	w.order(of(line(tea, 2), line(tea, 3)))
	require.Equal(t, 0, w.stock(tea))
}

func TestStockThatGoesBetweenReadingAndWritingIsFoundOut(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "10.00", 5).id()
	w.state(KeyNew)
	w.table.before = func() func([]store.Op) error {
		done := false
		return func(ops []store.Op) error {
			if len(ops) > 1 && !done {
				done = true
				w.call(all, "PATCH", "/api-engine/products/"+tea, object{"stock": object{"quantity": 1}}).is(200)
			}
			return nil
		}
	}()
	require.Equal(t, 1.0, w.do("POST", path, of(line(tea, 2))).is(409, "insufficient_stock").body["available"])
	require.Equal(t, 1, w.stock(tea))
}

func TestReasonsOfCouponsThatDoNotApply(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "100.00", 99).id()
	now := w.now.UTC()
	w.coupon("OFF", "amount", "1.00", object{"active": false})
	w.coupon("SOON", "amount", "1.00", object{"validFrom": now.Add(time.Hour).Format(time.RFC3339)})
	w.coupon("LATE", "amount", "1.00", object{"validTo": now.Add(-time.Hour).Format(time.RFC3339)})
	w.coupon("BIG", "amount", "1.00", object{"minimumOrder": "300.00"})
	w.coupon("ONCE", "amount", "1.00", object{"usageLimit": 1})
	w.coupon("NEVER", "amount", "1.00", object{"usageLimit": 0})
	gone := w.coupon("GONE", "amount", "1.00")
	w.do("DELETE", "/api-engine/discount-coupons/"+gone.id(), nil).is(204)
	w.as(stranger, "POST", "/api-engine/discount-coupons", object{"code": "THEIRS", "type": "amount", "value": "1.00"}).is(201)
	w.order(with(of(line(tea, 1)), "discountCoupons", []string{"once"}))
	w.order(with(of(line(tea, 3)), "discountCoupons", []string{"big"}))
	for code, reason := range map[string]string{"NONE": "unknown", "GONE": "unknown", "THEIRS": "unknown", "OFF": "inactive", "SOON": "not_yet_valid",
		"LATE": "expired", "BIG": "minimum", "once": "used_up", "NEVER": "used_up"} {
		r := w.do("POST", path, with(of(line(tea, 1)), "discountCoupons", []string{code})).is(422, "coupon_invalid")
		require.Equal(t, reason, r.body["reason"], code)
		require.Empty(t, w.told())
	}
	require.Equal(t, 95, w.stock(tea))
}

func TestCouponsTakeTheirPartAndAreCounted(t *testing.T) {
	w := newWorld(t)
	w.seed()
	tea := w.product("TEA", "33.33", 99).id()
	half, ten := w.coupon("HALF", "percentage", "50.00"), w.coupon("TEN", "amount", "10.00", object{"usageLimit": 2})
	third := w.coupon("Třetina", "percentage", "33.33")
	made := w.order(with(of(line(tea, 3)), "discountCoupons", []string{"ten", "half", "TŘETINA"}))
	require.Equal(t, []string{"orders created", "products changed [stock]", "coupons changed", "coupons changed", "coupons changed"}, w.told())
	require.Equal(t, []any{
		object{"id": ten.id(), "code": "TEN", "type": "amount", "value": "10.00", "discount": "10.00"},
		object{"id": half.id(), "code": "HALF", "type": "percentage", "value": "50.00", "discount": "50.00"},
		object{"id": third.id(), "code": "Třetina", "type": "percentage", "value": "33.33", "discount": "16.66"},
	}, made.body["discountCoupons"], "percentages first: 99.99 less 50.00 (half up), less a third of 49.99; then 10.00")
	require.Equal(t, object{"items": "99.99", "discount": "76.66", "total": "23.33"}, made.body["totals"])
	for _, c := range []reply{half, ten, third} {
		now := w.do("GET", "/api-engine/discount-coupons/"+c.id(), nil).is(200)
		require.Equal(t, 1.0, now.body["used"])
		require.Equal(t, made.body["changed"], now.body["changed"], "what a coupon shows moves its changed")
		require.NotEqual(t, c.etag(), now.etag())
	}
	small := w.order(with(of(line(w.product("PEN", "5.00", 1).id(), 1)), "discountCoupons", []string{"ten"}))
	require.Equal(t, object{"items": "5.00", "discount": "5.00", "total": "0.00"}, small.body["totals"], "never below nothing")
	w.do("PATCH", path2(made.id()), object{"stateId": w.state(KeyCancelled)}).is(200)
	require.Equal(t, 2, w.used(ten.id()), "cancelling gives no use back")
}

func TestAnOrderIsSoldAtItsCustomersPriceLevel(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "100.00", 9, object{"priceLevels": []object{{"level": "default", "price": "100.00"}, {"level": "wholesale", "price": "80.00"}}}).id()
	customer := w.do("POST", "/api-engine/customers", object{"email": "a@b.cz", "firstName": "J", "lastName": "N", "priceLevel": "wholesale"}).is(201).id()
	require.Equal(t, "80.00", w.order(with(of(line(tea, 1)), "customerId", customer)).at("totals", "total"))
	require.Equal(t, "100.00", w.order(of(line(tea, 1))).at("totals", "total"))
}

func TestOrdersAreFoundByNumberCustomerAndTime(t *testing.T) { found(t, newWorld(t)) }

// found is the collection with its filters.
func found(t *testing.T, w *world) {
	tea := w.product("TEA", "1.00", 99).id()
	customer := w.do("POST", "/api-engine/customers", object{"email": "a@b.cz", "firstName": "J", "lastName": "N"}).is(201).id()
	var ids []any
	var last reply
	for i := range 5 {
		body := of(line(tea, 1))
		if i%2 == 1 {
			body["customerId"] = customer
		}
		last = w.order(body)
		ids = append(ids, last.id())
		require.Equal(t, fmt.Sprintf("2026%06d", i+1), last.body["number"])
	}
	require.Equal(t, ids, w.do("GET", path, nil).list("id"))
	require.Equal(t, []any{ids[1], ids[3]}, w.do("GET", path+"?customerId="+customer, nil).list("id"))
	require.Equal(t, []any{ids[2]}, w.do("GET", path+"?number=2026000003", nil).list("id"))
	require.Equal(t, []any{ids[1]}, w.do("GET", path+"?number=2026000002&customerId="+customer, nil).list("id"))
	for _, query := range []string{"?number=2026000003&customerId=" + customer, "?number=1", "?customerId=x", "?customerId=" + nothing, "?number=2026000001&changed[after]=2027-01-01"} {
		require.Empty(t, w.do("GET", path+query, nil).list("id"), query)
	}
	w.do("DELETE", "/api-engine/customers/"+customer, nil).is(204)
	w.do("PATCH", path2(ids[1].(string)), object{"note": "x"}).is(200)
	require.Equal(t, []any{ids[3], ids[1]}, w.do("GET", path+"?customerId="+customer, nil).list("id"), "by changed, and the deleted customer's still")
	require.Equal(t, []any{ids[4], ids[1]}, w.do("GET", path+"?changed[after]="+last.body["changed"].(string), nil).list("id"))
	page := w.do("GET", path+"?itemsPerPage=2&order[changed]=desc", nil)
	require.Equal(t, []any{ids[1], ids[4]}, page.list("id"))
	page = w.do("GET", path+"?cursor="+page.body["nextCursor"].(string), nil)
	require.Equal(t, []any{ids[3], ids[2], ids[0]}, page.list("id"))
	w.do("GET", path+"?stateId=x", nil).is(422, "invalid")
}

func TestAnOrderMovesThroughItsStates(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).id()
	made := w.order(of(line(tea, 2)))
	one := path2(made.id())
	for i, c := range []struct {
		body   object
		groups string
	}{
		{object{"stateId": w.state(KeyProcessing)}, "[state]"},
		{object{"note": "Fragile"}, "[note]"},
		{object{"stateId": w.state(KeyShipped), "note": nil}, "[note state]"},
		{object{"stateId": w.state(KeyShipped)}, ""},
		{object{}, ""},
	} {
		before := w.do("GET", one, nil)
		after := w.do("PATCH", one, c.body).is(200)
		if c.groups == "" {
			require.Empty(t, w.told(), i)
			require.Equal(t, before.body, after.body)
			require.Equal(t, before.etag(), after.etag())
			continue
		}
		require.Equal(t, []string{"orders changed " + c.groups}, w.told())
		require.Greater(t, after.body["changed"], before.body["changed"])
		require.Equal(t, after.body, w.do("GET", one, nil).body)
	}
	w.do("PATCH", one, object{"stateId": nil}).fault("body.stateId", "required")
	w.do("PATCH", one, object{"email": "x@y.cz"}).fault("body.email", "read_only")
	w.do("PATCH", one, object{"stateId": nothing}).fault("body.stateId", "not_found")
	w.do("PATCH", one, object{"stateId": ""}).fault("body.stateId", "not_found")
	w.do("PATCH", one, object{"note": "x"}, "If-Match", made.etag()).is(412, "version_conflict")
	w.do("PATCH", path2(nothing), object{"note": "x"}).is(404)
	w.do("PATCH", path2("odd"), object{"note": "x"}).is(404)
	w.do("PATCH", path2(nothing), object{"stateId": nothing}).fault("body.stateId", "not_found")
	w.do("DELETE", one, nil).is(405)
}

func TestCancellingPutsTheStockBackOnce(t *testing.T) { putBackOnce(t, newWorld(t)) }

// putBackOnce cancels an order of products of which some are gone.
func putBackOnce(t *testing.T, w *world) {
	tea, gone := w.product("TEA", "1.00", 9).id(), w.product("GONE", "1.00", 9).id()
	cup := w.product("CUP", "1.00", 0, object{"variants": []object{variant("CUP-W", "", 5), variant("CUP-B", "", 5), variant("CUP-R", "", 5)}})
	in := func(i int) object { return with(line(cup.id(), 2), "variantId", cup.at("variants", i, "id")) }
	made := w.order(of(line(tea, 2), line(tea, 1), line(gone, 1), in(0), in(1), in(2)))
	one := path2(made.id())
	w.do("DELETE", "/api-engine/products/"+gone, nil).is(204)
	w.do("DELETE", "/api-engine/products/"+cup.id()+"/variants/"+cup.at("variants", 2, "id").(string), nil).is(204)
	require.Equal(t, 6, w.stock(tea))
	w.do("PATCH", one, object{"stateId": w.state(KeyCancelled)}).is(200)
	require.Equal(t, []string{"orders changed [state]", "products changed [stock]", "products changed [stock] 2 variants"}, w.told())
	require.Equal(t, 9, w.stock(tea))
	require.Equal(t, 5, w.stock(cup.id(), "CUP-W"))
	require.Equal(t, 5, w.stock(cup.id(), "CUP-B"))

	w.do("PATCH", one, object{"stateId": w.state(KeyNew)}).is(409, "state_final")
	w.do("PATCH", one, object{"stateId": w.state(KeyReturned)}).is(409, "state_final")
	w.do("PATCH", one, object{"stateId": w.state(KeyCancelled)}).is(200)
	w.do("PATCH", one, object{"note": "By phone"}).is(200)
	w.do("PATCH", statesPath+"/"+w.state(KeyCancelled), object{"final": false}).is(200)
	w.do("PATCH", one, object{"stateId": w.state(KeyReturned)}).is(200)
	require.Equal(t, []string{"orders changed [state]"}, w.told(), "it was put back")
	require.Equal(t, 9, w.stock(tea))
}

func TestStockBeyondWhatFitsIsNotPutBack(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).id()
	made := w.order(of(line(tea, 5)))
	w.do("PATCH", "/api-engine/products/"+tea, object{"stock": object{"quantity": 999_999_999_998}}).is(200)
	w.do("PATCH", path2(made.id()), object{"stateId": w.state(KeyReturned)}).is(200)
	require.Equal(t, 999_999_999_999, w.stock(tea))
}

func TestDeletedStates(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).id()
	made := w.order(of(line(tea, 2)))
	first := w.state(KeyNew)
	deleted := w.do("DELETE", statesPath+"/"+first, nil).is(204)
	require.Equal(t, []string{"states deleted"}, w.told())
	require.Empty(t, deleted.Body.String())
	read := w.do("GET", statesPath+"/"+first, nil).is(200)
	require.Equal(t, true, read.body["deleted"])
	require.Equal(t, read.body["changed"], read.body["deletedAt"])
	require.Equal(t, "new", read.body["key"])
	require.NotContains(t, w.do("GET", statesPath, nil).list("id"), any(first))
	require.NotContains(t, w.do("GET", statesPath+"?includeDeleted=false", nil).list("id"), any(first))
	require.Contains(t, w.do("GET", statesPath+"?includeDeleted=true", nil).list("id"), any(first))
	w.do("GET", statesPath+"?includeDeleted=perhaps", nil).is(422, "invalid")

	w.do("DELETE", statesPath+"/"+first, nil).is(204)
	require.Empty(t, w.told(), "it was deleted")
	w.do("PATCH", statesPath+"/"+first, object{"name": "New"}).is(409, "state_deleted")
	w.do("POST", path, with(of(line(tea, 1)), "stateId", first)).is(422, "state_deleted")
	w.do("PATCH", path2(made.id()), object{"note": "x", "stateId": first}).is(200)
	w.do("PATCH", path2(made.id()), object{"stateId": w.state(KeyShipped)}).is(200)
	w.do("PATCH", path2(made.id()), object{"stateId": first}).is(422, "state_deleted")
	w.do("PATCH", path2(nothing), object{"stateId": first}).is(422, "state_deleted")
	require.Equal(t, w.state(KeyProcessing), w.order(of(line(tea, 1))).body["stateId"], "the lowest position left")
	require.Equal(t, w.state(KeyShipped), w.order(with(of(line(tea, 1)), "stateId", w.state(KeyShipped))).body["stateId"])
}

func TestOrderStates(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", statesPath, object{"name": " Čeká na platbu ", "color": "#123456"}).is(201)
	require.Equal(t, []string{"states created", "states created", "states created", "states created", "states created", "states created", "states created"}, w.told(),
		"a shop from before there were states gets them")
	require.Equal(t, object{"id": made.id(), "name": "Čeká na platbu", "color": "#123456", "position": 7.0, "final": false, "deleted": false,
		"created": made.body["created"], "changed": made.body["created"]}, made.body)
	require.Equal(t, statesPath+"/"+made.id(), made.Header().Get("Location"))
	require.Equal(t, made.body, w.do("GET", statesPath+"/"+made.id(), nil).is(200).body)
	w.do("GET", statesPath+"/"+made.id(), nil, "If-None-Match", made.etag()).is(304)
	keys := w.do("GET", statesPath, nil).list("key")
	require.ElementsMatch(t, []any{KeyNew, KeyProcessing, KeyShipped, KeyDelivered, KeyCancelled, KeyReturned, nil}, keys)

	at := statesPath + "/" + made.id()
	changed := w.do("PATCH", at, object{"position": 0, "final": true, "color": nil}).is(200)
	require.Equal(t, []string{"states changed"}, w.told())
	require.Equal(t, []any{0.0, true, nil}, []any{changed.body["position"], changed.body["final"], changed.body["color"]})
	require.Equal(t, changed.etag(), w.do("PATCH", at, object{"position": 0}).is(200).etag())
	require.Empty(t, w.told())
	require.Equal(t, 7.0, w.do("PATCH", at, object{"position": nil}).is(200).body["position"], "behind the others again")
	w.do("PATCH", at, object{"name": "x"}, "If-Match", made.etag()).is(412, "version_conflict")
	w.do("DELETE", at, nil, "If-Match", made.etag()).is(412, "version_conflict")
	for _, c := range []struct {
		body     object
		at, code string
	}{
		{object{"name": "A", "key": "new"}, "body.key", "read_only"}, {object{"name": "A", "deleted": true}, "body.deleted", "read_only"},
		{object{}, "body.name", "required"}, {object{"name": " "}, "body.name", "required"}, {object{"name": "A", "position": -1}, "body.position", "too_small"},
		{object{"name": "A", "final": 1}, "body.final", "wrong_type"}, {object{"name": "A", "x": 1}, "body.x", "unknown_field"},
	} {
		w.do("POST", statesPath, c.body).fault(c.at, c.code)
	}
	for _, id := range []string{nothing, "LIVE", "odd"} {
		w.do("GET", statesPath+"/"+id, nil).is(404)
		w.do("PATCH", statesPath+"/"+id, object{"name": "x"}).is(404)
		w.do("DELETE", statesPath+"/"+id, nil).is(404)
	}
}

func TestTheLastStateStaysAndNoMoreThanAHundredAreMade(t *testing.T) { lastOfAHundred(t, newWorld(t)) }

// lastOfAHundred deletes all states at once, then makes too many.
func lastOfAHundred(t *testing.T, w *world) {
	w.seed()
	ids := w.do("GET", statesPath, nil).list("id")
	replies := w.together(len(ids), func(i int) reply { return w.call(all, "DELETE", statesPath+"/"+ids[i].(string), nil) })
	require.Equal(t, map[int]int{204: 5, 409: 1}, statuses(replies))
	i := slices.IndexFunc(replies, func(r reply) bool { return r.Code == 409 })
	replies[i].is(409, "last_state")
	require.Equal(t, []any{ids[i]}, w.do("GET", statesPath, nil).list("id"))
	w.do("DELETE", statesPath+"/"+ids[i].(string), nil).is(409, "last_state")
	replies = w.together(102, func(i int) reply {
		return w.call(all, "POST", statesPath, object{"name": fmt.Sprint("State ", i)})
	})
	require.Equal(t, map[int]int{201: 99, 409: 3}, statuses(replies))
	w.do("POST", statesPath, object{"name": "One more"}).is(409, "too_many_states")
}

func TestTracking(t *testing.T) {
	w := newWorld(t)
	made := w.order(with(of(line(w.product("TEA", "1.00", 9).id(), 1)), "orderDeliveryPayment", object{"delivery": "Zásilkovna"}))
	at := path2(made.id(), "/order-delivery-payment")
	r := w.do("PATCH", at, object{"trackingNumber": " DR1 ", "trackingLink": "https://t.example/DR1?a=1&b=2"}).is(200)
	require.Equal(t, object{"delivery": "Zásilkovna", "payment": nil, "trackingNumber": "DR1", "trackingLink": "https://t.example/DR1?a=1&b=2"}, r.body)
	require.Equal(t, []string{"orders changed [delivery]"}, w.told())
	order := w.do("GET", path2(made.id()), nil)
	require.Equal(t, r.body, order.body["orderDeliveryPayment"])
	require.Equal(t, r.etag(), order.etag())
	require.Greater(t, order.body["changed"], made.body["changed"])
	require.Equal(t, order.etag(), w.do("PATCH", at, object{"trackingNumber": "DR1"}).is(200).etag())
	require.Empty(t, w.told())
	r = w.do("PATCH", at, object{"trackingNumber": nil}, "If-Match", order.etag()).is(200)
	require.Equal(t, []any{nil, "https://t.example/DR1?a=1&b=2"}, []any{r.body["trackingNumber"], r.body["trackingLink"]})
	w.do("PATCH", at, object{"trackingLink": nil}, "If-Match", order.etag()).is(412)
	for _, c := range []struct {
		body     object
		at, code string
	}{
		{object{"trackingNumber": strings.Repeat("x", 65)}, "body.trackingNumber", "too_long"}, {object{"trackingNumber": 1}, "body.trackingNumber", "wrong_type"},
		{object{"trackingLink": "ftp://x.cz"}, "body.trackingLink", "bad_format"}, {object{"trackingLink": "javascript:alert(1)"}, "body.trackingLink", "bad_format"},
		{object{"trackingLink": "https://x.cz/ y"}, "body.trackingLink", "bad_format"}, {object{"trackingLink": "https://x.cz/" + strings.Repeat("y", 2000)}, "body.trackingLink", "too_long"},
		{object{"delivery": "x"}, "body.delivery", "read_only"}, {object{"x": "x"}, "body.x", "unknown_field"},
	} {
		w.do("PATCH", at, c.body).fault(c.at, c.code)
	}
	w.do("PATCH", path2(nothing, "/order-delivery-payment"), object{}).is(404)
	w.do("PATCH", path2(nothing, "/order-delivery-payment"), object{"trackingLink": "x"}).is(422)
}

func TestAnOrderUnderAnIdempotencyKeyIsMadeOnce(t *testing.T) {
	w := newWorld(t)
	tea := w.product("TEA", "1.00", 9).id()
	coupon := w.coupon("TEN", "percentage", "10.00")
	body := with(of(line(tea, 2)), "discountCoupons", []string{"ten"})
	first := w.do("POST", path, body, "Idempotency-Key", "k").is(201)
	again := w.do("POST", path, body, "Idempotency-Key", "k").is(201)
	require.Equal(t, first.body, again.body)
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	require.Equal(t, 7, w.stock(tea))
	require.Equal(t, 1, w.used(coupon.id()))
}

func TestNumbersGoOnOverTheYears(t *testing.T) {
	require.Equal(t, "2026000001", number(2026, 1))
	require.Equal(t, "2027000124", number(2027, 124))
	require.Equal(t, "20271000000", number(2027, 1_000_000))
}
