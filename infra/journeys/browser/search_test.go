package browser

import (
	"fmt"
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

// TestAShopperGoesThroughCategories opens the menu's second level by the keyboard, sorts and sifts what is below a main
// category, and finds the ninth among all: without scripts.
func TestAShopperGoesThroughCategories(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	tab.WithoutScripts()
	s := newShop(t, "sk_SK", "EUR")
	kitchen := s.post("/api-engine/categories", fields{"name": "Kuchyňa"})["id"]
	pots := s.post("/api-engine/categories", fields{"name": "Hrnce a panvice", "parentId": kitchen})["id"]
	for _, name := range []string{"Kúpeľňa", "Záhrada", "Dielňa", "Spálňa", "Detská izba", "Chodba"} {
		s.post("/api-engine/categories", fields{"name": name})
	}
	ninth := s.post("/api-engine/categories", fields{"name": "Výpredaj"})["id"]
	for i, price := range []string{"29.00", "9.00", "19.00"} {
		s.post("/api-engine/products", fields{"name": fmt.Sprintf("Hrniec %d l", i+1), "code": fmt.Sprint("H-", i),
			"stock": fields{"quantity": i}, "categoryIds": []any{[]any{pots, kitchen, ninth}[i]},
			"priceLevels": []fields{{"level": "default", "price": price}}})
	}
	tab.Width(1280)
	tab.Go(s.url + "/")
	const second = `.menu a[href="/hrnce-a-panvice"]`
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector('`+second+`').checkVisibility()`))
	tab.Run(`document.querySelector('.menu a[href="/kuchyna"]').focus()`)
	require.True(t, browsertest.Eval[bool](tab, `document.querySelector('`+second+`').checkVisibility()`))
	seen(t, tab, "menu-sk", 1280, true)
	tab.Follow(`.menu a[href="/kuchyna"]`)
	require.Equal(t, []string{"Hrniec 2 l", "Hrniec 1 l"}, names(tab))
	tab.Run(`document.querySelector("#sort").value = "-price"`)
	tab.Follow(".sift button")
	require.Equal(t, []string{"Hrniec 1 l", "Hrniec 2 l"}, names(tab))
	seen(t, tab, "category-sifted-sk", 1280, true)
	tab.Run(`document.querySelector("[name=inStock]").checked = true`)
	tab.Follow(".sift button")
	require.Equal(t, []string{"Hrniec 2 l"}, names(tab))
	tab.Width(360)
	require.LessOrEqual(t, browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), 360)
	seen(t, tab, "category-sifted-sk", 360, true)
	tab.Follow(`.menu a[href="/categories"]`)
	require.LessOrEqual(t, browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), 360)
	seen(t, tab, "categories-sk", 360, true)
	tab.Follow(`.tree a[href="/vypredaj"]`)
	require.Equal(t, []string{"Hrniec 3 l"}, names(tab))
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
