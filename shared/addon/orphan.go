package addon

import (
	"context"
	"slices"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// A custom code is orphaned when its package is not active on the shop: it was there when the package was deactivated,
// and no cleanup order removed it. Nobody but the shop's people can delete it then.

// Inactive are the accesses whose packages are not active, so that all custom codes of them are orphaned.
func Inactive(all []Access) []Access {
	return slices.DeleteFunc(slices.Clone(all), func(a Access) bool { return a.State == Active })
}

// CountKey is the item of which CodesCounted reads how many custom codes a package has on a shop.
func CountKey(shop, pkg string) store.Key { return tallyKey(shop, pkg) }

// CodesCounted is how many custom codes the item of CountKey counts; 0 if there is no item.
func CodesCounted(item *store.Item) int64 {
	if item == nil {
		return 0
	}
	return item.Num[numCodes]
}

// OrphanRows are where the orphaned codes of a shop are listed, by (changed, id): those of its inactive accesses.
func OrphanRows(t store.Table, shop string, inactive []Access) record.Listing {
	partition := func(a Access) string { return CustomCodes(a.Package).List(shop) }
	return record.InPartitions(t, store.Index1, each.Of(inactive, partition)...)
}

// DeleteOrphan deletes an orphaned code of the shop. Any other code is not_found, and nothing is done.
func DeleteOrphan(ctx context.Context, u *change.Unit, id string) error {
	accesses, err := AccessesOf(ctx, u.Table, u.Shop)
	if err != nil {
		return err
	}
	inactive := Inactive(accesses)
	keys := each.Of(inactive, func(a Access) store.Key { return codeKey(u.Shop, a.Package, id) })
	items, err := store.GetAll(ctx, u.Table, keys)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(items, func(item *store.Item) bool { return item != nil })
	if i < 0 {
		return problem.NotFound()
	}
	return orphans(inactive[i].Package).Delete(ctx, u, id)
}

// orphans are the custom codes of a package as records that are there as long as the package is not active.
func orphans(pkg string) *record.Kind[CustomCode, CodeFields] {
	return CustomCodes(pkg).With(record.Along[CustomCode]{
		Extend: func(_ context.Context, u *change.Unit, s *record.Step[CustomCode]) error {
			s.Ops = append(s.Ops, store.Check(tallyKey(u.Shop, pkg), store.TextIs(textClosed, closed)))
			return nil
		},
		Explain: func(u *change.Unit, _ *record.Step[CustomCode], refused error) error {
			if _, failed := store.Failed(refused, tallyKey(u.Shop, pkg)); failed {
				return problem.NotFound()
			}
			return refused
		},
	})
}
