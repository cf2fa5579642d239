package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"golang.org/x/image/vector"
)

// side is the width and height of a picture in pixels, shades how many colours its palette has at most.
const side, shades = 640, 48

// canvas is a picture while it is drawn. Its chance is the same in each run, so that its picture is, too.
type canvas struct {
	*image.RGBA
	chance *rand.Rand
	pen    vector.Rasterizer
}

func newCanvas(name string) *canvas {
	var seed [32]byte
	copy(seed[:], name)
	return &canvas{RGBA: image.NewRGBA(image.Rect(0, 0, side, side)), chance: rand.New(rand.NewChaCha8(seed))}
}

// fill paints the shapes with a colour, rrggbb or rrggbbaa in hexadecimal digits.
func (c *canvas) fill(colour string, shapes ...shape) {
	for _, s := range shapes {
		c.trace(c.RGBA, s, paint(colour))
	}
}

// inside keeps what is drawn by the function within the shape.
func (c *canvas) inside(s shape, drawing func()) {
	mask, below := image.NewAlpha(c.Bounds()), c.RGBA
	c.trace(mask, s, image.Opaque)
	c.RGBA = &image.RGBA{Pix: slices.Clone(below.Pix), Stride: below.Stride, Rect: below.Rect}
	drawing()
	r := s.bounds().Intersect(below.Rect)
	draw.DrawMask(below, r, c.RGBA, r.Min, mask, r.Min, draw.Over)
	c.RGBA = below
}

// trace paints a shape tile by tile: up to 512 pixels the rasterizer counts in whole numbers, so that a picture has the
// same bytes on every processor.
func (c *canvas) trace(to draw.Image, s shape, source image.Image) {
	const tile = side / 2
	for i := range 4 {
		at := image.Pt(i%2*tile, i/2*tile)
		r := image.Rectangle{Min: at, Max: at.Add(image.Pt(tile, tile))}.Intersect(s.bounds())
		if r.Empty() {
			continue
		}
		c.pen.Reset(r.Dx(), r.Dy())
		for _, line := range s {
			for j, p := range line.clockwise() {
				x, y := snapped(p.x)-float32(r.Min.X), snapped(p.y)-float32(r.Min.Y)
				if j == 0 {
					c.pen.MoveTo(x, y)
				}
				c.pen.LineTo(x, y)
			}
			c.pen.ClosePath()
		}
		c.pen.Draw(to, r, source, image.Point{})
	}
}

// snapped is a coordinate in whole 64ths of a pixel.
func snapped(x float64) float32 { return float32(int(x*64+side*64)-side*64) / 64 }

// paint is a colour as the pen takes it.
func paint(colour string) image.Image {
	n, err := strconv.ParseUint((colour + "ff")[:8], 16, 32)
	if err != nil {
		panic("drawings: " + colour + " is no colour")
	}
	return image.NewUniform(color.NRGBA{uint8(n >> 24), uint8(n >> 16), uint8(n >> 8), uint8(n)})
}

// file is the picture as a PNG with a palette.
func (c *canvas) file() ([]byte, error) {
	img := image.NewPaletted(c.Bounds(), c.palette())
	nearest := map[color.RGBA]uint8{}
	for i := range img.Pix {
		colour := c.RGBAAt(i%side, i/side)
		at, known := nearest[colour]
		if !known {
			at = uint8(img.Palette.Index(colour))
			nearest[colour] = at
		}
		img.Pix[i] = at
	}
	var file bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, img)
	return file.Bytes(), err
}

// palette is the picture's most frequent colours. Those of edges, which are few pixels each, stand for those near them.
func (c *canvas) palette() color.Palette {
	counts := map[color.RGBA]int{}
	for i := range side * side {
		counts[c.RGBAAt(i%side, i/side)]++
	}
	byCount := func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	}
	var p color.Palette
	for _, colour := range slices.SortedFunc(maps.Keys(counts), byCount) {
		near := func(other color.Color) bool { return distance(colour, other.(color.RGBA)) < 600 }
		if len(p) < shades && (counts[colour] > 400 || !slices.ContainsFunc(p, near)) {
			p = append(p, colour)
		}
	}
	return p
}

// distance is the square of how far two colours are from each other.
func distance(a, b color.RGBA) int {
	red, green, blue := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return red*red + green*green + blue*blue
}
