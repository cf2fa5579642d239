package changefeed_test

import (
	"context"
	"fmt"
	"time"

	"eshop/events"
	units "eshop/shared/change"
	"eshop/shared/changefeed"
	"eshop/shared/host/hosttest"
)

// What is written once is read by whoever keeps a copy of a shop, from any position on.
func Example() {
	hosttest.Example(func(ctx context.Context, u *units.Unit) {
		turn := func(context.Context) (done func(), err error) { return func() {}, nil }
		writer := changefeed.Writer{Rows: u.Table, Turn: turn, Now: u.Now, Alone: true}
		made := events.Record{Kind: events.Customers, ID: "01CUSTOMER", Did: events.Created, Version: "v1"}
		errs := writer.Write(ctx, []events.Change{{Request: u.Request, Shop: u.Shop, Records: []events.Record{made}}})
		fmt.Println(errs)

		later := func() time.Time { return u.Now().Add(time.Minute) }
		reader := changefeed.Reader{Rows: u.Table, Now: later, Alone: true}
		rows, _, err := reader.Read(ctx, u.Shop, changefeed.SortKey(u.Now().Add(-time.Hour)), false, 100)
		if err != nil {
			panic(err)
		}
		for i := range rows {
			c, err := changefeed.ChangeOf(&rows[i])
			fmt.Println(c.Records[0].Kind, c.Records[0].ID, err)
		}
	})
	// Output:
	// [<nil>]
	// customers 01CUSTOMER <nil>
}
