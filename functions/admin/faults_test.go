package admin

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFaultSaysWhereAndWhat: each form's fault is told in the list above it, with the name of its field and a link to
// it, and in words that say what is right.
func TestAFaultSaysWhereAndWhat(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "Tea",
		"priceLevels": []object{{"level": "default", "price": "1.00"}}}).ID()
	w.addon(tea, "POST", "/api-engine/categories", object{"name": "Teas"})
	coupon := []string{"code", "X", "type", "percentage"}
	goods := []string{"name", "x", "code", "B"}
	amount := "Cena: Částka od 0 do 999 999 999 999,99, třeba 119 nebo 119,90"
	listed := regexp.MustCompile(`<a href="#[^"]*">[^<]*</a></li>`)
	join := []string{"productId", product, "do", "join", "_to", "/admin/products?q=tea"}
	access := accessPath(w.accesses[tea], "tokens")
	for _, c := range []struct {
		path   string
		fields []string
		field  string
		says   string
	}{
		{"/admin/products", append(goods, "priceLevels.default", "-5"), "priceLevels-default", amount},
		{"/admin/products/" + product, []string{"priceLevels.default", "1,2,3"}, "priceLevels-default", amount},
		{"/admin/prices", []string{"price." + product, "9999999999999"}, "price-" + product,
			"Cena: Tea: " + amount[6:]},
		{"/admin/products/stock", []string{"quantity." + product, "1.5"}, "quantity-" + product,
			"Kusů skladem: Tea: Celé číslo, třeba 10"},
		{"/admin/products/" + product, []string{"hasUnits", "false", "units.0.unit", "box", "units.0.quantity", "6"},
			"hasUnits", "Prodává se v baleních: Zaškrtněte to, nebo nechte balení níže prázdná"},
		{"/admin/products", append(goods, "priceLevels.default", "1", "categoryIds", noID), "categoryIds",
			"Kategorie: Vybraná kategorie byla mezitím smazána. Zkontrolujte výběr a uložte znovu"},
		{"/admin/products/selected", join, "categoryId", "Kategorie: Vyberte kategorii"},
		{"/admin/urls", []string{"urlItem", "product:neni", "url", "x"}, "urlItem",
			"Produkt nebo kategorie: Takový produkt ani kategorie neexistuje"},
		{"/admin/coupons", append(coupon, "value", "150"), "value", "Sleva: Procenta nejvýše 100"},
		{"/admin/coupons", append(coupon, "value", "5", "validFrom", "2026-12-02T10:00", "validTo", "2026-12-01T10:00"),
			"validTo", "Platí do: Nesmí být dřív než „Platí od“"},
		{access, []string{"expiresAt", "2020-01-01T00:00"}, "expiresAt", "Platí do: Musí být v budoucnosti"},
		{"/admin/shop", []string{"owner.email", ""}, "owner-email", "E-mail majitele: Vyplňte prosím"},
		{"/admin/shop", []string{"delivery.new.name", "", "delivery.new.note", "x"}, "delivery-new-name",
			"Doprava 3: Název: Vyplňte prosím"},
		{"/admin/customers", []string{"email", "a@b.cz", "firstName", "A", "lastName", "B",
			"billingAddress.street", "S 1", "billingAddress.zip", "1"}, "billingAddress-city",
			"Fakturační adresa: Město: Vyplňte prosím"},
	} {
		a := b.Form(c.path, c.fields...).Shown(422)
		require.Contains(t, listed.FindAllString(a.Text, -1), `<a href="#`+c.field+`">`+c.says+`</a></li>`, "%v", c)
		require.Contains(t, a.Text, `id="`+c.field+`"`)
	}
	packed := b.Form("/admin/products/"+product, "units.0.unit", "box", "units.0.quantity", "6").Shown(422)
	require.Contains(t, packed.Text, `<details class="card" open><summary>Balení`)
	back := `<a href="/admin/products?q=tea">Zpět na seznam</a>`
	require.Contains(t, b.Form("/admin/products/selected", join...).Text, back)
	require.Contains(t, b.Form("/admin/prices", "price."+product, "x", "_to", "/admin/prices?q=tea").Text,
		strings.Replace(back, "products", "prices", 1))
}
