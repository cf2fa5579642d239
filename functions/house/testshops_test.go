package house_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSearchEnginesPassOverATestShop: nobody finds a developer's shop, and everybody a merchant's.
func TestSearchEnginesPassOverATestShop(t *testing.T) {
	w := open(t)
	for route, test := range map[string]bool{"POST /operator/shops": false, "POST /developer/shops": true} {
		r := w.Request("", "GET", "/", nil, "Accept", "text/html")
		r.Host = w.made[route].Get("domain")
		page := w.Serve(r).Shown(http.StatusOK).Text
		require.Equal(t, test, strings.Contains(page, `<meta name="robots" content="noindex">`), route)
	}
}
