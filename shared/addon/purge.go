package addon

import (
	"context"

	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
)

// Purge deletes what belongs to the access of a shop that ends: tokens, signing keys and cleanup orders. The access
// itself, its receivers and its custom codes are in Partitions.
func Purge(ctx context.Context, t store.Table, access Access) error {
	cleanups := store.Query{Index: store.Index1, PK: cleanupsPK(access.Shop, access.Package)}
	for page, err := range store.Pages(ctx, t, cleanups) {
		if err != nil {
			return err
		}
		for _, order := range page.Items {
			if err := record.Purge(ctx, t, order.PK); err != nil {
				return err
			}
		}
	}
	// Any token, also one whose time is over, has its own item by its hash.
	own := tokenIDKey(access.ID, "")
	var tokens []store.Key
	for page, err := range store.Pages(ctx, t, store.Query{PK: own.PK, From: own.SK, To: own.SK + "~"}) {
		if err != nil {
			return err
		}
		for i := range page.Items {
			tokens = append(tokens, TokenKey(page.Items[i].Text["hash"]))
		}
	}
	return record.Purge(ctx, t, own.PK, tokens...)
}

// Partitions are those with all accesses, receivers and custom codes of a shop, and when the data of its packages end.
func Partitions(shop string) []string {
	return []string{Hooks(shop), codesPK(shop), addondata.Ending(shop)}
}
