// Package memory counts requests in the one process: exactly, in a map, written down each second and at the stop. So a
// crash forgets at most the last second of what callers were charged (contract, "The one process"). While the table
// cannot be written, charges count in memory alone, and a crash forgets what was charged since then.
package memory

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
)

// writeEvery is how often charges are written down, and lastFlush how long the last flush may take, at the stop, of the
// ten seconds that a stop has.
const (
	writeEvery = time.Second
	lastFlush  = 5 * time.Second
)

// Counters is a limit.Counters in memory. It keeps the days that were charged. Once per new day Flush drops those
// before the day before the newest, if they are written; they are read from the table again when they are wanted.
type Counters struct {
	table    store.Table
	flushing sync.Mutex // held by the one flush under way

	mu      sync.Mutex
	days    map[dayKey]*limit.Used
	dirty   map[dayKey]bool // those that changed since they were last written down
	newest  int64           // day since 1970
	evicted int64           // the newest day when days were last dropped
}

// Open makes counters that go on with what the table holds. Each day is read from the table when it is
// first asked for.
func Open(table store.Table) *Counters {
	return &Counters{table: table, days: map[dayKey]*limit.Used{}, dirty: map[dayKey]bool{}}
}

// Charge implements limit.Counters.
func (c *Counters) Charge(ctx context.Context, access string, l limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	return c.add(ctx, access, l, cost, now)
}

// Refund implements limit.Counters.
func (c *Counters) Refund(ctx context.Context, access string, l limit.Limits, cost int64, charged time.Time) (
	limit.Standing, error,
) {
	return c.add(ctx, access, l, -cost, charged)
}

// Used implements limit.Counters. Days that are not in memory are read from the table, and not put into memory.
func (c *Counters) Used(ctx context.Context, days ...limit.Day) ([]limit.Used, error) {
	if len(days) == 0 {
		return nil, nil
	}
	done := store.MeterOf(ctx).Begin()
	defer done(float64(len(days)), 0)
	all := make([]limit.Used, len(days))
	var keys []store.Key
	var absent []int
	c.mu.Lock()
	for i, asked := range days {
		k := dayKey{asked.Access, asked.At.Unix() / secondsADay}
		if used := c.days[k]; used != nil {
			all[i] = *used
		} else {
			keys, absent = append(keys, key(k)), append(absent, i)
		}
	}
	c.mu.Unlock()
	items, err := store.GetAll(context.Background(), c.table, keys)
	if err != nil {
		return nil, err
	}
	for n, i := range absent {
		all[i] = usedOf(items[n])
	}
	return all, nil
}

// add charges, or with a negative cost gives back, never more than was charged. On AWS the same takes a read, or one
// conditional write.
func (c *Counters) add(ctx context.Context, access string, limits limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	done := store.MeterOf(ctx).Begin()
	if cost == 0 {
		defer done(1, 0)
	} else {
		defer done(0, 1)
	}
	at := now.Unix()
	k, hour := dayKey{access, at / secondsADay}, at%secondsADay/3600
	c.mu.Lock()
	defer c.mu.Unlock()
	used, err := c.load(k)
	if err != nil {
		return limit.Standing{}, err
	}
	s := limits.Left(used.Hours[hour], used.Total, cost)
	if cost == 0 || s.Refused != "" {
		return s, nil
	}
	used.Total, used.Hours[hour] = max(0, used.Total+cost), max(0, used.Hours[hour]+cost)
	c.dirty[k] = true
	return limits.Left(used.Hours[hour], used.Total, 0), nil
}

// load finds a day in memory, or reads it from the table. The lock is held, but not while the table is read. The read
// has a context of its own: what is loaded serves every request, and is no part of the budget of this one.
func (c *Counters) load(k dayKey) (*limit.Used, error) {
	if d := c.days[k]; d != nil {
		return d, nil
	}
	c.mu.Unlock()
	found, err := c.table.Get(context.Background(), key(k))
	c.mu.Lock()
	if err != nil {
		return nil, err
	}
	if d := c.days[k]; d != nil {
		return d, nil // another request was faster
	}
	d := usedOf(found[0])
	c.days[k] = &d
	c.newest = max(c.newest, k.day)
	return &d, nil
}

// Flush writes down all days that changed since the last one, then forgets those before yesterday. What could not be
// written is written by the next.
func (c *Counters) Flush(ctx context.Context) error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	c.mu.Lock()
	keys := make([]dayKey, 0, len(c.dirty))
	ops := make([]store.Op, 0, len(c.dirty))
	for k := range c.dirty {
		keys, ops = append(keys, k), append(ops, store.Put(k.item(*c.days[k])))
	}
	c.dirty = map[dayKey]bool{}
	c.mu.Unlock()

	for len(ops) > 0 {
		n := min(len(ops), store.MaxOperations)
		if _, err := c.table.Write(ctx, events.Nothing, ops[:n]...); err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, k := range keys {
				c.dirty[k] = true
			}
			return err
		}
		keys, ops = keys[n:], ops[n:]
	}
	c.evict()
	return nil
}

// evict drops days before yesterday that are in the table, once a day.
func (c *Counters) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.evicted == c.newest {
		return
	}
	c.evicted = c.newest
	for k := range c.days {
		if k.day < c.newest-1 && !c.dirty[k] {
			delete(c.days, k)
		}
	}
}

// Run writes charges down each second until ctx ends, and once more then: end it after the last request. It returns the
// error of the last flush; the others are logged, and tried again.
func (c *Counters) Run(ctx context.Context) error {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			return c.Flush(last)
		case <-tick.C:
			if err := guard.Do(ctx, func() error { return c.Flush(ctx) }); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "the rate limit counters were not written down", "error", err)
			}
		}
	}
}
