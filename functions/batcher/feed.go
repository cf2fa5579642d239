package batcher

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/store"
)

// confirmed is how long the put of a feed row may take before it is made again under a new time: readers on AWS stop five
// seconds before now, so a row must not appear later than that behind the time it bears.
const confirmed = 2 * time.Second

// tries bounds how often a feed row is put, in one run of the batcher.
const tries = 3

// feed gives the rows of the change feed their times.
type feed struct {
	mu   sync.Mutex
	last int64 // the newest time given to a row, unix microseconds
}

// keep writes the changes of records down. errs gets the fault of each that is not: a change may come twice, never not.
func (b *batcher) keep(ctx context.Context, changes []events.Change, errs []error) {
	var of []int
	for i, c := range changes {
		if len(c.Records) > 0 {
			of = append(of, i)
		}
	}
	if b.OneProcess {
		b.keepInOrder(ctx, changes, of, errs)
		return
	}
	each(len(of), func(i int) { errs[of[i]] = b.keepOne(ctx, changes[of[i]]) })
}

// keepInOrder puts the rows so that they appear in the order of their times, whole writes of them at once: readers of the
// one process read up to now.
func (b *batcher) keepInOrder(ctx context.Context, changes []events.Change, of []int, errs []error) {
	b.feed.mu.Lock()
	defer b.feed.mu.Unlock()
	var err error
	for some := range slices.Chunk(of, store.MaxOperations) {
		ops := make([]store.Op, len(some))
		for i, n := range some {
			ops[i] = store.Put(feedRow(changes[n], b.feed.next(b.Now())))
		}
		if err == nil {
			err = b.write(ctx, ops...)
		}
		for _, n := range some {
			errs[n] = err
		}
	}
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
