package picture

import (
	"context"
	"errors"
	"image"

	"golang.org/x/image/draw"
)

// narrower are the widths of a picture that are less than its own, each of its content type.
func narrower(ctx context.Context, m image.Image, contentType string, widths []int) (all []Picture, err error) {
	as := never
	if contentType == "image/jpeg" {
		as = always
	}
	small := m
	for _, width := range widths {
		if width >= m.Bounds().Dx() {
			continue
		}
		small = scaled(small, m.Bounds().Size(), width)
		switch p, err := encode(ctx, likePalette(m, small), as); {
		case err == nil:
			all = append(all, p)
		case !errors.Is(err, ErrTooBig):
			return nil, err
		}
	}
	return all, nil
}

// scaled is a picture so many pixels wide, in the shape of one of that size. It is at most halved in a step: of each
// four points none is left out then. Better scalers hold 32 bytes for each point on the way.
func scaled(m image.Image, shape image.Point, width int) image.Image {
	for m.Bounds().Dx() > width {
		w := max(width, m.Bounds().Dx()/2)
		small := image.NewRGBA(image.Rect(0, 0, w, max(1, (shape.Y*w+shape.X/2)/shape.X)))
		draw.ApproxBiLinear.Scale(small, small.Rect, m, m.Bounds(), draw.Src, nil)
		m = small
	}
	return m
}

// maxPalette is how many colours a drawing has at most: finding the nearest of more takes seconds.
const maxPalette = 64

// likePalette is a narrower picture in the colours of the picture itself, if that is a drawing of few colours. The
// colours between them would make the narrower file the larger one.
func likePalette(m, small image.Image) image.Image {
	drawing, is := m.(*image.Paletted)
	if !is || len(drawing.Palette) > maxPalette {
		return small
	}
	to := image.NewPaletted(small.Bounds(), drawing.Palette)
	draw.Draw(to, to.Rect, small, image.Point{}, draw.Src)
	return to
}
