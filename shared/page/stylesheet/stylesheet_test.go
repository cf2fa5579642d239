package stylesheet_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/page/stylesheet"
)

// sheets are the sites' own, of which each is served behind what all share.
var sheets = []string{"../../../functions/admin/static/admin.css",
	"../../../functions/storefront/static/storefront.css", "../../../functions/docs/page.css"}

// A rule of base.css that reads a token without a value would count for nothing, silently.
func TestEachSiteSetsTheTokensThatAreRead(t *testing.T) {
	names := func(pattern, text string) map[string]bool {
		all := map[string]bool{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all[m[1]] = true
		}
		return all
	}
	for _, file := range sheets {
		own, err := os.ReadFile(file)
		require.NoError(t, err)
		joined := string(stylesheet.With(own))
		require.Contains(t, strings.Join(strings.SplitN(string(own), "\n", 3)[:2], ""), ":root{",
			"%s begins with its tokens", file)
		set := names(`(--[\w-]+):`, joined)
		require.Greater(t, len(set), 15)
		require.Equal(t, set, names(`var\((--[\w-]+)\)`, joined), "%s: what is set, and what is read", file)
	}
}

// A bare button looks like nothing: shops' pages have scripts of partners, whose buttons are left alone.
func TestEachButtonHasALook(t *testing.T) {
	files, err := filepath.Glob("../../../functions/*/templates/*.html")
	require.NoError(t, err)
	buttons := regexp.MustCompile(`<button[^>]*>`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, button := range buttons.FindAllString(string(text), -1) {
			require.Contains(t, button, ` class="`, file)
			found++
		}
	}
	require.Greater(t, found, 40)
}
