package journeys

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	lambda "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/queue"
	bells "eshop/shared/queue/memory"
	"eshop/shared/store"
)

// faults are the places where a test breaks the Lambda host, and the clock's tick, which it gives by hand.
type faults struct {
	main         *faultyTable
	fresh, retry *faultyQueue
	unheard      *bells.Queue // of changes that the stream's mapping gave up
	tick         func(context.Context, lambda.EventBridgeEvent) (struct{}, error)
}

// sweep is a tick of the clock.
func (f *faults) sweep(t testing.TB) {
	t.Helper()
	_, err := f.tick(t.Context(), lambda.EventBridgeEvent{})
	require.NoError(t, err)
}

// faultyQueue is a queue that cannot be reached while it is down.
type faultyQueue struct {
	queue.Queue
	down    atomic.Bool
	refused atomic.Int64 // sends
}

func (q *faultyQueue) Send(ctx context.Context, m ...queue.Message) error {
	if q.down.Load() {
		q.refused.Add(1)
		return queue.ErrUnavailable
	}
	return q.Queue.Send(ctx, m...)
}

func (q *faultyQueue) Receive(ctx context.Context, most int, wait time.Duration) ([]queue.Received, error) {
	if q.down.Load() {
		return nil, queue.ErrUnavailable
	}
	return q.Queue.Receive(ctx, most, wait)
}

func (q *faultyQueue) Delete(ctx context.Context, m ...queue.Received) error {
	if q.down.Load() {
		return queue.ErrUnavailable
	}
	return q.Queue.Delete(ctx, m...)
}

// faultyTable is a table of which so many more calls are served before it cannot be reached.
type faultyTable struct {
	store.Table
	broken atomic.Bool
	serves atomic.Int64
}

// breaks lets n more calls through.
func (f *faultyTable) breaks(n int) {
	f.serves.Store(int64(n))
	f.broken.Store(true)
}

func (f *faultyTable) down() bool { return f.broken.Load() && f.serves.Add(-1) < 0 }

func (f *faultyTable) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if f.down() {
		return nil, store.ErrUnavailable
	}
	return f.Table.Get(ctx, keys...)
}

func (f *faultyTable) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if f.down() {
		return store.Page{}, store.ErrUnavailable
	}
	return f.Table.Query(ctx, q)
}

func (f *faultyTable) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	if f.down() {
		return store.Item{}, store.ErrUnavailable
	}
	return f.Table.Write(ctx, c, ops...)
}
