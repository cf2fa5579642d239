package products

import (
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/store"
)

// Vacate takes the products out of the categories that a change has deleted. It can be done any number of times.
func Vacate(ctx context.Context, p *host.Platform, deleted events.Change) error {
	for _, r := range deleted.Records {
		if r.Kind == events.Categories && r.Did == events.Deleted {
			if err := vacate(ctx, p, deleted.Shop, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// vacate takes the products out of a category that is gone. A product that joins it in the same moment has seen it
// there, and its write and the deletion have no item in common: what many products share is never checked in each
// one's transaction (architecture, "Records and changes"). So who deletes a category looks once more afterwards, and
// the sweeper when every request that may have seen it is over.
func vacate(ctx context.Context, p *host.Platform, shop, category string) error {
	rows, err := partition(ctx, p.Main, store.Query{PK: InCategory(shop, category)})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if known(row.SK) {
			if err := leave(ctx, p, shop, category, row.SK); err != nil {
				return err
			}
		}
	}
	return nil
}

// leave takes a product out of a category, which is told as a change of its own.
func leave(ctx context.Context, p *host.Platform, shop, category, product string) error {
	for range api.Rounds(ctx) {
		before, err := Read(ctx, p.Main, shop, product)
		if err != nil {
			return err
		}
		if before == nil || !slices.Contains(before.details.CategoryIDs, category) {
			return nil
		}
		now, after := p.Now(), before.clone()
		after.details.CategoryIDs = slices.DeleteFunc(slices.Clone(before.details.CategoryIDs),
			func(c string) bool { return c == category })
		ops := save(shop, before.draft(), after.draft(), id.New(later(now, before.Version), p.Random), newNames(p, shop, nil))
		groups, variants := before.draft().diff(after.draft())
		change := events.Change{Request: id.New(now, p.Random), Shop: shop, At: now.UnixMilli(),
			Records: []events.Record{{Kind: events.Products, ID: product, Did: events.Changed,
				Groups: groups, Variants: variants, Version: after.Version}}}
		if _, err = p.Main.Write(ctx, change, ops...); !store.IsCondition(err) {
			return err
		}
	}
	return store.ErrUnavailable
}

// later is now, or the moment after a version's when that is later.
func later(now time.Time, version string) time.Time {
	if was := id.Time(version); !now.After(was) {
		return was.Add(time.Millisecond)
	}
	return now
}
