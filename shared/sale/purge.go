package sale

import (
	"context"
	"strings"

	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// PurgeOrder deletes the order at this key, which ends with its shop, as record.Purge does.
func PurgeOrder(ctx context.Context, u *change.Unit, at store.Key) error {
	return Orders.Purge(ctx, u.Table, u.Shop, at, func(o Order) store.Key { return NumberKey(u.Shop, o.Number) })
}

// PurgeQuotes deletes all quotes of an access of the unit's shop, which ends, and lets their images end.
func PurgeQuotes(ctx context.Context, u *change.Unit, access string) error {
	quotes := store.Query{Index: store.Index1, PK: QuotesOf(u.Shop, access)}
	for page, err := range store.Pages(ctx, u.Table, quotes) {
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			// Claims are listed beside the quotes that they go with.
			id, is := strings.CutPrefix(row.PK, QuoteKey(u.Shop, "").PK)
			if !is {
				continue
			}
			if err := eraseQuote(ctx, u, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Partitions are what is kept of the sales of a shop beside its orders, quotes, coupons and baskets.
func Partitions(shop string) []string { return []string{statesPK(shop), sequenceKey(shop).PK} }
