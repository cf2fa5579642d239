package main

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
)

// point is in pixels from the left and from the top.
type point struct{ x, y float64 }

// line is points that are joined, and the last one with the first one when it is filled.
type line []point

// shape is all that its lines go around.
type shape []line

// path is a shape as SVG writes it, with absolute M, L, Q, C, and spaces between all words: "M 0 0 Q 5 9 10 0".
func path(d string) shape {
	var s shape
	words := strings.Fields(d)
	for len(words) > 0 {
		count := map[string]int{"M": 1, "L": 1, "Q": 2, "C": 3}[words[0]]
		p := make([]point, count)
		for i := range p {
			p[i] = point{number(words[1+2*i]), number(words[2+2*i])}
		}
		if words[0] == "M" {
			s = append(s, nil)
		}
		last := &s[len(s)-1]
		*last = append(*last, curve(*last, p)...)
		words = words[1+2*count:]
	}
	return s
}

// number is a number of a path.
func number(word string) float64 {
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic("drawings: " + word + " is no number")
	}
	return n
}

// curve is the points of a Bézier curve from a line's end on; of one point, the point.
func curve(from line, p []point) []point {
	if len(p) == 1 {
		return p
	}
	const steps = 20
	var points []point
	for i := 1; i <= steps; i++ {
		t, q := float64(i)/steps, append([]point{from[len(from)-1]}, p...)
		for len(q) > 1 {
			for j := range len(q) - 1 {
				q[j] = point{q[j].x + t*(q[j+1].x-q[j].x), q[j].y + t*(q[j+1].y-q[j].y)}
			}
			q = q[:len(q)-1]
		}
		points = append(points, q[0])
	}
	return points
}

// both is what a path right of the axis 0 and its mirror image go around.
func both(d string) shape {
	half := path(d)
	other := half.place(0, 0, -1, 1, 0)[0]
	slices.Reverse(other)
	return shape{append(half[0], other...)}
}

// arc is a part of an ellipse, in degrees clockwise from its right.
func arc(x, y, rx, ry, from, to float64) line {
	var l line
	const steps = 40
	for i := range steps + 1 {
		sin, cos := math.Sincos((from + (to-from)*float64(i)/steps) * math.Pi / 180)
		l = append(l, point{x + rx*cos, y + ry*sin})
	}
	return l
}

func ellipse(x, y, rx, ry float64) shape { return shape{arc(x, y, rx, ry, 0, 360)} }

// box is a box with rounded corners, from its left upper one.
func box(x, y, w, h, r float64) shape {
	return shape{slices.Concat(arc(x+w-r, y+r, r, r, -90, 0), arc(x+w-r, y+h-r, r, r, 0, 90),
		arc(x+r, y+h-r, r, r, 90, 180), arc(x+r, y+r, r, r, 180, 270))}
}

// band goes around a cylinder that is seen a little from above: rx and ry are half of its width and depth.
func band(x, top, bottom, rx, ry float64) shape {
	return shape{slices.Concat(arc(x, bottom, rx, ry, 0, 180), arc(x, top, rx, ry, 180, 360))}
}

// wrap is what lies around a cylinder's front: a label.
func wrap(x, top, bottom, rx, ry float64) shape {
	return shape{slices.Concat(arc(x, bottom, rx, ry, 0, 180), arc(x, top, rx, ry, 180, 0))}
}

// place moves a shape that was made around 0, 0, grown and turned by degrees.
func (s shape) place(x, y, wider, higher, degrees float64) shape {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	placed := make(shape, len(s))
	for i, l := range s {
		for _, p := range l {
			px, py := p.x*wider, p.y*higher
			placed[i] = append(placed[i], point{x + px*cos - py*sin, y + px*sin + py*cos})
		}
	}
	return placed
}

// stroke is a pen's trace along the shape's lines, as wide as this.
func (s shape) stroke(width float64) shape {
	var drawn shape
	for _, l := range s {
		for i, p := range l {
			drawn = append(drawn, arc(p.x, p.y, width/2, width/2, 0, 360))
			if i > 0 {
				q := l[i-1]
				long := max(math.Hypot(p.x-q.x, p.y-q.y), 1e-9)
				dx, dy := (p.y-q.y)/long*width/2, (q.x-p.x)/long*width/2
				drawn = append(drawn, line{{p.x + dx, p.y + dy}, {p.x - dx, p.y - dy}, {q.x - dx, q.y - dy},
					{q.x + dx, q.y + dy}})
			}
		}
	}
	return drawn
}

// clockwise is the line in one direction, so that lines of one shape add up where they overlap.
func (l line) clockwise() line {
	area := 0.
	for i, p := range l {
		q := l[(i+1)%len(l)]
		area += p.x*q.y - q.x*p.y
	}
	if area < 0 {
		l = slices.Clone(l)
		slices.Reverse(l)
	}
	return l
}

// bounds are the pixels that a shape touches.
func (s shape) bounds() image.Rectangle {
	var r image.Rectangle
	for _, l := range s {
		for _, p := range l {
			at := image.Pt(int(math.Floor(p.x)), int(math.Floor(p.y)))
			r = r.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(2, 2))})
		}
	}
	return r
}

// upTo is the numbers from 0 on, n of them.
func upTo(n int) []float64 {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	return numbers
}
