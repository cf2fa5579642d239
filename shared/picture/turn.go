package picture

import (
	"image"
	"image/draw"
)

// turned is the picture the right way up, by its EXIF orientation. Whole points change places, so nothing is lost.
// Orientations from 5 on swap width and height.
func turned(m image.Image, orientation int) image.Image {
	if orientation == 1 {
		return m
	}
	b := m.Bounds()
	to := image.Rect(0, 0, b.Dx(), b.Dy())
	if orientation >= 5 {
		to = image.Rect(0, 0, b.Dy(), b.Dx())
	}
	turn := func(pix []uint8, stride, size int) ([]uint8, int) {
		return plane{pix, stride, b.Dx(), b.Dy(), size}.turned(orientation)
	}
	switch m := m.(type) {
	case *image.YCbCr:
		// A photograph stays in its own colours as far as it can be: as NRGBA it would take more memory.
		if t := turnYCbCr(m, to, orientation); t != nil {
			return t
		}
	case *image.Gray:
		t := &image.Gray{Rect: to}
		t.Pix, t.Stride = turn(m.Pix, m.Stride, 1)
		return t
	case *image.Paletted:
		t := &image.Paletted{Rect: to, Palette: m.Palette}
		t.Pix, t.Stride = turn(m.Pix, m.Stride, 1)
		return t
	case *image.RGBA:
		t := &image.RGBA{Rect: to}
		t.Pix, t.Stride = turn(m.Pix, m.Stride, 4)
		return t
	case *image.NRGBA:
		t := &image.NRGBA{Rect: to}
		t.Pix, t.Stride = turn(m.Pix, m.Stride, 4)
		return t
	}
	plain := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(plain, plain.Rect, m, b.Min, draw.Src)
	return turned(plain, orientation)
}

// across are the ways to sample colours, with what each is when rows become columns.
var across = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444,
	image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440,
	image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
}

// turnYCbCr turns the planes of a picture; nil if the turned colours cannot be sampled as YCbCr samples them.
func turnYCbCr(m *image.YCbCr, to image.Rectangle, orientation int) *image.YCbCr {
	ratio, can := m.SubsampleRatio, true
	if orientation >= 5 {
		ratio, can = across[ratio]
	}
	if !can {
		return nil
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	cw, ch := sampled(w, h, m.SubsampleRatio)
	t := &image.YCbCr{Rect: to, SubsampleRatio: ratio}
	t.Y, t.YStride = plane{m.Y, m.YStride, w, h, 1}.turned(orientation)
	t.Cb, t.CStride = plane{m.Cb, m.CStride, cw, ch, 1}.turned(orientation)
	t.Cr, _ = plane{m.Cr, m.CStride, cw, ch, 1}.turned(orientation)
	return t
}

// sampled is how many points the colours of w × h points have.
func sampled(w, h int, ratio image.YCbCrSubsampleRatio) (int, int) {
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		return (w + 1) / 2, h
	case image.YCbCrSubsampleRatio420:
		return (w + 1) / 2, (h + 1) / 2
	case image.YCbCrSubsampleRatio440:
		return w, (h + 1) / 2
	case image.YCbCrSubsampleRatio411:
		return (w + 3) / 4, h
	case image.YCbCrSubsampleRatio410:
		return (w + 3) / 4, (h + 1) / 2
	}
	return w, h
}

// plane is w × h points of size bytes each.
type plane struct {
	pix                []uint8
	stride, w, h, size int
}

// turned is the points in the order of the turned picture.
func (p plane) turned(orientation int) (to []uint8, toStride int) {
	w, h, size := p.w, p.h, p.size
	tw, th := w, h
	if orientation >= 5 {
		tw, th = h, w
	}
	to, toStride = make([]uint8, tw*th*size), tw*size
	for y := range th {
		for x := range tw {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(to[y*toStride+x*size:][:size], p.pix[sy*p.stride+sx*size:][:size])
		}
	}
	return to, toStride
}
