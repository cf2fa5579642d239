package exporter

import (
	"context"
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/people/customer"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// all are all parts that a shop has, in the order in which they can be read in: what others name comes first.
func (r *run) all(ctx context.Context, website string) ([]part, error) {
	products, loadProducts := catalog.ProductList(r.Main, r.j.Shop, website)
	urls, loadURLs, err := address.URLList(ctx, r.Main, r.j.Shop, address.URLFilter{})
	categories := record.Load(r.Main, func(item *store.Item) (catalog.Category, time.Time, bool, error) {
		k, at, there, err := catalog.Categories.Show(item)
		return k.Category(website), at, there, err
	})
	accesses, failed := addon.AccessesOf(ctx, r.Main, r.j.Shop)
	packages := make([]string, len(accesses))
	for i, a := range accesses {
		packages[i] = a.Package
	}
	data := addondata.Listing(r.Main, r.j.Shop, packages)
	return []part{
		partOf(r, "admins", staff.Admins),
		partOf(r, "accesses", addon.Accesses),
		partOf(r, string(events.States), sale.OrderStates),
		{string(events.Categories), catalog.Categories.Listing(r.Main, r.j.Shop), loadOf(categories)},
		{string(events.Products), products, loadOf(loadProducts)},
		{string(events.URLs), urls, loadOf(loadURLs)},
		partOf(r, string(events.Coupons), sale.Coupons),
		partOf(r, string(events.Customers), customer.Customers),
		partOf(r, string(events.Orders), sale.Orders),
		{"data", data, loadOf(record.Load(r.Main, addondata.Show))},
	}, errors.Join(err, failed)
}

// partOf is the part of a kind whose records are shown as they are kept.
func partOf[R, F any](r *run, of string, k *record.Kind[R, F]) part {
	return part{of, k.Listing(r.Main, r.j.Shop), loadOf(record.Load(r.Main, k.Show))}
}

// own is the shop's own line: what the operator and its people have set.
func (r *run) own(ctx context.Context) ([]byte, error) {
	tenant, err := shop.Read(ctx, r.Main, r.j.Shop)
	if err != nil {
		return nil, err
	}
	items, err := r.Main.Get(ctx, shop.FaceKey(r.j.Shop))
	if err != nil {
		return nil, err
	}
	face, err := shop.FaceOf(items[0], tenant.Locale)
	return record.Document(struct {
		shop.Shop
		Settings shop.Face `json:"settings"`
	}{r.Shops.Show(tenant), face}), err
}
