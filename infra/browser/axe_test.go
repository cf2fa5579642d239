package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// seen wants axe-core to find nothing wrong with the page in a window of this width, and makes a picture of it where
// pictures are wanted. In the dark scheme colours alone are another matter. In a language after the first one (further)
// only texts are: its pages are looked at in the narrow window and in the light.
func seen(t *testing.T, tab *browsertest.Tab, page string, width int, further bool) {
	t.Helper()
	picture := func(name string) {
		if to := pictures(); to != "" {
			tab.Wait(`[...document.images].every((i) => i.complete || i.loading === "lazy")`)
			tab.Screenshot(filepath.Join(to, fmt.Sprintf("%s-%d.png", name, width)), width)
		}
	}
	if !further || width < 1000 {
		require.Empty(t, tab.Violations(), "%s at %d", page, width)
	}
	picture(page)
	if further {
		return
	}
	tab.Scheme("dark")
	require.Empty(t, tab.Violations("color-contrast"), "%s at %d in the dark", page, width)
	picture(page + "-dark")
	tab.Scheme("light")
}
