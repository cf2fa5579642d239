package journeys

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// orders follows an order and the stock it takes, its shipment, and what its cancellation puts back.
func orders(t *testing.T, w *world) {
	tn := w.shopWith(t, append([]string{"orders:read", "orders:write"}, everything...)...)
	goods := thing(0)
	goods["stock"] = fields{"quantity": 5}
	made := tn.post("/api-engine/products", goods)
	a := tn.listens(fields{"events": []string{"orderChange", "productChange"}})
	seen := 0
	told := func(event, data, changed string) {
		t.Helper()
		seen++
		calls := a.until(func(calls []call) bool {
			return slices.ContainsFunc(calls,
				func(c call) bool { return c.body.Event == event && c.header.Get("X-Webhook-Changed") == changed })
		})
		of := func(c call) bool { return c.body.Event == event && c.header.Get("X-Webhook-Changed") == changed }
		calls[slices.IndexFunc(calls, of)].tells(t, data, changed)
	}
	order := tn.post("/api-engine/orders",
		fields{"email": "jana@example.com", "items": []fields{{"productId": made.id(), "quantity": 3}}})
	at, of := "/api-engine/orders/"+order.id(), `{"orderIds":["`+order.id()+`"]}`
	told("orderChange", of, "created")
	told("productChange", product(made.id()), "stock")
	require.Contains(t, string(tn.get("/api-engine/products/"+made.id()).body), `"quantity":2`)

	tn.patch(at+"/order-delivery-payment", fields{"trackingNumber": "CZ123"})
	told("orderChange", of, "delivery")
	states := tn.get("/api-engine/order-states").items("items")
	cancelled := states[slices.IndexFunc(states, func(s map[string]any) bool { return s["key"] == "cancelled" })]
	tn.patch(at, fields{"stateId": cancelled["id"]})
	told("orderChange", of, "state")
	a.until(func(calls []call) bool { return len(calls) == seen+1 })
	require.Contains(t, string(tn.get("/api-engine/products/"+made.id()).body), `"quantity":5`)
	tn.hearsOnly(a, "orderChange", "productChange", "orderChange", "orderChange", "productChange")
}
