package main

import (
	"math/rand/v2"
	"time"

	"eshop/shared/bill"
	"eshop/shared/inflight"
	"eshop/shared/webhook"
)

// world is the pipeline.
type world struct {
	clock
	Setup
	load
	receivers      []receiver
	lanes          []fifo[change]
	cutting        int // batches of the batcher under way
	fresh, retry   *line
	main, pipeline units
	sweeper        units
	list, feed     units // the keys of the shop of the event: its list by changes, its row in the feed,
	rows           units // and a quarter of the deliveries of one of its accesses
	toIndex        fifo[told]
	indexing       int

	rate  float64                                          // times the day's mean
	ill   func(time.Duration) (took time.Duration, f bool) // how receivers of the event answer now
	flash float64                                          // changes a second of the shop of the event

	files, importing int // that wait for an importer, and are being imported

	owed, delivered, exhausted, lost int // webhooks
	cutNow, onWay, parked, delayed   int // where those are that are in no queue

	seen seen
}

// change is a change in the stream. One of an import tells of 500 rows.
type change struct {
	born uint32
	shop int32
}

// tick is how finely changes come.
const tick = 50 * time.Millisecond

// newWorld makes a world at the day's mean.
func newWorld(s Setup, l load, seed uint64) *world {
	w := &world{clock: clock{rand: rand.New(rand.NewPCG(seed, 1))}, Setup: s, load: l, rate: 1}
	w.receivers = make([]receiver, l.shops*l.heard)
	for i := range w.receivers {
		w.receivers[i].answers = time.Duration(fewestAnswerMs+w.rand.IntN(answersWithin)) * time.Millisecond
	}
	w.fresh, w.retry = newLine(s, s.fresh, l), newLine(s, s.retry, l)
	w.main = units{name: "the table `Main`", aSecond: s.tableUnits}
	w.pipeline = units{name: "the table `Pipeline`", aSecond: s.tableUnits}
	w.list, w.feed = units{name: "the key of its list", aSecond: keyUnits}, units{name: "the key of its feed",
		aSecond: keyUnits}
	w.rows = units{name: "the keys of its deliveries", aSecond: keyUnits}
	w.sweeper = units{aSecond: mostPerMinute * webhook.DueShards / 60.0}
	w.lanes = make([]fifo[change], l.shards*s.batcher.Feed.Parallel)
	for i := range w.lanes {
		w.after(w.upTo(s.batcher.Feed.Window), func() { w.handOver(i) })
	}
	w.after(0, w.come)
	w.after(0, w.look)
	return w
}

// come lets a tick's changes be made.
func (w *world) come() {
	w.seen.door = max(w.seen.door, w.main.take(w.now, w.doorWrites*w.rate*tick.Seconds()))
	w.pipeline.take(w.now, w.indexed*w.rate*tick.Seconds())
	for range w.many(w.changes * w.rate) {
		w.make(int32(1 + w.rand.IntN(w.shops-1)))
	}
	for range w.many(w.flash) { // 2 units in the list by changes
		w.after(w.list.take(w.now, 2), func() { w.make(0) })
	}
	w.after(tick, w.come)
}

// many is how many of so many a second come in a tick.
func (w *world) many(aSecond float64) int {
	n := aSecond * tick.Seconds()
	some := int(n)
	if w.rand.Float64() < n-float64(some) {
		some++
	}
	return some
}

// make makes a change of a record, whose key decides its lane.
func (w *world) make(shop int32) {
	w.owed += w.heard
	w.lanes[w.rand.IntN(len(w.lanes))].push(change{uint32(w.now.Milliseconds()), shop})
}

// handOver hands the batcher what came into a lane in a window, if it has a call left.
func (w *world) handOver(lane int) {
	var batch []change
	seen := uint32(max(0, w.now-streamLag-w.upTo(pollEvery)).Milliseconds())
	if w.cutting >= w.batcher.ReservedConcurrency {
		w.isFull("the calls of `batcher`")
		w.after(turnedAway, func() { w.handOver(lane) })
		return
	}
	for l := &w.lanes[lane]; l.len() > 0 && len(batch) < w.batcher.Feed.Batch && l.all[l.head].born <= seen; {
		batch = append(batch, l.pop())
	}
	next := func() { w.after(w.batcher.Feed.Window, func() { w.handOver(lane) }) }
	if len(batch) == 0 {
		next()
		return
	}
	w.cutting++
	w.cutNow += len(batch)
	took := w.cut(batch)
	w.seen.call = max(w.seen.call, took)
	w.after(took, func() {
		w.cutting--
		w.cutNow -= len(batch)
		for _, c := range batch {
			age := w.now - time.Duration(c.born)*time.Millisecond
			if age > w.batcher.Feed.MaxAge { // nobody hears of it
				w.lost += w.heard
				continue
			}
			for n := range w.heard {
				w.ring(bell{receiver: c.shop*int32(w.heard) + int32(n), born: c.born})
			}
		}
		w.dispatch(w.fresh)
		w.dispatch(w.retry)
		next()
	})
}

// cut is how long the batcher takes for a batch: it reads who listens, writes the rows and the feed side by side, and
// sends the bells ten by ten.
func (w *world) cut(batch []change) time.Duration {
	rows := len(batch) * (w.heard + 1)
	waits := w.pipeline.take(w.now, float64(rows))
	for _, c := range batch {
		if c.shop == 0 {
			waits = max(waits, w.feed.take(w.now, bill.Change.Writes))
			waits = max(waits, w.rows.take(w.now, bill.Webhook.Writes/webhook.RowShards))
		}
	}
	waves := 1 + over(len(batch), connections) + over(rows, connections) + over(len(batch)*w.heard, ringsTogether)
	return ownTime + time.Duration(waves)*waveTime + waits
}

// over is n over m, rounded up.
func over(n, m int) int { return (n + m - 1) / m }

// dispatch hands the delivery what waits in a queue, as far as it has batches left.
func (w *world) dispatch(l *line) {
	for l.size > 0 && l.busy < l.slots && l.onLoan+l.batch <= mostOnLoan {
		l.busy++
		w.deliver(l, l.take())
	}
}

// deliver makes the attempts of a batch. It is over when the last one is.
func (w *world) deliver(l *line, batch []bell) {
	for _, b := range batch {
		if b.kind == attempt {
			w.onWay++
		}
	}
	gathers := time.Duration(0) // a full batch goes at once
	if l.Window > 0 && len(batch) < l.batch {
		gathers = w.upTo(l.Window)
	}
	claims := w.pipeline.take(w.now, float64(len(batch))) // and it reads whom they are for
	w.after(gathers+ownTime+2*waveTime+claims, func() {
		longest, sent := time.Duration(0), make([]bell, 0, len(batch))
		for _, b := range batch {
			if w.goes(&b) {
				longest = max(longest, w.begin(&b))
				sent = append(sent, b)
			}
		}
		w.after(longest, func() {
			w.after(waveTime+w.pipeline.take(w.now, float64(len(sent))), func() {
				for _, b := range sent {
					w.onWay--
					w.conclude(b)
				}
				l.giveBack(batch)
				w.dispatch(w.fresh)
				w.dispatch(w.retry)
			})
		})
	})
}

// goes says whether what the bell asks for is an attempt that may be made now. A probe makes one at what is parked.
func (w *world) goes(b *bell) bool {
	s := w.receivers[b.receiver].sick
	switch {
	case b.kind == step:
		w.letGo(*b)
		return false
	case b.kind == probe:
		if s.State != webhook.Failing || s.parked.len() == 0 {
			return false
		}
		*b = s.parked.pop()
		b.kind = probe
		w.parked--
		w.onWay++
	case s != nil && s.State != webhook.Enabled:
		w.onWay--
		w.park(s, *b)
		return false
	}
	return true
}

// begin begins an attempt, and says how long it takes.
func (w *world) begin(b *bell) (took time.Duration) {
	r := &w.receivers[b.receiver]
	if waited := w.now - time.Duration(b.born)*time.Millisecond; b.made == 0 && b.kind == attempt {
		w.seen.bell = max(w.seen.bell, waited)
		if !r.in {
			w.seen.waits.add(waited)
		}
	}
	took, b.fails = r.answers, false
	if r.in && w.ill != nil {
		took, b.fails = w.ill(w.now)
	}
	if took > inflight.Slow {
		w.after(inflight.Slow, func() { w.noteSlow(r) })
	}
	return took
}
