package storetest

import (
	"context"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Call is a call of a table: a Get if it has Keys, a Query if it has Query, and a Write if it has Ops.
type Call struct {
	Context context.Context
	Keys    []store.Key
	Query   *store.Query
	Ops     []store.Op
	Change  events.Change // of a Write
}

// Faulty is a table that fails, counts or waits as a test wants. Around is what happens instead of each call, which is
// done by do. Its error is the outcome; if it is nil without do, nothing was found or written.
type Faulty struct {
	store.Table
	Around func(c Call, do func() error) error
}

// Get is store.Table's.
func (f Faulty) Get(ctx context.Context, keys ...store.Key) (items []*store.Item, err error) {
	items = make([]*store.Item, len(keys))
	err = f.Around(Call{Context: ctx, Keys: keys}, func() (err error) {
		items, err = f.Table.Get(ctx, keys...)
		return err
	})
	return items, err
}

// Query is store.Table's.
func (f Faulty) Query(ctx context.Context, q store.Query) (page store.Page, err error) {
	err = f.Around(Call{Context: ctx, Query: &q}, func() (err error) {
		page, err = f.Table.Query(ctx, q)
		return err
	})
	return page, err
}

// Write is store.Table's.
func (f Faulty) Write(ctx context.Context, change events.Change, ops ...store.Op) (item store.Item, err error) {
	err = f.Around(Call{Context: ctx, Ops: ops, Change: change}, func() (err error) {
		item, err = f.Table.Write(ctx, change, ops...)
		return err
	})
	return item, err
}
