package simulate

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// Table is a table of DynamoDB as a life of the functions sees it.
func (l *Life) Table(t store.Table) store.Table { return table{t, l} }

type table struct {
	store.Table
	life *Life
}

func (t table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if err := t.life.reaches(); err != nil {
		return nil, err
	}
	return t.Table.Get(ctx, keys...)
}

func (t table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if err := t.life.reaches(); err != nil {
		return store.Page{}, err
	}
	return t.Table.Query(ctx, q)
}

func (t table) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	if err := t.life.reaches(); err != nil {
		return store.Item{}, err
	}
	i, err := t.Table.Write(ctx, c, ops...)
	if t.life.ended() || err == nil && t.life.suffers(unanswered) {
		return store.Item{}, store.ErrUnavailable
	}
	return i, err
}

// reaches is how a call comes to a table: after some time, or not at all.
func (l *Life) reaches() error {
	time.Sleep(4*time.Millisecond + l.sim.faults().longer(time.Now(), farAway))
	if l.ended() || l.suffers(refusing) {
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

// Queue is a queue of SQS as a life of the functions sees it.
func (l *Life) Queue(q queue.Queue) queue.Queue { return sqs{q, l} }

type sqs struct {
	queue.Queue
	life *Life
}

func (q sqs) Send(ctx context.Context, messages ...queue.Message) error {
	time.Sleep(10 * time.Millisecond)
	if q.life.ended() {
		return queue.ErrUnavailable
	}
	for _, m := range messages { // not each: what comes twice each time, and rings again, comes for ever
		if q.life.Repeats() && q.life.random.one(20) {
			messages = append(messages, m)
		}
	}
	return q.Queue.Send(ctx, messages...)
}

// one is true once in so many times.
func (l *locked) one(in int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.IntN(in) == 0
}
