package changefeed

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/store"
)

// confirmed is how long the put of a row may take where many write before it is made again under a new time.
const confirmed = 2 * time.Second

// tries bounds how often a row is put, in one call of Keep.
const tries = 3

// Writer gives changes their times and puts them down. It is for concurrent use.
type Writer struct {
	Rows  store.Table
	Turn  func(ctx context.Context) (over func(), err error) // waits until one more may write to Rows, until it is over
	Now   func() time.Time
	Alone bool // no other writer puts rows into this table: they appear in the order of their times

	mu    sync.Mutex
	last  int64 // the newest time given to a row, unix microseconds
	known bool  // of one that is alone: last is at least what it was before the start
}

// Write writes the changes of records down, and returns the fault of each that is not: a change may come twice, never not.
func (w *Writer) Write(ctx context.Context, changes []events.Change) (errs []error) {
	var of []int
	for i, c := range changes {
		if len(c.Records) > 0 {
			of = append(of, i)
		}
	}
	errs = make([]error, len(changes))
	if w.Alone {
		w.keepInOrder(ctx, changes, of, errs)
		return errs
	}
	for i, err := range guard.Each(ctx, len(of), func(i int) error { return w.keepOne(ctx, changes[of[i]]) }) {
		errs[of[i]] = err
	}
	return errs
}

// keepInOrder puts the rows so that they appear in the order of their times, whole writes of them at once. Nobody gives a
// row a later time before those with earlier ones are committed, so a reader never sees a row of which one before it is
// still to come: it may read up to now.
func (w *Writer) keepInOrder(ctx context.Context, changes []events.Change, of []int, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.recall(ctx)
	for some := range slices.Chunk(of, store.MaxOperations-1) {
		if err == nil {
			err = guard.Do(ctx, func() error { return w.keepSome(ctx, changes, some) })
		}
		for _, n := range some {
			errs[n] = err
		}
	}
}

// recall reads how far the times of rows had come before the start: they go forward, also when the clock was set back.
func (w *Writer) recall(ctx context.Context) error {
	if w.known {
		return nil
	}
	items, err := w.Rows.Get(ctx, newest)
	if err != nil {
		return err
	}
	if items[0] != nil {
		w.last = max(w.last, items[0].Num["last"])
	}
	w.known = true
	return nil
}

// keepSome puts the rows of some changes in one write, with how far their times have come.
func (w *Writer) keepSome(ctx context.Context, changes []events.Change, some []int) error {
	over, err := w.Turn(ctx)
	if err != nil {
		return err
	}
	defer over()
	for range tries {
		began := w.Now().UnixMicro()
		ops := make([]store.Op, 0, len(some)+1)
		for _, n := range some {
			ops = append(ops, store.Put(rowOf(changes[n], w.next(w.Now()))))
		}
		ops = append(ops, store.Put(store.Item{Key: newest, Num: map[string]int64{"last": w.last}}))
		if _, err := w.Rows.Write(ctx, events.Nothing, ops...); err != nil || w.Now().UnixMicro()-began < (settled/2).Microseconds() {
			return err // by the wall clock, which goes on while a laptop sleeps
		}
	}
	return store.ErrUnavailable
}

// keepOne puts one row, under a new time when it was not confirmed soon. Its time begins with its turn: what waits for
// that is not late yet.
func (w *Writer) keepOne(ctx context.Context, c events.Change) error {
	over, err := w.Turn(ctx)
	if err != nil {
		return err
	}
	defer over()
	for range tries {
		w.mu.Lock()
		t := w.next(w.Now())
		w.mu.Unlock()
		soon, cancel := context.WithTimeout(ctx, confirmed)
		_, err = w.Rows.Write(soon, events.Nothing, store.Put(rowOf(c, t), store.Absent()))
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// next is a time of now that no row was given yet.
func (w *Writer) next(now time.Time) time.Time {
	w.last = max(w.last+1, now.UnixMicro())
	return time.UnixMicro(w.last)
}
