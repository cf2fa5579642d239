package main

import (
	"math/rand/v2"
	"time"
)

// clock is simulated time: what is to happen, in its order.
type clock struct {
	now    time.Duration
	events []event // a heap
	n      uint64
	rand   *rand.Rand
}

// event happens at its time, of several at one time in the order in which they were asked for.
type event struct {
	at time.Duration
	n  uint64
	do func()
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.n < o.n }

// after lets something happen so much later.
func (c *clock) after(d time.Duration, do func()) {
	c.n++
	c.events = append(c.events, event{c.now + d, c.n, do})
	for i := len(c.events) - 1; i > 0; {
		up := (i - 1) / 2
		if c.events[up].before(c.events[i]) {
			break
		}
		c.events[i], c.events[up], i = c.events[up], c.events[i], up
	}
}

// step lets the next event happen.
func (c *clock) step() {
	next, last := c.events[0], len(c.events)-1
	c.events[0], c.events[last] = c.events[last], event{}
	c.events = c.events[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < last && c.events[down+1].before(c.events[down]) {
			down++
		}
		if down >= last || c.events[i].before(c.events[down]) {
			break
		}
		c.events[i], c.events[down], i = c.events[down], c.events[i], down
	}
	c.now = next.at
	next.do()
}

// upTo is a random time below d.
func (c *clock) upTo(d time.Duration) time.Duration { return time.Duration(c.rand.Int64N(int64(d))) }

// units are the write units a second that a table or a key takes. A call that finds none left is made again until it
// does, as shared/store/dynamo does, so whoever comes too late waits. What was not used in the last second may be.
type units struct {
	name    string
	aSecond float64
	free    time.Duration // when there are units again
}

// take takes units, and returns how long the caller waits for them.
func (u *units) take(now time.Duration, n float64) time.Duration {
	u.free = max(u.free, now-time.Second) + time.Duration(n/u.aSecond*float64(time.Second))
	return max(0, u.free-now)
}

// fifo holds what waits, the oldest first.
type fifo[T any] struct {
	all  []T
	head int
}

func (f *fifo[T]) len() int { return len(f.all) - f.head }

func (f *fifo[T]) push(v T) { f.all = append(f.all, v) }

func (f *fifo[T]) pop() T {
	v := f.all[f.head]
	if f.head++; f.head > 1024 && 2*f.head > len(f.all) {
		f.all, f.head = append(f.all[:0], f.all[f.head:]...), 0
	}
	return v
}

// waits counts waiting times by tens of milliseconds.
type waits struct {
	by []int
	n  int
}

func (w *waits) add(d time.Duration) {
	at := int(d / (10 * time.Millisecond))
	for len(w.by) <= at {
		w.by = append(w.by, make([]int, at+1)...)
	}
	w.by[at]++
	w.n++
}

// share is the time within which so much of them are.
func (w *waits) share(of float64) time.Duration {
	left := int(of * float64(w.n))
	for at, n := range w.by {
		if left -= n; left < 0 {
			return time.Duration(at+1) * 10 * time.Millisecond
		}
	}
	return 0
}
