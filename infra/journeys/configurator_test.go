package journeys

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// gift is what the demo configurator's widget sends of a product, with the label that it has drawn.
func gift(t *testing.T, product string) fields {
	t.Helper()
	var label bytes.Buffer
	require.NoError(t, png.Encode(&label, image.NewGray(image.Rect(0, 0, 480, 280))))
	return fields{"productId": product, "label": "Pro babičku", "picture": label.Bytes()}
}

// TestAGiftIsSold is the whole path: the page with the widget, the quote, the basket, the order.
func TestAGiftIsSold(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	product := p.demo().get("/api-engine/products?code=SMES-001").items("items")[0]
	html, err := http.Get(product["url"].(string))
	require.NoError(t, err)
	text, err := io.ReadAll(html.Body)
	require.NoError(t, err)
	require.NoError(t, html.Body.Close())
	require.Contains(t, string(text), p.run.BaseURL+"/demo/configurator/quotes")
	require.NotContains(t, string(text), "esk_")

	page, gift := client{t, p.run.BaseURL, ""}, gift(t, product["id"].(string))
	page.do(403, "POST", "/demo/configurator/quotes", gift, "Origin", "https://other.example")
	quote := page.do(200, "POST", "/demo/configurator/quotes", gift, "Origin", p.run.Demo.StorefrontURL).fields()
	require.ElementsMatch(t, []string{"quoteToken", "unitPrice"}, names(quote), "and nothing that is the backend's own")
	shopper := client{t, p.run.Demo.StorefrontURL, ""}
	cookie := strings.Split(shopper.do(200, "GET", "/basket", nil, "Accept",
		"application/json").header.Get("Set-Cookie"), ";")[0]
	line := fields{"productId": product["id"], "quantity": 2, "quoteToken": quote["quoteToken"]}
	basket := shopper.do(201, "POST", "/basket/items", line, "Cookie", cookie).fields()
	require.Equal(t, "283.80", basket["totals"].(fields)["total"])
	shopper.do(409, "POST", "/basket/items", line, "Cookie", cookie).problem(409, "quote_used")
	order := shopper.do(201, "POST", "/checkout",
		fields{"email": "jana@example.com", "firstName": "Jana", "lastName": "Nová",
			"phone": "+420 601 000 000",
			"billingAddress": fields{"street": "Dlouhá 1", "city": "Praha", "zip": "110 00",
				"country": "CZ"}}, "Cookie", cookie)

	sold := p.demo().get("/api-engine/orders/" + order.text("orderId")).items("items")[0]
	require.Equal(t, []any{"141.90", "141.90", 2.0, "Dárkové balení: Pro babičku"},
		[]any{quote["unitPrice"], sold["unitPrice"], sold["quantity"], sold["note"]})
	addon := p.addon("demo-configurator.token")
	used := addon.get("/basket-price-quotes/" + sold["quoteId"].(string))
	require.Equal(t, []any{"used", order.text("orderId")}, []any{used.text("status"), used.text("orderId")})
	picture, err := http.Get(sold["images"].([]any)[0].(fields)["url"].(string))
	require.NoError(t, err)
	label, err := png.Decode(picture.Body)
	require.NoError(t, err)
	require.NoError(t, picture.Body.Close())
	require.Equal(t, image.Pt(480, 280), label.Bounds().Size())
	for _, permission := range addon.do(200, "GET", "/api-engine/status", nil).fields()["permissions"].([]any) {
		require.Contains(t, []any{"products:read", "quotes:write", "codes:read", "codes:write", "shop:read"},
			permission)
	}
	p.stop(syscall.SIGTERM)
	require.Contains(t, p.out.String(), product["url"], "the page with the widget is printed")
	require.NotContains(t, p.out.String(), addon.token)
}

// TestTheDemoConfiguratorLeavesWithItsPackage, and is there again at the next start once the package is active.
func TestTheDemoConfiguratorLeavesWithItsPackage(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	addon := p.addon("demo-configurator.token")
	codes := func() []fields {
		return p.addon("demo-configurator.token").get("/api-engine/custom-codes").items("items")
	}
	require.Len(t, codes(), 1)
	require.NotContains(t, codes()[0]["code"], "esk_", "no token in the page")
	require.Contains(t, codes()[0]["code"], p.run.BaseURL+"/demo/configurator/quotes")

	operator := client{t, p.run.BaseURL, p.run.OperatorToken}
	access := "/operator/shops/" + p.run.Demo.ShopID + "/accesses/" + addon.get("/api-engine/status").text("accessId")
	operator.do(200, "POST", access+"/deactivate", nil)
	addon.do(403, "GET", "/api-engine/custom-codes", nil).problem(403, "package_inactive")
	operator.do(200, "POST", access+"/activate", nil)
	require.Empty(t, codes(), "the deactivation has removed it")
	require.Equal(t, "executed", addon.get("/api-engine/cleanup-orders").items("items")[0]["status"])
	p.stop(syscall.SIGTERM)

	for range 2 { // at another port each time
		p = begin(t, command(t, data), data)
		require.Len(t, codes(), 1)
		require.Contains(t, codes()[0]["code"], p.run.BaseURL+"/demo/configurator/quotes")
		require.Len(t, p.addon("demo-configurator.token").get("/api-engine/cleanup-orders").items("items"), 2)
		p.stop(syscall.SIGTERM)
	}
}

func TestTheDemoConfiguratorIsNoPartOfProduction(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data, public, "ENVIRONMENT=production", "DEMO=1"), data)
	r, err := http.Post(p.run.BaseURL+"/demo/configurator/quotes", "application/json", nil)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, 404, r.StatusCode)
	require.NoFileExists(t, data+"/demo-configurator.token")
	p.stop(syscall.SIGTERM)
	require.NotContains(t, p.out.String(), "  Configurator  ")
}
