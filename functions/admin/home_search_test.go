package admin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneBoxFindsOrdersProductsAndCustomers searches from the head of a page, and goes on from there.
func TestOneBoxFindsOrdersProductsAndCustomers(t *testing.T) {
	w := open(t)
	ada := w.ada(tea)
	earl := w.sells(tea, "EARL", "129.00")
	jana := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková"}).ID()
	address := object{"firstName": "Jan", "lastName": "Novák", "street": "A 1", "city": "Brno", "zip": "60200",
		"country": "CZ"}
	order := w.ordered(tea, earl, object{"billingAddress": address})
	number := w.order(tea, order)["number"].(string)
	w.Index()
	require.Contains(t, ada.Page("/admin").Text, `action="/admin/search" role="search"`)
	found := func(q string) string {
		text := ada.Page("/admin/search?q=" + q).Shown(200).Text
		var all []string
		for name, id := range map[string]string{"order": order, "product": earl, "customer": jana} {
			if strings.Contains(text, `<li data-id="`+id+`"`) {
				all = append(all, name)
			}
		}
		require.Equal(t, len(all) == 0, strings.Contains(text, "class=\"none\""), q)
		return strings.Join(all, " ")
	}
	require.Equal(t, "order", found(number))
	require.Equal(t, "product", found("earl"))
	require.ElementsMatch(t, []string{"order", "customer"}, strings.Fields(found("novak")))
	require.Equal(t, "order", found("jan+novak+2026"))
	require.Empty(t, found("%22%3E%3Cscript%3Ealert(1)%3C/script%3E"))
	require.Empty(t, found(""))
	require.Empty(t, found("a+b+c+d+e+f+g"))
	require.NotContains(t, w.ada(toys).Page("/admin/search?q=earl").Shown(200).Text, earl, "of another shop none")

	for path, id := range map[string]string{"/admin/orders?q=novak": order, "/admin/customers?q=novak": jana,
		"/admin/products?q=earl": earl, "/admin/orders?stateId=" + w.stateID(tea, "new"): order} {
		require.Contains(t, ada.Page(path).Shown(200).Text, `data-id="`+id+`"`, path)
	}
	require.NotContains(t, ada.Page("/admin/orders?stateId="+w.stateID(tea, "shipped")).Shown(200).Text, order)
}

func TestOfManyThatAreFoundTheNewestAreShown(t *testing.T) {
	w := open(t)
	for i := range 12 {
		w.sells(tea, fmt.Sprint("T", i), "1.00")
	}
	w.Index()
	page := w.ada(tea).Page("/admin/search?q=tea").Shown(200).Text
	require.Equal(t, shownOfKind, strings.Count(page, "<li data-id="))
	require.Contains(t, page, `href="/admin/products?q=tea"`)
}
