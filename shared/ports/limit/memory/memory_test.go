package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/limit/limittest"
	"eshop/shared/ports/store"
)

// table is as much of a store.Table as counters use.
type table struct {
	mu     sync.Mutex
	items  map[store.Key]*store.Item
	gets   int
	writes int
	fails  error
}

func newTable() *table { return &table{items: map[store.Key]*store.Item{}} }

func (t *table) Get(_ context.Context, keys ...store.Key) ([]*store.Item, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gets++
	found := make([]*store.Item, len(keys))
	for i, k := range keys {
		found[i] = t.items[k]
	}
	return found, t.fails
}

func (t *table) Query(context.Context, store.Query) (store.Page, error) {
	return store.Page{}, errors.New("counters never query")
}

func (t *table) Write(_ context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ops, err := store.Merge(ops)
	if err = errors.Join(err, t.fails); err != nil {
		return store.Item{}, err
	}
	if !change.Empty() {
		return store.Item{}, errors.New("counters tell nobody")
	}
	t.writes++
	for _, o := range ops {
		t.items[o.Key] = o.Apply(t.items[o.Key])
	}
	return store.Item{}, nil
}

var (
	noon   = time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)
	limits = limit.Limits{Hourly: 100, Daily: 1000}
)

func charge(t *testing.T, c *Counters, access string, cost int64, now time.Time) limit.Standing {
	t.Helper()
	s, err := c.Charge(context.Background(), access, limits, cost, now)
	require.NoError(t, err)
	return s
}

func TestCountersKeepTheirPromises(t *testing.T) {
	limittest.Run(t, func(*testing.T) limit.Counters { return Open(newTable()) })
}

func TestCountersKeepTheirPromisesWhileTheyAreWrittenDown(t *testing.T) {
	limittest.Run(t, func(t *testing.T) limit.Counters {
		c := Open(newTable())
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ctx.Err() == nil {
				_ = c.Flush(context.Background())
			}
		}()
		t.Cleanup(func() { cancel(); <-done })
		return c
	})
}

func TestCountsOutliveTheProcess(t *testing.T) {
	tab := newTable()
	first := Open(tab)
	charge(t, first, "a", 7, noon)
	charge(t, first, "a", 5, noon.Add(time.Hour))
	require.NoError(t, first.Flush(t.Context()))

	second := Open(tab)
	require.Equal(t, limit.Standing{Hourly: 93, Daily: 988}, charge(t, second, "a", 0, noon))
	require.Equal(t, limit.Standing{Hourly: 94, Daily: 987}, charge(t, second, "a", 1, noon.Add(time.Hour)))
}

// TestACrashForgetsWhatWasNotWrittenYet crashes between any charges, refunds and writes: what was charged until the
// last write counts on, exactly.
func TestACrashForgetsWhatWasNotWrittenYet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := newTable()
		c, now := Open(tab), noon
		charged, written := map[time.Time]int64{}, map[time.Time]int64{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			hour := now.Truncate(time.Hour)
			cost := rapid.SampledFrom([]int64{1, 1, 2, 10, 90}).Draw(t, "cost")
			steps := []string{"charge", "charge", "refund", "write", "fail", "hour", "crash"}
			switch rapid.SampledFrom(steps).Draw(t, "what") {
			case "charge":
				s, err := c.Charge(context.Background(), "a", limits, cost, now)
				require.NoError(t, err)
				if s.Refused == "" {
					charged[hour] += cost
				}
			case "refund":
				cost = min(cost, charged[hour])
				_, err := c.Refund(context.Background(), "a", limits, cost, now)
				require.NoError(t, err)
				charged[hour] -= cost
			case "write":
				require.NoError(t, c.Flush(context.Background()))
				written = maps.Clone(charged)
			case "fail":
				tab.fails = store.ErrUnavailable
				_ = c.Flush(context.Background())
				tab.fails = nil
			case "hour":
				now = now.Add(time.Hour)
			case "crash":
				c, charged = Open(tab), maps.Clone(written)
			}
			used, err := c.Used(context.Background(), limit.Day{Access: "a", At: now})
			require.NoError(t, err)
			require.Equal(t, charged[now.Truncate(time.Hour)], used[0].Hours[now.Hour()])
		}
	})
}

func TestItemsAreSmallAndGoAwayAfterSomeDays(t *testing.T) {
	tab := newTable()
	c := Open(tab)
	charge(t, c, "a", 7, noon)
	require.NoError(t, c.Flush(t.Context()))
	item := tab.items[store.Key{PK: "a#20261121", SK: "A"}]
	require.NotNil(t, item)
	require.Equal(t, map[string]int64{"total": 7, "h12": 7}, item.Num)
	require.Equal(t, "2026-11-25T00:00:00Z", time.Unix(item.Expires, 0).UTC().Format(time.RFC3339))
}

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	tab := newTable()
	c := Open(tab)
	for i := range 250 {
		charge(t, c, strconv.Itoa(i), 1, noon)
	}
	require.NoError(t, c.Flush(t.Context()))
	require.Equal(t, 3, tab.writes, "250 accesses, 100 in a write")
	charge(t, c, "7", 0, noon)
	charge(t, c, "7", 1000, noon) // refused
	require.NoError(t, c.Flush(t.Context()))
	require.Equal(t, 3, tab.writes)
	charge(t, c, "7", 1, noon)
	require.NoError(t, c.Flush(t.Context()))
	require.Equal(t, 4, tab.writes)
}

func TestATableThatFailsLosesNoCounts(t *testing.T) {
	tab := newTable()
	c := Open(tab)
	charge(t, c, "a", 7, noon)
	tab.fails = store.ErrUnavailable
	require.ErrorIs(t, c.Flush(t.Context()), store.ErrUnavailable)
	require.Equal(t, int64(92), charge(t, c, "a", 1, noon).Hourly, "what is in memory still counts")
	_, err := c.Charge(t.Context(), "unknown", limits, 1, noon)
	require.ErrorIs(t, err, store.ErrUnavailable, "what cannot be read is told")
	tab.fails = nil
	require.NoError(t, c.Flush(t.Context()))
	require.Equal(t, int64(92), charge(t, Open(tab), "a", 0, noon).Hourly)
}

func TestOldDaysLeaveTheMemoryAndNotTheTable(t *testing.T) {
	tab := newTable()
	c := Open(tab)
	for d := range 10 {
		charge(t, c, "a", 1, noon.AddDate(0, 0, d))
		require.NoError(t, c.Flush(t.Context()))
	}
	require.Len(t, c.days, 2)
	s, err := c.Refund(t.Context(), "a", limits, 1, noon)
	require.NoError(t, err)
	require.Equal(t, limit.Standing{Hourly: 100, Daily: 1000}, s)
}

func TestRunWritesEachSecondAndAtTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := newTable()
		c := Open(tab)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		charge(t, c, "a", 1, noon)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, tab.writes)
		charge(t, c, "a", 1, noon)
		stop()
		require.NoError(t, <-ended)
		require.Equal(t, int64(98), charge(t, Open(tab), "a", 0, noon).Hourly)
	})
}

func TestAChargeIsOneCallOfTheBudget(t *testing.T) {
	c := Open(newTable())
	ctx, m := store.WithMeter(t.Context())
	_, err := c.Charge(ctx, "a", limits, 1, noon)
	require.NoError(t, err)
	_, write := m.Units()
	require.Equal(t, 1, m.Calls())
	require.InDelta(t, 1, write, 0)
}

func BenchmarkCharge(b *testing.B) {
	c := Open(newTable())
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = c.Charge(ctx, "01JDABCDEFGHJKMNPQRSTVWXYZ", limit.Max, 1, noon)
	}
}

func BenchmarkChargeInParallel(b *testing.B) {
	c := Open(newTable())
	ctx := context.Background()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			_, _ = c.Charge(ctx, fmt.Sprint(i%100), limit.Max, 1, noon)
		}
	})
}
