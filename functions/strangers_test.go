package functions_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// TestEachOperationWithoutATokenIsBounded: its row of THE list says what bounds that which a stranger can make by it,
// or it is a read. A read makes no row, whatever a stranger asks for: they are all asked here, as a page and by a
// script, with a key.
func TestEachOperationWithoutATokenIsBounded(t *testing.T) {
	w := open(t)
	reads := 0
	for _, o := range w.API.Open() {
		if !o.Reads {
			require.NotEmpty(t, o.Bounded, "%s says not what bounds that which a stranger can make by it", o.Route)
			continue
		}
		reads++
		_, path, _ := strings.Cut(o.Route, " ")
		path = wildcard.ReplaceAllString(strings.TrimSuffix(path, "{$}"), "01KAJ0000000000000000000S1")
		writes := w.Main.Writes()
		for _, accept := range []string{"application/json", hosttest.PageType} {
			r := w.Request("", http.MethodGet, path+"?a=b", nil, "Accept", accept, "Idempotency-Key", "k")
			r.Host = w.host(o.Route)
			w.Serve(r)
		}
		require.Equal(t, writes, w.Main.Writes(), "%s has made a row", o.Route)
	}
	require.Greater(t, reads, 20)
}
