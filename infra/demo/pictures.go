package demo

import (
	"embed"

	"eshop/shared/images/picture"
	"eshop/shared/shop/goods"
)

// pictures are the drawings of the goods, <code>.png and <code>_320.png each.
//
//go:embed pictures/*.png
var pictures embed.FS

// pictureOf is the picture of the product with the code, 640 pixels wide and high and with a narrower one, and its
// alternative text.
func pictureOf(code string) (p picture.Picture, alt string) {
	sized := func(file string, width int) picture.Picture {
		png, err := pictures.ReadFile("pictures/" + file + ".png")
		if err != nil {
			panic("demo: " + err.Error()) // it is a part of the program
		}
		return picture.Picture{ContentType: "image/png", Width: width, Height: width, Bytes: png}
	}
	p = sized(code, 640)
	p.Narrower = []picture.Picture{sized(code+"_320", 320)}
	return p, goods.Texts[code].Alt
}
