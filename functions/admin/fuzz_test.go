package admin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// FuzzCookies is somebody with any header Cookie: without a session of ours nothing is shown, and nothing is written.
func FuzzCookies(f *testing.F) {
	w := open(f)
	person, text, _ := strings.Cut(sessionOf(w.ada(tea)), ".")
	for _, value := range []string{"", person, person + ".",
		"." + text, person + "." + text[:8], text + "." + person, "..",
		strings.Repeat("x", 4096), "\"" + person + ".x\"", "%00", "\xff.\xff"} {
		f.Add(hostOnly + sessionCookie + "=" + value)
		f.Add(sessionCookie + "=" + value + "; note=x; language=xx")
	}
	f.Fuzz(func(t *testing.T, cookies string) {
		w.T = t
		if strings.Contains(cookies, text) {
			t.Skip("the text of a session")
		}
		before := w.Main.Writes()
		for _, path := range []string{"/admin", "/admin/orders", "/admin/people"} {
			b := w.merchant(tea)
			r := b.Request("GET", path, "", "", "Accept", hosttest.PageType)
			r.Header["Cookie"] = []string{cookies}
			b.Send(r).Leads(303, signInPath+"?to="+escaped(path))
			r = b.Request("POST", path, hosttest.FormType, "code=TEN&name=x", "Accept", hosttest.PageType,
				"Sec-Fetch-Site", "same-origin")
			r.Header["Cookie"] = []string{cookies}
			a := b.Send(r)
			require.True(t, 400 <= a.Status && a.Status < 500, a.Text)
		}
		require.Equal(t, before, w.Main.Writes())
	})
}

// FuzzForms is any text that a merchant sends as a form: nothing of ours fails of it, and what is refused writes
// nothing.
func FuzzForms(f *testing.F) {
	w := open(f)
	b := w.ada(tea)
	paths := []string{"/admin/products", "/admin/coupons", "/admin/customers", "/admin/orders", "/admin/categories",
		"/admin/people", "/admin/shop", "/admin/shop/preview", "/admin/prices", "/admin/products/selected", signInPath,
		setPasswordPath}
	for n := range paths {
		for _, body := range []string{"", "code=TEN&type=amount&value=10.00&active=true", "email=a%40b.cz&password=x",
			"name=x&name=y&_method=PATCH", "code=%ff&%zz=1&;=&a.b[]=1", "_method=DELETE&_version=x", "&&&=&==",
			"variants.0.code=1&variants.-1=2&variants.99999999999=3", "%00=%00", "priceLevels.0.price=1e400"} {
			f.Add(n, body)
		}
	}
	f.Fuzz(func(t *testing.T, at int, body string) {
		w.T = t
		path := paths[uint(at)%uint(len(paths))]
		b.Page("/admin/shop") // writes that the session was used
		before := w.Main.Writes()
		a := b.Ask("POST", path, hosttest.FormType, body, "Accept", hosttest.PageType, "Sec-Fetch-Site",
			"same-origin")
		w.Clock.Pass(tries)
		require.Less(t, a.Status, 500, a.Text)
		if a.Status >= 400 && path != signInPath {
			require.Equal(t, before, w.Main.Writes(), a.Text)
		}
	})
}
