package picture

import (
	"image"
	"image/draw"
)

// rotated is the picture the right way up, by its EXIF orientation: 1 to 8, from 5 on with width and height swapped.
// Whole points change places, so nothing is lost. A photograph is turned in its own colours: as RGBA it would take more
// memory than a large one may.
func rotated(m image.Image, orientation int) image.Image {
	if orientation == 1 {
		return m
	}
	size := m.Bounds().Size()
	switch m := m.(type) {
	case *image.Gray:
		m.Pix, m.Stride, m.Rect = rotate(m.Pix, m.Stride, size, 1, orientation)
	case *image.Paletted:
		m.Pix, m.Stride, m.Rect = rotate(m.Pix, m.Stride, size, 1, orientation)
	case *image.RGBA:
		m.Pix, m.Stride, m.Rect = rotate(m.Pix, m.Stride, size, 4, orientation)
	case *image.NRGBA:
		m.Pix, m.Stride, m.Rect = rotate(m.Pix, m.Stride, size, 4, orientation)
	case *image.YCbCr:
		ratio, can := across[m.SubsampleRatio]
		if !can { // the turned colours would be sampled as YCbCr does not sample them
			to := image.NewRGBA(image.Rectangle{Max: size})
			draw.Draw(to, to.Rect, m, m.Rect.Min, draw.Src)
			return rotated(to, orientation)
		}
		// The last point's place in the colours tells how many columns and rows these have.
		last := m.COffset(m.Rect.Max.X-1, m.Rect.Max.Y-1) - m.COffset(m.Rect.Min.X, m.Rect.Min.Y)
		colours, stride := image.Pt(last%m.CStride+1, last/m.CStride+1), m.CStride
		m.Y, m.YStride, m.Rect = rotate(m.Y, m.YStride, size, 1, orientation)
		m.Cb, m.CStride, _ = rotate(m.Cb, stride, colours, 1, orientation)
		m.Cr, m.CStride, _ = rotate(m.Cr, stride, colours, 1, orientation)
		if orientation >= 5 {
			m.SubsampleRatio = ratio
		}
	}
	return m
}

// across are the ways to sample colours, with what each is when rows become columns.
var across = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444,
	image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440,
	image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
}

// rotate returns points of n bytes each in the order of the turned picture, with its stride and place.
func rotate(pix []uint8, stride int, size image.Point, n, orientation int) ([]uint8, int, image.Rectangle) {
	// The first point of the turned picture lies at first; the next to the right and below lie so many bytes on.
	first, right, down := 0, n, stride
	lastColumn, lastRow := (size.X-1)*n, (size.Y-1)*stride
	switch orientation {
	case 2:
		first, right = lastColumn, -n
	case 3:
		first, right, down = lastColumn+lastRow, -n, -stride
	case 4:
		first, down = lastRow, -stride
	case 5:
		right, down = stride, n
	case 6:
		first, right, down = lastRow, -stride, n
	case 7:
		first, right, down = lastColumn+lastRow, -stride, -n
	case 8:
		first, right, down = lastColumn, stride, -n
	}
	if orientation >= 5 {
		size = image.Pt(size.Y, size.X)
	}
	to := make([]uint8, size.X*size.Y*n)
	for y := range size.Y {
		for x := range size.X {
			copy(to[(y*size.X+x)*n:][:n], pix[first+y*down+x*right:])
		}
	}
	return to, size.X * n, image.Rectangle{Max: size}
}
