package catalog

import (
	"context"

	"eshop/events"
	"eshop/shared/address"
	"eshop/shared/change"
	"eshop/shared/images"
	"eshop/shared/record"
	"eshop/shared/store"
)

// PurgeProduct deletes the product with this head, which ends with its shop, as record.Purge does. Its images end a day
// later.
func PurgeProduct(ctx context.Context, u *change.Unit, head store.Key) error {
	w, items, err := readItems(ctx, u.Table, head, "")
	if err != nil {
		return err
	}
	claims, err := claimsOfSlugs(u.Shop, items)
	if err != nil {
		return err
	}
	if w != nil {
		for _, code := range w.codes() {
			claims = append(claims, CodeKey(u.Shop, code))
		}
		claims = append(claims, ExternalKey(u.Shop, string(w.details.ExternalID)))
		hides, err := images.Showing{Product: w.ID, Before: w.imageURLs()}.Ops(ctx, u)
		if err != nil {
			return err
		}
		if len(hides) > 0 {
			if _, err := u.Table.Write(ctx, events.Nothing, hides...); err != nil {
				return err
			}
		}
	}
	return record.Purge(ctx, u.Table, head.PK, claims...)
}

// PurgeCategory deletes the category at this key, which ends with its shop, as record.Purge does.
func PurgeCategory(ctx context.Context, u *change.Unit, at store.Key) error {
	items, err := store.QueryAll(ctx, u.Table, store.Query{PK: at.PK}, 1+address.MaxURLs)
	if err != nil {
		return err
	}
	claims, err := claimsOfSlugs(u.Shop, items)
	if err != nil {
		return err
	}
	if err := record.Purge(ctx, u.Table, InCategory(u.Shop, idIn(at.PK))); err != nil {
		return err
	}
	return record.Purge(ctx, u.Table, at.PK, claims...)
}

// claimsOfSlugs are the claims of the URLs among the items of a partition.
func claimsOfSlugs(shop string, items []store.Item) (claims []store.Key, err error) {
	urls, err := address.Among(items)
	for _, u := range urls {
		claims = append(claims, address.SlugKey(shop, u.Slug))
	}
	return claims, err
}
