package storefront

import (
	"fmt"
	"html/template"
	"math"
)

// rgb is a colour in sRGB, each part from 0 to 1.
type rgb [3]float64

// The papers that a shop's colour must be read on, and the least contrast of text (WCAG 2.2, 1.4.3). They are the
// lightest and the darkest backgrounds of storefront.css.
var lightPapers, darkPapers = []rgb{hex("#f2ece1"), hex("#ffffff")}, []rgb{hex("#273029"), hex("#1e2521")}

const readable = 4.5

// palette are the tokens that a shop's own colour sets in the light and the dark scheme, as a style; "" of none. The
// colour becomes darker, or lighter, until it can be read as text on each paper, and the papers on it.
func palette(accent string) template.HTML {
	if accent == "" {
		return ""
	}
	own := hex(accent)
	light, dark := own.towards(rgb{}, lightPapers), own.towards(rgb{1, 1, 1}, darkPapers)
	// What the pointer is over is a little further on the same way. The footer is as dark as the light scheme's.
	deep := light.mixed(rgb{}, .28)
	return template.HTML(fmt.Sprintf("<style>:root{--accent:%s;--deep:%s;--foot:%s}"+
		"@media screen and (prefers-color-scheme:dark){:root{--accent:%s;--deep:%s;--foot:%s}}</style>",
		light, deep, deep, dark, dark.mixed(rgb{1, 1, 1}, .28), deep.mixed(rgb{}, .5)))
}

// towards is the colour, mixed with another one as little as makes it readable on each paper.
func (c rgb) towards(end rgb, papers []rgb) rgb {
	for step := 0.; step < 1; step += .02 {
		if mixed := c.mixed(end, step); mixed.readsOn(papers) {
			return mixed
		}
	}
	return end
}

// readsOn says whether text of the colour is readable on each paper.
func (c rgb) readsOn(papers []rgb) bool {
	for _, paper := range papers {
		if contrast(c, paper) < readable {
			return false
		}
	}
	return true
}

// mixed is the colour with a share of another one, as it is written: each part is one of 256.
func (c rgb) mixed(with rgb, share float64) (m rgb) {
	for i := range c {
		m[i] = math.Round((c[i]+(with[i]-c[i])*share)*255) / 255
	}
	return m
}

// contrast is the ratio of two colours' luminances (WCAG 2.2).
func contrast(a, b rgb) float64 {
	light, dark := a.luminance(), b.luminance()
	return (max(light, dark) + .05) / (min(light, dark) + .05)
}

// luminance is how light the colour is (WCAG 2.2, "relative luminance").
func (c rgb) luminance() float64 {
	var linear rgb
	for i, v := range c {
		if linear[i] = v / 12.92; v > .04045 {
			linear[i] = math.Pow((v+.055)/1.055, 2.4)
		}
	}
	return .2126*linear[0] + .7152*linear[1] + .0722*linear[2]
}

// hex is a colour that is written as #rrggbb; black of anything else.
func hex(text string) rgb {
	var r, g, b uint8
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return rgb{}
	}
	return rgb{float64(r) / 255, float64(g) / 255, float64(b) / 255}
}

// String is the colour as styles have it.
func (c rgb) String() string {
	part := func(v float64) uint8 { return uint8(math.Round(v * 255)) }
	return fmt.Sprintf("#%02x%02x%02x", part(c[0]), part(c[1]), part(c[2]))
}
