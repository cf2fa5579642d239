package hosttest

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/store"
)

// Poison is what is wrong with an item.
type Poison string

// The poisons.
const (
	Unreadable Poison = "cannot be read"
	Startling  Poison = "makes who reads it panic"
	Fending    Poison = "makes who writes it panic"
)

// Poisons are all.
var Poisons = []Poison{Unreadable, Startling, Fending}

// Poisoned is a table with an item of which something is wrong.
type Poisoned struct {
	store.Table
	Key    store.Key
	Poison Poison
}

// Get is store.Table's.
func (t Poisoned) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if slices.Contains(keys, t.Key) {
		switch t.Poison {
		case Unreadable:
			return nil, store.ErrUnreadable
		case Startling:
			panic("what nobody foresaw")
		}
	}
	return t.Table.Get(ctx, keys...)
}

// Write is store.Table's.
func (t Poisoned) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	if t.Poison == Fending && slices.ContainsFunc(ops, func(o store.Op) bool { return o.Key == t.Key }) {
		panic("what nobody foresaw")
	}
	return t.Table.Write(ctx, change, ops...)
}
