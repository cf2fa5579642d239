package catalog

import (
	"context"
	"errors"

	"eshop/shared/base/each"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// ProductFilter is which products a list shows: those that fit each of its values; "" fits all.
type ProductFilter struct {
	Code       string `query:"code" maxLength:"64" doc:"The product with this code, its own or a variant's"`
	ExternalID string `query:"externalId" maxLength:"255" doc:"The product with this externalId"`
}

// One says whether one product at most fits.
func (w ProductFilter) One() bool { return w.Code != "" || w.ExternalID != "" }

// Find is the product that fits; nil when the shop has none. The claim of the code or externalId leads to it, and may
// have been left behind: so the product itself is asked.
func (w ProductFilter) Find(ctx context.Context, t store.Table, shop string) (*Whole, error) {
	claim := CodeKey(shop, w.Code)
	if w.Code == "" {
		claim = ExternalKey(shop, w.ExternalID)
	}
	claims, err := t.Get(ctx, claim)
	if err != nil {
		return nil, err
	}
	p, err := readWhole(ctx, t, shop, address.OwnerOf(claims[0]).Item)
	if errors.Is(err, store.ErrUnreadable) {
		record.LogUnreadable(ctx, claim, err)
		return nil, nil
	}
	if err != nil || p == nil || w.Code != "" && !p.HasCode(w.Code) ||
		w.ExternalID != "" && string(p.Details().ExternalID) != w.ExternalID {
		return nil, err
	}
	return p, nil
}

// ProductList is the list of the shop's products, by (changed, id), as they are now.
func ProductList(t store.Table, shop, website string) (
	record.Listing, func(context.Context, []store.Item) ([]record.Shown[Product], error),
) {
	rows := record.InPartitions(t, store.Index1, ProductShards(shop)...)
	return rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[Product], error) {
		all, err := ReadRows(ctx, t, rows)
		return each.Of(all, func(w *Whole) record.Shown[Product] { return w.Shown(website) }), err
	}
}

// Shown is a product for a page of a list; of nil one that is gone.
func (w *Whole) Shown(website string) record.Shown[Product] {
	if w == nil {
		return record.Shown[Product]{Missing: true}
	}
	p := w.Product(website)
	return record.Shown[Product]{Record: p, At: p.Changed.Go()}
}
