// Package sweeper looks each minute for what was left lying: deliveries whose time has come or whose bell was lost, what is
// to be done about parked ones, requests that never came to their end, and imports whose importer is gone (architecture,
// "The webhook pipeline" and "Records and changes"). What it does not get done in one run it does in the next.
package sweeper

import (
	"context"
	"errors"
	"sync"
	"time"

	"eshop/functions/delivery"
	"eshop/functions/imports"
	"eshop/functions/products"
	"eshop/shared/host"
	"eshop/shared/pending"
	"eshop/shared/store"
)

// Function is the sweeper's place in THE list.
var Function = host.Function{
	Name:  "sweeper",
	Doc:   "Rings for deliveries that are due or overdue, ends requests that never came to their end, and wakes imports that were left.",
	Tick:  func(p *host.Platform) func(context.Context) error { return sweeper{p}.sweep },
	Every: time.Minute,
	Here:  5 * time.Second, // no attempt more than ten seconds late, where a run costs nothing
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Files, Does: []host.Action{host.Write}},
	},
	Timeout: 50 * time.Second,
	Memory:  256,
}

// How much of each partition one run does, and what is left of its time when it stops to begin anything.
const (
	most    = 500
	resting = 5 * time.Second
)

type sweeper struct{ *host.Platform }

// sweep does one run. A partition that fails does not hold up the others.
func (s sweeper) sweep(ctx context.Context) error {
	var mu sync.Mutex
	var errs []error
	var work sync.WaitGroup
	do := func(n int, f func(context.Context, int) error) {
		work.Go(func() {
			if err := f(ctx, n); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	for n := range delivery.DueShards {
		do(n, s.ring)
	}
	for n := range delivery.DrainShards {
		do(n, s.step)
	}
	for n := range pending.Shards {
		do(n, s.end)
	}
	do(0, s.wake)
	work.Wait()
	return errors.Join(errs...)
}

// wake wakes importers for imports that nobody works on any more.
func (s sweeper) wake(ctx context.Context, _ int) error {
	return s.walk(ctx, s.Main, store.Query{Index: store.Index2, PK: imports.Begun},
		func(ctx context.Context, i *store.Item) error { return imports.Wake(ctx, s.Platform, i) })
}

// ring rings for the deliveries of a partition that are due and have no bell, or overdue by so much that it must be lost.
func (s sweeper) ring(ctx context.Context, shard int) error {
	return s.walk(ctx, s.Pipeline, store.Query{Index: store.Index1, PK: delivery.Due(shard), To: delivery.DueUntil(s.Now())},
		func(ctx context.Context, i *store.Item) error { return delivery.Ring(ctx, s.Platform, i) })
}

// step rings for what is to be done about parked deliveries: probes, ends, and drains whose chain is broken.
func (s sweeper) step(ctx context.Context, shard int) error {
	return s.walk(ctx, s.Main, store.Query{Index: store.Index2, PK: delivery.Drains(shard), To: delivery.DueUntil(s.Now())},
		func(ctx context.Context, i *store.Item) error { return delivery.RingStep(ctx, s.Platform, i) })
}

// end ends the requests of a partition that never did.
func (s sweeper) end(ctx context.Context, shard int) error {
	return s.walk(ctx, s.Main, store.Query{Index: store.Index2, PK: pending.Partition(shard), To: pending.Before(s.Now())}, s.take)
}

// take ends the request, if it is over: it empties the categories that it has deleted, or tells of everything that it may
// have changed.
func (s sweeper) take(ctx context.Context, i *store.Item) error {
	if !pending.Overdue(i, s.Now()) {
		return nil
	}
	deleted, reminds, err := pending.Reminder(i)
	if reminds {
		err = products.Vacate(ctx, s.Platform, deleted)
	}
	if err != nil {
		return err
	}
	change, op, err := pending.Take(i)
	if err != nil {
		return err
	}
	_, err = s.Main.Write(ctx, change, op)
	if store.IsCondition(err) {
		return nil // it came to its end after all
	}
	if err == nil && !change.Empty() {
		s.Log.Warn("a request that never came to its end was told of", "request", change.Request)
	}
	return err
}

// walk does something for the items that the query of an index finds, up to most of them. An item that fails is tried
// again by the next run.
func (s sweeper) walk(ctx context.Context, t store.Table, q store.Query, do func(context.Context, *store.Item) error) error {
	var errs []error
	for left := most; left > 0 && !over(ctx); {
		q.Limit = min(left, store.MaxOperations)
		page, err := t.Query(ctx, q)
		if err != nil {
			return err
		}
		items, err := found(ctx, t, page.Items)
		if err != nil {
			return err
		}
		for _, i := range items {
			if i == nil || over(ctx) {
				continue
			}
			if err := do(ctx, i); err != nil {
				errs = append(errs, err)
			}
		}
		left -= len(page.Items)
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	return errors.Join(errs...)
}

// found are the items of places in an index, as they are now.
func found(ctx context.Context, t store.Table, places []store.Item) ([]*store.Item, error) {
	if len(places) == 0 {
		return nil, nil
	}
	keys := make([]store.Key, len(places))
	for i := range places {
		keys[i] = places[i].Key
	}
	return t.Get(ctx, keys...)
}

// over says whether the run's time is as good as over.
func over(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && time.Until(end) < resting
}
