package store

import (
	"context"
	"sync"
)

// maxKeys is how many items one Get returns.
const maxKeys = 100

// GetAll is Get of any number of keys: a hundred in a call, the calls side by side; a key may be among them twice.
func GetAll(ctx context.Context, t Table, keys []Key) ([]*Item, error) {
	places := make(map[Key]int, len(keys))
	var once []Key
	for _, k := range keys {
		if _, has := places[k]; !has {
			places[k] = len(once)
			once = append(once, k)
		}
	}
	found := make([]*Item, len(once))
	errs := make([]error, len(once)/maxKeys+1)
	var work sync.WaitGroup
	for from := 0; from < len(once); from += maxKeys {
		work.Go(func() {
			items, err := t.Get(ctx, once[from:min(from+maxKeys, len(once))]...)
			copy(found[from:], items)
			errs[from/maxKeys] = err
		})
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	items := make([]*Item, len(keys))
	for i, k := range keys {
		items[i] = found[places[k]]
	}
	return items, nil
}
