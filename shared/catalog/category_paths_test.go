package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPathsAreReadAsTheyAreWritten(t *testing.T) {
	name := rapid.StringMatching(`a[b |>\\š]{0,6}c`)
	rapid.Check(t, func(t *rapid.T) {
		paths := CategoryPaths(rapid.SliceOfN(rapid.SliceOfN(name, 1, 3), 1, 4).Draw(t, "paths"))
		require.Equal(t, paths, ParseCategoryPaths(paths.String(), 20))
	})
}

func TestACellOfPathsIsReadAsPeopleTypeIt(t *testing.T) {
	for cell, want := range map[string]CategoryPaths{
		"Hrnky":                   {{"Hrnky"}},
		" Kuchyně>Hrnky |Novinky": {{"Kuchyně", "Hrnky"}, {"Novinky"}},
		"A > > B |":               {{"A", "", "B"}, {""}},
		`C:\x`:                    {{`C:\x`}},
		`\`:                       {{`\`}},
		" | ":                     {{""}, {""}},
		"  ":                      nil,
	} {
		require.Equal(t, want, ParseCategoryPaths(cell, 20), cell)
	}
	require.Len(t, ParseCategoryPaths("a|b|c|d|e", 2), 3, "one more than may be")
}
