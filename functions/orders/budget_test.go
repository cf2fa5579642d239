package orders

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
	"eshop/shared/sale"
)

// TestTheBudgetsAreKept holds each operation to its budget; calls and write units count the counter, and an item's
// kilobytes the change that rides on it.
func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	w.seed()
	var goods []object
	for i := range 9 {
		goods = append(goods, line(w.product(fmt.Sprint("P", i), "10.00", 99).ID(), 1))
	}
	cup := w.product("CUP", "10.00", 0, object{"variants": []object{variant("CUP-W", "", 5), variant("CUP-B", "", 5)}})
	white := with(line(cup.ID(), 1), "variantId", cup.At("variants.0.id"))
	customer := w.do("POST", "/api-engine/customers",
		object{"email": "a@b.cz", "firstName": "J", "lastName": "N"}).Is(201).ID()
	w.coupon("TEN", "percentage", "10.00")
	w.coupon("ONCE", "amount", "1.00", object{"usageLimit": 1})
	shipped, cancelled := w.state(sale.KeyShipped), w.state(sale.KeyCancelled)
	made, two := w.order(of(goods[0])), w.order(of(goods[0], goods[1]))
	for range 49 {
		w.order(of(goods[2]))
	}
	one, state := pathOf(made.ID()), statesPath+"/"+shipped
	for _, b := range []struct {
		name, method, path string
		body               object
		key                string
		waves              []int
		write              float64
	}{
		{"read one", "GET", one, nil, "", []int{2}, 1},
		{"a page of 50", "GET", path, nil, "", []int{2, 1}, 1},
		{"by number", "GET", path + "?number=2026000001", nil, "", []int{2, 1}, 1},
		{"a customer's", "GET", path + "?customerId=" + customer, nil, "", []int{2}, 1},
		{"an order of one product", "POST", path, of(goods[0]), "", []int{3, 1, 1}, 7 + 4},
		// the order with its change is of 4 KB
		{"an order of nine products", "POST", path, of(goods...), "", []int{3, 1, 1}, 7 + 9*4 + 3*2},
		{"an order in a state", "POST", path, with(of(goods[0]), "stateId", shipped), "", []int{2, 1, 1}, 7 + 4},
		{"an order with a key", "POST", path, of(goods[0]), "k", []int{2, 2, 1, 1}, 7 + 4 + 2},
		// of 2 KB, as the next ones
		{"an order of a customer", "POST", path, with(of(goods[0]), "customerId", customer), "", []int{3, 1, 1},
			7 + 4 + 1 + 2},
		{"an order of a variant", "POST", path, of(white), "", []int{3, 2, 1}, 7 + 4 + 2},
		{"an order with two coupons", "POST", path, with(of(goods[0]), "discountCoupons", []string{"ten", "once"}), "",
			[]int{3, 2, 1}, 7 + 4 + 2*4 + 2},
		{"a note", "PATCH", one, object{"note": "x"}, "", []int{2, 1}, 4},
		{"nothing", "PATCH", one, object{"note": "x"}, "", []int{2}, 1},
		{"tracking", "PATCH", one + "/order-delivery-payment", object{"trackingNumber": "1"}, "", []int{2, 1}, 4},
		{"a move", "PATCH", one, object{"stateId": shipped}, "", []int{3, 1}, 4},
		{"a cancellation of two products", "PATCH", pathOf(two.ID()), object{"stateId": cancelled}, "", []int{3, 1, 1},
			5 + 2*4 + 2},
		{"read a state", "GET", state, nil, "", []int{2}, 1},
		{"list states", "GET", statesPath, nil, "", []int{2, 1}, 1},
		{"change a state", "PATCH", state, object{"name": "Sent"}, "", []int{2, 1}, 4},
		{"make a state", "POST", statesPath, object{"name": "Own"}, "", []int{2, 1}, 6},
		{"delete a state", "DELETE", state, nil, "", []int{2, 1}, 7},
	} {
		t.Run(b.name, func(t *testing.T) {
			w.T = t
			headers := []string{}
			if b.key != "" {
				headers = []string{"Idempotency-Key", b.key}
			}
			var body any
			if b.body != nil {
				body = b.body
			}
			w.InWaves(b.waves, func() {
				r := w.do(b.method, b.path, body, headers...)
				require.Less(t, r.Status, 300, r.Text)
			})
			_, write := w.Meter().Units()
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}

func TestAnOrderOfAProductWithFiveHundredVariantsTouchesItsHeadOnly(t *testing.T) {
	fiveHundred(t, newWorld(t))
}

// fiveHundred is orders of one, 20 and 90 of the variants of a product.
func fiveHundred(t *testing.T, w *world) {
	w.seed()
	big := w.product("BIG", "10.00", 0).ID()
	for part := range 10 {
		var items []object
		for i := range 50 {
			items = append(items, variant(fmt.Sprintf("BIG-%d-%d", part, i), "10.00", 5))
		}
		w.do("POST", "/api-engine/products/"+big+"/variants", object{"items": items}).Is(201)
	}
	variants := w.do("GET", "/api-engine/products/"+big, nil).Is(200).Body["variants"].([]any)
	var items []object
	for i := 0; i < 500; i += 25 {
		items = append(items, with(line(big, 1), "variantId", variants[i].(object)["id"]))
	}
	w.Main.Before(func(ops []store.Op) error {
		for _, o := range ops {
			require.False(t, strings.Contains(o.Key.PK, "#P#") && o.Key.SK != "A", "a part is written: %v", o.Key)
		}
		return nil
	})
	w.InWaves([]int{3, 2, 1}, func() { w.order(of(items[:1]...)) })
	w.order(of(items...))
	require.Equal(t, []string{"orders created", "products changed [stock] 20 variants"}, w.told())
	require.Equal(t, 3, w.stock(big, "BIG-0-0"))

	items = nil
	for i := range 90 {
		items = append(items, with(line(big, 1), "variantId", variants[i].(object)["id"]))
	}
	made := w.order(of(items...))
	require.Equal(t, 2, w.stock(big, "BIG-0-0"))
	w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(sale.KeyCancelled)}).Is(200)
	require.Equal(t, []string{"orders changed [state]", "products changed [stock] 90 variants"}, w.told())
	require.Equal(t, 3, w.stock(big, "BIG-0-0"))
}

func TestTheLargestOrderFitsOneTransaction(t *testing.T) { largest(t, newWorld(t)) }

// largest is an order of 90 products with five coupons, and its way back.
func largest(t *testing.T, w *world) {
	w.seed()
	var lines []object
	for i := range 90 {
		lines = append(lines, line(w.product(fmt.Sprint("P", i), "10.00", 9).ID(), 1))
	}
	var codes []string
	for i := range 5 {
		codes = append(codes, fmt.Sprint("C", i))
		w.coupon(codes[i], "percentage", "10.00", object{"usageLimit": 2})
	}
	most := 0
	w.Main.Before(func(ops []store.Op) error { most = max(most, len(ops)); return nil })
	made := w.do("POST", path, with(of(lines...), "discountCoupons", codes), "Idempotency-Key", "k").Is(201)
	require.Equal(t, 98, most, "and room for a change of its own")
	require.Len(t, w.told(), 1+90+5)
	w.do("PATCH", pathOf(made.ID()), object{"stateId": w.state(sale.KeyReturned)}, "Idempotency-Key", "l").Is(200)
	require.Len(t, w.told(), 1+90)
}
