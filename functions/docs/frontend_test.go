package docs_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend"
	"eshop/shared/frontend/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// examples are what the guide to storefronts shows as code, in its order.
func examples(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile("frontend.md")
	require.NoError(t, err)
	var all []string
	for i, part := range strings.Split(string(source), "```\n") {
		if i%2 == 1 {
			all = append(all, part)
		}
	}
	return all
}

func TestTheGuideToStorefrontsIsWhole(t *testing.T) {
	page := get(t, "GET", "/docs/frontend").Body.String()
	for _, event := range []string{"pageVisit", "loggedUser", "cartUpdated", "orderSubmitted", "cookieConsent"} {
		require.Contains(t, page, "<td><code>"+event+"</code></td>")
	}
	for _, heading := range []string{"a-first-loader", "what-is-there", "events", "listen", "consent",
		"add-to-the-basket-from-a-widget", "versions"} {
		require.Contains(t, page, `<h2 id="`+heading+`">`)
	}
	require.NotContains(t, page, "](", "a link that was not read")
	require.NotContains(t, page, "```")
	require.NotContains(t, page, "|---")
	for _, path := range []string{"/docs", "/docs/errors", "/docs/webhooks"} {
		require.Contains(t, get(t, "GET", path).Body.String(), `href="/docs/frontend"`, path)
	}
}

// The shown objects are what the served schema calls so: a message, and the contract itself.
func TestTheGuidesObjectsAreTheContracts(t *testing.T) {
	all := examples(t)
	browsertest.Valid(t, "", all[1])
	browsertest.Valid(t, "cartUpdated", all[2])
}

// The first loader is pasted as it stands: it sends nothing before the consent, and what follows it.
func TestTheGuidesFirstLoaderWorks(t *testing.T) {
	state := frontend.PageState{Shop: frontend.Shop{ID: "01SHOP", Locale: "cs_CZ", Currency: "CZK"},
		Page:   frontend.Page{Type: frontend.Home, Path: "/"},
		Basket: frontend.Basket{Currency: "CZK", Totals: frontend.Totals{Total: "0.00"}}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == frontend.Script.Path {
			w.Header().Set("Content-Type", frontend.Script.Type)
			_, _ = w.Write(frontend.Script.Body)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">` +
			string(state.Head(time.Now())) +
			`<script>window.sent = []; navigator.sendBeacon = (to, body) => sent.push(JSON.parse(body).event)</script>` +
			examples(t)[0]))
	}))
	t.Cleanup(server.Close)
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(server.URL)
	require.Empty(t, browsertest.Eval[[]string](tab, `sent`))
	tab.Run(`dataLayer[0].eshop.setConsent({analytics: "granted"})`)
	tab.Reload()
	require.Equal(t, []string{"pageVisit"}, browsertest.Eval[[]string](tab, `sent`))
	require.Empty(t, tab.Faults())
}
