package main

import (
	"math"
	"slices"
)

// The colours that several products have; grounds are those of the shop's own drawings.
const (
	meadow, apricot, straw = "d3dfcf", "ecd8c6", "efe3c6"
	sky, blush, lilac      = "d2dfe3", "ecd6d2", "dcd5e3"
	white, china, cream    = "fdfbf6", "ece5d6", "f7eeda"
	kraft, brass, gold     = "cba676", "c2944f", "e2bf7c"
	rust, green, deep      = "a84a24", "4f7a52", "26483a"
	wood, bark             = "b98452", "7d5230"
	shadow, shade, gloss   = "1d252133", "1d252124", "ffffff40"
)

// The colours of leaves.
var (
	amber   = []string{"a07c3c", "c39a52", "d8b673", "8f8747", "b08a45"}
	black   = []string{"2c1a12", "3d2518", "53321f", "6b4426", "c58f43"}
	emerald = []string{"3f6b35", "567f3c", "6f9a4a", "88ad5c"}
	mint    = []string{"5c8a58", "76a36b", "93b982", "4b7a52"}
	red     = []string{"8a3216", "a8431f", "c05a2b", "d4763d"}
	aged    = []string{"3d261a", "5b3d2a", "6f4d35", "4b3122", "8a6645"}
)

// Shapes around 0, 0 that are placed where they are wanted.
var (
	leaf   = path("M -50 0 Q -10 -26 50 0 Q -5 16 -50 0")
	twist  = path("M -50 6 Q -8 -20 50 -2 Q 0 -2 -50 6")
	needle = path("M -50 2 Q 0 -9 50 0 Q 0 4 -50 2")
	tooth  = both("M 0 -62 L 8 -48 L 14 -49 L 18 -36 L 25 -35 L 27 -20 L 33 -17 L 32 -2 L 36 4 L 31 18 L 22 38 L 0 56")
	sprout = slices.Concat(leaf.place(-33, 14, .8, 1.2, 210), leaf.place(33, 14, .8, 1.2, -30),
		leaf.place(0, -12, .8, .9, -90))
	petal = both("M 0 8 C 20 -20 52 -60 26 -94 Q 12 -104 0 -94")
	drop  = both("M 0 -60 C 6 -34 38 -6 38 22 C 38 46 20 60 0 60")
	peaks = path("M -100 60 L -46 -18 L -22 14 L 18 -50 L 100 60")
	bell  = slices.Concat(both("M 0 -46 C 22 -46 28 -26 30 -4 C 32 18 38 26 46 32 L 46 40 L 0 40"),
		ellipse(0, 46, 11, 11), ellipse(0, -50, 8, 8).stroke(5))
	pouch = both("M 0 -300 L 90 -300 L 92 -262 C 104 -236 108 -120 100 -8 Q 99 0 90 0 L 0 0")
)

// ground is what a product stands on: a table in a window's light.
func (c *canvas) ground(tint string) {
	c.fill(tint, box(0, 0, side, side, 0))
	c.fill("ffffff48", ellipse(320, 285, 250, 250))
	c.fill("1d252112", box(0, 480, side, 160, 0))
}

// body draws a body and what is on it, and then light at its left and shade at its right.
func (c *canvas) body(colour string, s shape, on ...func()) {
	left, w := float64(s.bounds().Min.X), float64(s.bounds().Dx())
	c.fill(colour, s)
	c.inside(s, func() {
		for _, draw := range on {
			draw()
		}
		c.fill(shade, box(left+w*.78, 0, w, side, 0))
		c.fill(gloss, box(left+w*.07, 0, w*.1, side, 0))
	})
}

// tin draws a round tin with its lid, and what its label shows.
func (c *canvas) tin(x, base, w, h float64, colour, lid string, label func()) {
	r, d := w/2, w*.09
	c.fill(shadow, ellipse(x+18, base-d*.8, r*1.12, d*1.4))
	c.body(colour, band(x, base-h, base-d, r, d), label)
	c.fill(shade, wrap(x, base-h, base-h+w*.2+8, r, d))
	c.lid(x, base-h, w+10, w*.2, lid)
}

// lid draws a tin's lid.
func (c *canvas) lid(x, top, w, h float64, colour string) {
	r, d := w/2, w*.09
	c.body(colour, band(x, top, top+h, r, d))
	c.fill(colour, ellipse(x, top, r, d))
	c.fill("ffffff38", ellipse(x, top, r, d))
	c.fill(shade, ellipse(x, top+1, r*.86, d*.82))
	c.fill("ffffff28", ellipse(x, top+3, r*.86, d*.82))
}

// bag draws a paper bag with a folded top, and what its label shows.
func (c *canvas) bag(x, base, w, h float64, colour string, label func()) {
	put := func(s shape) shape { return s.place(x, base, w/200, h/300, 0) }
	c.fill(shadow, ellipse(x+16, base-6, w*.58, 22))
	c.fill(colour, put(pouch))
	c.inside(put(pouch), func() {
		label()
		c.fill(shade, put(path("M 92 -262 L 64 -190 L 70 0 L 120 0 L 120 -262")))
		c.fill(gloss, put(path("M -92 -262 L -80 -200 L -84 0 L -94 0 L -110 -200")))
		c.fill(gloss, box(x-w, base-h, 2*w, h*.13, 0))
		c.fill(shade, box(x-w, base-h*.87, 2*w, 7, 0))
	})
}

// cup draws a cup with its handle, up to its brim with what is in it.
func (c *canvas) cup(x, base, r float64, inside string) {
	c.fill(shadow, ellipse(x+10, base+12, r*1.15, r*.15))
	c.fill(white, ellipse(x+r*.95, base-r*.5, r*.26, r*.26).stroke(r*.13))
	c.body(white, both("M 0 -80 L 100 -80 C 100 -20 74 2 40 6 L 40 12 L 0 12").place(x, base, r/100, r/100, 0))
	c.fill(china, ellipse(x, base-r*.8, r, r*.19))
	c.fill(inside, ellipse(x, base-r*.77, r*.87, r*.14))
}

// heap draws leaves, or what a tea is made of, that lie on the table; each of them is some size long.
func (c *canvas) heap(x, base, w, h, size float64, n int, piece shape, colours ...string) {
	c.fill(shadow, ellipse(x+8, base-2, w*.54, 15))
	c.fill(colours[0], both("M 0 -100 C 30 -100 60 -30 100 -6 Q 90 8 0 8").place(x, base, w/200, h/100, 0))
	c.strewn(n, size, piece, colours, func(u, v float64) point { return point{x + u*w/2, base + 4 - (1-v)*h*(1-u*u)} })
}

// within is where pieces are strewn over a rectangle.
func within(x, y, w, h float64) func(u, v float64) point {
	return func(u, v float64) point { return point{x + (u+1)/2*w, y + v*h} }
}

// strewn draws pieces from behind to the front where the function says: u is -1 to 1, v 0 to 1.
func (c *canvas) strewn(n int, size float64, piece shape, colours []string, where func(u, v float64) point) {
	for i := range n {
		at := where(2*math.Mod(float64(i)*.618+.2*c.chance.Float64(), 1)-1, float64(i)/float64(n))
		grown := size / 100 * (.8 + .4*c.chance.Float64())
		s := piece.place(at.x, at.y, grown, grown, 55-110*c.chance.Float64()+180*float64(i%2))
		c.fill(colours[c.chance.IntN(len(colours))], s)
	}
}

// slice draws a slice of a citrus fruit.
func (c *canvas) slice(x, y, r float64, rind, pith, flesh string) {
	c.fill(shadow, ellipse(x+r*.12, y+r*.96, r*.9, r*.14))
	c.fill(rind, ellipse(x, y, r, r))
	c.fill(pith, ellipse(x, y, r*.9, r*.9))
	for _, i := range upTo(9) {
		sin, cos := math.Sincos((i*40 + 24) * math.Pi / 180)
		c.fill(flesh, shape{append(line{{x + r*.14*cos, y + r*.14*sin}}, arc(x, y, r*.8, r*.8, i*40+8, i*40+40)...)})
	}
}

// flower draws five petals around a heart.
func (c *canvas) flower(x, y, r float64, colour, heart string) {
	for _, i := range upTo(5) {
		c.fill(colour, petal.place(x, y, r/100, r/100, i*72))
	}
	c.fill(heart, ellipse(x, y, r*.22, r*.22))
}

// beans draws coffee beans in three rows, n of them in front.
func (c *canvas) beans(x, base float64, n int, roast, seam string) {
	c.fill(shadow, ellipse(x+8, base+10, float64(n)*24+20, 16))
	for _, behind := range []int{2, 1, 0} {
		for _, i := range upTo(n - 2*behind) {
			bx, by := x+(i-float64(n-1)/2+float64(behind))*44+16*c.chance.Float64(), base-float64(behind)*24
			angle := 180 * c.chance.Float64()
			c.fill(seam, ellipse(0, 0, 29, 21).place(bx, by, 1, 1, angle))
			c.fill(roast, ellipse(0, 0, 27, 19).place(bx, by, 1, 1, angle))
			c.fill(seam, path("M -26 0 Q -9 10 0 0 Q 9 -10 26 0").stroke(5).place(bx, by, 1, 1, angle))
		}
	}
}

// sprig draws mint with its foot here.
func (c *canvas) sprig(x, y, degrees float64) {
	put := func(colour string, s shape) { c.fill(colour, s.place(x, y, 1, 1, degrees)) }
	put("2f7a56", path("M 0 0 Q 14 -90 0 -180").stroke(8))
	for i, l := range [][4]float64{{-58, -60, 1, -68}, {62, -60, 1, 68}, {-44, -140, .8, -58}, {46, -140, .8, 58},
		{0, -208, .75, 0}} {
		put([]string{"3f9068", "2f7a56"}[i/2%2], tooth.place(l[0], l[1], l[2]*1.1, l[2]*1.1, l[3]))
		put("8cc4a4", path("M 0 52 L 0 -44").stroke(4).place(l[0], l[1], l[2], l[2], l[3]))
	}
}

// steam rises from what is hot.
func (c *canvas) steam(x, y float64) {
	for _, i := range upTo(3) {
		wisp := path("M 0 0 C -24 -30 24 -50 0 -90").stroke(9)
		c.fill("ffffff90", wisp.place(x+i*36-36, y-20+20*(i-1)*(i-1), 1, 1, 0))
	}
}
