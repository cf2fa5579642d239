package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// TestReferencePagesFitAPhone opens every page of the reference: none is wider than a window of 360 pixels,
// and axe-core finds nothing wrong with any.
func TestReferencePagesFitAPhone(t *testing.T) {
	tab, base := shopper(t), started(t)
	tab.Go(base + "/docs")
	paths := browsertest.Eval[[]string](tab,
		`[...document.querySelectorAll(".menu li a")].map((a) => a.getAttribute("href"))`)
	require.Greater(t, len(paths), 20)
	for _, path := range paths {
		for _, width := range []int{1280, 360} {
			tab.Width(width)
			tab.Go(base + path)
			require.LessOrEqual(t, browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), width, path)
			seen(t, tab, "docs-"+filepath.Base(path), width, false)
		}
	}
}

func TestTheReferenceIsSearched(t *testing.T) {
	tab, base := shopper(t), started(t)
	tab.Go(base + "/docs")
	for words, first := range map[string]string{"createProduct": "/docs/products#createProduct",
		"billingAddress.city": "/docs/customers#",
		"insufficient_stock":  "/docs/errors#insufficient_stock", "orderChange": "/docs/events#orderChange"} {
		tab.Fill("#search", words)
		tab.Run(`document.getElementById("search").dispatchEvent(new Event("input"))`)
		tab.Wait(fmt.Sprintf(`document.querySelector("#found a")?.getAttribute("href").startsWith(%q)`, first))
	}
}

func TestAnOldAddressOfAnOperationLeadsToIt(t *testing.T) {
	tab, base := shopper(t), started(t)
	tab.Go(base + "/docs#changeOrder")
	tab.Wait(`location.pathname + location.hash === "/docs/orders#changeOrder"`)
}

func TestAnOperationIsTriedWithTheReadersToken(t *testing.T) {
	tab, base := shopper(t), started(t)
	tab.Go(base + "/docs/shop")
	tab.Click("#readShop .tabs + button")
	tab.Fill("#readShop [name=token]", platform.Run.Demo.Token)
	tab.Click("#readShop .try button")
	tab.Wait(`document.querySelector("#readShop .try pre").textContent.startsWith("200")`)
	seen(t, tab, "docs-trial", 1280, false)
	tab.Go(base + "/docs/customers")
	tab.Click("#listCustomers .tabs + button")
	tab.Fill("#listCustomers [name=token]", platform.Run.Demo.Token)
	tab.Click("#listCustomers .try button")
	tab.Wait(`document.querySelector("#listCustomers .try pre").textContent.startsWith("200")`)
	require.NotContains(t, tab.URL(), "esk_")
	require.NotContains(t, browsertest.Eval[string](tab, `JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])`),
		platform.Run.Demo.Token)
	tab.Click("#createCustomer .tabs + button")
	tab.Fill("#createCustomer [name=body]", `{"email":"trial@example.com","firstName":"Jana","lastName":"Nováková"}`)
	tab.Click("#createCustomer .try button")
	tab.Wait(`document.querySelector("#createCustomer .try pre").textContent`)
	require.Regexp(t, "^201", tab.Text("#createCustomer .try pre"))
}

func TestAnExampleIsCopied(t *testing.T) {
	tab, base := shopper(t), started(t)
	tab.BeforeEachPage(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`)
	tab.Go(base + "/docs/customers")
	tab.Click("#listCustomers [value=Python]")
	tab.Click("#listCustomers [data-in=Python] .copy")
	tab.Wait(`window.copied.startsWith("import os") && document.querySelector("#createCustomer [value=Python]").checked`)
	tab.Go(base + "/docs/products")
	tab.Wait(`document.querySelector("#listProducts [value=Python]").checked`) // on the next page, too
	require.Equal(t, 1, browsertest.Eval[int](tab,
		`[...document.querySelectorAll("#createProduct [data-in]")].filter((e) => e.offsetHeight).length`))
}
