package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A narrower picture has the width that is asked for, the shape and the type of the picture, and its colours if they
// are few.
func TestNarrowerPicturesAreOfThePicturesKind(t *testing.T) {
	noise := image.NewNRGBA(image.Rect(0, 0, 1500, 1000))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32()) | uint8(255*(i%4/3))
	}
	drawing := image.NewPaletted(noise.Rect, color.Palette{color.RGBA{0, 0, 0, 255},
		color.RGBA{255, 255, 255, 255}, color.RGBA{200, 60, 20, 255}})
	many := image.NewPaletted(noise.Rect, make(color.Palette, 256))
	for i := range drawing.Pix {
		drawing.Pix[i] = uint8(i / 97 % 3)
		many.Pix[i] = uint8(random.Uint32())
	}
	for i := range many.Palette {
		many.Palette[i] = color.RGBA{uint8(i), uint8(7 * i), uint8(31 * i), 255}
	}
	with := func(encode func(*bytes.Buffer) error) []byte {
		var b bytes.Buffer
		require.NoError(t, encode(&b))
		return b.Bytes()
	}
	for name, file := range map[string][]byte{
		"photograph":          with(func(b *bytes.Buffer) error { return jpeg.Encode(b, noise, nil) }),
		"drawing":             with(func(b *bytes.Buffer) error { return png.Encode(b, drawing) }),
		"drawing as a GIF":    with(func(b *bytes.Buffer) error { return gif.Encode(b, drawing, nil) }),
		"PNG of many colours": with(func(b *bytes.Buffer) error { return png.Encode(b, many) }),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Clean(t.Context(), "shop", file, 1280, 640, 320)
			require.NoError(t, err)
			var widths []int
			for _, n := range p.Narrower {
				m, as, err := image.Decode(bytes.NewReader(n.Bytes))
				require.NoError(t, err)
				widths = append(widths, n.Width)
				require.Equal(t, image.Pt(n.Width, (n.Width*1000+750)/1500), m.Bounds().Size())
				require.Equal(t, p.ContentType, n.ContentType)
				require.Equal(t, p.ContentType, "image/"+as)
				if name == "drawing" {
					require.Equal(t, drawing.Palette, m.(*image.Paletted).Palette)
				}
			}
			require.Equal(t, []int{1280, 640, 320}, widths)
		})
	}
	small, err := Clean(t.Context(), "shop", with(func(b *bytes.Buffer) error {
		return png.Encode(b, drawing.SubImage(image.Rect(0, 0, 640, 9)))
	}), 1280, 640, 320)
	require.NoError(t, err)
	require.Len(t, small.Narrower, 1, "no picture is made wider, or made twice")
	require.Equal(t, []int{320, 5}, []int{small.Narrower[0].Width, small.Narrower[0].Height})
}

// What does not fit as a narrower picture is left out: the picture itself is served then.
func TestANarrowerPictureThatIsTooLargeIsLeftOut(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 1300, 10_000), make(color.Palette, 70))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Palette {
		m.Palette[i] = color.RGBA{uint8(3 * i), uint8(5 * i), uint8(7 * i), 255}
	}
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32() % 2 * 69) // two of seventy colours, so it is small itself
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	p, err := Clean(t.Context(), "shop", b.Bytes(), 1280, 320)
	require.NoError(t, err)
	require.Len(t, p.Narrower, 1)
	require.Equal(t, 320, p.Narrower[0].Width)
}
