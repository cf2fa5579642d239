package erasure_test

import (
	"context"
	"fmt"

	"eshop/shared/change"
	"eshop/shared/customer"
	"eshop/shared/erasure"
	"eshop/shared/host/hosttest"
)

// A customer is erased once, and asked again, the erasure says how far it is. It is done when the sweeper, some seconds
// later, finds nothing more.
func ExampleErasures() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		jana, err := customer.Customers.Create(ctx, u, customer.Fields{Profile: customer.Profile{
			Email: "jana@example.com", FirstName: "Jana", LastName: "Nováková"}})
		if err != nil {
			panic(err)
		}
		e := erasure.Erasures{Main: u.Table, Rows: u.Table, Instant: true,
			Unit: func() *change.Unit { return &change.Unit{Table: u.Table, Now: u.Now, Random: u.Random} }}
		job, err := e.Begin(ctx, u, jana.ID)
		if err != nil {
			panic(err)
		}
		fmt.Println(job.State, job.Erased)
		if err := e.Work(ctx, job, 100); err != nil {
			panic(err)
		}
		again, _ := e.Begin(ctx, u, jana.ID)
		fmt.Println(again.State, again.Erased)
	})
	// Output:
	// running 1
	// running 1
}
