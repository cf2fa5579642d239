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
	require.Len(t, files, 2*len(products))
	for _, p := range products {
		drawn, err := p.files()
		require.NoError(t, err)
		require.Len(t, drawn, 2)
		for name, file := range drawn {
			committed, err := os.ReadFile("../pictures/" + name)
			require.NoError(t, err)
			require.True(t, bytes.Equal(committed, file), "%s is another picture: go generate ./infra/local", name)
			img, err := png.Decode(bytes.NewReader(committed))
			require.NoError(t, err)
			require.LessOrEqual(t, len(img.(*image.Paletted).Palette), shades, name)
		}
	}
}
