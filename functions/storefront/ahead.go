package storefront

import (
	"context"
	"sync"

	"eshop/shared/store"
)

// ahead is a table that already holds some items: those that were read with the visitor, before the command asks for
// them. It gives each of them once. A command that begins anew, because its write met another one, so reads each item
// as it is then.
type ahead struct {
	store.Table
	mu    sync.Mutex
	items map[store.Key]*store.Item
}

// Get gives the items that were read before, and reads the others in one call.
func (a *ahead) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	found := make([]*store.Item, len(keys))
	var missing []store.Key
	var indexes []int
	a.mu.Lock()
	for i, key := range keys {
		item, has := a.items[key]
		if !has {
			missing, indexes = append(missing, key), append(indexes, i)
		}
		found[i] = item
		delete(a.items, key)
	}
	a.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	items, err := a.Table.Get(ctx, missing...)
	for i, item := range items {
		found[indexes[i]] = item
	}
	return found, err
}
