// Package memory counts requests in the one process: exactly, in memory, and written down ahead of what is used.
//
// # What a crash costs
//
// What the table says is never less than what was charged: so a crash gives nothing back. It is more by a block at
// most, 1 % of the smaller limit of the access and at least one request: so much a crash may cost (contract, section
// 10, "Limits over a crash"). A charge that is within what the table says touches memory alone. One that goes beyond it
// writes a block ahead and waits for that; a limit of 7,200 an hour has blocks of 72, one of 3 an hour blocks of 1.
// Each second the blocks of those who were charged are filled up, so that few charges wait. A stop writes the exact
// numbers.
//
// While the table cannot be written, charges count in memory alone, and a crash then gives back what was not written.
//
// # A tour
//
// Begin with memory.go: what comes in are charges, refunds and looks. Each finds its day in one of the shards, which
// reads it from the table when it is not there. Run fills up blocks with fill each second, forgets days that are over,
// and ends with Flush. day.go is what an access was charged on one UTC day, and what the table says of it; items.go is
// a day as an item of the table.
package memory

import (
	"context"
	"hash/maphash"
	"log/slog"
	"slices"
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

// fillEvery is how often blocks are filled up. maxWrite is how long a charge waits for the table, and lastFlush how
// long the last flush may take, at the stop, of the ten seconds that a stop has.
const (
	fillEvery = time.Second
	maxWrite  = 2 * time.Second
	lastFlush = 5 * time.Second
)

// Counters is a limit.Counters in memory. It has the counts of the newest day it was asked for and of the day before;
// older ones are read from the table when they are wanted.
type Counters struct {
	table  store.Table
	seed   maphash.Seed
	shards [shards]shard
	newest atomic.Int64 // day since 1970
	down   atomic.Bool  // the last write failed: charges do not wait for the table until one has been done
}

// shard is the counters of some of the accesses.
type shard struct {
	mu    sync.Mutex
	days  map[dayKey]*day
	dirty []*day // those that changed since they were last written down
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
		all[i] = limit.Used(d.counts)
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
	return limit.Used(d.counts), true
}

// units are what the same step takes on AWS: a read, or one conditional write.
func units(cost int64) (read, write float64) {
	if cost == 0 {
		return 1, 0
	}
	return 0, 1
}

// add charges, or with a negative cost gives back. It returns once the table says at least what was charged, and no
// more than a block above it.
func (c *Counters) add(access string, l limit.Limits, cost int64, now time.Time) (limit.Standing, error) {
	at := now.Unix()
	k, hour := dayKey{access, at / secondsADay}, at%secondsADay/3600
	s := &c.shards[maphash.String(c.seed, access)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		d := s.days[k]
		if d == nil {
			var err error
			if d, err = c.load(s, k); err != nil {
				return limit.Standing{}, err
			}
		}
		standing := d.standing(l, cost, hour)
		if cost == 0 || standing.Refused != "" {
			return standing, nil
		}
		if d.block, d.hour = blockOf(l), hour; c.down.Load() || d.covers(cost, hour) {
			s.markDirty(d)
			d.add(cost, hour)
			for !c.down.Load() && d.excess(hour) > d.block { // much was given back
				c.write(s, d, d.ahead(0))
			}
			return d.standing(l, 0, hour), nil
		}
		c.write(s, d, d.ahead(cost))
	}
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
	d.written = d.counts
	s.days[k] = d
	if newest := c.newest.Load(); k.day > newest {
		c.newest.CompareAndSwap(newest, k.day)
	}
	return d, nil
}

// write writes a day down and waits for it; first, if the day is being written already, for that alone. The shard's
// lock is held, but not while the table is written. What could not be written is written by the next fill.
func (c *Counters) write(s *shard, d *day, to counts) {
	if written := d.writing; written != nil {
		s.mu.Unlock()
		<-written
		s.mu.Lock()
		return
	}
	done := d.begin(to)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), maxWrite)
	defer cancel()
	_, err := c.table.Write(ctx, events.Nothing, store.Put(d.item(to)))
	s.mu.Lock()
	c.end(s, d, to, err)
	close(done)
}

// end notes what came of the write of a day. The shard's lock is held.
func (c *Counters) end(s *shard, d *day, to counts, err error) {
	c.down.Store(err != nil)
	d.writing = nil
	if err != nil {
		s.markDirty(d)
		return
	}
	d.written = to
}

// Flush writes the exact numbers of all days that are not in the table as they are. What could not be written is
// written by the next one.
func (c *Counters) Flush(ctx context.Context) error {
	c.markInexact(c.newest.Load() + 1)
	return c.flush(ctx, func(d *day) counts { return d.counts })
}

// markInexact marks days before the given one that are not in the table exactly.
func (c *Counters) markInexact(before int64) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for k, d := range s.days {
			if k.day < before && d.counts != d.written {
				s.markDirty(d)
			}
		}
		s.mu.Unlock()
	}
}

// fill writes down what was charged since it was called last, a block ahead, and forgets days that are over, which it
// writes down exactly.
func (c *Counters) fill(ctx context.Context) error {
	c.markInexact(c.newest.Load() - 1)
	err := c.flush(ctx, func(d *day) counts {
		if d.day < c.newest.Load() {
			return d.counts
		}
		return d.ahead(0)
	})
	if err == nil {
		c.evict()
	}
	return err
}

// flush writes dirty days as to says. Those that are being written stay dirty.
func (c *Counters) flush(ctx context.Context, to func(*day) counts) error {
	var failed error
	for days := range slices.Chunk(c.dirty(), store.MaxOperations) {
		writes := c.begin(days, to)
		ops := make([]store.Op, 0, len(writes))
		for _, w := range writes {
			ops = append(ops, store.Put(w.day.item(w.to)))
		}
		err := failed
		if err == nil && len(ops) > 0 {
			_, err = c.table.Write(ctx, events.Nothing, ops...)
		}
		for _, w := range writes {
			s := c.shard(w.day)
			s.mu.Lock()
			c.end(s, w.day, w.to, err)
			close(w.done)
			s.mu.Unlock()
		}
		failed = err
	}
	return failed
}

// dayWrite is the write of a day under way.
type dayWrite struct {
	day  *day
	to   counts
	done chan struct{}
}

// begin begins to write days, except those that are being written.
func (c *Counters) begin(days []*day, to func(*day) counts) (all []dayWrite) {
	for _, d := range days {
		s := c.shard(d)
		s.mu.Lock()
		if d.writing != nil {
			s.markDirty(d)
		} else {
			w := dayWrite{day: d, to: to(d)}
			w.done = d.begin(w.to)
			all = append(all, w)
		}
		s.mu.Unlock()
	}
	return all
}

// dirty are the dirty days, which are not dirty from then on.
func (c *Counters) dirty() (all []*day) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for _, d := range s.dirty {
			d.dirty = false
		}
		all = append(all, s.dirty...)
		s.dirty = nil
		s.mu.Unlock()
	}
	return all
}

// markDirty marks a day as changed since it was last written down. The shard's lock is held.
func (s *shard) markDirty(d *day) {
	if !d.dirty {
		d.dirty = true
		s.dirty = append(s.dirty, d)
	}
}

func (c *Counters) shard(d *day) *shard { return &c.shards[maphash.String(c.seed, d.access)%shards] }

// evict drops days before yesterday that are in the table exactly.
func (c *Counters) evict() {
	oldest := c.newest.Load() - 1
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for k, d := range s.days {
			if k.day < oldest && d.counts == d.written && d.writing == nil {
				delete(s.days, k)
			}
		}
		s.mu.Unlock()
	}
}

// Run fills up blocks each second until ctx ends, and flushes then: end it after the last request. It returns the error
// of the flush; the others are logged, and tried again.
func (c *Counters) Run(ctx context.Context) error {
	tick := time.NewTicker(fillEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			return c.Flush(last)
		case <-tick.C:
			if err := guard.Do(ctx, func() error { return c.fill(ctx) }); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "the rate limit counters were not written down", "error", err)
			}
		}
	}
}
