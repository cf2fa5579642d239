package slug_test

import (
	"fmt"

	"eshop/shared/slug"
)

func Example() {
	fmt.Println(slug.Make("Černý čaj 100 g"))
	fmt.Println(slug.WithSuffix("cerny-caj-100-g", "2")) // when another product has it
	// Output:
	// cerny-caj-100-g
	// cerny-caj-100-g-2
}
