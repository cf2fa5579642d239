package local

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"eshop/shared/picture"
)

func TestEachProductOfTheDemoHasAPictureAndTexts(t *testing.T) {
	all := 0
	seen := map[string]string{}
	for _, g := range demoProducts {
		p, alt := pictureOf(g.code)
		require.Equal(t, []int{640, 640}, []int{p.Width, p.Height}, g.code)
		require.Len(t, p.Narrower, 1, g.code)
		for _, p := range slices.Concat(p.Narrower, []picture.Picture{p}) {
			config, err := png.DecodeConfig(bytes.NewReader(p.Bytes))
			require.NoError(t, err, g.code)
			require.Equal(t, []int{p.Width, p.Height}, []int{config.Width, config.Height}, g.code)
			require.LessOrEqual(t, len(p.Bytes), 12<<10, g.code)
		}
		require.Less(t, len(p.Narrower[0].Bytes), len(p.Bytes), g.code)
		all += len(p.Bytes)

		lines := strings.Split(g.body(nil)["description"].(string), "\n")
		require.Len(t, lines, 3, g.code)
		for _, text := range append(lines, alt) {
			require.Equal(t, strings.TrimSpace(text), text, g.code)
			require.NotEmpty(t, text, g.code)
		}
		require.LessOrEqual(t, utf8.RuneCountInString(alt), 90, g.code)
		for _, own := range []string{string(p.Bytes), alt, strings.Join(lines, "\n")} {
			require.Empty(t, seen[own], g.code)
			seen[own] = g.code
		}
	}
	require.LessOrEqual(t, all, 250<<10)
	require.Len(t, demoTexts, len(demoProducts))
	files, err := pictures.ReadDir("pictures")
	require.NoError(t, err)
	require.Len(t, files, 2*len(demoProducts))
}
