package storefront

import (
	"context"
	"sync"

	"eshop/shared/store"
)

// ahead is a table of which items were read before a command asks for them, together with what else the request needs.
// Each of them is given once: who begins anew reads it as it is then.
type ahead struct {
	store.Table
	mu    sync.Mutex
	items map[store.Key]*store.Item
}

// Get is store.Table's.
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
