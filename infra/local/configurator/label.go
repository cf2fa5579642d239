package configurator

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strconv"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The label's size in pixels, and its paper and ink.
const labelWidth, labelHeight = 480, 600

// The label's paper and ink.
var (
	paper = color.RGBA{0xfb, 0xf6, 0xea, 0xff}
	ink   = color.RGBA{0x26, 0x48, 0x3a, 0xff}
)

// typeface is parsed when the first label is wanted. It has the letters of Czech and Slovak.
var typeface = sync.OnceValue(func() *sfnt.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic("configurator: " + err.Error()) // it is a part of the program
	}
	return f
})

// drawn says whether the label's font has the character.
func drawn(r rune) bool {
	i, err := typeface().GlyphIndex(nil, r)
	return err == nil && i != 0
}

// Picture is the label of the blend as a PNG: the leaves from above, in their colours, and what is written below them.
// The same blend has the same picture.
func (b Blend) Picture() ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, labelWidth, labelHeight))
	draw.Draw(img, img.Bounds(), image.NewUniform(ink), image.Point{}, draw.Src)
	draw.Draw(img, img.Bounds().Inset(6), image.NewUniform(paper), image.Point{}, draw.Src)
	disc(img, 240, 215, 178, ink)
	disc(img, 240, 215, 170, paper)
	b.leaves(img)

	tea, _ := ingredient(List.Teas, b.Tea)
	below, title := tea.Name.in(b.Locale)+" · "+strconv.Itoa(b.Grams)+" g", b.Label
	if title == "" {
		title, below = tea.Name.in(b.Locale), strconv.Itoa(b.Grams)+" g"
	}
	if err := write(img, title, 480, 44); err != nil {
		return nil, err
	}
	if err := write(img, below, 535, 24); err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err := png.Encode(&file, img)
	return file.Bytes(), err
}

// leaves fills the tin with leaves along a sunflower's spiral: two of the tea for each one of an addition.
func (b Blend) leaves(img *image.RGBA) {
	tea, _ := ingredient(List.Teas, b.Tea)
	mix := []color.RGBA{rgb(tea.Colour)}
	for _, a := range b.additions() {
		mix = append(mix, rgb(tea.Colour), rgb(tea.Colour), rgb(a.Colour))
	}
	const count, radius, golden = 700, 158, 2.399963
	for i := range count {
		far, angle := radius*math.Sqrt((float64(i)+.5)/count), float64(i)*golden
		x, y := 240+far*math.Cos(angle), 215+far*math.Sin(angle)
		shade := uint8(i * 37 % 40) // leaves are not all alike
		c := mix[i%len(mix)]
		c.R, c.G, c.B = c.R-min(c.R, shade), c.G-min(c.G, shade), c.B-min(c.B, shade)
		disc(img, x, y, 5.5+float64(i%3), c)
	}
}

// disc draws a filled circle whose edge is smooth.
func disc(img *image.RGBA, x, y, radius float64, c color.RGBA) {
	for py := int(y - radius - 1); py <= int(y+radius+1); py++ {
		for px := int(x - radius - 1); px <= int(x+radius+1); px++ {
			cover := radius + .5 - math.Hypot(float64(px)-x, float64(py)-y)
			if cover <= 0 {
				continue
			}
			part, was := min(cover, 1), img.RGBAAt(px, py)
			mixed := func(new, old uint8) uint8 { return uint8(float64(new)*part + float64(old)*(1-part)) }
			img.SetRGBA(px, py, color.RGBA{mixed(c.R, was.R), mixed(c.G, was.G), mixed(c.B, was.B), 0xff})
		}
	}
}

// write writes a line in the middle, so small that it fits.
func write(img *image.RGBA, text string, baseline int, size float64) error {
	const widest = labelWidth - 60
	for ; ; size -= 2 {
		face, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return err
		}
		pen := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face}
		width := pen.MeasureString(text)
		if width.Ceil() > widest && size > 10 {
			continue
		}
		pen.Dot = fixed.Point26_6{X: (fixed.I(labelWidth) - width) / 2, Y: fixed.I(baseline)}
		pen.DrawString(text)
		return nil
	}
}

// rgb is a colour of the price list.
func rgb(css string) color.RGBA {
	n, _ := strconv.ParseUint(css[1:], 16, 32) // as the price list writes it
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}
