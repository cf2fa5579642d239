package main

import (
	"slices"
	"time"

	"eshop/shared/bill"
)

// scenario is an event, on top of what comes otherwise.
type scenario struct {
	name  string
	set   string // how the stack is set, in words
	setup Setup
	base  float64       // what comes before and meanwhile, times the day's mean; after it the mean
	lasts time.Duration // 0: until all is imported
	begin func(w *world)
	moves bool // others notice it: the guide's page says so, and what would mend it
}

// How long a run goes on: until its queues are as full as usual, the usual being counted for a while, and then until
// all is as before.
const (
	warmUp = time.Minute
	usual  = 3 * time.Minute
	most   = 3 * time.Hour
)

// scenarios are the events that the guide's page has, in its order.
func scenarios() []scenario {
	peak, today, raised, more := large().peak, Today(), DoubleQuotas(), MoreBatches()
	const asIs, quotas, batches = "as it is", "quotas of 80,000", "1,000 batches"
	const ten, half = 10 * time.Minute, 30 * time.Minute
	return []scenario{
		{"the busiest ten minutes", asIs, today, 1, ten, func(w *world) { w.rate = peak }, false},
		{"a flash sale", asIs, today, 1, ten, flashSale, true},
		{"a flash sale in them", asIs, today, peak, ten, flashSale, true},
		{"a flash sale in them", quotas, raised, peak, ten, flashSale, false},
		{"50 imports", asIs, today, 1, 0, imports, false},
		{"50 imports in them", asIs, today, peak, 0, imports, false},
		{"slow receivers", asIs, today, 1, half, slowReceivers, false},
		{"slow receivers in them", asIs, today, peak, half, slowReceivers, true},
		{"slow receivers in them", batches, more, peak, half, slowReceivers, false},
	}
}

// flashSale has the orders of one shop change as often as the key of their list takes.
func flashSale(w *world) {
	w.are(func(i int) bool { return i < w.heard })
	w.flash = keyUnits / 2
}

// imports has 50 shops import 100,000 new products each at once.
func imports(w *world) {
	w.are(func(i int) bool { return i >= w.heard && i < 51*w.heard })
	w.storm(50, 100_000)
}

// slowReceivers has every tenth receiver answer after 9 s, and from the middle on no more.
func slowReceivers(w *world) {
	w.are(func(i int) bool { return i%10 == 0 })
	began := w.now
	w.ill = func(now time.Duration) (time.Duration, bool) {
		if now-began < 15*time.Minute {
			return 9 * time.Second, false
		}
		return wholeAttempt, true
	}
}

// are says which receivers are part of the event.
func (w *world) are(in func(i int) bool) {
	for i := range w.receivers {
		w.receivers[i].in = in(i)
	}
}

// result is what a run shows.
type result struct {
	before, during   pace          // of first attempts at receivers that are no part of the event
	seen                           // in the event and until it is as before
	back             time.Duration // from the event's end until it is as before
	owed, kept, lost int           // webhooks; those that were delivered or are owed still; those of changes given up
}

// pace is how long half of the attempts wait at most, and 99 of 100.
type pace struct{ half, most time.Duration }

// seen is what is seen of the world since it was last forgotten.
type seen struct {
	waits   waits         // of first attempts, since their change
	backlog int           // webhooks that waited, at most
	calls   int           // of all functions behind the door, at most
	full    []string      // what had no room, in the order in which that came
	door    time.Duration // the longest that a request waited for the table
	call    time.Duration // the longest call of the batcher
	bell    time.Duration // the longest wait of a first attempt
	found   time.Duration // the longest until a record of an import was indexed
}

func (s *seen) pace() pace { return pace{s.waits.share(0.5), s.waits.share(0.99)} }

// run runs the scenario in a new world.
func (s scenario) run(seed uint64) (r result) {
	w := newWorld(s.setup, large(), seed)
	w.rate = s.base
	w.until(warmUp)
	w.seen = seen{}
	w.until(warmUp + usual)
	r.before = w.seen.pace()
	asBefore := w.seen.backlog
	w.seen = seen{}
	s.begin(w)
	w.until(w.now + s.lasts)
	for w.files+w.importing > 0 {
		w.until(w.now + time.Second)
	}
	end := w.now
	w.rate, w.flash, w.ill = 1, 0, nil
	for w.until(end + time.Second); w.waiting() > asBefore && w.now < end+most; {
		w.until(w.now + time.Second)
	}
	r.back, r.during = w.now-end, w.seen.pace()
	for w.indexing > 0 && w.now < end+most {
		w.until(w.now + time.Second)
	}
	r.seen = w.seen
	r.owed, r.kept, r.lost = w.owed, w.delivered+w.exhausted+w.still(), w.lost
	return r
}

// until lets simulated time pass.
func (w *world) until(t time.Duration) {
	for w.events[0].at <= t {
		w.step()
	}
	w.now = t
}

// waiting is how many webhooks wait for an attempt.
func (w *world) waiting() int {
	n := w.fresh.size + w.retry.size + w.parked + w.delayed
	for i := range w.lanes {
		n += w.lanes[i].len() * w.heard
	}
	return n
}

// still is how many webhooks are owed, wherever they are.
func (w *world) still() int {
	n := w.onWay + w.cutNow*w.heard + w.waiting()
	for _, l := range []*line{w.fresh, w.retry} { // less what else is in the queues
		n -= l.others()
	}
	return n
}

// look sees each second what has no room.
func (w *world) look() {
	w.seen.backlog = max(w.seen.backlog, w.waiting())
	w.seen.calls = max(w.seen.calls, w.fresh.busy+w.retry.busy+w.cutting+w.indexing+w.importing)
	for _, l := range []*line{w.fresh, w.retry} {
		if l.busy == l.Parallel && l.size > l.busy*l.batch {
			w.isFull("the queue `" + string(l.Resource) + "`")
		}
		l.scale()
		w.dispatch(l)
	}
	for _, u := range []*units{&w.main, &w.pipeline, &w.list, &w.feed, &w.rows} {
		if u.free > w.now {
			w.isFull(u.name)
		}
	}
	w.after(time.Second, w.look)
}

// isFull notes what has no room.
func (w *world) isFull(what string) {
	if !slices.Contains(w.seen.full, what) {
		w.seen.full = append(w.seen.full, what)
	}
}

// doorCalls are the calls at once that requests take in the busiest seconds.
func doorCalls() float64 {
	l := bill.Large()
	l.Webhooks = 0
	for _, wall := range l.Walls() {
		if wall.Name == "Lambda" {
			return wall.Needs
		}
	}
	panic("scale: the bill knows no wall of Lambda")
}
