package turns_test

import (
	"fmt"

	"eshop/shared/turns"
)

// A shop that asks for much does not keep the others waiting: slots go round by shop.
func Example() {
	var line turns.Line[string]
	line.Put("tea", "tea 1")
	line.Put("tea", "tea 2")
	line.Put("coffee", "coffee 1")
	fmt.Println(line.Next())
	fmt.Println(line.Next())
	line.Done("tea") // "tea 1" gives its slot back
	fmt.Println(line.Next())
	// Output:
	// tea 1 true
	// coffee 1 true
	// tea 2 true
}
