package images

import (
	"context"
	"slices"
	"strconv"

	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// Showing is what a change makes of the images that a product shows, by their addresses.
type Showing struct {
	Product       string
	Before, After []string
}

// Ops makes the operations of the change. An address from elsewhere takes none. One of an image of this platform that
// is none of the shop's products, or none any more, is a fault of the field images[n].url.
func (s Showing) Ops(ctx context.Context, u *change.Unit) (ops []store.Op, err error) {
	comes, goes := without(s.After, s.Before), without(s.Before, s.After)
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
		i, err := Of(item)
		if err != nil {
			return nil, err
		}
		if i.OfProducts() && i.shop == u.Shop {
			byKey[i.PublicKey()] = i
		}
	}
	var f problem.Faults
	for _, key := range comes {
		if i, is := byKey[key]; is && !i.Over(u.Now()) {
			ops = append(ops, store.Put(i.showing(s.Product, 0)))
			continue
		}
		at := slices.IndexFunc(s.After, func(address string) bool { return KeyOf(address) == key })
		f.Add("images["+strconv.Itoa(at)+"].url", problem.Unknown,
			"is no image of this shop's products, or none any more")
	}
	until := field.At(u.Now().Add(life))
	for _, key := range goes {
		if i, is := byKey[key]; is {
			ops = append(ops, store.Put(i.showing(s.Product, until)))
		}
	}
	return ops, f.Err()
}

// without are the public keys of the images at some addresses that are not among others, each once.
func without(urls, others []string) (keys []string) {
	for _, url := range urls {
		key := KeyOf(url)
		if key != "" && !slices.Contains(keys, key) &&
			!slices.ContainsFunc(others, func(other string) bool { return KeyOf(other) == key }) {
			keys = append(keys, key)
		}
	}
	return keys
}
