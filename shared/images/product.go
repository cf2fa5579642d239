package images

import (
	"context"
	"slices"
	"strconv"

	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Showing is what a change makes of the images that a product shows, by their addresses.
type Showing struct {
	Product       string
	Before, After []string
}

// Ops makes the operations of the change. An address from elsewhere takes none. One of an image of this platform that
// is none of the shop's products, or none any more, is a fault of the field images[n].url.
func (s Showing) Ops(ctx context.Context, u *change.Unit) (ops []store.Op, err error) {
	if slices.Equal(s.Before, s.After) {
		return nil, nil
	}
	before, after := keysOf(s.Before), keysOf(s.After)
	comes, goes := without(after, before), without(before, after)
	var keys []store.Key
	for _, key := range slices.Concat(comes, goes) {
		keys = append(keys, Key(IDOf(key)))
	}
	found, err := store.GetByKey(ctx, u.Table, keys)
	if err != nil {
		return nil, err
	}
	byKey := map[string]Image{}
	for _, item := range found {
		i, err := Decode(item)
		if err != nil {
			return nil, err
		}
		if i.OfProducts() && i.shop == u.Shop {
			byKey[i.PublicKey()] = i
		}
	}
	var faults problem.Faults
	for _, key := range comes {
		if i, is := byKey[key]; is && !i.Over(u.Now()) {
			ops = append(ops, store.Put(i.showing(s.Product, 0)))
			continue
		}
		faults.Add("images["+strconv.Itoa(slices.Index(after, key))+"].url", problem.Unknown,
			"is no image of this shop's products, or none any more")
	}
	until := field.At(u.Now().Add(life))
	for _, key := range goes {
		if i, is := byKey[key]; is {
			ops = append(ops, store.Put(i.showing(s.Product, until)))
		}
	}
	return ops, faults.Err()
}

// keysOf are the public keys of the images at some addresses, each in its place; "" of an address from elsewhere.
func keysOf(addresses []string) []string {
	keys := make([]string, len(addresses))
	for i, address := range addresses {
		keys[i] = KeyOf(address)
	}
	return keys
}

// without are the public keys that are not among others, each once.
func without(keys, others []string) (all []string) {
	for _, key := range keys {
		if key != "" && !slices.Contains(all, key) && !slices.Contains(others, key) {
			all = append(all, key)
		}
	}
	return all
}
