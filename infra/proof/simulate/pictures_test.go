package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"
)

// pictures are those of two products: of one it stays the same, the other one has a new one again and again. What a
// product shows is served, always with the same bytes.
type pictures struct{ same, another pictured }

// pictured is a product and its picture.
type pictured struct{ product, path, bytes string }

// begin makes the products with their pictures while nothing fails.
func (p *pictures) begin(x *shop) {
	r := x.sim.random(2)
	for _, of := range []*pictured{&p.same, &p.another} {
		made := x.partner.must("POST", "/api-engine/products", fields{"code": fmt.Sprint("OBRAZ-", x.products.price()),
			"name": "Obraz", "vatRate": "21.00", "priceLevels": []fields{{"level": "default", "price": "100.00"}}})
		of.product = made.text("id")
		x.told(partners, made.Status, "productCreate", of.product)
		of.change(x, r)
	}
}

// actor looks at the pictures, and puts another one in the place of one.
func (p *pictures) actor(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		p.look(x)
		p.another.change(x, r)
		x.sim.did("a picture")
	}
}

// look wants both pictures to be as they were.
func (p *pictures) look(x *shop) {
	for _, of := range []*pictured{&p.same, &p.another} {
		if is := x.partner.read(of.path); is.Status != http.StatusOK || is.Raw != of.bytes {
			x.sim.T.Errorf("the picture of a product is %d, with %d bytes of %d", is.Status, len(is.Raw), len(of.bytes))
		}
	}
}

// change puts another picture at the product.
func (p *pictured) change(x *shop, r *rand.Rand) {
	form, contentType := draw(x, r)
	up := x.partner.insist(r, "POST", "/api-engine/images", form, "Content-Type", contentType)
	if up.Status != http.StatusCreated {
		x.sim.T.Errorf("a picture was not taken: %d %v", up.Status, up.Body)
		return
	}
	since := time.Now()
	a := x.partner.insist(r, "PATCH", "/api-engine/products/"+p.product,
		fields{"images": []fields{{"url": up.text("url")}}})
	if a.Status != http.StatusOK {
		x.sim.T.Errorf("a picture was not put at its product: %d %v", a.Status, a.Body)
		return
	}
	x.told(partners, a.Status, "productChange", p.product)
	x.listed(a.version(), since)
	p.path = pathOf(up.text("url"))
	p.bytes = x.partner.read(p.path).Raw
	if _, _, err := image.Decode(bytes.NewReader([]byte(p.bytes))); err != nil {
		x.sim.T.Errorf("a picture is none: %v", err)
	}
}

// draw is a form with another picture, and its type.
func draw(x *shop, r *rand.Rand) (form text, contentType string) {
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	drawn.Set(r.IntN(8), r.IntN(8), color.Gray{uint8(1 + r.IntN(255))})
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	require.NoError(x.sim.T, w.SetBoundary(fmt.Sprint("boundary", r.Uint64())))
	file, err := w.CreateFormFile("file", "picture.png")
	require.NoError(x.sim.T, err)
	require.NoError(x.sim.T, png.Encode(file, drawn))
	require.NoError(x.sim.T, w.Close())
	return text(b.String()), w.FormDataContentType()
}
