package signingkey

import (
	"context"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// List is the list of an access's signing keys, by (created, id), as they are now, and what reads the keys that the
// rows of a page stand for.
func List(t store.Table, access string, now time.Time) (record.Listing,
	func(context.Context, []store.Item) ([]record.Shown[Record], error)) {
	rows := record.InPartitions(t, store.Index1, partition(access))
	return rows, record.Load(t, func(i *store.Item) (Record, time.Time, bool, error) {
		k, err := Decode(i)
		return k.Record(now), k.Created.Go(), !i.Expired(now.Unix()), err
	})
}
