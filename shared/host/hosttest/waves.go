package hosttest

import (
	"context"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
)

// waves holds the calls of a request until so many are under way as its next wave has. No call may come behind the
// last.
type waves struct {
	mu       sync.Mutex
	sizes    []int         // of the waves to come
	arrived  int           // calls of the next wave that are under way
	open     chan struct{} // closed when the next wave is whole: its calls go on
	extra    int           // calls behind the last wave
	timedOut bool          // calls of a wave were waited for in vain
}

// waveTimeout is how long a wave is waited for: a test that hangs says less than one that fails.
const waveTimeout = time.Minute

// join waits for the other calls of the wave.
func (w *waves) join() {
	if w == nil {
		return
	}
	w.mu.Lock()
	if w.timedOut {
		w.mu.Unlock()
		return
	}
	if len(w.sizes) == 0 {
		w.extra++
		w.mu.Unlock()
		return
	}
	open := w.open
	if w.arrived++; w.arrived == w.sizes[0] {
		close(open)
		w.sizes, w.arrived, w.open = w.sizes[1:], 0, make(chan struct{})
	}
	w.mu.Unlock()
	select {
	case <-open:
	case <-time.After(waveTimeout):
		w.mu.Lock()
		w.timedOut = true
		w.mu.Unlock()
	}
}

// InWaves wants what a request asks of the tables and the counters to come in waves of so many calls, one behind the
// other, and no other store to be asked: calls of a wave must be under way at the same time.
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
	require.False(w.T, held.timedOut, "calls came one after the other that belong side by side")
	require.Empty(w.T, held.sizes, "waves that did not come")
	require.Zero(w.T, held.extra, "calls behind the last wave")
	require.Equal(w.T, calls, w.Meter().Calls(), "calls")
}

func (t *Table) hold(w *waves) { t.mu.Lock(); defer t.mu.Unlock(); t.waves = w }

// beside joins the calls of what stands beside the main table to its waves.
func (t *Table) beside() {
	t.mu.Lock()
	held := t.waves
	t.mu.Unlock()
	held.join()
}

// counters are those whose calls are calls of a wave, too.
type counters struct {
	limit.Counters
	main *Table
}

func (c counters) Charge(ctx context.Context, access string, l limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	c.main.beside()
	return c.Counters.Charge(ctx, access, l, cost, now)
}

func (c counters) Used(ctx context.Context, days ...limit.Day) ([]limit.Used, error) {
	c.main.beside()
	return c.Counters.Used(ctx, days...)
}

// pipeline is the table of deliveries, whose calls are calls of a wave, too.
func (t *Table) pipeline(rows store.Table) store.Table {
	return storetest.Faulty{Table: rows, Around: func(_ storetest.Call, do func() error) error {
		t.beside()
		return do()
	}}
}
