package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// TestAShopperOrdersAGift is the whole way of an add-on that sells at its own price: from its widget in the product's
// page to the order that the merchant reads. The platform's refusal is shown in its words, and a gift whose answer was
// lost is put in once.
func TestAShopperOrdersAGift(t *testing.T) {
	t.Parallel()
	tab := browsertest.NewShopper(t).Tab() // the refusal is an error of the page's console
	started(t)
	demo := client{t, platform.Run.Demo.Token}
	product := demo.get("/api-engine/products?code=SMES-001")["items"].([]any)[0].(fields)
	tab.Go(product["url"].(string))
	tab.Click(".gift summary")
	label := func(text string) {
		tab.Run(fmt.Sprintf(`const input = document.querySelector(".gift input");
			input.value = %q; input.dispatchEvent(new Event("input"))`, text))
	}
	refused := func() string {
		tab.Click(".gift button")
		tab.Wait(`document.querySelector(".gift [role=alert]").textContent && !document.querySelector(".gift button").disabled`)
		return tab.Text(".gift [role=alert]")
	}
	label(strings.Repeat("x", 600)) // longer than can be written there
	require.Regexp(t, "Teď to nejde.* 422 invalid: `note` is longer .*\\(request \\w{26}\\)", refused())
	label("Pro babičku")
	tab.Run(`const whole = window.fetch;
		window.fetch = async (address, ...rest) => {
			const answer = await whole(address, ...rest);
			if (address !== "/basket/items") return answer;
			window.fetch = whole;
			throw new TypeError("lost");
		};`)
	require.Contains(t, refused(), "lost")
	tab.Follow(".gift button")

	require.Equal(t, platform.Run.Demo.StorefrontURL+"/basket", tab.URL())
	line := tab.Last("cartUpdated")["added"].([]any)[0].(fields)
	require.Equal(t, []any{product["id"], 1.0, "141.90"}, []any{line["productId"], line["quantity"], line["unitPrice"]},
		"of a fetch it is told on the next page")
	require.Contains(t, tab.Text(".lines .dim"), "141,90\u00a0Kč", "the quoted price")
	require.Contains(t, tab.Text(".lines .note"), "Dárkové balení: Pro babičku")
	require.Equal(t, 480, browsertest.Eval[int](tab, `document.querySelector(".lines .pic img").naturalWidth`))

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
	require.Len(t, order["items"], 1)
	item := order["items"].([]any)[0].(fields)
	require.Equal(t, []any{"141.90", 1.0}, []any{item["unitPrice"], item["quantity"]})
	require.Contains(t, item["note"], "Pro babičku")
	require.Len(t, item["images"], 1)
}

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
