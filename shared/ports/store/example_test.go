package store_test

import (
	"context"
	"fmt"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Whoever changes an item says which version it has read: of two who change it at once one is refused.
func ExampleTable() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		key := store.Key{PK: "S#01SHOP#NOTE#1", SK: "A"}
		write := func(text, next string, held store.Condition) error {
			item := store.Item{Key: key, Version: next, Text: map[string]string{"text": text}}
			_, err := u.Table.Write(ctx, events.Nothing, store.Put(item, held))
			return err
		}
		fmt.Println(write("tea", "v1", store.Absent()))
		fmt.Println(write("green tea", "v2", store.VersionIs("v1")))
		fmt.Println(store.IsCondition(write("black tea", "v3", store.VersionIs("v1"))))

		items, err := u.Table.Get(ctx, key)
		fmt.Println(items[0].Text["text"], err)
	})
	// Output:
	// <nil>
	// <nil>
	// true
	// green tea <nil>
}
