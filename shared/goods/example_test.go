package goods_test

import (
	"fmt"

	"eshop/shared/goods"
)

// A product as the API takes it.
func ExampleProduct_Body() {
	body := goods.Products[1].Body(map[string]string{"Čaje": "01KYFXV0000000000000000000"})
	fmt.Println(body["name"], body["priceLevels"])
	fmt.Println(len(body["variants"].([]map[string]any)))
	// Output:
	// Darjeeling First Flush [map[level:default price:159.00]]
	// 3
}
