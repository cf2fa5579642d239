package local

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestEachProductOfTheDemoHasAPictureAndTexts(t *testing.T) {
	all := 0
	seen := map[string]string{}
	for _, g := range demoProducts {
		file, alt := pictureOf(g.code)
		config, err := png.DecodeConfig(bytes.NewReader(file))
		require.NoError(t, err, g.code)
		require.Equal(t, []int{640, 640}, []int{config.Width, config.Height}, g.code)
		require.LessOrEqual(t, len(file), 12<<10, g.code)
		all += len(file)

		lines := strings.Split(g.body(nil)["description"].(string), "\n")
		require.Len(t, lines, 3, g.code)
		for _, text := range append(lines, alt) {
			require.Equal(t, strings.TrimSpace(text), text, g.code)
			require.NotEmpty(t, text, g.code)
		}
		require.LessOrEqual(t, utf8.RuneCountInString(alt), 90, g.code)
		for _, own := range []string{string(file), alt, strings.Join(lines, "\n")} {
			require.Empty(t, seen[own], g.code)
			seen[own] = g.code
		}
	}
	require.LessOrEqual(t, all, 250<<10)
	require.Len(t, demoTexts, len(demoProducts))
	files, err := pictures.ReadDir("pictures")
	require.NoError(t, err)
	require.Len(t, files, len(demoProducts))
}
