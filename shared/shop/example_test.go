package shop_test

import (
	"fmt"

	"eshop/shared/shop"
)

// The admin of a shop has an origin of its own, below the shop's host.
func ExampleAdminOf() {
	fmt.Println(shop.AdminOf("https://caj.example"))
	fmt.Println(shop.IsAdminHost("admin.caj.example:443"), shop.IsAdminHost("caj.example"))
	// Output:
	// https://admin.caj.example
	// true false
}
