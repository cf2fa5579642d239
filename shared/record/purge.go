package record

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/ports/store"
)

// Purge deletes all items of a partition, and others before them. Nobody is told, and no tombstone stays: it is for
// what ends together with its shop. The item A, by which indexes list the partition, goes last, so that a purge that
// was ended in its middle is found again.
func Purge(ctx context.Context, t store.Table, partition string, others ...store.Key) error {
	if err := PurgeKeys(ctx, t, others); err != nil {
		return err
	}
	all := store.Query{PK: partition, Keys: true, Descending: true}
	for page, err := range store.Pages(ctx, t, all) {
		if err != nil {
			return err
		}
		keys := each.Of(page.Items, func(item store.Item) store.Key { return item.Key })
		if err := PurgeKeys(ctx, t, keys); err != nil {
			return err
		}
	}
	return nil
}

// PurgeKeys deletes the items of some keys, in their order.
func PurgeKeys(ctx context.Context, t store.Table, keys []store.Key) error {
	for some := range slices.Chunk(keys, store.MaxOperations) {
		ops := each.Of(some, func(key store.Key) store.Op { return store.Delete(key) })
		if _, err := t.Write(ctx, events.Nothing, ops...); err != nil {
			return err
		}
	}
	return nil
}

// Purge deletes the shop's record at a key with the claims of its values, those further ones, and all that lies in its
// partition, which it must share with no other record. A record that cannot be read goes, too; its claims stay.
func (k *Kind[R, F]) Purge(
	ctx context.Context, t store.Table, shop string, at store.Key, further ...func(R) store.Key,
) error {
	items, err := store.GetReadable(ctx, t, []store.Key{at})
	if err != nil {
		return err
	}
	var claims []store.Key
	if !Missing(items[0]) {
		r, err := k.Decode(items[0])
		if err != nil {
			LogUnreadable(ctx, at, err)
			return Purge(ctx, t, at.PK)
		}
		_, fields := k.Split(&r)
		for _, c := range k.claims(shop, *fields) {
			claims = append(claims, c.Key)
		}
		for _, claim := range further {
			claims = append(claims, claim(r))
		}
	}
	return Purge(ctx, t, at.PK, claims...)
}
