package products

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/store"
)

// Heal looks after what a request was about that began with pending.Heed and whose time is over: products of a batch that
// was decided or not, and categories that were deleted. It can be done any number of times.
func Heal(ctx context.Context, p *host.Platform, about events.Change) error {
	var batch []string
	for _, r := range about.Records {
		switch {
		case r.Kind == events.Products:
			batch = append(batch, r.ID)
		case r.Kind == events.Categories && r.Did == events.Deleted:
			if err := Vacate(ctx, p, about.Shop, r.ID); err != nil {
				return err
			}
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return conclude(ctx, p, about, batch)
}

// conclude pays what the products of a batch owe, and takes away what was staged for a decision that was never made. The
// claims that were reserved for it are free by then or soon.
func conclude(ctx context.Context, p *host.Platform, about events.Change, batch []string) error {
	keys := make([]store.Key, len(batch))
	for i, product := range batch {
		keys[i] = ProductKey(about.Shop, product)
	}
	heads, err := store.GetAll(ctx, p.Main, keys)
	if err != nil {
		return err
	}
	if err := Pay(ctx, p.Main, about.Shop, p.Now(), heads...); err != nil {
		return err
	}
	all := []payment{{answerKey(about.Request), []store.Op{store.Delete(answerKey(about.Request))}}}
	for _, head := range keys {
		left, err := scraps(ctx, p.Main, head, about.Request)
		if err != nil {
			return err
		}
		all = append(all, left...)
	}
	for _, some := range bundle(all) {
		if err := pay(ctx, writeTo(p.Main), some); err != nil {
			return err
		}
	}
	return nil
}

// scraps take away what a request staged beside a head that does not owe it any more.
func scraps(ctx context.Context, t store.Table, head store.Key, request string) (all []payment, err error) {
	items, err := partition(ctx, t, store.Query{PK: head.PK, From: headSK, To: textSK + stage + "~"})
	for _, i := range items {
		if strings.HasSuffix(i.SK, stage+request) {
			all = append(all, payment{head, []store.Op{store.Check(head, store.TextIs(owes, "")), store.Delete(i.Key)}})
		}
	}
	return all, err
}

// Vacate takes the products out of a category that is gone. A product that joins it in the same moment has seen it there,
// and its write and the deletion have no item in common: what many products share is never checked in each one's
// transaction (architecture, "Records and changes"). So who deletes a category looks once more afterwards, and the sweeper
// when every request that may have seen it is over.
func Vacate(ctx context.Context, p *host.Platform, shop, category string) error {
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
		k, err := Read(ctx, p.Main, shop, product)
		if err != nil {
			return err
		}
		if k == nil || !slices.Contains(k.details.CategoryIDs, category) {
			return nil
		}
		if k.owes != "" {
			if err := Pay(ctx, p.Main, shop, p.Now(), k.head); err != nil {
				return err
			}
			continue
		}
		now := p.Now()
		next := k.clone()
		next.details.CategoryIDs = slices.DeleteFunc(slices.Clone(k.details.CategoryIDs), func(c string) bool { return c == category })
		s := save(shop, k, next, id.New(after(now, k.Version), p.Random), newContest(OfProduct, product), now)
		groups, variants := diff(k, next)
		change := events.Change{Request: id.New(now, p.Random), Shop: shop, At: now.UnixMilli(), Records: []events.Record{
			{Kind: events.Products, ID: product, Did: events.Changed, Groups: groups, Variants: variants, Version: next.Version}}}
		if _, err = p.Main.Write(ctx, change, s.ops...); !store.IsCondition(err) {
			return err
		}
	}
	return store.ErrUnavailable
}

// after is now, or the moment after a version's when that is later.
func after(now time.Time, version string) time.Time {
	if was := id.Time(version); !now.After(was) {
		return was.Add(time.Millisecond)
	}
	return now
}
