package goods

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"eshop/shared/images/picture"
)

var (
	czech  = Market{"cs_CZ", "CZK"}
	slovak = Market{"sk_SK", "EUR"}
)

func TestEachProductHasAPicture(t *testing.T) {
	all := 0
	for _, g := range Products {
		p := Picture(g.Code)
		require.Equal(t, []int{640, 640}, []int{p.Width, p.Height}, g.Code)
		require.Len(t, p.Narrower, 1, g.Code)
		for _, p := range slices.Concat(p.Narrower, []picture.Picture{p}) {
			config, err := png.DecodeConfig(bytes.NewReader(p.Bytes))
			require.NoError(t, err, g.Code)
			require.Equal(t, []int{p.Width, p.Height}, []int{config.Width, config.Height}, g.Code)
			require.LessOrEqual(t, len(p.Bytes), 12<<10, g.Code)
		}
		require.Less(t, len(p.Narrower[0].Bytes), len(p.Bytes), g.Code)
		all += len(p.Bytes)
	}
	require.LessOrEqual(t, all, 250<<10)
	files, err := pictures.ReadDir("pictures")
	require.NoError(t, err)
	require.Len(t, files, 2*len(Products))
}

// TestEachProductHasTextsOfItsOwn in each language.
func TestEachProductHasTextsOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for _, m := range []Market{czech, slovak} {
		for _, g := range Products {
			w := m.Words(g)
			lines := strings.Split(w.Description, "\n")
			require.Len(t, lines, 3, g.Code)
			for _, text := range append(lines, w.Alt, w.Name, w.Short) {
				require.Equal(t, strings.TrimSpace(text), text, g.Code)
				require.NotEmpty(t, text, g.Code)
			}
			require.LessOrEqual(t, utf8.RuneCountInString(w.Alt), 90, g.Code)
			for _, own := range []string{w.Alt, w.Description} {
				require.Empty(t, seen[own], g.Code)
				seen[own] = g.Code
			}
			require.Empty(t, strings.Trim(m.Body(g, nil)["name"].(string), w.Name))
		}
	}
	require.Len(t, Texts, len(Products))
	require.Len(t, slovakTexts, len(Products))
	for code, w := range slovakTexts {
		require.NotRegexp(t, "[ěřůĚŘŮ]", w.Name+w.Short+w.Alt+w.Description, "%s: no Slovak word", code)
	}
}

// TestEachCurrencyHasPricesOfItsOwn: sums that a shop would ask for, none of them a number of crowns with another sign.
func TestEachCurrencyHasPricesOfItsOwn(t *testing.T) {
	for crowns, euros := range map[string]string{"69.00": "2.90", "89.00": "3.90", "119.00": "4.90", "349.00": "13.90",
		"549.00": "21.90", "1290.00": "51.90", "25.00": "0.90"} {
		require.Equal(t, crowns, Market{"sk_SK", "CZK"}.price(crowns))
		require.Equal(t, euros, Market{"cs_CZ", "EUR"}.price(crowns))
	}
}

// TestCoffeeIsChosenByTwoParameters, of which one pair is not sold.
func TestCoffeeIsChosenByTwoParameters(t *testing.T) {
	variants := slovak.Body(Products[9], nil)["variants"].([]map[string]any)
	require.Len(t, variants, 3)
	require.Equal(t, "mletá 250 g", variants[1]["name"])
	require.Equal(t, []map[string]string{{"name": "Mletie", "value": "mletá"}, {"name": "Balenie", "value": "250 g"}},
		variants[1]["parameters"])
}
