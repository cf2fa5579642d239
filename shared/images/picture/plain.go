package picture

import (
	"image"
	"image/color"
)

// plain is a picture in one of the forms that turning and encoding are fast with: Gray, RGBA, NRGBA, Paletted or YCbCr.
// It is changed in place where that can be done: of 16 bits the upper eight stay, which screens show, and inks become
// light. A YCbCr with alpha beside it becomes an NRGBA.
func plain(m image.Image) image.Image {
	switch m := m.(type) {
	case *image.Gray16:
		return &image.Gray{Pix: upper(m.Pix), Stride: m.Stride / 2, Rect: m.Rect}
	case *image.RGBA64:
		return &image.RGBA{Pix: upper(m.Pix), Stride: m.Stride / 2, Rect: m.Rect}
	case *image.NRGBA64:
		return &image.NRGBA{Pix: upper(m.Pix), Stride: m.Stride / 2, Rect: m.Rect}
	// A point has four bytes before and after, so the inks become light where they are.
	case *image.CMYK:
		for p := m.Pix; len(p) >= 4; p = p[4:] {
			p[0], p[1], p[2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
			p[3] = 0xff
		}
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	case *image.NYCbCrA:
		return interleaved(m)
	}
	return m
}

// upper keeps the upper byte of each two.
func upper(pix []uint8) []uint8 {
	half := pix[:len(pix)/2]
	for i := range half {
		half[i] = pix[2*i]
	}
	return half
}

// interleaved is a picture whose alpha stood beside it.
func interleaved(m *image.NYCbCrA) *image.NRGBA {
	to := image.NewNRGBA(m.Rect)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := to.Pix[to.PixOffset(m.Rect.Min.X, y):]
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			l, c := m.YOffset(x, y), m.COffset(x, y)
			row[0], row[1], row[2] = color.YCbCrToRGB(m.Y[l], m.Cb[c], m.Cr[c])
			row[3] = m.A[m.AOffset(x, y)]
			row = row[4:]
		}
	}
	return to
}

// lit is an opaque picture as one that image/jpeg is fast with: an NRGBA is an RGBA then.
func lit(m image.Image) image.Image {
	if n, is := m.(*image.NRGBA); is && n.Opaque() {
		return &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
	}
	return m
}

// blanked is the picture without invisible things that its file would keep: the colours of points that are wholly
// transparent, and colours of the palette that no point has.
func blanked(m image.Image) image.Image {
	switch m := m.(type) {
	case *image.NRGBA:
		for p := m.Pix; len(p) >= 4; p = p[4:] {
			if p[3] == 0 {
				p[0], p[1], p[2] = 0, 0, 0
			}
		}
	case *image.Paletted:
		// A palette may hold colours that no point has: bytes of the sender's choice.
		m.Palette = shown(m)
	}
	return m
}

// shown is the palette of a picture, up to the last colour that a point has, black where none has it.
func shown(m *image.Paletted) color.Palette {
	var has [256]bool
	for _, i := range m.Pix {
		has[i] = true
	}
	palette := make(color.Palette, len(m.Palette))
	last := 0
	for i, c := range m.Palette {
		palette[i] = color.RGBA{A: 0xff}
		if !has[i] {
			continue
		}
		last = i
		if palette[i] = c; color.NRGBAModel.Convert(c).(color.NRGBA).A == 0 {
			palette[i] = color.NRGBA{}
		}
	}
	return palette[:last+1]
}
