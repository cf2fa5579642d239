package webhook

import (
	"context"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// Load reads the records for which the rows of a page stand.
type Load[T any] = func(ctx context.Context, rows []store.Item) ([]record.Shown[T], error)

// ReceiverList lists an owner's receivers by (changed, id), as they are now.
func ReceiverList(t store.Table, o Owner, now time.Time) (record.Listing, Load[ReceiverRecord]) {
	rows := record.InPartitions(t, store.Index1, ReceiversPartition(o.Access))
	return rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[ReceiverRecord], error) {
		all, err := ReadAll(ctx, t, o, rows)
		if err != nil {
			return nil, err
		}
		shown := make([]record.Shown[ReceiverRecord], len(all))
		for i, f := range all {
			if f == nil {
				shown[i].Missing = true
				continue
			}
			r := f.Record(now)
			shown[i] = record.Shown[ReceiverRecord]{Record: r, At: r.Changed.Go()}
		}
		return shown, nil
	}
}

// DeliveryList lists the deliveries of an owner that pass the filter, by (created, id). The owner is an access, or a
// package for its systemUrl.
func DeliveryList(t store.Table, owner string, wanted Wanted, now time.Time) (record.Listing, Load[Listed]) {
	rows := record.InPartitions(t, store.Primary, RowPartitions(owner)...)
	return rows, func(_ context.Context, found []store.Item) ([]record.Shown[Listed], error) {
		out := make([]record.Shown[Listed], len(found))
		for i := range found {
			row, there := ShowDelivery(&found[i], now)
			out[i] = record.Shown[Listed]{Record: row, At: row.Created.Go(),
				Missing: !there || !wanted.Matches(row)}
		}
		return out, nil
	}
}
