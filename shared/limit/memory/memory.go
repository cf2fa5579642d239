// Package memory counts requests in the one process: exactly, in memory, written down each second and at the stop.
// After a crash at most the last second's counts are lost.
//
// # A tour
//
// Begin with memory.go: what comes in are charges, refunds and looks. Each finds its day, the counts of one access on
// one UTC day, in one of the shards, which reads it from the table when it is not there. Run writes changed days down
// with Flush, which also forgets days that are over. items.go is a day as an item of the table.
package memory

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/limit"
	"eshop/shared/store"
)

// shards is how many locks the accesses share: so many that one seldom waits for another.
const shards = 64

// flushEvery is how often counts are written down: what a crash can lose. lastFlush is how long the last one may take,
// at the stop, of the ten seconds that a stop has.
const (
	flushEvery = time.Second
	lastFlush  = 5 * time.Second
)

// Counters is a limit.Counters in memory. It has the counts of the newest day it was asked for and of the day before;
// older ones are read from the table when they are wanted.
type Counters struct {
	table  store.Table
	seed   maphash.Seed
	shards [shards]shard
	newest atomic.Int64 // day since 1970
	writes sync.Mutex   // one Flush at a time, so that an older count never overwrites a newer
}

// shard is the counters of some of the accesses.
type shard struct {
	mu    sync.Mutex
	days  map[dayKey]*day
	dirty []*day // those that changed since they were last written down
}

// dayKey names the counts of one access on one day.
type dayKey struct {
	access string
	day    int64 // since 1970, UTC
}

// day is what an access was charged on one day.
type day struct {
	dayKey
	total int64
	hours [24]int64
	dirty bool // changed since it was last written down, and among its shard's dirty days
}

// Open makes counters that go on with what the table holds. Nothing is read until an access is charged.
func Open(table store.Table) *Counters {
	c := &Counters{table: table, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].days = map[dayKey]*day{}
	}
	return c
}

// Charge implements limit.Counters.
func (c *Counters) Charge(ctx context.Context, access string, l limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	done := store.MeterOf(ctx).Begin()
	s, err := c.add(access, l, cost, now)
	done(units(cost))
	return s, err
}

// Refund implements limit.Counters.
func (c *Counters) Refund(ctx context.Context, access string, l limit.Limits, cost int64, charged time.Time) (
	limit.Standing, error,
) {
	done := store.MeterOf(ctx).Begin()
	s, err := c.add(access, l, -cost, charged)
	done(units(cost))
	return s, err
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
	var left []int
	for i, asked := range days {
		k := dayKey{asked.Access, asked.At.Unix() / secondsADay}
		if used, here := c.used(k); here {
			all[i] = used
		} else {
			keys, left = append(keys, key(k)), append(left, i)
		}
	}
	items, err := store.GetAll(context.Background(), c.table, keys)
	if err != nil {
		return nil, err
	}
	for n, i := range left {
		d := day{}
		d.read(items[n])
		all[i] = limit.Used{Total: d.total, Hours: d.hours}
	}
	return all, nil
}

// used is what memory has of a day; false when it is not there.
func (c *Counters) used(k dayKey) (limit.Used, bool) {
	s := &c.shards[maphash.String(c.seed, k.access)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.days[k]
	if d == nil {
		return limit.Used{}, false
	}
	return limit.Used{Total: d.total, Hours: d.hours}, true
}

// units are what the same step takes on AWS: a read, or one conditional write.
func units(cost int64) (read, write float64) {
	if cost == 0 {
		return 1, 0
	}
	return 0, 1
}

func (c *Counters) add(access string, l limit.Limits, cost int64, now time.Time) (limit.Standing, error) {
	at := now.Unix()
	k := dayKey{access, at / secondsADay}
	s := &c.shards[maphash.String(c.seed, access)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.days[k]
	if d == nil {
		var err error
		if d, err = c.load(s, k); err != nil {
			return limit.Standing{}, err
		}
	}
	standing := d.add(l, cost, at%secondsADay/3600)
	if cost != 0 && standing.Refused == "" && !d.dirty {
		d.dirty = true
		s.dirty = append(s.dirty, d)
	}
	return standing, nil
}

// add charges, or with a negative cost gives back, and says how it stands.
func (d *day) add(l limit.Limits, cost, hour int64) limit.Standing {
	used := &d.hours[hour]
	refused := limit.Window("")
	switch {
	case cost > 0 && cost > l.Daily-d.total:
		refused = limit.Daily
	case cost > 0 && cost > l.Hourly-*used:
		refused = limit.Hourly
	default:
		d.total = max(0, d.total+cost)
		*used = max(0, *used+cost)
	}
	return limit.Standing{Hourly: max(0, l.Hourly-*used), Daily: max(0, l.Daily-d.total), Refused: refused}
}

// load reads the counts of a day into the shard, whose lock is held, but not while the table is read. The read has a
// context of its own: what is loaded serves every request, and is no part of the budget of this one.
func (c *Counters) load(s *shard, k dayKey) (*day, error) {
	s.mu.Unlock()
	found, err := c.table.Get(context.Background(), key(k))
	s.mu.Lock()
	if err != nil {
		return nil, err
	}
	if d := s.days[k]; d != nil {
		return d, nil // another request was faster
	}
	d := &day{dayKey: k}
	d.read(found[0])
	s.days[k] = d
	if newest := c.newest.Load(); k.day > newest {
		c.newest.CompareAndSwap(newest, k.day)
	}
	return d, nil
}

// Flush writes down what has changed since the last Flush, and forgets days that are over. What could not be written is
// written by the next one.
func (c *Counters) Flush(ctx context.Context) error {
	c.writes.Lock()
	defer c.writes.Unlock()
	changed, ops := c.changed()
	for from := 0; from < len(ops); from += store.MaxOperations {
		to := min(from+store.MaxOperations, len(ops))
		if _, err := c.table.Write(ctx, events.Nothing, ops[from:to]...); err != nil {
			c.markDirty(changed[from:])
			return err
		}
	}
	c.evict()
	return nil
}

// changed are the days that are not as in the table, and what writes them. From then on they count as written.
func (c *Counters) changed() (all []*day, ops []store.Op) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for _, d := range s.dirty {
			d.dirty = false
			all = append(all, d)
			ops = append(ops, store.Put(d.item()))
		}
		s.dirty = nil
		s.mu.Unlock()
	}
	return all, ops
}

// markDirty marks days that could not be written.
func (c *Counters) markDirty(days []*day) {
	for _, d := range days {
		s := &c.shards[maphash.String(c.seed, d.access)%shards]
		s.mu.Lock()
		if !d.dirty {
			d.dirty = true
			s.dirty = append(s.dirty, d)
		}
		s.mu.Unlock()
	}
}

// evict drops days before yesterday that are as in the table.
func (c *Counters) evict() {
	oldest := c.newest.Load() - 1
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for k, d := range s.days {
			if k.day < oldest && !d.dirty {
				delete(s.days, k)
			}
		}
		s.mu.Unlock()
	}
}

// Run flushes each second until ctx ends, and once more then: end it after the last request. It returns the error of
// that last time; the others are logged, and tried again.
func (c *Counters) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
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
