package journeys

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// searched is a search for a customer, a product and an order by a partner, and for the product by a shopper. On AWS
// the index follows within moments; of the one process nobody waits.
func searched(t *testing.T, w *world) {
	tn := w.shopWith(t, append([]string{"orders:read", "orders:write"}, everything...)...)
	shopper := tn.visits()
	jana := someone()
	jana["firstName"], jana["lastName"] = "Jana", "Šťastná"
	made := tn.post("/api-engine/customers", jana)
	thing := thing(0)
	thing["name"], thing["stock"] = "Sypaný čaj Earl Grey", fields{"quantity": 5}
	tea := tn.post("/api-engine/products", thing)
	order := tn.post("/api-engine/orders", fields{"email": "j@example.cz",
		"items": []fields{{"productId": tea.id(), "quantity": 1}}})
	for path, want := range map[string]string{
		"customers?q=" + url.QueryEscape("stast JAN"): made.id(),
		"products?q=grey+caj":                         tea.id(),
		"orders?q=" + order.text("number")[:6]:        order.id(),
		"orders?stateId=" + order.text("stateId"):     order.id(),
	} {
		eventually(t, patience, func() bool {
			found := tn.get("/api-engine/" + path).items("items")
			return len(found) == 1 && found[0]["id"] == want
		}, path)
	}
	eventually(t, patience, func() bool {
		found := shopper.do(200, "GET", "/search?q=earl", "", "application/json", "").items("items")
		return len(found) == 1 && found[0]["productId"] == tea.id()
	}, "the shopper")
	tn.patch("/api-engine/products/"+tea.id(), fields{"name": "Zelený čaj"})
	finds := func(q string) int { return len(tn.get("/api-engine/products?q=" + q).items("items")) }
	eventually(t, patience, func() bool { return finds("earl") == 0 }, "its old name")
	rebuilt := w.operate(t).do(200, "POST", "/operator/shops/"+tn.shop+"/search-index", fields{})
	require.InDelta(t, 3, rebuilt.fields()["indexed"], 0)
	eventually(t, patience, func() bool { return finds("zeleny") == 1 }, "its new one")
}
