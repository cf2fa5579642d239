package hosttest

import (
	"context"
	"slices"
	"sync"

	"eshop/events"
	"eshop/shared/store"
)

// Table is a table that notes what was told and written, and where a test gets in between. It is for concurrent use.
type Table struct {
	store.Table
	mu     sync.Mutex
	told   []events.Change
	writes int
	before func(ops []store.Op) error
	after  func(ops []store.Op) error
	down   bool
	waves  *waves
}

// Told are the changes told since it was asked last.
func (t *Table) Told() []events.Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	told := t.told
	t.told = nil
	return told
}

// Telling are the changes told so far, which stay to be asked for.
func (t *Table) Telling() []events.Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.told)
}

// Writes is how many writes were done.
func (t *Table) Writes() int { t.mu.Lock(); defer t.mu.Unlock(); return t.writes }

// Before is asked ahead of each write from now on: its error is the write's outcome, and nothing is written. nil ends it.
func (t *Table) Before(f func(ops []store.Op) error) { t.mu.Lock(); defer t.mu.Unlock(); t.before = f }

// After is asked behind each write that was done, from now on: its error is the write's outcome. nil ends it.
func (t *Table) After(f func(ops []store.Op) error) { t.mu.Lock(); defer t.mu.Unlock(); t.after = f }

// Meanwhile happens once, ahead of the next write: between what a request reads and what it writes.
func (t *Table) Meanwhile(f func()) {
	t.Before(func([]store.Op) error {
		t.Before(nil)
		f()
		return nil
	})
}

// Down lets nothing be read or written any more.
func (t *Table) Down() { t.mu.Lock(); defer t.mu.Unlock(); t.down = true }

// arrive waits for the call's wave, and says whether the table serves.
func (t *Table) arrive() error {
	t.mu.Lock()
	waves, down := t.waves, t.down
	t.mu.Unlock()
	waves.join()
	if down {
		return store.ErrUnavailable
	}
	return nil
}

func (t *Table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if err := t.arrive(); err != nil {
		return nil, err
	}
	return t.Table.Get(ctx, keys...)
}

func (t *Table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if err := t.arrive(); err != nil {
		return store.Page{}, err
	}
	return t.Table.Query(ctx, q)
}

func (t *Table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	if err := t.arrive(); err != nil {
		return store.Item{}, err
	}
	t.mu.Lock()
	before, after := t.before, t.after
	t.mu.Unlock()
	if before != nil {
		if err := before(ops); err != nil {
			return store.Item{}, err
		}
	}
	item, err := t.Table.Write(ctx, change, ops...)
	if err != nil {
		return item, err
	}
	if after != nil {
		err = after(ops)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes++
	if !change.Empty() {
		t.told = append(t.told, change)
	}
	return item, err
}

// Lag is the table's below.
func (t *Table) Lag() func(context.Context) error {
	if f, is := t.Table.(store.Followed); is {
		return f.Lag()
	}
	return nil
}
