package storefront

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// fuzzed is a world with a product, whose visitors may make as much as they like.
func fuzzed(f *testing.F) (w *world, product string) {
	w = open(f)
	w.unlimited(tea)
	return w, w.product("TEA", "100.00", nil)
}

// FuzzCookies is a visitor with any header Cookie: who has no cookie of ours is nobody, on each page, and writes
// nothing.
func FuzzCookies(f *testing.F) {
	w, product := fuzzed(f)
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	b.add(product, 1)
	for _, header := range []string{"", "basket=x; session=" + noID + ".x", "session=..",
		"basket=" + strings.Repeat("A", 64),
		"consent=analytics", "consent=%00; basket=\"x\"; note=%7B", "=;;=,",
		"session=" + noID + "." + b.Cookies["basket"],
		"session=" + strings.Repeat("x", 4096), "lang=cs; basket=" + b.Cookies["session"], "\xff=\xff"} {
		f.Add(header)
	}
	paths := []string{"/", "/product-tea", "/basket", "/account", "/checkout", "/order/" + noID}
	asked := func(path, cookies, accept string) hosttest.Answer {
		r := w.Visitor(tea).Request("GET", path, "", "", "Accept", accept)
		if cookies != "" {
			r.Header["Cookie"] = []string{cookies}
		}
		return w.Serve(r)
	}
	f.Fuzz(func(t *testing.T, cookies string) {
		w.T = t
		for _, own := range b.Cookies {
			if strings.Contains(cookies, own) {
				t.Skip("a cookie of ours")
			}
		}
		before := w.Main.Writes()
		for _, path := range paths {
			for _, accept := range []string{hosttest.PageType, hosttest.JSONType} {
				want, got := asked(path, "", accept), asked(path, cookies, accept)
				require.Less(t, got.Status, 500, got.Text)
				require.Equal(t, want.Status, got.Status, path)
				require.NotContains(t, got.Text, "jana@example.cz")
			}
		}
		require.Equal(t, before, w.Main.Writes())
	})
}

// FuzzHosts is a request under any name: a page of a shop comes under the shop's own name only.
func FuzzHosts(f *testing.F) {
	w, _ := fuzzed(f)
	for _, host := range []string{tea, "TEA.example.:443", "tea.example:x",
		"admin." + tea, "tea.admin.example", "tea.admin.admin.example", "[::1]:80",
		"", ".", "tea.example\x00", "tea.example/..", "user@tea.example", "xn--tea-.example", "tea。example",
		strings.Repeat("a", 3000), strings.Repeat("a.", 1000) + tea, "\xff", "#", "S#1"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		w.T = t
		for _, path := range []string{"/", "/basket", "/api-engine/products", "/operator/shops"} {
			r := w.Visitor(tea).Request("GET", path, "", "", "Accept", hosttest.PageType)
			r.Host = host
			a := w.Serve(r)
			require.Less(t, a.Status, 500, a.Text)
			if name, _, _ := strings.Cut(strings.ToLower(host), ":"); strings.TrimSuffix(name, ".") != tea {
				require.NotContains(t, a.Text, "Shop &lt;"+tea, host)
				require.NotContains(t, a.Text, "Product TEA", host)
			}
		}
	})
}

// FuzzForms is any text sent as a form: nothing of ours fails of it, and what is refused writes nothing.
func FuzzForms(f *testing.F) {
	w, product := fuzzed(f)
	paths := []string{"/basket/items", "/basket/coupon", "/checkout", "/account/register", "/account/sign-in",
		"/account",
		"/account/set-password", "/consent", "/basket"}
	for n := range paths {
		for _, body := range []string{"", "productId=" + product + "&quantity=2",
			"quantity=1&quantity=2&productId=" + product,
			"email=a%40b.cz&password=x&_method=PATCH", "code=%ff&%zz=1&;=&a.b[]=1", "_method=DELETE", "_method=TRACE",
			"billingAddress.city=x&billingAddress=y", "items.0.id=1&items.-1=2&items.99999999999=3", "%00=%00",
			"&&&=&=="} {
			f.Add(n, body)
		}
	}
	f.Fuzz(func(t *testing.T, at int, body string) {
		w.T = t
		path := paths[uint(at)%uint(len(paths))]
		b := w.visitor()
		before := w.Main.Writes()
		a := b.Ask("POST", path, hosttest.FormType, body, "Accept", hosttest.PageType, "Sec-Fetch-Site",
			"same-origin")
		w.Clock.Pass(time.Minute) // of tries
		require.Less(t, a.Status, 500, a.Text)
		if a.Status >= http.StatusBadRequest && path != "/account/sign-in" {
			require.Equal(t, before, w.Main.Writes(), a.Text)
		}
	})
}
