package hosttest

import (
	"context"
	"slices"
	"sync"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Table is a table that notes which changes were published and how often was written, and in which a test can step
// between. It is for concurrent use.
type Table struct {
	store.Table
	readersWait bool
	mu          sync.Mutex
	changes     []events.Change
	writes      int
	around      Around
	down        bool
	waves       *waves
}

// NewChanges are the changes published since it was called last.
func (t *Table) NewChanges() []events.Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	changes := t.changes
	t.changes = nil
	return changes
}

// Changes are the changes that the next NewChanges returns, so far.
func (t *Table) Changes() []events.Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.changes)
}

// Writes is how many writes were done.
func (t *Table) Writes() int { t.mu.Lock(); defer t.mu.Unlock(); return t.writes }

// Around is what happens instead of a write of these operations, which is done by write. Its error is the outcome.
type Around func(ops []store.Op, write func() error) error

// Around sets what happens instead of each write from now on. nil ends it.
func (t *Table) Around(f Around) { t.mu.Lock(); defer t.mu.Unlock(); t.around = f }

// Before is asked ahead of each write from now on: its error is the outcome, and nothing is written. nil ends it.
func (t *Table) Before(f func(ops []store.Op) error) {
	if f == nil {
		t.Around(nil)
		return
	}
	t.Around(func(ops []store.Op, write func() error) error {
		if err := f(ops); err != nil {
			return err
		}
		return write()
	})
}

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

// Get, Query and Write are the table's below, where nothing gets in between.
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
	around := t.around
	t.mu.Unlock()
	var item store.Item
	write := func() (err error) {
		if item, err = t.Table.Write(ctx, change, ops...); err == nil {
			t.note(change)
		}
		return err
	}
	if around == nil {
		err := write()
		return item, err
	}
	err := around(ops, write)
	return item, err
}

// note keeps the change of a write, for a test that asks what was told.
func (t *Table) note(change events.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes++
	if !change.Empty() {
		t.changes = append(t.changes, change)
	}
}

// Lag is the table's below where the test follows its feed. Elsewhere there is nothing to wait for.
func (t *Table) Lag(follower string) func(context.Context) error {
	if f, is := t.Table.(store.Followed); is && t.readersWait {
		return f.Lag(follower)
	}
	return nil
}
