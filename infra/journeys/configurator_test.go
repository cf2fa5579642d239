package journeys

import (
	"image/png"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// blend is what the demo configurator's widget sends.
var blend = fields{"tea": "rooibos", "additions": []string{"mint", "orange"}, "grams": 250, "label": "Pro babičku",
	"locale": "cs_CZ"}

// quote asks the demo configurator's backend for a quote, as a page of the demo shop does.
func (p *process) quote(blend fields) answer {
	p.t.Helper()
	page := client{p.t, p.run.BaseURL, ""}
	return page.do(201, "POST", "/demo/configurator/quotes", blend, "Origin", p.run.Demo.StorefrontURL)
}

func TestTheDemoConfiguratorRegistersAQuoteWithItsPicture(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	got := p.quote(blend).fields()
	require.ElementsMatch(t, []string{"quoteToken", "unitPrice"}, names(got), "and nothing that is the backend's own")
	addon := p.addon("demo-configurator.token")
	quotes := addon.get("/basket-price-quotes").items("items")
	require.Len(t, quotes, 1)
	product := p.demo().get("/api-engine/products?code=SMES-001").items("items")[0]
	require.Equal(t, []any{product["id"], "291.00",
		"Rooibos · s přísadami: pomerančová kůra, máta · 250 g · jmenovka: Pro babičku", "issued"},
		[]any{quotes[0]["productId"], got["unitPrice"], quotes[0]["note"], quotes[0]["status"]})
	require.Len(t, quotes[0]["imageIds"], 1)

	p.demo().patch("/api-engine/products/"+product["id"].(string), fields{"name": "Čaj podle vás"})
	p.quote(blend)
	for _, permission := range addon.do(200, "GET", "/api-engine/status", nil).fields()["permissions"].([]any) {
		require.Contains(t, []any{"products:read", "quotes:write", "codes:read", "codes:write"}, permission)
	}
	page := client{t, p.run.BaseURL, ""}
	page.do(403, "POST", "/demo/configurator/quotes", blend, "Origin", "https://other.example")
	page.do(400, "POST", "/demo/configurator/quotes", fields{"unitPrice": "1.00"})
	p.stop(syscall.SIGTERM)
	require.Contains(t, p.out.String(), product["url"], "the page with the widget is printed")
	require.NotContains(t, p.out.String(), addon.token)
}

// TestABlendIsSold is the whole path: the page with the widget, the quote, the basket, the order.
func TestABlendIsSold(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	product := p.demo().get("/api-engine/products?code=SMES-001").items("items")[0]
	page, err := http.Get(product["url"].(string))
	require.NoError(t, err)
	html, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Contains(t, string(html), `<template id="tea-blend">`)
	require.NotContains(t, string(html), "esk_")

	shopper := client{t, p.run.Demo.StorefrontURL, ""}
	cookie := strings.Split(shopper.do(200, "GET", "/basket", nil, "Accept",
		"application/json").header.Get("Set-Cookie"), ";")[0]
	token := p.quote(blend).text("quoteToken")
	line := fields{"productId": product["id"], "quantity": 2, "quoteToken": token}
	basket := shopper.do(201, "POST", "/basket/items", line, "Cookie", cookie).fields()
	require.Equal(t, "582.00", basket["totals"].(fields)["total"])
	shopper.do(409, "POST", "/basket/items", line, "Cookie", cookie).problem(409, "quote_used")
	order := shopper.do(201, "POST", "/checkout",
		fields{"email": "jana@example.com", "firstName": "Jana", "lastName": "Nová",
			"phone": "+420 601 000 000",
			"billingAddress": fields{"street": "Dlouhá 1", "city": "Praha", "zip": "110 00",
				"country": "CZ"}}, "Cookie", cookie)

	sold := p.demo().get("/api-engine/orders/" + order.text("orderId")).items("items")[0]
	require.Equal(t, []any{"291.00", 2.0,
		"Rooibos · s přísadami: pomerančová kůra, máta · 250 g · jmenovka: Pro babičku"},
		[]any{sold["unitPrice"], sold["quantity"], sold["note"]})
	quote := p.addon("demo-configurator.token").get("/basket-price-quotes/" + sold["quoteId"].(string))
	require.Equal(t, []any{"used", order.text("orderId")}, []any{quote.text("status"), quote.text("orderId")})
	picture, err := http.Get(sold["images"].([]any)[0].(fields)["url"].(string))
	require.NoError(t, err)
	label, err := png.Decode(picture.Body)
	require.NoError(t, err)
	require.NoError(t, picture.Body.Close())
	require.Equal(t, [2]int{480, 600}, [2]int{label.Bounds().Dx(), label.Bounds().Dy()})
	p.stop(syscall.SIGTERM)
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
