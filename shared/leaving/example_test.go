package leaving_test

import (
	"context"
	"fmt"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/host/hosttest"
	"eshop/shared/leaving"
	"eshop/shared/record"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// A shop is closed at once, and deleted when thirty days are over. Until then it can be restored.
func ExampleLeaving() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		tea := shop.Shop{Head: record.Head{ID: u.NewID(), Version: u.NextVersion("")},
			Fields: shop.Fields{Name: "Tea", Domain: "tea.example"}}
		if _, err := u.Write(ctx, nil, events.Nothing, store.Put(tea.Item())); err != nil {
			panic(err)
		}
		l := leaving.Leaving{Main: u.Table, Unit: func() *change.Unit { return u },
			Addons: addon.Commands{Callers: addon.NewResolver(u.Table, u.Now, shop.Places{}, time.Second)}}
		job, err := l.Close(ctx, u, tea.ID, leaving.Grace)
		if err != nil {
			panic(err)
		}
		fmt.Println(job.State, job.DeletesAt == field.At(u.Now().Add(leaving.Grace)))
		back, err := l.Restore(ctx, u, tea.ID)
		if err != nil {
			panic(err)
		}
		fmt.Println(back.Name, back.Closed())
	})
	// Output:
	// closing true
	// Tea false
}
