package storefront

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAnyColourOfAShopCanBeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		accent := rapid.StringMatching(`#[0-9A-Fa-f]{6}`).Draw(t, "accent")
		light, dark, _ := strings.Cut(string(palette(accent)), "@media")
		for scheme, papers := range map[string][]rgb{light: lightPapers, dark: darkPapers} {
			for _, token := range []string{"accent", "deep"} {
				colour := hex(regexp.MustCompile(`--` + token + `:(#[0-9a-f]{6})`).FindStringSubmatch(scheme)[1])
				require.True(t, colour.readsOn(papers), "%s of %s: %v", token, scheme, colour)
			}
			foot := hex(regexp.MustCompile(`--foot:(#[0-9a-f]{6})`).FindStringSubmatch(scheme)[1])
			require.GreaterOrEqual(t, contrast(foot, hex("#d9e2dc")), readable, "the footer's text on %v", foot)
		}
	})
	require.Empty(t, palette(""), "a shop without a colour has that of the style sheet")
	require.Contains(t, palette("#26483a"), "--accent:#26483a", "a colour that can be read stays as it is")
}
