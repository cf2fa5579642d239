package catalog

import (
	"context"

	"eshop/events"
	"eshop/shared/catalog/address"
	"eshop/shared/images"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// PurgeProduct deletes the product with this head, which ends with its shop, as record.Purge does. Its images end a day
// later. Of a product that is no whole any more, because a purge ended in its middle, what is there goes.
func PurgeProduct(ctx context.Context, u *change.Unit, head store.Key) error {
	items, err := store.QueryAll(ctx, u.Table, store.Query{PK: head.PK}, maxItems+address.MaxURLs)
	if err != nil {
		return err
	}
	claims := claimsOfSlugs(ctx, u.Shop, items)
	w, err := wholeIn(items, head)
	if err != nil {
		record.LogUnreadable(ctx, head, err)
		return record.Purge(ctx, u.Table, head.PK, claims...)
	}
	if w != nil {
		hides, err := images.Showing{Product: w.ID, Before: w.imageURLs()}.Ops(ctx, u)
		if err == nil && len(hides) > 0 {
			_, err = u.Table.Write(ctx, events.Nothing, hides...)
		}
		if err != nil {
			return err
		}
		for _, code := range w.codes() {
			claims = append(claims, CodeKey(u.Shop, code))
		}
		claims = append(claims, ExternalKey(u.Shop, string(w.details.ExternalID)))
	}
	return record.Purge(ctx, u.Table, head.PK, claims...)
}

// PurgeCategory deletes the category at this key, which ends with its shop, as record.Purge does.
func PurgeCategory(ctx context.Context, u *change.Unit, at store.Key) error {
	items, err := store.QueryAll(ctx, u.Table, store.Query{PK: at.PK}, 1+address.MaxURLs)
	if err != nil {
		return err
	}
	claims := claimsOfSlugs(ctx, u.Shop, items)
	if err := record.Purge(ctx, u.Table, InCategory(u.Shop, idIn(at.PK))); err != nil {
		return err
	}
	return record.Purge(ctx, u.Table, at.PK, claims...)
}

// claimsOfSlugs are the claims of the URLs among the items of a partition, as far as they can be read.
func claimsOfSlugs(ctx context.Context, shop string, items []store.Item) (claims []store.Key) {
	urls, err := address.Among(items)
	if err != nil {
		record.LogUnreadable(ctx, items[0].Key, err)
	}
	for _, u := range urls {
		claims = append(claims, address.SlugKey(shop, u.Slug))
	}
	return claims
}
