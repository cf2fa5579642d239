package search_test

import (
	"context"
	"fmt"

	"eshop/events"
	"eshop/shared/base/words"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/record/change"
	"eshop/shared/search"
)

func Example() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		var jana customer.Fields
		jana.Email, jana.FirstName, jana.LastName = "jana@example.cz", "Jana", "Nováková"
		made, _ := customer.Customers.Create(ctx, u, jana)

		// The indexer does this behind the stream of changes.
		index := search.Index{Main: u.Table, Rows: u.Table}
		_ = index.Update(ctx, []events.Change{{Shop: u.Shop,
			Records: []events.Record{{Kind: events.Customers, ID: made.ID, Did: events.Created}}}})

		found, _ := index.Find(ctx, search.Customers, u.Shop, words.Ask("jana NOVAK"))
		fmt.Println(len(found.Hits), found.Hits[0].ID == made.ID)
	})
	// Output: 1 true
}
