package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/frontend/browsertest"
)

// eventful lets happen in a shop what its admin has pages for: receivers that work and fail, with their deliveries and
// a replay, keys, an import with rows that are wrong, codes that go and stay, orders of today.
func (s *shop) eventful(tab *browsertest.Tab) {
	s.t.Helper()
	customer := s.post("/api-engine/customers", fields{"email": "vysoka@example.com", "firstName": "Božena",
		"lastName": "Vysoká"})["id"].(string)
	s.hooked(customer)
	s.takesOut(tab, "products")
	s.bringsIn(tab, "code,name,priceLevels.default\nCSV-1,Z tabulky,10.00\nCSV-2,Bez ceny,asi deset\nCSV-3,,5.00\n")
	s.post("/api-engine/custom-codes", fields{"name": "Měření návštěvnosti", "position": "head",
		"code": "<!-- measuring -->"})
	goes := s.post("/api-engine/custom-codes",
		fields{"name": "Chat", "position": "bodyEnd", "code": "<!-- a chat -->"})["id"]
	s.post("/api-engine/cleanup-orders", fields{"customCodeId": goes, "packageId": s.get("/api-engine/package")["id"]})
	s.leavesBehind("head", "<!-- a banner -->")
	order := s.sellsToday(customer)
	updated := refusing(s.t, 503, `{"error": "We are being updated. Please try again later."}`)
	busy := s.receives(updated, "enabled", "orderChange")
	s.do(200, "PATCH", "/api-engine/orders/"+order, fields{"note": "Zvonek nefunguje, prosím volejte. Pozor na psa."})
	s.until(func() bool {
		last := s.get("/api-engine/webhook-deliveries?order%5Bcreated%5D=desc&receiverId=" + busy)["items"].([]any)
		return last[0].(fields)["event"] == "orderChange" && s.tried(last[0])
	})
}

// hooked lets the shop's add-on have keys and receivers: one that works, with a replay, one that fails, one that is
// none.
func (s *shop) hooked(customer string) {
	s.post("/api-engine/webhook-signing-keys", nil)
	s.post("/api-engine/webhook-signing-keys", nil)
	good := s.receives(listening(s.t).URL+"/eshop/webhooks?shop=cajovna-u-zvonu", "enabled", "customerChange")
	broken := s.receives(refusing(s.t, 500, "database is locked"), "enabled", "customerChange")
	nothing := httptest.NewServer(http.NotFoundHandler())
	s.t.Cleanup(nothing.Close)
	s.receives(nothing.URL+"/hooks", "unverified", "productChange")
	for i := range 25 { // a breaker opens when half of twenty deliveries fail
		s.do(200, "PATCH", "/api-engine/customers/"+customer, fields{"note": fmt.Sprintf("Volala %d×", i+1)})
	}
	s.becomes(broken, "failing")
	from := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	s.do(202, "POST", "/api-engine/webhooks/"+good+"/replay", fields{"from": from})
}

// refusing is the address of a receiver that answers pings as it must, and everything else with an error.
func refusing(t *testing.T, status int, text string) string {
	a := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Webhook-Event") != "ping" {
			http.Error(w, text, status)
			return
		}
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(a.Close)
	return a.URL
}

// receives makes a receiver of events, which comes to be in a state, and is its id.
func (s *shop) receives(url, state string, events ...string) string {
	s.t.Helper()
	id := s.post("/api-engine/webhooks", fields{"url": url, "events": events})["id"].(string)
	s.becomes(id, state)
	return id
}

// becomes waits until a receiver is in a state.
func (s *shop) becomes(receiver, state string) {
	s.t.Helper()
	s.until(func() bool { return s.get("/api-engine/webhooks/" + receiver)["state"] == state })
}

func (s *shop) until(is func() bool) {
	s.t.Helper()
	require.Eventually(s.t, is, time.Minute, 20*time.Millisecond)
}

// tried says whether a delivery was attempted.
func (s *shop) tried(delivery any) bool {
	return len(s.get("/api-engine/webhook-deliveries/" + delivery.(fields)["id"].(string))["attempts"].([]any)) > 0
}

// takesOut exports a list by the button below it, to its end.
func (s *shop) takesOut(tab *browsertest.Tab, list string) {
	tab.Go(s.admin() + "/admin/" + list)
	tab.Follow(`form[action="/admin/exports"] button`)
	tab.Wait(`document.querySelector("[data-live][data-over]")`)
}

// bringsIn imports a table of products in the admin, to its end.
func (s *shop) bringsIn(tab *browsertest.Tab, table string) {
	tab.Go(s.admin() + "/admin/imports")
	tab.Run(fmt.Sprintf(`const files = new DataTransfer();
		files.items.add(new File([%q], "goods.csv"));
		document.querySelector("#file").files = files.files`, table))
	tab.Follow(button)
	tab.Wait(`document.querySelector("[data-live][data-over]")`)
}

// leavesBehind lets another add-on be deactivated whose code stays in the shop's pages.
func (s *shop) leavesBehind(position, code string) {
	o := operator(s.t)
	pkg := o.post("/operator/packages", fields{"code": fmt.Sprintf("left-%d", shops.Add(1)), "name": "Vánoční výzdoba",
		"instructions": "-", "permissions": permission.All})["id"]
	accesses := "/operator/shops/" + s.id + "/accesses"
	access := o.post(accesses, fields{"packageId": pkg})
	client{s.t, access["token"].(string)}.post("/api-engine/custom-codes",
		fields{"name": "Sníh", "position": position, "code": code})
	o.do(200, "POST", accesses+"/"+access["id"].(string)+"/deactivate", nil)
}

// sellsToday lets a customer order, with a discount and a note, and the order be sent. It is the order's id.
func (s *shop) sellsToday(customer string) string {
	s.t.Helper()
	product := s.get("/api-engine/products")["items"].([]any)[0].(fields)["id"]
	address := fields{"firstName": "Božena", "lastName": "Vysoká", "street": "Dlouhá 12", "city": "Brno",
		"zip": "602 00", "country": "CZ"}
	order := s.post("/api-engine/orders",
		fields{"email": "vysoka@example.com", "phone": "+420 601 765 432", "customerId": customer,
			"billingAddress": address, "note": "Zvonek nefunguje, prosím volejte.",
			"discountCoupons":      []string{"VITEJTE10"},
			"orderDeliveryPayment": fields{"delivery": "Zásilkovna", "payment": "Kartou"},
			"items": []fields{{"productId": product, "quantity": 3,
				"note": "Zabalit jako dárek"}}})["id"].(string)
	states := map[any]any{}
	for _, state := range s.get("/api-engine/order-states")["items"].([]any) {
		states[state.(fields)["key"]] = state.(fields)["id"]
	}
	for _, key := range []string{"processing", "shipped"} {
		s.do(200, "PATCH", "/api-engine/orders/"+order, fields{"stateId": states[key]})
	}
	return order
}
