package address_test

import (
	"context"
	"fmt"

	"eshop/events"
	"eshop/shared/address"
	"eshop/shared/change"
	"eshop/shared/host/hosttest"
)

// A name makes the slug of an owner's system URL, and a slug that another owner has gets a number.
func ExampleNames_Plan() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		for range 2 {
			o := address.Owner{Kind: address.Category, Item: u.NewID()}
			plan, err := address.Addresses{}.Names(u).Plan(ctx, o, address.Address{}, "Čaj z hor", u.NextVersion(""))
			if err != nil {
				panic(err)
			}
			if _, err := u.Table.Write(ctx, events.Nothing, plan.Ops...); err != nil {
				panic(err)
			}
			fmt.Println(plan.URL("https://shop.example"))
		}
	})
	// Output:
	// https://shop.example/caj-z-hor
	// https://shop.example/caj-z-hor-2
}
