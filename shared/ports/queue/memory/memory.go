// Package memory is the one process's queue. Its messages are bells, which ring for rows that are kept elsewhere: so it
// is bounded and forgets everything at the end of the process, and its owner fills it from the waiting rows at the
// start and whenever Refill says so. It takes turns between groups, so that one tenant's backlog holds up nobody else.
//
// # A tour
//
// Begin with memory.go: a message comes in by Send. One without a delay is ready at once (ready.go), any other is due
// later (due.go). Receive lends out ready messages, each group in turn. A lent message is deleted, or is
// due again when its visibility ends; received too often, it goes out to the dead queue.
//
// # Glossary
//
//   - ready: may be received now; due: is to be ready, or ready again, at a moment.
//   - on loan: received, and neither deleted nor seen again yet.
//   - receipt: names one loan of a message. One of an earlier loan is overtaken, and does nothing.
//   - line: the ready messages of one group, the oldest first.
//   - drop: to leave out a message for want of room; its row still waits, and is rung for after Refill.
package memory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eshop/shared/ports/queue"
)

// Bound is how many messages are kept when New is not told otherwise.
const Bound = 10_000

// Queue is a queue.Queue in memory. Unlike SQS it lets Receive take more than queue.MaxBatch: as many as the caller
// asks for.
type Queue struct {
	settings queue.Settings
	dead     *Queue
	bound    int
	start    time.Time // what due times count from
	refill   chan struct{}

	mu      sync.Mutex
	last    uint64 // the id of the newest message
	ready   ready
	due     due                           // delayed and on loan, by when they are to be seen
	onLoan  map[string]*entry             // those that Delete knows, by their receipts
	delayed int                           // those never yet seen
	dropped struct{ ready, delayed bool } // whether some were, since the owner was last told to refill
	waiting []chan struct{}               // receivers, the longest waiting first
}

// entry is one message. It stands in a group's line (ready), or in due (delayed or on loan), or is gone.
type entry struct {
	id      uint64
	body    string
	group   string
	count   int
	receipt string        // of the last receipt
	at      time.Duration // since the queue's start; of one in due
	index   int           // in due
	lent    bool
}

// New makes an empty queue that keeps at most bound messages ready and as many delayed (0: Bound). Messages received
// settings.MaxReceives times go to dead; without a dead queue they come for ever.
func New(settings queue.Settings, dead *Queue, bound int) *Queue {
	if bound == 0 {
		bound = Bound
	}
	return &Queue{settings: settings, dead: dead, bound: bound, start: time.Now(),
		refill: make(chan struct{}, 1), onLoan: map[string]*entry{}, ready: newReady()}
}

// Refill gets a value when messages were dropped for want of room and there is room again. The owner then sends what
// waits in its rows; some of that may still be queued.
func (q *Queue) Refill() <-chan struct{} { return q.refill }

// Depth is how many messages are ready, delayed and on loan now.
func (q *Queue) Depth() (ready, delayed, onLoan int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.showDue(q.now())
	return q.ready.n, q.delayed, len(q.onLoan)
}

// Send implements queue.Queue. If there is no room it drops a message, without an error, of the group that has the
// most, so no group can take the room of another. The owner hears of it by Refill.
func (q *Queue) Send(_ context.Context, messages ...queue.Message) error {
	for _, m := range messages {
		if err := check(m); err != nil {
			return err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	for _, m := range messages {
		q.put(m, now)
	}
	q.wake(len(messages))
	return nil
}

// check is an error of a message that SQS would not take.
func check(m queue.Message) error {
	if len(m.Body) > queue.MaxMessage {
		return fmt.Errorf("queue: a body of %d bytes, over %d", len(m.Body), queue.MaxMessage)
	}
	if m.Delay < 0 || m.Delay > queue.MaxDelay {
		return fmt.Errorf("queue: a delay of %s, not of 0 to %s", m.Delay, queue.MaxDelay)
	}
	return nil
}

// put takes a message in, unless there is no room for it. Its caller holds the lock.
func (q *Queue) put(m queue.Message, now time.Duration) {
	q.last++
	e := &entry{id: q.last, body: m.Body, group: m.Group, at: now + m.Delay}
	switch {
	case m.Delay == 0:
		q.dropped.ready = !q.ready.add(e, q.bound) || q.dropped.ready
	case q.delayed < q.bound:
		q.delayed++
		q.due.push(e)
	default:
		q.dropped.delayed = true
	}
}

// Receive implements queue.Queue. It takes one message of each group in turn.
func (q *Queue) Receive(ctx context.Context, most int, wait time.Duration) ([]queue.Received, error) {
	end := q.now() + wait
	for {
		if err := ctx.Err(); err != nil {
			q.passOn()
			return nil, err
		}
		got, ring, next := q.receive(most, end)
		if len(got) > 0 || ring == nil {
			return got, nil
		}
		// Until a message may be there, the wait is over, or the soonest due message is due.
		q.sleep(ctx, ring, next)
	}
}

// receive lends out what is ready. If nothing is, and end is still to come, it returns a channel that rings when there
// may be something, and how long to wait for it.
func (q *Queue) receive(most int, end time.Duration) (got []queue.Received, ring chan struct{}, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	q.showDue(now)
	for len(got) < most && q.ready.n > 0 {
		if got == nil {
			got = make([]queue.Received, 0, min(most, q.ready.n))
		}
		got = append(got, q.lend(q.ready.take(), now))
	}
	q.noteRoom()
	if len(got) > 0 || now >= end || most <= 0 {
		q.wake(1) // another receiver goes on with what is left
		return got, nil, 0
	}
	ring = make(chan struct{}, 1)
	q.waiting = append(q.waiting, ring)
	return nil, ring, min(end, q.due.next(end)) - now
}

// showDue makes messages ready that are due, and makes those dead letters that were received too often. Its caller
// holds the lock.
func (q *Queue) showDue(now time.Duration) {
	for e := q.due.popUntil(now); e != nil; e = q.due.popUntil(now) {
		if !e.lent {
			q.delayed--
		}
		q.show(e)
	}
}

// show makes a message ready again, or dead.
func (q *Queue) show(entry *entry) {
	if entry.lent {
		delete(q.onLoan, entry.receipt)
		entry.lent = false
	}
	// As SQS does, a message is judged when it would be seen again, and not when its last receive fails.
	if q.dead != nil && q.settings.MaxReceives > 0 && entry.count >= q.settings.MaxReceives {
		// No error: the message was within the limits when it was sent.
		_ = q.dead.Send(context.Background(), queue.Message{Body: entry.body, Group: entry.group})
		return
	}
	q.ready.add(entry, math.MaxInt) // what was taken in is not dropped later
}

// lend hands a message out for the visibility: it comes back when that is over, unless it was deleted.
func (q *Queue) lend(e *entry, now time.Duration) queue.Received {
	e.count++
	e.lent = true
	e.at = now + q.settings.Visibility
	e.receipt = receipt(e.id, e.count)
	q.onLoan[e.receipt] = e
	q.due.push(e)
	id, _, _ := strings.Cut(e.receipt, ".")
	return queue.Received{ID: id, Body: e.body, Group: e.group, Count: e.count, Receipt: e.receipt}
}

// receipt names one loan of a message: its id, and how often it was received. A later loan has another receipt.
func receipt(id uint64, count int) string {
	b := strconv.AppendUint(make([]byte, 0, 24), id, 10)
	return string(strconv.AppendInt(append(b, '.'), int64(count), 10))
}

// noteRoom tells the owner to refill once there is room again for what was dropped. For ready messages that is when
// nearly all of their room is free, so that few come twice. For delayed ones it is when half is, since they may stay
// for long.
func (q *Queue) noteRoom() {
	forReady := q.dropped.ready && q.ready.n <= q.bound/10
	forDelayed := q.dropped.delayed && q.delayed <= q.bound/2
	if !forReady && !forDelayed {
		return
	}
	q.dropped.ready = q.dropped.ready && !forReady
	q.dropped.delayed = q.dropped.delayed && !forDelayed
	select {
	case q.refill <- struct{}{}:
	default:
	}
}

// sleep waits for the ring, the end of the context, or the time; then the receiver looks anew.
func (q *Queue) sleep(ctx context.Context, ring chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ring:
		return
	case <-ctx.Done():
	case <-timer.C:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w chan struct{}) bool { return w == ring })
}

// passOn is called by a receiver that leaves and may have been rung for: another one looks in its place.
func (q *Queue) passOn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake(1)
}

// wake rings for up to n waiting receivers, if there is anything that they could wait for.
func (q *Queue) wake(n int) {
	if q.ready.n == 0 && len(q.due) == 0 {
		return
	}
	for ; n > 0 && len(q.waiting) > 0; n-- {
		// The channel has room for this one value, so nobody waits here.
		q.waiting[0] <- struct{}{}
		q.waiting = q.waiting[1:]
	}
}

// Delete implements queue.Queue. A receipt of an earlier loan deletes nothing, without an error.
func (q *Queue) Delete(_ context.Context, messages ...queue.Received) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range messages {
		if e := q.onLoan[m.Receipt]; e != nil {
			delete(q.onLoan, e.receipt)
			q.due.remove(e)
		}
	}
	return nil
}

// Next is how long it takes until the soonest message is due that is delayed or on loan; false if there is none.
func (q *Queue) Next() (in time.Duration, waits bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.due.next(0) - q.now(), len(q.due) > 0
}

// Advance makes all messages due earlier by d, as if that time had passed.
func (q *Queue) Advance(d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.start = q.start.Add(-d)
	q.showDue(q.now())
	q.wake(len(q.waiting))
}

// now is the time since the queue was made, which no change of the wall clock moves.
func (q *Queue) now() time.Duration { return time.Since(q.start) }
