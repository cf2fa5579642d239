package catalog_test

import (
	"fmt"

	"eshop/shared/catalog"
)

// Whoever is sold to at a level without a price pays the default one.
func ExamplePriceAt() {
	prices := []catalog.Price{{Level: "default", Price: 120_00}, {Level: "wholesale", Price: 90_00}}
	for _, level := range []string{"wholesale", "partners", ""} {
		price, has := catalog.PriceAt(prices, level)
		fmt.Println(price, has)
	}
	// Output:
	// 90.00 true
	// 120.00 true
	// 120.00 true
}
