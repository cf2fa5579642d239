package picture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"

	"eshop/shared/images/picture"
)

// Whatever a stranger has sent is decoded and encoded again before it is served.
func ExampleClean() {
	var file bytes.Buffer
	_ = png.Encode(&file, image.NewGray(image.Rect(0, 0, 40, 30)))
	file.WriteString("<script>whatever followed the picture</script>")

	p, err := picture.Clean(context.Background(), "01SHOP", file.Bytes())
	fmt.Println(p.ContentType, p.Width, p.Height, err)
	fmt.Println(bytes.Contains(p.Bytes, []byte("script")))
	_, err = picture.Clean(context.Background(), "01SHOP", []byte("<svg/>"))
	fmt.Println(errors.Is(err, picture.ErrType))
	// Output:
	// image/png 40 30 <nil>
	// false
	// true
}
