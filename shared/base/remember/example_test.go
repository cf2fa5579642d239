package remember_test

import (
	"context"
	"fmt"
	"time"

	"eshop/shared/base/remember"
)

// What all visitors are shown alike is read once in a while, not for each of them.
func ExampleMemory() {
	now := time.Unix(1_795_000_000, 0)
	menus := remember.New[string, int](remember.For(func() time.Time { return now }, time.Second), 1000)
	read := 0
	menu := func() int {
		v, _ := menus.Get(context.Background(), "tea shop", func(context.Context) (int, error) {
			read++
			return read, nil
		})
		return v
	}
	fmt.Println(menu(), menu())
	now = now.Add(time.Second)
	fmt.Println(menu())
	// Output:
	// 1 1
	// 2
}
