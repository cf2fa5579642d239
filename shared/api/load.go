package api

import (
	"context"
	"time"

	"eshop/shared/record"
	"eshop/shared/store"
)

// Load is the load of a Page whose records are one item each: show makes a record of an item and says when it changed;
// ok is false of an item that is none any more, as a tombstone. One that cannot be read is left out. Up to a hundred records
// are one call, more are read side by side.
func Load[T any](table store.Table, show func(*store.Item) (record T, at time.Time, ok bool, err error)) func(context.Context, []store.Item) ([]Shown[T], error) {
	return func(ctx context.Context, rows []store.Item) ([]Shown[T], error) {
		keys := make([]store.Key, len(rows))
		for i, r := range rows {
			keys[i] = r.Key
		}
		items, err := store.GetReadable(ctx, table, keys)
		if err != nil {
			return nil, err
		}
		out := make([]Shown[T], len(items))
		for i, item := range items {
			if out[i].Gone = item == nil; out[i].Gone {
				continue
			}
			out[i] = shownOf(ctx, item, show)
		}
		return out, nil
	}
}

// shownOf is the record of an item.
func shownOf[T any](ctx context.Context, item *store.Item, show func(*store.Item) (T, time.Time, bool, error)) Shown[T] {
	r, at, ok, err := show(item)
	if err != nil {
		record.Unreadable(ctx, item.Key, err)
		return Shown[T]{Gone: true}
	}
	return Shown[T]{Record: r, At: at, Size: len(item.Doc), Gone: !ok}
}

// Found is the page of a filter that one record at most can match: the item's, nil when there is none, if it fits.
func Found[T any](ctx context.Context, l Listed, item *store.Item, show func(*store.Item) (T, time.Time, bool, error), fits func(T) bool) (*Collection[T], error) {
	if item == nil {
		return One[T](ctx, l)
	}
	shown := shownOf(ctx, item, show)
	shown.Gone = shown.Gone || !fits(shown.Record)
	return One(ctx, l, shown)
}
