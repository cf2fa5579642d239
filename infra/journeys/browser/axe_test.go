package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// seen wants axe-core to find nothing wrong with the page, and makes a picture of it where pictures are wanted. Each
// page is looked at once: in a phone's window and in the first language, for which the dark scheme adds its colours.
// Where pictures are wanted it is looked at in all windows and languages (further: not the first one).
func seen(t *testing.T, tab *browsertest.Tab, page string, width int, further bool) {
	t.Helper()
	picture := func(name string) {
		if to := pictures(); to != "" {
			tab.Wait(`[...document.images].every((i) => i.complete || i.loading === "lazy")`)
			tab.Screenshot(filepath.Join(to, fmt.Sprintf("%s-%d.png", name, width)), width)
		}
	}
	all := pictures() != ""
	if all || !further && width < 1000 {
		require.Empty(t, tab.Violations(), "%s at %d", page, width)
	}
	picture(page)
	if further || !all && width > 1000 {
		return
	}
	tab.Scheme("dark")
	require.Empty(t, tab.Violations("color-contrast"), "%s at %d in the dark", page, width)
	picture(page + "-dark")
	tab.Scheme("light")
}
