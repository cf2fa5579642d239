package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
)

// Near is a table of the one process as a life of it sees it: some calls may be refused.
func (l *Life) Near(t store.Table) store.Table { return table{Table: t, life: l} }

// Far is a table of DynamoDB as a life of the functions sees it, with the transactions that are under way there.
func (l *Life) Far(t store.Table, under *transactions) store.Table { return table{t, l, under} }

// What takes time on AWS, as its own figures and our measurements there say: DynamoDB within one region, a send to SQS,
// and how often a mapping looks at a shard. No table is ever busy: it grows with what is asked of it.
const (
	getting       = 4 * time.Millisecond
	putting       = 6 * time.Millisecond
	inTransaction = 10 * time.Millisecond // a transaction, beside preparing
	preparing     = 5 * time.Millisecond  // how long a transaction holds its items
	sending       = 10 * time.Millisecond
	looking       = 250 * time.Millisecond
)

// table is a store whose calls take time if it is far, and fail while the process is cut off from it.
type table struct {
	store.Table
	life  *Life
	under *transactions // nil of a table that is near
}

func (t table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if err := t.reaches(getting); err != nil {
		return nil, err
	}
	return t.Table.Get(ctx, keys...)
}

func (t table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if err := t.reaches(getting); err != nil {
		return store.Page{}, err
	}
	return t.Table.Query(ctx, q)
}

// Write writes, and may lose the answer of a write that was done: the caller cannot tell.
func (t table) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	took := putting
	if len(ops) > 1 {
		took = inTransaction
	}
	if err := t.reaches(took); err != nil {
		return store.Item{}, err
	}
	free, err := t.hold(ctx, ops)
	if err != nil {
		return store.Item{}, err
	}
	defer free()
	i, err := t.Table.Write(ctx, c, ops...)
	if t.life.ended() || err == nil && t.life.suffers(unanswered) {
		return store.Item{}, store.ErrUnavailable
	}
	return i, err
}

// transactions are those that are under way at a table, by the items that they hold until they are committed. A write
// that meets one is refused, and so is a transaction, as DynamoDB does.
type transactions struct {
	mu   sync.Mutex
	held map[store.Key]bool
}

// take has a write begin, unless one of its items is held. A transaction holds its own.
func (u *transactions) take(ops []store.Op) (met bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, op := range ops {
		if u.held[op.Key] {
			return true
		}
	}
	for _, op := range ops {
		if len(ops) > 1 {
			u.held[op.Key] = true
		}
	}
	return false
}

// free lets the items go.
func (u *transactions) free(ops []store.Op) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, op := range ops {
		delete(u.held, op.Key)
	}
}

// hold has a write begin at a far table. One that meets a transaction is tried again, as often and after such times as
// the adapter of DynamoDB does: then the table is unavailable, with nothing written.
func (t table) hold(ctx context.Context, ops []store.Op) (free func(), err error) {
	if t.under == nil {
		return func() {}, nil
	}
	most := 10 * time.Millisecond
	for range 8 {
		if !t.under.take(ops) {
			if len(ops) == 1 {
				return func() {}, nil
			}
			time.Sleep(preparing)
			return func() { t.under.free(ops) }, nil
		}
		t.life.sim.did("a conflict")
		most = min(2*most, 160*time.Millisecond)
		time.Sleep(10*time.Millisecond + t.life.random.upTo(most))
	}
	return nil, store.ErrUnavailable
}

// slowCall is the most by which a call of a table is late: one that is slow though nothing is wrong, or one of a table
// that is far away, in however many ways at once.
const slowCall = 2 * time.Second

// reaches is how a call comes to a table: after some time, or not at all. While things go wrong, each call of a far
// table takes a time of its own, so that one overtakes another, and one in a hundred is slow.
func (t table) reaches(takes time.Duration) error {
	if p := t.life.sim.faults(); t.under != nil {
		if p.length > 0 {
			takes += min(p.longer(time.Now(), farAway), slowCall)
			if t.life.random.one(100) {
				takes = max(takes, slowCall)
			}
			takes = t.life.random.upTo(takes)
		}
		time.Sleep(takes)
	}
	if t.life.ended() || t.life.suffers(refusing) {
		return store.ErrUnavailable
	}
	return nil
}

// suffers is true of one call in three while a fault of this kind lasts.
func (l *Life) suffers(k kind) bool {
	return len(l.sim.faults().during(time.Now(), k)) > 0 && l.random.one(3)
}

// Repeats says whether the stream hands everything over twice now, and the queues one message in twenty.
func (l *Life) Repeats() bool { return len(l.sim.faults().during(time.Now(), repeating)) > 0 }

// Late is how much later the stream hands changes over now.
func (l *Life) Late() time.Duration { return l.sim.faults().longer(time.Now(), lateStream) }

// Memory is a queue of the one process as a life of it sees it.
func (l *Life) Memory(q queue.Sender) queue.Sender { return memory{q, l} }

// memory is a queue of the one process that may lose messages.
type memory struct {
	queue.Sender
	life *Life
}

func (q memory) Send(ctx context.Context, messages ...queue.Message) error {
	return q.Sender.Send(ctx, slices.DeleteFunc(slices.Clone(messages), func(queue.Message) bool {
		return q.life.suffers(losing)
	})...)
}

// SQS is a queue of SQS as a life of the functions sees it.
func (l *Life) SQS(q queue.Sender) queue.Sender { return sqs{q, l} }

// sqs is a queue that takes time, and may bring a message twice.
type sqs struct {
	queue.Sender
	life *Life
}

func (q sqs) Send(ctx context.Context, messages ...queue.Message) error {
	time.Sleep(sending)
	if q.life.ended() {
		return queue.ErrUnavailable
	}
	all := slices.Clone(messages)
	for _, m := range messages { // one in twenty: a message that came twice each time, and rang again, would for ever
		if q.life.Repeats() && q.life.random.one(20) {
			all = append(all, m)
		}
	}
	return q.Sender.Send(ctx, all...)
}

// upTo is a time that is shorter than most.
func (l *locked) upTo(most time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(l.r.Int64N(int64(most)))
}

// one is true once in so many times.
func (l *locked) one(in int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.IntN(in) == 0
}
