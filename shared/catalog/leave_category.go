package catalog

import (
	"context"
	"slices"

	"eshop/events"
	ids "eshop/shared/base/id"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// LeaveDeletedCategories takes the products out of the categories that a change has deleted. It can be done any number
// of times.
func LeaveDeletedCategories(ctx context.Context, u *change.Unit, deleted events.Change) error {
	for _, r := range deleted.Records {
		if r.Kind == events.Categories && r.Did == events.Deleted {
			if err := emptyCategory(ctx, u, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// emptyCategory takes the products out of a category that is gone. A product that joins it in the same moment has seen
// it there, and its write and the deletion have no item in common: what many products share is never checked in each
// one's transaction (shared/README.md, "All or none"). So who deletes a category looks once more afterwards, and the
// sweeper does when every request that may have seen it is over.
func emptyCategory(ctx context.Context, u *change.Unit, category string) error {
	for page, err := range store.Pages(ctx, u.Table, store.Query{PK: InCategory(u.Shop, category), Keys: true}) {
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			if !ids.Valid(row.SK) {
				continue
			}
			if err := leaveCategory(ctx, u, category, row.SK); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveCategory takes a product out of a category, which is a unit of work of its own.
func leaveCategory(ctx context.Context, u *change.Unit, category, product string) error {
	own := &change.Unit{Shop: u.Shop, Request: u.NewID(), By: u.By, Table: u.Table, Now: u.Now, Random: u.Random}
	_, err := record.Retry(ctx, func() (*Whole, error) {
		before, err := readWhole(ctx, own.Table, own.Shop, product)
		if err != nil || before == nil || !slices.Contains(before.details.CategoryIDs, category) {
			return nil, err
		}
		after := before.clone()
		after.details.CategoryIDs = slices.DeleteFunc(slices.Clone(before.details.CategoryIDs),
			func(c string) bool { return c == category })
		ops, records, err := plan(ctx, own, &before.known, &after.known, address.Addresses{}.Names(own))
		if err != nil {
			return nil, err
		}
		_, err = own.Write(ctx, nil, own.ChangeOf(records), ops...)
		return after, err
	})
	return err
}
