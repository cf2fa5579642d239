package changefeed

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
)

// confirmWithin is how long the put of a row may take, where many write, before it is made once more under a new time.
const confirmWithin = 2 * time.Second

// tries bounds how often a row is put in one call of Write, whose batch comes again when it fails.
const tries = 3

// Writer gives changes their times and writes their rows. It is for concurrent use.
type Writer struct {
	Rows store.Table
	// waits until one more may write to Rows; done ends its turn
	Turn  func(ctx context.Context) (done func(), err error)
	Now   func() time.Time
	Alone bool // no other writer puts rows into this table: they appear in the order of their times

	mu     sync.Mutex
	last   int64 // the newest time given to a row, unix microseconds
	loaded bool  // of one that is alone: last is at least what it was before the start
}

// Write writes the rows of changes of records, and returns the error of each that is not written: a change may come
// twice, never not.
func (w *Writer) Write(ctx context.Context, changes []events.Change) (errs []error) {
	var of []int
	for i, c := range changes {
		if len(c.Records) > 0 {
			of = append(of, i)
		}
	}
	errs = make([]error, len(changes))
	if w.Alone {
		w.writeInOrder(ctx, changes, of, errs)
		return errs
	}
	for i, err := range guard.Each(ctx, len(of), func(i int) error { return w.writeOne(ctx, changes[of[i]]) }) {
		errs[of[i]] = err
	}
	return errs
}

// writeInOrder puts the rows so that they appear in the order of their times, whole writes of them at once. Nobody
// gives a row a later time before those with earlier ones are committed, so a reader never sees a row of which one
// before it is still to come: it may read up to now.
func (w *Writer) writeInOrder(ctx context.Context, changes []events.Change, of []int, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.load(ctx)
	for chunk := range slices.Chunk(of, store.MaxOperations-1) { // one is left for newest
		if err == nil {
			err = guard.Do(ctx, func() error { return w.writeChunk(ctx, changes, chunk) })
		}
		for _, n := range chunk {
			errs[n] = err
		}
	}
}

// load reads how far the times of rows had come before the start: they go forward, also when the clock was set back.
func (w *Writer) load(ctx context.Context) error {
	if w.loaded {
		return nil
	}
	items, err := w.Rows.Get(ctx, newest)
	if err != nil {
		return err
	}
	if items[0] != nil {
		w.last = max(w.last, items[0].Num["last"])
	}
	w.loaded = true
	return nil
}

// writeChunk puts the rows of some changes in one write, with how far their times have come.
func (w *Writer) writeChunk(ctx context.Context, changes []events.Change, chunk []int) error {
	done, err := w.Turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	for range tries {
		began := w.Now().UnixMicro()
		ops := make([]store.Op, 0, len(chunk)+1)
		for _, n := range chunk {
			ops = append(ops, store.Put(rowOf(changes[n], w.next(w.Now()))))
		}
		ops = append(ops, store.Put(store.Item{Key: newest, Num: map[string]int64{"last": w.last}}))
		if _, err := w.Rows.Write(ctx, events.Nothing, ops...); err != nil {
			return err
		}
		if w.Now().UnixMicro()-began < (completeAfter / 2).Microseconds() {
			return nil // by the wall clock, which goes on while a laptop sleeps
		}
	}
	return store.ErrUnavailable
}

// writeOne puts one row, under a new time when it was not confirmed soon. It gets its time when its turn has come: what
// waits for that is not late yet.
func (w *Writer) writeOne(ctx context.Context, change events.Change) error {
	done, err := w.Turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	for range tries {
		w.mu.Lock()
		t := w.next(w.Now())
		w.mu.Unlock()
		soon, cancel := context.WithTimeout(ctx, confirmWithin)
		_, err = w.Rows.Write(soon, events.Nothing, store.Put(rowOf(change, t), store.Absent()))
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
