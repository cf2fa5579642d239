package hosttest

import (
	"context"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/limit"
)

// waves holds the calls of a request until so many are under way as its next wave has. No call may come behind the
// last.
type waves struct {
	mu    sync.Mutex
	sizes []int
	here  int
	open  chan struct{}
	extra int
	alone bool // calls of a wave were waited for in vain
}

// patience is how long a wave is waited for: a test that hangs says less than one that fails.
const patience = time.Minute

func (w *waves) join() {
	if w == nil {
		return
	}
	w.mu.Lock()
	if w.alone {
		w.mu.Unlock()
		return
	}
	if len(w.sizes) == 0 {
		w.extra++
		w.mu.Unlock()
		return
	}
	open := w.open
	if w.here++; w.here == w.sizes[0] {
		close(open)
		w.sizes, w.here, w.open = w.sizes[1:], 0, make(chan struct{})
	}
	w.mu.Unlock()
	select {
	case <-open:
	case <-time.After(patience):
		w.mu.Lock()
		w.alone = true
		w.mu.Unlock()
	}
}

// InWaves wants what a request asks of the main table and the counters to come in waves of so many calls, one behind
// the other, and no other store to be asked: calls of a wave must be under way at the same time.
func (w *World) InWaves(sizes []int, request func()) {
	w.T.Helper()
	calls := 0
	for _, n := range sizes {
		calls += n
	}
	held := &waves{sizes: sizes, open: make(chan struct{})}
	w.Main.hold(held)
	request()
	w.Main.hold(nil)
	require.False(w.T, held.alone, "calls came one after the other that belong side by side")
	require.Empty(w.T, held.sizes, "waves that did not come")
	require.Zero(w.T, held.extra, "calls behind the last wave")
	require.Equal(w.T, calls, w.Meter().Calls(), "calls")
}

func (t *Table) hold(w *waves) { t.mu.Lock(); defer t.mu.Unlock(); t.waves = w }

// counters are those whose calls are calls of a wave, too.
type counters struct {
	limit.Counters
	table *Table
}

func (c counters) Charge(ctx context.Context, access string, l limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	c.join()
	return c.Counters.Charge(ctx, access, l, cost, now)
}

func (c counters) Used(ctx context.Context, days ...limit.Day) ([]limit.Used, error) {
	c.join()
	return c.Counters.Used(ctx, days...)
}

func (c counters) join() {
	c.table.mu.Lock()
	held := c.table.waves
	c.table.mu.Unlock()
	held.join()
}
