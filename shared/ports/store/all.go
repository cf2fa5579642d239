package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"eshop/shared/base/guard"
)

// maxCalls is how many calls of a GetAll are under way at once at most: on DynamoDB each may bring 16 MB.
const maxCalls = 4

// GetAll is Get of any number of keys: a hundred in a call, up to maxCalls calls side by side; a key may be among them
// twice.
func GetAll(ctx context.Context, t Table, keys []Key) ([]*Item, error) {
	position := make(map[Key]int, len(keys)) // in distinct and found
	var distinct []Key
	for _, k := range keys {
		if _, has := position[k]; !has {
			position[k] = len(distinct)
			distinct = append(distinct, k)
		}
	}
	found := make([]*Item, len(distinct))
	calls := (len(distinct) + MaxKeys - 1) / MaxKeys
	for first := 0; first < calls; first += maxCalls {
		errs := guard.Each(ctx, min(maxCalls, calls-first), func(n int) error {
			from := (first + n) * MaxKeys
			items, err := t.Get(ctx, distinct[from:min(from+MaxKeys, len(distinct))]...)
			copy(found[from:], items)
			return err
		})
		if err := guard.First(errs); err != nil {
			return nil, err
		}
	}
	items := make([]*Item, len(keys))
	for i, k := range keys {
		items[i] = found[position[k]]
	}
	return items, nil
}

// GetByKey is GetAll with each item at its key; nil where there is none.
func GetByKey(ctx context.Context, t Table, keys []Key) (map[Key]*Item, error) {
	items, err := GetAll(ctx, t, keys)
	by := make(map[Key]*Item, len(items))
	for i, item := range items {
		by[keys[i]] = item
	}
	return by, err
}

// Pages are the pages of what a query finds, from the first to the last; an error ends them. Query.Limit is how many
// items each of them has at most, as in one Query.
func Pages(ctx context.Context, t Table, q Query) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for {
			page, err := t.Query(ctx, q)
			if !yield(page, err) || err != nil || page.Next == "" {
				return
			}
			q.After = page.Next
		}
	}
}

// QueryAll is all items that a query finds, whatever the number of its pages. most is how many there can be: whoever
// makes such items holds to it, so more is an error. What has no such bound is read by Pages, one after the other.
func QueryAll(ctx context.Context, t Table, q Query, most int) ([]Item, error) {
	var items []Item
	for page, err := range Pages(ctx, t, q) {
		if err != nil {
			return nil, err
		}
		if items = append(items, page.Items...); len(items) > most {
			return nil, fmt.Errorf("store: a partition holds more than the %d items that it can", most)
		}
	}
	return items, nil
}

// Poisoned says whether an error comes of an item that is stored, and not of the store: it comes again each time that
// the item is read.
func Poisoned(err error) bool { return errors.Is(err, ErrUnreadable) || errors.Is(err, guard.ErrPanic) }

// GetReadable is GetAll for work that goes through many items, none of which may hold up the others. It logs an item
// that cannot be read, with its key, and returns nil for it as for one that is missing. So the keys must not be
// personal.
func GetReadable(ctx context.Context, t Table, keys []Key) ([]*Item, error) {
	items, err := GetAll(ctx, t, keys)
	if !Poisoned(err) {
		return items, err
	}
	items = make([]*Item, len(keys))
	for i, key := range keys {
		one, err := GetAll(ctx, t, []Key{key})
		switch {
		case Poisoned(err):
			slog.ErrorContext(ctx, "an item is passed over", "partition", key.PK, "item", key.SK, "error", err)
		case err != nil:
			return nil, err
		default:
			items[i] = one[0]
		}
	}
	return items, nil
}

// QueryReadable is Query for such work, as GetReadable is GetAll: items that cannot be read are logged and left out of
// the page.
func QueryReadable(ctx context.Context, t Table, q Query) (page Page, err error) {
	err = guard.Do(ctx, func() error { page, err = t.Query(ctx, q); return err })
	if !Poisoned(err) {
		return page, err
	}
	q.Keys = true
	if page, err = t.Query(ctx, q); err != nil {
		return Page{}, err
	}
	keys := make([]Key, len(page.Items))
	for i := range page.Items {
		keys[i] = page.Items[i].Key
	}
	items, err := GetReadable(ctx, t, keys)
	page.Items = page.Items[:0]
	for _, i := range items {
		if i != nil {
			page.Items = append(page.Items, *i)
		}
	}
	return page, err
}
