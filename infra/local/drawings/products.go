package main

import (
	"fmt"
	"math"
)

// product is what one picture shows, and on which ground.
type product struct {
	code, tint string
	draw       func(c *canvas)
}

// picture draws the product's picture.
func (p product) picture() ([]byte, error) {
	c := newCanvas(p.code)
	c.ground(p.tint)
	p.draw(c)
	return c.file()
}

// products are those of the demo shop, by their codes.
var products = []product{
	{"CAJ-001", meadow, func(c *canvas) { // St John's wort, one of its two bags full of flowers
		c.bag(205, 500, 190, 290, kraft, func() {
			c.fill(cream, ellipse(205, 385, 62, 62))
			c.flower(205, 385, 44, "e3ae2c", "b9741d")
		})
		c.strewn(26, 70, leaf, []string{green, "6d9463"}, within(280, 215, 210, 80))
		for _, i := range upTo(15) {
			u, colour := math.Mod(i*.618, 1)*2-1, []string{"e9b836", "f0c75a", "dfa62a"}[int(i)%3]
			c.flower(385+u*95, 190+50*u*u+i*5, 30+3*math.Mod(i, 3), colour, "b9741d")
		}
		c.bag(385, 545, 220, 280, "d9b98c", func() {
			c.fill(cream, ellipse(385, 420, 70, 70))
			c.flower(385, 420, 50, "e3ae2c", "b9741d")
		})
		c.fill(green, path("M 60 560 Q 150 570 235 535").stroke(6))
		c.fill(green, leaf.place(110, 548, .5, .8, -30), leaf.place(130, 578, .5, .8, 30))
		c.flower(235, 535, 40, "e9b836", "b9741d")
		c.flower(182, 565, 34, "dfa62a", "b9741d")
	}},
	{"CAJ-002", straw, func(c *canvas) { // light leaves before a tin with the Himalayas
		c.tin(360, 520, 230, 340, "d99f52", "c08a3e", func() {
			c.fill(deep, wrap(360, 270, 440, 115, 20))
			c.fill("f0c989", ellipse(392, 350, 32, 32))
			c.fill("a9bdb9", peaks.place(400, 415, 1.2, .8, 0))
			c.fill("e9efe6", peaks.place(322, 425, 1, .9, 0))
			c.fill("d99f52", wrap(360, 440, 520, 115, 20))
		})
		c.heap(210, 560, 300, 92, 52, 64, leaf, amber...)
	}},
	{"CAJ-003", apricot, func(c *canvas) { // dark leaves with golden tips
		c.tin(365, 520, 310, 260, "8a3a22", "5a2718", func() {
			c.fill("d9a860", wrap(365, 340, 455, 155, 26))
			c.fill("5a2718", sprout.place(365, 414, 1, 1, 0))
		})
		c.heap(195, 565, 300, 96, 50, 70, twist, black...)
	}},
	{"CAJ-004", meadow, func(c *canvas) { // green needles on a plate
		c.tin(420, 500, 180, 330, "5f8554", "3f6142", func() {
			for _, i := range upTo(15) {
				x, y := 348+72*math.Mod(i, 3)+36*math.Mod(math.Floor(i/3), 2), 250+54*math.Floor(i/3)
				c.fill("86a873", ellipse(x, y, 24, 24).stroke(4), ellipse(x, y, 11, 11).stroke(4))
			}
			c.fill(cream, box(380, 280, 80, 150, 6))
			c.fill(rust, ellipse(420, 355, 24, 24))
		})
		c.fill(shadow, ellipse(240, 560, 190, 24))
		c.fill(white, ellipse(230, 508, 185, 46))
		c.fill(china, ellipse(230, 510, 165, 38))
		c.heap(230, 524, 270, 100, 64, 54, needle, emerald...)
	}},
	{"CAJ-005", sky, func(c *canvas) { // black leaves with cornflower, and a slice of bergamot
		c.bag(300, 510, 240, 380, "46596e", func() {
			c.fill(cream, box(215, 245, 170, 190, 8))
			c.fill("d9c24a", ellipse(300, 350, 44, 48))
			c.fill("5c7a3c", leaf.place(335, 295, .8, 1, -35))
		})
		c.heap(200, 565, 280, 86, 50, 66, twist, "1f1b1a", "2d2725", "3d3531", "1f1b1a", "2d2725", "4f78b4")
		c.slice(460, 480, 82, "c3b93a", "f7f1d0", "e2dc82")
	}},
	{"CAJ-006", straw, func(c *canvas) { // a sprig of mint
		c.bag(280, 505, 240, 360, white, func() {
			c.fill("bfd8bd", ellipse(280, 345, 82, 82))
			c.fill("3f8a63", tooth.place(280, 345, 1.3, 1.1, 0))
			c.fill("bfd8bd", path("M 280 300 L 280 430").stroke(4))
		})
		c.heap(190, 565, 270, 66, 54, 44, leaf, mint...)
		c.fill(shadow, ellipse(470, 590, 120, 12))
		c.sprig(440, 592, 22)
	}},
	{"CAJ-007", blush, func(c *canvas) { // red needles, and a slice of orange
		c.bag(345, 505, 240, 370, rust, func() {
			c.fill("f1d9ae", ellipse(345, 345, 82, 82))
			c.fill("e08a2e", ellipse(345, 352, 50, 50))
			c.fill(green, leaf.place(372, 302, .6, .9, -30))
		})
		c.heap(400, 565, 310, 92, 60, 46, needle, red...)
		c.slice(160, 490, 84, "e0812a", "fbe7c4", "f0a146")
	}},
	{"CAJ-008", apricot, func(c *canvas) { // a pressed cake before one in its paper
		c.fill(shadow, ellipse(420, 500, 150, 20), ellipse(260, 560, 230, 34))
		c.fill("e6dcc8", ellipse(418, 310, 186, 186))
		c.fill(white, ellipse(408, 310, 186, 186))
		c.fill(deep, ellipse(408, 310, 120, 120).stroke(8))
		c.fill(rust, ellipse(408, 310, 78, 78))
		c.fill(white, sprout.place(408, 310, .95, .95, 0))
		c.fill("24150e", band(240, 485, 525, 190, 84))
		c.fill(aged[3], ellipse(240, 485, 190, 84))
		c.inside(ellipse(240, 485, 190, 84), func() { c.strewn(64, 68, leaf, aged, within(50, 400, 380, 170)) })
		c.heap(500, 585, 130, 34, 44, 16, leaf, aged...)
	}},
	{"CAJ-009", straw, func(c *canvas) { // an open wooden box with six teas
		at := func(u, v float64) point { return point{320 + (u-.5)*(400+80*v), 330 + 170*v} }
		quad := func(u, v, w, h float64) shape { return shape{{at(u, v), at(u+w, v), at(u+w, v+h), at(u, v+h)}} }
		c.fill(shadow, ellipse(330, 565, 270, 24))
		c.fill(bark, box(110, 120, 420, 215, 8))
		c.fill("d9ab74", box(126, 136, 388, 190, 4))
		c.fill(bark, bell.place(320, 232, 1.2, 1.2, 0))
		c.fill(wood, quad(-.04, -.06, 1.08, 1.12), box(66, 505, 508, 65, 6))
		c.fill(shade, box(66, 505, 508, 8, 0))
		c.fill(brass, box(296, 500, 48, 30, 5))
		for i, colours := range [][]string{red, emerald, aged, amber, mint, {"b98a9c", "e9b836", "d8c7a0"}} {
			u, v := float64(i%3)/3+.025, float64(i/3)/2+.05
			c.fill(bark, quad(u, v, .285, .4))
			c.inside(quad(u, v, .285, .4), func() {
				p := at(u, v)
				c.strewn(26, 60, leaf, colours, within(p.x-10, p.y-10, 150, 95))
			})
		}
	}},
	{"KAV-001", sky, func(c *canvas) { // jasmine and lemon
		c.bag(330, 505, 250, 400, "e0aa42", func() {
			c.fill(deep, box(240, 220, 180, 220, 90))
			c.flower(330, 300, 54, white, "e9b836")
			c.flower(295, 385, 36, white, "e9b836")
			c.flower(368, 378, 30, white, "e9b836")
		})
		c.slice(500, 505, 66, "e6c334", "fbf3cd", "f0da6a")
		c.beans(205, 565, 6, "7a4a2a", "a87850")
	}},
	{"KAV-002", meadow, func(c *canvas) { // mountains and a red apple
		c.bag(330, 505, 250, 400, "9c3f25", func() {
			c.fill(cream, box(235, 230, 190, 190, 8))
			c.inside(box(235, 230, 190, 190, 8), func() {
				c.fill("e2a043", ellipse(365, 290, 30, 30))
				c.fill("7f9f72", peaks.place(350, 390, 1.2, 1, 0))
				c.fill(deep, peaks.place(280, 420, 1.1, .9, 0))
			})
		})
		c.fill(shadow, ellipse(490, 562, 76, 14))
		c.fill("b8352a", both("M 0 -52 C 20 -70 68 -64 68 -4 C 68 40 36 66 0 56").place(482, 500, 1, 1, 0))
		c.fill(gloss, ellipse(452, 482, 11, 22))
		c.fill(bark, path("M 482 452 Q 484 430 496 420").stroke(6))
		c.fill(green, leaf.place(512, 432, .5, .8, -15))
		c.beans(200, 565, 7, "5f3722", "8f6244")
	}},
	{"KAV-003", straw, func(c *canvas) { // the house's bell, and a cup of espresso
		c.bag(260, 505, 250, 400, deep, func() { c.fill(gold, bell.place(260, 330, 1.7, 1.7, 0)) })
		c.fill(shadow, ellipse(460, 574, 132, 24))
		c.fill(china, ellipse(450, 562, 126, 27))
		c.fill(white, ellipse(450, 556, 126, 27))
		c.cup(450, 548, 88, "4a2c1c")
		c.fill("b5793f", ellipse(450, 481, 62, 9))
		c.steam(450, 445)
		c.beans(170, 570, 6, "3d2417", "7a5237")
	}},
	{"KAV-004", blush, func(c *canvas) { // a drop of water, and light beans
		c.bag(320, 505, 250, 400, "a9c4cc", func() {
			c.fill(white, ellipse(320, 330, 88, 88))
			c.fill("4f8299", drop.place(320, 322, 1.1, 1.1, 0))
			c.fill("ffffff90", path("M 292 346 Q 298 372 320 374").stroke(7))
		})
		c.beans(310, 570, 9, "94683f", "c29a6c")
	}},
	{"KAV-005", lilac, func(c *canvas) { // filter papers, one of them at work
		c.fill(shadow, ellipse(200, 540, 170, 20), ellipse(450, 575, 140, 20))
		for _, i := range upTo(4) {
			s := both("M 0 -150 Q 80 -148 130 -110 L 64 120 L 0 120").place(165+i*26, 420+i*2, .9, .9, -12+i*6)
			c.fill("a9834f", s.stroke(4))
			c.fill([]string{"d3b186", "dfc29b"}[int(i)%2], s)
		}
		c.fill("a9834f", path("M 325 342 L 278 520").stroke(3), path("M 190 514 L 292 534").stroke(3))
		glass := both("M 0 -130 L 60 -130 L 100 -20 Q 100 0 80 0 L 0 0").place(440, 575, 1, 1, 0)
		c.fill("ffffff99", glass)
		c.inside(glass, func() { c.fill("6b3a1e", box(300, 505, 300, 90, 0)) })
		c.fill("dfc29b", both("M 0 -120 Q 90 -118 132 -90 L 60 60 L 0 60").place(440, 350, 1, 1, 0))
		c.fill("b08a5a", ellipse(440, 252, 118, 18))
		c.fill("4a2c1c", ellipse(440, 262, 96, 13))
		c.fill(white, ellipse(556, 350, 34, 34).stroke(16))
		c.body(white, both("M 0 -70 L 124 -70 L 56 70 L 100 74 L 100 88 L 0 88").place(440, 365, 1, 1, 0))
	}},
	{"KAV-006", apricot, func(c *canvas) { // a wooden grinder with its crank and drawer
		c.fill(shadow, ellipse(325, 570, 210, 24))
		c.fill("3a3f40", path("M 300 200 L 300 128 Q 300 118 312 117 L 450 108").stroke(14))
		c.fill(bark, both("M 0 -36 Q 26 -34 22 0 L 14 36 L 0 36").place(456, 86, 1, 1, 0))
		c.body(brass, both("M 0 -76 L 26 -76 Q 34 -14 118 0 L 118 14 L 0 14").place(300, 262, 1, 1, 0))
		c.body(wood, box(170, 290, 260, 252, 4))
		c.fill(bark, box(148, 268, 304, 30, 12), box(148, 538, 304, 30, 12), box(206, 420, 188, 92, 6))
		c.fill("c99763", box(212, 426, 176, 80, 4))
		c.fill(shade, box(170, 296, 260, 9, 0))
		c.fill(brass, ellipse(300, 466, 15, 15))
		c.beans(490, 574, 5, "5a331d", "8f6244")
	}},
	{"POR-001", sky, func(c *canvas) { // a mug with a bell
		c.fill(shadow, ellipse(310, 545, 180, 26))
		c.fill(china, ellipse(438, 400, 62, 72).stroke(30))
		c.fill(white, ellipse(434, 400, 62, 72).stroke(26))
		c.body(white, both("M 0 -270 L 140 -270 L 132 -30 Q 130 6 100 8 L 0 8").place(290, 540, 1, 1, 0))
		c.fill("3f6d92", bell.place(290, 415, 1.6, 1.6, 0), wrap(290, 300, 308, 139, 28))
		c.fill(china, ellipse(290, 270, 140, 28))
		c.fill("a5612b", ellipse(290, 276, 124, 20))
		c.steam(290, 240)
	}},
	{"POR-002", meadow, func(c *canvas) { // a cast-iron pot
		c.fill(shadow, ellipse(320, 555, 220, 28))
		c.fill("3a4042", path("M 165 350 C 130 80 500 80 465 350").stroke(16))
		c.fill("2b2f31", path("M 450 470 C 520 450 500 380 548 340 L 586 352 C 550 400 560 480 470 510"))
		body := both("M 0 -130 C 130 -130 200 -80 200 -10 C 200 70 140 120 90 124 L 0 124").place(315, 430, 1, 1, 0)
		c.fill("2b2f31", body)
		c.inside(body, func() {
			for _, i := range upTo(75) {
				x, y := math.Mod(i, 15), math.Floor(i/15)
				c.fill("474e50", ellipse(105+x*30+15*math.Mod(y, 2), 350+30*y, 8, 8))
			}
			c.fill("ffffff1c", path("M 150 340 Q 110 430 170 520 L 190 520 Q 140 430 190 330"))
		})
		c.fill("3a4042", ellipse(315, 306, 104, 20))
		c.fill("2b2f31", both("M 0 -26 C 60 -26 92 -14 92 0 L 0 12").place(315, 302, 1, 1, 0), box(306, 262, 18, 20, 2))
		c.fill("3a4042", ellipse(315, 258, 20, 15))
		c.steam(560, 310)
	}},
	{"POR-003", blush, func(c *canvas) { // a strainer over a cup
		c.cup(300, 560, 150, "b96f2d")
		c.fill("b96f2d", drop.place(300, 392, .3, .3, 0), drop.place(268, 412, .22, .22, 0))
		net := both("M 0 -10 L 130 -10 C 126 90 70 130 0 130").place(300, 230, 1, 1, 0)
		c.fill("c8cfd0", net)
		c.inside(net, func() {
			for _, i := range upTo(19) {
				c.fill("8f999b", path("M -20 200 L 280 500 M 280 200 L -20 500").stroke(3).place(i*26, 0, 1, 1, 0))
			}
		})
		c.fill("7f8a8c", path("M 420 222 Q 500 214 600 150").stroke(16), path("M 180 222 Q 140 214 120 222").stroke(12))
		c.fill("a9b3b5", ellipse(300, 220, 138, 30))
		c.fill("6f7a7c", ellipse(300, 222, 124, 22))
		c.inside(ellipse(300, 222, 124, 22), func() { c.strewn(40, 50, leaf, emerald, within(190, 214, 220, 34)) })
	}},
	{"POR-004", sky, func(c *canvas) { // a bowl of matcha, its glaze run down
		c.fill(shadow, ellipse(330, 545, 190, 26))
		bowl := both("M 0 -200 L 200 -200 C 206 -90 170 -30 90 -10 L 86 10 L 0 10").place(320, 535, 1, 1, 0)
		c.body("6d5446", bowl, func() {
			c.fill("3f6670", path("M 120 300 L 520 300 L 520 470 Q 510 490 480 440 Q 460 400 430 450 "+
				"Q 410 510 380 480 Q 350 420 320 440 Q 290 520 250 480 Q 220 420 190 450 Q 150 480 120 430"))
		})
		c.fill("2f4e57", ellipse(320, 335, 200, 46))
		c.fill("7fa648", ellipse(320, 345, 176, 34))
		c.fill("9fc164", ellipse(340, 342, 140, 22))
		c.strewn(26, 14, ellipse(0, 0, 40, 26), []string{"b9d482", "7fa648"}, within(220, 328, 230, 30))
		c.steam(320, 285)
	}},
	{"POR-005", straw, func(c *canvas) { // a whisk of bamboo, and matcha
		c.fill(shadow, ellipse(270, 560, 150, 20))
		for _, i := range upTo(27) {
			u := i/13 - 1
			d := fmt.Sprintf("M %f 0 C %f 120 %f 220 %f %f", u*58, u*150, u*150, u*112, 276+12*math.Sqrt(1-u*u))
			c.fill([]string{"d9b676", "e8cb92", "c9a25f"}[int(i)%3], path(d).stroke(9).place(250, 280, 1, 1, 0))
		}
		c.fill("c9a25f", both("M 0 0 L 40 0 C 80 100 70 180 30 210 L 0 214").place(250, 290, 1, 1, 0))
		c.body("d9b676", both("M 0 -150 L 50 -150 L 54 -60 L 62 0 L 0 0").place(250, 290, 1, 1, 0))
		c.fill("e8cb92", ellipse(250, 140, 50, 12))
		c.fill("b98b48", ellipse(250, 141, 34, 7))
		c.fill(deep, wrap(250, 268, 284, 62, 10))
		c.fill(shadow, ellipse(485, 575, 120, 16))
		c.body(white, both("M 0 -50 L 110 -50 C 106 -10 70 0 40 0 L 0 0").place(480, 575, 1, 1, 0))
		c.fill(china, ellipse(480, 525, 110, 20))
		c.fill("86a94c", both("M 0 -60 C 30 -60 60 -10 92 0 Q 60 14 0 14").place(480, 525, 1, 1, 0))
	}},
	{"POR-006", lilac, func(c *canvas) { // a sugar bowl with a lid, and lumps
		c.fill(shadow, ellipse(290, 550, 180, 26))
		for _, x := range []float64{116, 444} {
			c.fill("d8d0c4", ellipse(x, 424, 42, 48).stroke(20))
			c.fill(white, ellipse(x, 420, 42, 48).stroke(18))
		}
		c.body(white, both("M 0 -150 L 120 -150 C 190 -110 190 -20 90 20 L 96 36 L 0 36").place(280, 510, 1, 1, 0))
		for _, i := range upTo(5) {
			c.flower(180+i*50, 440-8*math.Abs(i-2), 24, "4a6fa5", "e3ae2c")
			c.fill(green, leaf.place(202+i*50, 460-8*math.Abs(i-2), .3, .6, 30))
		}
		c.body(white, both("M 0 -70 C 70 -70 120 -40 130 0 L 0 18").place(280, 352, 1, 1, 0))
		c.fill("4a6fa5", wrap(280, 352, 360, 130, 18), ellipse(280, 270, 22, 20))
		for _, p := range []point{{470, 540}, {530, 556}, {500, 500}} {
			c.fill("d8d0c4", box(p.x, p.y, 54, 46, 6))
			c.fill(white, box(p.x, p.y, 44, 40, 6))
		}
	}},
	{"POR-007", apricot, func(c *canvas) { // a tin whose outer lid lies before it
		c.tin(290, 530, 240, 330, "2f5646", "c9ced0", func() {
			c.fill(gold, wrap(290, 290, 300, 120, 22), wrap(290, 480, 490, 120, 22))
			for _, i := range upTo(3) {
				c.fill(gold, bell.place(210+i*80, 404-6*math.Abs(i-1), .75, .85, 0))
			}
		})
		c.fill("9aa3a5", ellipse(290, 196, 22, 16))
		c.fill(shadow, ellipse(490, 575, 120, 18))
		c.lid(480, 520, 230, 46, "2f5646")
	}},
	{"SMES-001", straw, func(c *canvas) { // a jar with layers of leaves
		c.fill(shadow, ellipse(330, 560, 190, 24))
		jar := both("M 0 -360 L 96 -360 L 96 -330 C 150 -310 156 -280 156 -250 L 156 -30 Q 156 0 120 0 L 0 0")
		c.body("ffffff80", jar.place(310, 560, 1, 1, 0), func() {
			for i, colours := range [][]string{{"7d6aa8", "9a86c9", "d2607f", "f2e2a0"}, aged, amber, emerald, red} {
				y := 342 + float64(i)*52
				c.fill(colours[0], box(150, y-40, 320, 260, 0))
				c.strewn(25, 72, leaf, colours, within(140, y-40, 340, 44))
			}
		})
		c.body(wood, box(222, 160, 176, 50, 12))
		c.fill(bark, path("M 214 222 Q 310 240 406 222").stroke(7), path("M 396 226 L 420 300").stroke(5))
		c.fill("e3c592", both("M 0 -60 L 24 -60 L 46 -36 L 46 66 L 0 66").place(432, 350, 1, 1, -12))
		c.fill(bark, ellipse(421, 304, 6, 6))
		c.fill(deep, bell.place(434, 360, .6, .6, -12))
	}},
}
