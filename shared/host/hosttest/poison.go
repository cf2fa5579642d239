package hosttest

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Poison is what is wrong with an item.
type Poison string

// The poisons.
const (
	Unreadable    Poison = "cannot be read"
	PanicsOnRead  Poison = "makes who reads it panic"
	PanicsOnWrite Poison = "makes who writes it panic"
)

// Poisons are all.
var Poisons = []Poison{Unreadable, PanicsOnRead, PanicsOnWrite}

// Poisoned is a table with an item of which something is wrong.
type Poisoned struct {
	store.Table
	Key    store.Key
	Poison Poison
}

// Get is store.Table's.
func (t Poisoned) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if err := t.fault(slices.Contains(keys, t.Key)); err != nil {
		return nil, err
	}
	return t.Table.Get(ctx, keys...)
}

// Query is store.Table's.
func (t Poisoned) Query(ctx context.Context, q store.Query) (store.Page, error) {
	page, err := t.Table.Query(ctx, q)
	if err != nil || q.Index != store.Primary || q.Keys {
		return page, err
	}
	return page, t.fault(slices.ContainsFunc(page.Items, func(i store.Item) bool { return i.Key == t.Key }))
}

// fault is what happens to who reads, if that is the item.
func (t Poisoned) fault(is bool) error {
	switch {
	case is && t.Poison == Unreadable:
		return store.ErrUnreadable
	case is && t.Poison == PanicsOnRead:
		panic("what nobody foresaw")
	}
	return nil
}

// Write is store.Table's.
func (t Poisoned) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	if t.Poison == PanicsOnWrite && slices.ContainsFunc(ops, func(o store.Op) bool { return o.Key == t.Key }) {
		panic("what nobody foresaw")
	}
	return t.Table.Write(ctx, change, ops...)
}
