package local

import (
	"cmp"
	"context"
	"time"

	"eshop/functions"
	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	bells "eshop/shared/ports/queue/memory"
)

// How the one process calls its functions.
const (
	queueBatch   = 64                     // bells received at once
	maxHandled   = 512                    // bells of one queue handled side by side
	queueWait    = time.Second            // how long a Receive waits before it looks whether the process stops
	idleFor      = time.Second            // how long a goroutine that has handled a bell waits for the next
	pause        = 100 * time.Millisecond // before what failed is tried again
	poisonTries  = 5                      // of one change, before it is put aside
	handleBudget = 30 * time.Second       // of one scheduled run
)

// pump runs what feeds a function until the stop.
func (s *Server) pump(ctx context.Context, run func()) {
	s.pumps.Go(ctx, func() error { run(); return nil })
}

// trigger starts what calls a function, until ctx ends.
func (s *Server) trigger(ctx context.Context, function host.Function) {
	switch {
	case function.Feed != nil:
		feed := s.db.Follower("main", host.FollowerOf(functions.List, function.Name))
		s.pump(ctx, func() { s.pumpFeed(ctx, feed, function) })
	case function.Messages != nil:
		s.pumpQueues(ctx, function.Messages)
	case function.Upload != nil:
		s.pump(ctx, func() { s.pumpUploads(ctx, function) })
	case function.Tick != nil:
		s.pump(ctx, func() { s.pumpTicks(ctx, function) })
	}
}

// pumpQueues starts a pump for each of the function's queues: one handler serves them all.
func (s *Server) pumpQueues(ctx context.Context, m *host.Messages) {
	handle := m.Handler(s.Platform)
	for _, q := range m.From {
		s.pump(ctx, func() { s.pumpQueue(ctx, handle, s.queues[q.Resource]) })
	}
	s.pump(ctx, func() { s.refill(ctx, m.Refill) })
}

// pumpQueue hands bells to a handler until ctx ends, each one by itself: one receiver's slow attempt keeps no other
// bell waiting. Handling runs in slots, at most maxHandled, and a bell is deleted only after it was handled.
func (s *Server) pumpQueue(ctx context.Context, handle func(context.Context, []queue.Received) []queue.Received,
	q queue.Queue,
) {
	slots, idle := make(chan struct{}, maxHandled), make(chan queue.Received)
	work := func(m queue.Received) {
		for ok := true; ok; m, ok = nextBell(ctx, idle) {
			err := guard.Do(ctx, func() error {
				if len(handle(ctx, []queue.Received{m})) > 0 {
					return nil // it comes again
				}
				// What was done is deleted, even if the stop has begun.
				return q.Delete(context.WithoutCancel(ctx), m)
			})
			if err != nil {
				s.Platform.Log.Warn("a message was not handled, or not deleted", "error", err)
			}
			release(slots, 1)
		}
	}
	for ctx.Err() == nil {
		// No bell is received without a slot: received bells that wait would come again meanwhile.
		n := acquire(slots)
		messages, err := q.Receive(ctx, n, queueWait)
		release(slots, n-len(messages))
		if err != nil && ctx.Err() == nil {
			guard.Wait(ctx, pause)
		}
		for _, m := range messages {
			select {
			case idle <- m: // a goroutine that waits for its next bell
			default:
				s.pump(ctx, func() { work(m) })
			}
		}
	}
}

// nextBell waits up to idleFor for the next bell. A goroutine that goes on keeps its stack: to grow a new one for each
// bell costs more than the work on it.
func nextBell(ctx context.Context, bells <-chan queue.Received) (bell queue.Received, ok bool) {
	t := time.NewTimer(idleFor)
	defer t.Stop()
	select {
	case bell = <-bells:
		return bell, true
	case <-t.C:
	case <-ctx.Done():
	}
	return bell, false
}

// acquire waits for one slot, takes the free ones beside it, up to a batch, and returns how many it has.
func acquire(slots chan struct{}) int {
	slots <- struct{}{}
	for n := 1; n < queueBatch; n++ {
		select {
		case slots <- struct{}{}:
		default:
			return n
		}
	}
	return queueBatch
}

// release gives n slots back.
func release(slots chan struct{}, n int) {
	for range n {
		<-slots
	}
}

// refill rings for the rows that wait: at the start, and whenever a queue had to drop bells and has room again.
func (s *Server) refill(ctx context.Context, ring func(context.Context, *host.Platform, int) error) {
	for {
		// Bells are in memory, so after a start all rows that wait need new ones.
		if err := ring(ctx, s.Platform, bells.Bound); err != nil && ctx.Err() == nil {
			s.Platform.Log.Error("waiting deliveries could not be rung, trying again", "error", err)
			guard.Wait(ctx, time.Second)
			continue
		}
		select {
		case <-s.queues[host.Fresh].Refill():
		case <-s.queues[host.Retry].Refill():
		case <-ctx.Done():
			return
		}
	}
}

// pumpTicks runs a scheduled function each period until ctx ends.
func (s *Server) pumpTicks(ctx context.Context, f host.Function) {
	run := f.Tick.Handler(s.Platform)
	for guard.Wait(ctx, cmp.Or(f.Tick.EveryInOneProcess, f.Tick.Every)) {
		if err := tickOnce(ctx, run); err != nil && ctx.Err() == nil {
			s.Platform.Log.Error("a scheduled run failed", "function", f.Name, "error", err)
		}
	}
}

// tickOnce makes a scheduled run.
func tickOnce(ctx context.Context, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, handleBudget)
	defer cancel()
	return guard.Do(ctx, func() error { return run(ctx) })
}
