package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePicturesOfTheDemoAreThoseThatThisDraws(t *testing.T) {
	files, err := os.ReadDir("../pictures")
	require.NoError(t, err)
	require.Len(t, files, len(products))
	for _, p := range products {
		drawn, err := p.picture()
		require.NoError(t, err)
		committed, err := os.ReadFile("../pictures/" + p.code + ".png")
		require.NoError(t, err)
		require.True(t, bytes.Equal(committed, drawn), "%s.png is another picture: go generate ./infra/local", p.code)
		img, err := png.Decode(bytes.NewReader(committed))
		require.NoError(t, err)
		require.LessOrEqual(t, len(img.(*image.Paletted).Palette), shades, p.code)
	}
}
