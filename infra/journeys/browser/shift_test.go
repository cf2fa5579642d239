package browser

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// TestPagesStandStillOnAPhone loads pages of the documentation, the admin and the storefront in a window of 360 pixels
// whose scripts come after the first paint, as over a slow line: hardly anything moves then.
func TestPagesStandStillOnAPhone(t *testing.T) {
	phone := func(t *testing.T) (*browsertest.Tab, func(page string)) {
		tab := shopper(t)
		tab.Width(360)
		return tab, func(page string) {
			t.Helper()
			require.Less(t, tab.Shifted(), .05, page)
		}
	}
	late := []string{"*/docs/*.js", "*/admin.js", "*/storefront.js"}
	t.Run("docs", func(t *testing.T) {
		tab, stands := phone(t)
		base := started(t)
		tab.Go(base + "/docs")
		paths := browsertest.Eval[[]string](tab,
			`[...document.querySelectorAll(".menu li a")].map((a) => a.getAttribute("href"))`)
		tab.PaintsBefore(late...)
		for _, path := range paths {
			tab.Go(base + path)
			stands(path)
		}
	})
	t.Run("admin", func(t *testing.T) {
		tab, stands := phone(t)
		s := demoShop(t)
		s.signsIn(tab, "cs")
		tab.PaintsBefore(late...)
		s.crawl(tab, stands)
	})
	t.Run("storefront", func(t *testing.T) {
		tab, stands := phone(t)
		s := demoShop(t)
		s.puts(tab, s.mug)
		tab.PaintsBefore(late...)
		for _, path := range []string{"/", "/caje", "/search?q=a", s.tea, s.mug, s.gift, "/basket", "/checkout",
			"/account/sign-in", "/account/register", "/none"} {
			tab.Go(s.url + path)
			stands(path)
		}
	})
}
