package webhook

import (
	"context"

	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// Purge deletes what is kept of a receiver beside its item, whose shop ends: its health and its releases. Its
// deliveries end by themselves.
func Purge(ctx context.Context, t store.Table, receiver string) error {
	return record.Purge(ctx, t, healthPartition(receiver))
}
