package leaving

import (
	"context"
	"errors"
	"strings"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/catalog"
	"eshop/shared/job/imports"
	"eshop/shared/people/customer"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
	"eshop/shared/record/change"
	"eshop/shared/sale"
	"eshop/shared/shop"
	"eshop/shared/shop/audit"
	"eshop/shared/webhook"
)

// recordList is where a shop keeps records of one kind, each in a partition of its own.
type recordList struct {
	list  string            // the partition of Index1 that lists them
	kind  events.RecordKind // by which searches know them; "" when they do not
	purge func(context.Context, *change.Unit, store.Key) error
}

// recordLists are all lists of a shop. What else it has is deleted by purgeRest, belongs to one of these records, or
// ends by itself before the Grace is over or soon after.
func recordLists(of string) (all []recordList) {
	for _, list := range catalog.ProductShards(of) {
		all = append(all, recordList{list, events.Products, catalog.PurgeProduct})
	}
	return append(all,
		recordList{catalog.CategoriesOf(of), "", catalog.PurgeCategory},
		recordList{sale.OrdersOf(of), events.Orders, sale.PurgeOrder},
		recordList{sale.Coupons.List(of), "", kind(sale.Coupons)},
		recordList{customer.Customers.List(of), events.Customers, kind(customer.Customers)},
		recordList{staff.Admins.List(of), "", kind(staff.Admins)},
		recordList{imports.Partition(of), "", purgePartition})
}

// kind purges records of a kind that nothing else belongs to.
func kind[R, F any](k *record.Kind[R, F]) func(context.Context, *change.Unit, store.Key) error {
	return func(ctx context.Context, u *change.Unit, at store.Key) error {
		return k.Purge(ctx, u.Table, u.Shop, at)
	}
}

func purgePartition(ctx context.Context, u *change.Unit, at store.Key) error {
	return record.Purge(ctx, u.Table, at.PK)
}

// purge deletes a record of a list. What searches find it by goes first, and what add-ons keep beside it: nothing would
// lead there afterwards.
func (l Leaving) purge(ctx context.Context, of string, r recordList, row store.Item) error {
	u := l.unit(of)
	if r.kind != "" {
		_, id, _ := strings.Cut(row.Index1.SK, "#")
		err := l.Search.Forget(ctx, of, r.kind, id)
		if err == nil {
			err = addondata.Purge(ctx, l.Main, of, r.kind, id)
		}
		if err != nil {
			return err
		}
	}
	return r.purge(ctx, u, row.Key)
}

// purgeRest deletes what a shop has beside those records: what belongs to its accesses, its states and
// numbers, what its admins did, and its logo. What the operator did to it stays. The claims of codes, slugs and
// external ids of goods and coupons that were deleted before it left stay: nothing lists them.
func (l Leaving) purgeRest(ctx context.Context, u *change.Unit) error {
	hooks, err := webhook.ReadHooks(ctx, u.Table, u.Shop)
	if err != nil {
		return err
	}
	for _, a := range hooks.Accesses {
		if err := purgeOf(ctx, u, a, hooks.Receivers[a.ID]); err != nil {
			return err
		}
	}
	partitions := append(addon.Partitions(u.Shop), sale.Partitions(u.Shop)...)
	for _, partition := range append(partitions, audit.Partition(u.Shop)) {
		if err := record.Purge(ctx, u.Table, partition); err != nil {
			return err
		}
	}
	return shop.PurgeFace(ctx, u)
}

// purgeOf deletes what belongs to an access that ends, its custom codes and the items of its receivers apart.
func purgeOf(ctx context.Context, u *change.Unit, a addon.Access, receivers []webhook.Receiver) error {
	for _, r := range receivers {
		if err := webhook.Purge(ctx, u.Table, r.ID); err != nil {
			return err
		}
	}
	return errors.Join(sale.PurgeQuotes(ctx, u, a.ID), addon.Purge(ctx, u.Table, a))
}
