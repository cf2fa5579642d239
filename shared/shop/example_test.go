package shop_test

import (
	"fmt"

	"eshop/shared/shop"
)

// The admin of a shop has an origin of its own, below the platform's host as the shop has.
func ExamplePlaces() {
	places := shop.Places{Host: "eshop.example"}
	tea := shop.Shop{Fields: shop.Fields{Domain: "tea.eshop.example"}}
	fmt.Println(places.Website(tea), places.Admin(tea))
	fmt.Println(places.IsAdmin("tea.admin.eshop.example:443"), places.IsAdmin("tea.eshop.example"))
	// Output:
	// https://tea.eshop.example https://tea.admin.eshop.example
	// true false
}
