package browser

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// TestAShopperSearchesAndNarrows types a beginning without accents, sorts, narrows, and buys what is left: by forms and
// links alone.
func TestAShopperSearchesAndNarrows(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	tab.WithoutScripts()
	s := newShop(t, "cs_CZ", "CZK")
	s.goods("Zelený čaj Sencha", "SENCHA", "89.00", 0)
	s.goods("Zelený čaj Gunpowder", "GUN", "129.00", 5)
	tab.Go(s.url + "/")
	tab.Fill("#find", "zeleny SEN")
	tab.Follow(".find button")
	require.Equal(t, []string{"Zelený čaj Sencha"}, names(tab))
	require.Contains(t, tab.Text("h1"), "zeleny SEN")
	tab.Fill("#find", "caj zel")
	tab.Follow(".find button")
	tab.Run(`document.querySelector("#sort").value = "-price"`)
	tab.Follow(".sift button")
	require.Equal(t, []string{"Zelený čaj Gunpowder", "Zelený čaj Sencha"}, names(tab))
	tab.Run(`document.querySelector("[name=inStock]").checked = true`)
	tab.Follow(".sift button")
	require.Equal(t, []string{"Zelený čaj Gunpowder"}, names(tab))
	require.Equal(t, "-price", browsertest.Eval[string](tab, `document.querySelector("#sort").value`), "what was chosen stays")
	tab.Follow(".cards a")
	require.Equal(t, "Zelený čaj Gunpowder", tab.Text("h1"))
}

// names are those of the products in a list.
func names(tab *browsertest.Tab) []string {
	return browsertest.Eval[[]string](tab, `[...document.querySelectorAll(".cards .what")].map(e => e.textContent)`)
}

// goods makes a product.
func (s *shop) goods(name, code, price string, stock int) {
	s.post("/api-engine/products", fields{"name": name, "code": code, "stock": fields{"quantity": stock},
		"priceLevels": []fields{{"level": "default", "price": price}}})
}

// TestAMerchantFindsByTheHeadsBox finds an order by its number and a customer by the beginning of a name.
func TestAMerchantFindsByTheHeadsBox(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	order := s.post("/api-engine/orders",
		fields{"email": "j@example.com", "items": []fields{{"productId": s.teaID, "quantity": 1}}})
	customer := s.post("/api-engine/customers",
		fields{"email": "stastna@example.com", "firstName": "Jana", "lastName": "Šťastná"})
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin")
	tab.Fill("#find", "stastn ja")
	tab.Press("\r")
	tab.Wait(`Boolean(document.querySelector('[data-kind="customers"] [data-id="` + customer["id"].(string) + `"]'))`)
	tab.Fill("#find", order["number"].(string))
	tab.Follow(".top .find button")
	tab.Follow(`[data-kind="orders"] a`)
	require.Contains(t, tab.Text("h1"), order["number"].(string))
}
