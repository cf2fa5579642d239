package audit_test

import (
	"context"
	"fmt"

	"eshop/shared/audit"
	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/record"
)

// An entry is found in the shop that it is about.
func ExampleAdd() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		err := audit.Add(ctx, u.Table, audit.Entry{ID: u.NewID(), Admin: "01ADMIN", Shop: u.Shop, Method: "POST",
			Path: "/admin/coupons"})
		fmt.Println(err)

		all, _, err := record.Page(ctx, audit.Listing(u.Table, u.Shop), record.Asked{Limit: 10},
			record.Load(u.Table, audit.Show))
		for _, e := range all {
			fmt.Println(e.Admin, e.Method, e.Path, err)
		}
	})
	// Output:
	// <nil>
	// 01ADMIN POST /admin/coupons <nil>
}
