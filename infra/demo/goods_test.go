package demo

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"eshop/shared/images/picture"
	"eshop/shared/shop/goods"
)

func TestEachProductOfTheDemoHasAPictureAndTexts(t *testing.T) {
	all := 0
	seen := map[string]string{}
	for _, g := range goods.Products {
		p, alt := pictureOf(g.Code)
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

		lines := strings.Split(g.Body(nil)["description"].(string), "\n")
		require.Len(t, lines, 3, g.Code)
		for _, text := range append(lines, alt) {
			require.Equal(t, strings.TrimSpace(text), text, g.Code)
			require.NotEmpty(t, text, g.Code)
		}
		require.LessOrEqual(t, utf8.RuneCountInString(alt), 90, g.Code)
		for _, own := range []string{string(p.Bytes), alt, strings.Join(lines, "\n")} {
			require.Empty(t, seen[own], g.Code)
			seen[own] = g.Code
		}
	}
	require.LessOrEqual(t, all, 250<<10)
	require.Len(t, goods.Texts, len(goods.Products))
	files, err := pictures.ReadDir("pictures")
	require.NoError(t, err)
	require.Len(t, files, 2*len(goods.Products))
}
