package images_test

import (
	"fmt"

	"eshop/shared/images"
)

// Whoever shows an image finds by its address whether it was sent to the platform: then it is at the shop's own host,
// too, in several widths.
func Example() {
	for _, url := range []string{
		"https://api.example.com/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-AAAAAAAAAAAAAAAAAAAAAAAAAA",
		"https://cdn.example.com/tr-100.jpg",
	} {
		if key := images.KeyOf(url); key != "" {
			url = images.URL("https://shop.example", key)
			fmt.Println("ours:", url)
			continue
		}
		fmt.Println("from elsewhere:", url)
	}
	fmt.Println(images.Set("/i"))
	// Output:
	// ours: https://shop.example/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-AAAAAAAAAAAAAAAAAAAAAAAAAA
	// from elsewhere: https://cdn.example.com/tr-100.jpg
	// /i?w=1280 1280w, /i?w=640 640w, /i?w=320 320w
}
