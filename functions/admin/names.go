package admin

import (
	"context"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/sale"
)

// addonsPath stands for where packages have their pages by their own ids. The admin has them by their accesses' ids.
const addonsPath = root + "/addons"

// named are the records that have a name on pages of others: by the part of the admin that they have their pages in (of
// people and add-ons it stands for one), where such a record is, and what people call it.
var named = map[string]struct {
	key  func(shop, id string) store.Key
	name func(item *store.Item) (string, error)
}{
	productsPath: {catalog.ProductKey, func(item *store.Item) (string, error) {
		h, err := catalog.HeadOf(item)
		if err != nil {
			return "", err
		}
		return string(h.Name()), nil
	}},
	categoriesPath: {catalog.CategoryKey, func(item *store.Item) (string, error) {
		c, err := catalog.Categories.Decode(item)
		return string(c.Name), err
	}},
	ordersPath: {sale.OrderKey, func(item *store.Item) (string, error) {
		o, err := sale.Orders.Decode(item)
		return o.Number, err
	}},
	customersPath: {customer.Key, func(item *store.Item) (string, error) {
		c, err := customer.Customers.Decode(item)
		return string(c.FirstName) + " " + string(c.LastName), err
	}},
	couponsPath: {sale.CouponKey, func(item *store.Item) (string, error) {
		c, err := sale.Coupons.Decode(item)
		return string(c.Code), err
	}},
	statesPath: {sale.StateKey, func(item *store.Item) (string, error) {
		s, err := sale.OrderStates.Decode(item)
		return string(s.Name), err
	}},
	adminsPath: {staff.Key, func(item *store.Item) (string, error) {
		a, err := staff.Admins.Decode(item)
		return string(a.Name), err
	}},
	addonsPath: {func(_, id string) store.Key { return addon.PackageKey(id) }, func(item *store.Item) (string, error) {
		p, err := addon.PackageOf(item)
		return string(p.Name), err
	}},
}

// recordNames are the names that records have now, by the paths of their pages: one Get for a hundred. Those that are
// gone, and paths of other pages, have none.
func (d door) recordNames(ctx context.Context, v *visit, paths []string) (map[string]string, error) {
	var keys []store.Key
	at := map[store.Key]string{}
	for _, path := range paths {
		i := strings.LastIndexByte(path, '/')
		if of, has := named[path[:max(i, 0)]]; has {
			key := of.key(v.shop.ID, path[i+1:])
			if at[key] == "" {
				keys, at[key] = append(keys, key), path
			}
		}
	}
	names := map[string]string{}
	items, err := store.GetReadable(ctx, d.Main, keys)
	for i, item := range items {
		path := at[keys[i]]
		if record.Missing(item) {
			continue
		}
		name, err := named[path[:strings.LastIndexByte(path, '/')]].name(item)
		if err != nil {
			record.LogUnreadable(ctx, item.Key, err)
			continue
		}
		names[path] = name
	}
	return names, err
}

// called is what a record is, with its name if it has one.
func called(what, name string) string {
	if name == "" {
		return what
	}
	return what + ": " + name
}
