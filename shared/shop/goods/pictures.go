package goods

import (
	"embed"

	"eshop/shared/images/picture"
)

// pictures are the drawings of the goods, <code>.png and <code>_320.png each.
//
//go:embed pictures/*.png
var pictures embed.FS

// Picture is the picture of the product with the code, 640 pixels wide and high and with a narrower one.
func Picture(code string) picture.Picture {
	sized := func(file string, width int) picture.Picture {
		png, err := pictures.ReadFile("pictures/" + file + ".png")
		if err != nil {
			panic("goods: " + err.Error()) // it is a part of the program
		}
		return picture.Picture{ContentType: "image/png", Width: width, Height: width, Bytes: png}
	}
	p := sized(code, 640)
	p.Narrower = []picture.Picture{sized(code+"_320", 320)}
	return p
}
