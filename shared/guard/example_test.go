package guard_test

import (
	"context"
	"errors"
	"fmt"

	"eshop/shared/guard"
)

// Work for several tenants is done side by side, and each has an error of its own.
func ExampleEach() {
	shops := []string{"tea", "coffee", "cocoa"}
	errs := guard.Each(context.Background(), len(shops), func(i int) error {
		if shops[i] == "coffee" {
			return errors.New("out of beans")
		}
		return nil
	})
	fmt.Println(errs)
	fmt.Println(guard.First(errs))
	// Output:
	// [<nil> out of beans <nil>]
	// out of beans
}
