package batcher

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/store"
)

// confirmed is how long the put of a feed row may take on AWS before it is made again under a new time. Behind is how far
// before now readers stop there: a row must not appear later than that behind the time it bears.
const (
	confirmed = 2 * time.Second
	Behind    = 5 * time.Second
)

// Settled is how long after its end a day is complete in the one process, too, where rows appear in the order of their
// times and readers read up to now: a row that took half of that is put again under a new time.
const Settled = time.Minute

// tries bounds how often a feed row is put, in one run of the batcher.
const tries = 3

// feed gives the rows of the change feed their times.
type feed struct {
	mu    sync.Mutex
	last  int64 // the newest time given to a row, unix microseconds
	known bool  // in the one process: last is at least what it was before the start
}

// keep writes the changes of records down, and returns the fault of each that is not: a change may come twice, never not.
func (b *batcher) keep(ctx context.Context, changes []events.Change) (errs []error) {
	var of []int
	for i, c := range changes {
		if len(c.Records) > 0 {
			of = append(of, i)
		}
	}
	errs = make([]error, len(changes))
	if b.OneProcess {
		b.keepInOrder(ctx, changes, of, errs)
		return errs
	}
	for i, err := range guard.Each(ctx, len(of), func(i int) error { return b.keepOne(ctx, changes[of[i]]) }) {
		errs[of[i]] = err
	}
	return errs
}

// keepInOrder puts the rows so that they appear in the order of their times, whole writes of them at once. Nobody gives a
// row a later time before those with earlier ones are committed, so a reader never sees a row of which one before it is
// still to come: it may read up to now.
func (b *batcher) keepInOrder(ctx context.Context, changes []events.Change, of []int, errs []error) {
	b.feed.mu.Lock()
	defer b.feed.mu.Unlock()
	err := b.recall(ctx)
	for some := range slices.Chunk(of, store.MaxOperations-1) {
		if err == nil {
			err = guard.Do(ctx, func() error { return b.keepSome(ctx, changes, some) })
		}
		for _, n := range some {
			errs[n] = err
		}
	}
}

// recall reads how far the times of rows had come before the start: they go forward, also when the clock was set back.
func (b *batcher) recall(ctx context.Context) error {
	if b.feed.known {
		return nil
	}
	items, err := b.Pipeline.Get(ctx, feedEnd)
	if err != nil {
		return err
	}
	if items[0] != nil {
		b.feed.last = max(b.feed.last, items[0].Num["last"])
	}
	b.feed.known = true
	return nil
}

// keepSome puts the rows of some changes in one write, with how far their times have come.
func (b *batcher) keepSome(ctx context.Context, changes []events.Change, some []int) error {
	for range tries {
		began := b.Now().UnixMicro()
		ops := make([]store.Op, 0, len(some)+1)
		for _, n := range some {
			ops = append(ops, store.Put(feedRow(changes[n], b.feed.next(b.Now()))))
		}
		ops = append(ops, store.Put(store.Item{Key: feedEnd, Num: map[string]int64{"last": b.feed.last}}))
		if err := b.write(ctx, ops...); err != nil || b.Now().UnixMicro()-began < (Settled/2).Microseconds() {
			return err // by the wall clock, which goes on while a laptop sleeps
		}
	}
	return store.ErrUnavailable
}

// keepOne puts one row, under a new time when it was not confirmed soon.
func (b *batcher) keepOne(ctx context.Context, c events.Change) (err error) {
	for range tries {
		b.feed.mu.Lock()
		t := b.feed.next(b.Now())
		b.feed.mu.Unlock()
		soon, cancel := context.WithTimeout(ctx, confirmed)
		err = b.write(soon, store.Put(feedRow(c, t), store.Absent()))
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// next is a time of now that no row was given yet.
func (f *feed) next(now time.Time) time.Time {
	f.last = max(f.last+1, now.UnixMicro())
	return time.UnixMicro(f.last)
}
