package house_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// inBraces is what stands in a route for a part of the path, noID an id of nothing.
var inBraces = regexp.MustCompile(`\{[^}]*\}`)

const noID = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"

// at is the answer to what a browser asks a host, without a token.
func (w *world) at(host, method, path string) hosttest.Answer {
	w.T.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	r.Header.Set("Accept", hosttest.PageType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return w.Serve(r)
}

// TestTheAdminHasAnOriginOfItsOwn asks THE list's every operation at the other host: the admin's at the storefront's,
// and whatever else there is at the admin's (contract, "The admin's address").
func TestTheAdminHasAnOriginOfItsOwn(t *testing.T) {
	w := open(t)
	shop := w.made["POST /operator/shops"].Get("domain")
	admin := w.AdminOf(shop)
	seen := map[bool]int{}
	for _, pattern := range append(w.API.Patterns(), "GET /admin/nowhere", "GET /nowhere", "GET /robots.txt") {
		method, _, _ := strings.Cut(pattern, " ")
		path := inBraces.ReplaceAllString(strings.TrimPrefix(pattern, method+" "), noID)
		writes := w.Main.Writes()
		switch of := ofAdmin(path); {
		case of && method == http.MethodGet:
			seen[of]++
			for _, ask := range []string{path, path + "?to=%2F&x=%22"} {
				w.at(shop, method, ask).Leads(http.StatusPermanentRedirect, "https://"+admin+ask)
				w.at("nobody.example", method, ask).Is(http.StatusNotFound)
			}
			if !strings.HasPrefix(path, "/admin/static/") { // what the pages look like is the same for all shops
				w.at("nobody.admin.example", method, path).Is(http.StatusNotFound)
			}
			require.NotEqual(t, http.StatusPermanentRedirect, w.at(admin, method, path).Status)
		case of:
			seen[of]++
			w.at(shop, method, path).Is(http.StatusNotFound)
		case path == "/" && method == http.MethodGet:
			w.at(admin, method, path).Leads(http.StatusSeeOther, "/admin")
		default:
			seen[of]++
			for _, host := range []string{admin, strings.ToUpper(admin) + ":8080", "nobody.admin.example"} {
				w.at(host, method, path).Is(http.StatusNotFound)
			}
		}
		require.Equal(t, writes, w.Main.Writes(), pattern)
	}
	w.at(admin, "GET", "/admin/sign-in").Shown(http.StatusOK)
	require.Greater(t, seen[true], 60, "pages and actions of the admin")
	require.Greater(t, seen[false], 100, "what is not the admin's")
}

// TestThePlatformsOwnHostHasItsDocumentsAndNoShop asks for each of them at the host of the platform, at that of a shop
// and at nobody's (contract, "The platform's own host").
func TestThePlatformsOwnHostHasItsDocumentsAndNoShop(t *testing.T) {
	w := open(t)
	shop := w.made["POST /operator/shops"].Get("domain")
	own := []string{"127.0.0.1:8080", "127.0.0.1", "[::1]:8080", "10.1.2.3"}
	for _, path := range []string{"/docs", "/docs/errors", "/docs/customers?a=b", "/docs/page.js",
		"/docs/openapi-2026-11-01.json", "/docs.md", "/docs/webhooks.md", "/llms.txt"} {
		for _, host := range own {
			a := w.at(host, "GET", path).Is(http.StatusOK)
			require.Equal(t, "same-origin", a.Header.Get("Cross-Origin-Opener-Policy"), path)
			require.NotContains(t, a.Text, "sessionStorage")
		}
		for _, host := range []string{shop, "nobody.example"} {
			for _, method := range []string{"GET", "HEAD"} {
				w.at(host, method, path).Leads(http.StatusPermanentRedirect, "http://127.0.0.1:8080"+path)
			}
		}
	}
	for _, host := range own {
		w.at(host, "GET", "/").Leads(http.StatusSeeOther, "/docs")
		for _, path := range []string{"/basket", "/checkout", "/account", "/search", "/robots.txt", "/a", "/admin"} {
			w.at(host, "GET", path).Is(http.StatusNotFound)
		}
	}
	for _, path := range []string{"/openapi.json", "/frontend/v1/eshop.schema.json", "/images/none"} { // for programs
		require.Equal(t, w.at(own[0], "GET", path).Status, w.at(shop, "GET", path).Status, path)
	}
}

// TestNoTokenOpensAnythingAtTheAdminsHost: the operations of programs are not answered there.
func TestNoTokenOpensAnythingAtTheAdminsHost(t *testing.T) {
	w := open(t)
	paths := map[string]string{w.token: "/api-engine/status", hosttest.OperatorToken: "/operator/shops",
		w.author: "/developer/shops"}
	for token, path := range paths {
		w.As(token, "GET", path, nil).Is(http.StatusOK)
		r := w.Request(token, "GET", path, nil)
		r.Host = w.AdminOf(w.made["POST /operator/shops"].Get("domain"))
		w.Serve(r).Is(http.StatusNotFound, "not_found")
	}
}
