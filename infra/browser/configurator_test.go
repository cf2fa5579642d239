package browser

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// TestAShopperOrdersABlend is the whole way of an add-on that sells at its own price: from its widget in the product's
// page to the order that the merchant reads.
func TestAShopperOrdersABlend(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	started(t)
	demo := client{t, platform.Run.Demo.Token}
	product := demo.get("/api-engine/products?code=SMES-001")["items"].([]any)[0].(fields)
	tab.Go(product["url"].(string))
	tab.Click(".tea-blend label:has([value=rooibos])")
	tab.Click(".tea-blend label:has([value=mint])")
	tab.Click(".tea-blend label:has([value='250'])")
	tab.Fill("#tb-label", "Pro babičku")
	tab.Fill("#tb-quantity", "2")
	tab.Follow(".tea-blend button")

	require.Equal(t, platform.Run.Demo.StorefrontURL+"/basket", tab.URL())
	line := tab.Last("cartUpdated")["added"].([]any)[0].(fields)
	require.Equal(t, []any{product["id"], 2.0}, []any{line["productId"], line["quantity"]},
		"of a fetch it is told on the next page")
	unit := line["unitPrice"].(string)
	require.NotEqual(t, "129.00", unit)
	require.Contains(t, tab.Text(".lines .dim"), money(unit), "the quoted price")
	require.Contains(t, tab.Text(".lines .note"), "Rooibos · s přísadami: máta · 250 g · jmenovka: Pro babičku")
	tab.Wait(`document.querySelector(".lines .pic img").naturalWidth > 0`)

	tab.Follow(`a[href="/checkout"]`)
	fill(tab, jana)
	require.Contains(t, tab.Text(".ordered .note"), "Pro babičku")
	tab.Follow(toOrder)
	require.Contains(t, tab.URL(), "/order/")
	require.Contains(t, tab.Text(".ordered .note"), "Pro babičku")
	require.True(t, browsertest.Eval[bool](tab, `document.querySelector(".ordered .pic img").naturalWidth > 0`))

	id := tab.Last("orderSubmitted")["order"].(fields)["id"].(string)
	order := demo.get("/api-engine/orders/" + id)
	require.Equal(t, order["number"], tab.Text(".facts b"))
	item := order["items"].([]any)[0].(fields)
	require.Equal(t, unit, item["unitPrice"])
	require.Contains(t, item["note"], "Pro babičku")
	require.Len(t, item["images"], 1)
}

// money is an amount in whole crowns as a page shows it.
func money(amount string) string { return amount[:len(amount)-len(".00")] + "\u00a0Kč" }

// TestAWidgetLeavesWithItsPackage: what it asked to be cleaned up goes, what it did not stays.
func TestAWidgetLeavesWithItsPackage(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	widget := s.installs("bodyEnd", `<p id="widget">widget</p>`)
	s.installs("bodyEnd", `<p id="stays">stays</p>`)
	s.post("/api-engine/cleanup-orders", fields{"customCodeId": widget, "packageId": s.pkg})
	for _, path := range []string{s.tea, "/basket", "/none"} {
		tab.Go(s.url + path)
		require.Equal(t, "widget", tab.Text("#widget"))
	}
	operator(t).do(200, "POST", s.access+"/deactivate", nil)
	for _, path := range []string{s.tea, "/basket", "/none"} {
		tab.Go(s.url + path)
		require.Equal(t, "stays", tab.Text("#stays"))
		require.False(t, browsertest.Eval[bool](tab, `Boolean(document.querySelector("#widget"))`))
	}
}
