package local

import (
	"cmp"
	"context"
	"errors"
	"time"

	"eshop/events"
	"eshop/functions/batcher"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// How the one process feeds its functions.
const (
	queueBatch   = 64                     // bells received at once
	inFlight     = 512                    // bells of one queue handled side by side
	queueWait    = time.Second            // how long a Receive waits before it looks at the stop
	idleFor      = time.Second            // how long a goroutine that has handled a bell waits for the next
	pause        = 100 * time.Millisecond // before what failed is tried again
	poisonTries  = 5                      // of one change, before it is put aside
	handleBudget = 30 * time.Second       // a batch's time
)

// pumpFeed hands changes to a feed function until ctx ends. A change that fails again and again is logged and put aside,
// as the on-failure queue does on AWS: it must not hold up the ones behind it.
func (s *Server) pumpFeed(ctx context.Context, f host.Function) {
	handle, tries := f.Feed(s.Platform), 0
	err := s.feed.Follow(ctx, batcher.Batch, func(ctx context.Context, changes []events.Change) error {
		for len(changes) > 0 {
			done, err := handle(ctx, changes)
			changes = changes[done:]
			if done > 0 {
				tries = 0
			}
			if err == nil || len(changes) == 0 {
				return nil
			}
			if tries++; tries >= poisonTries && !transient(err) {
				s.Platform.Log.Error("a change was put aside", "function", f.Name, "request", changes[0].Request, "error", err)
				changes, tries = changes[1:], 0
				continue
			}
			s.Platform.Log.Warn("a change will be tried again", "function", f.Name, "request", changes[0].Request, "error", err)
			if !wait(ctx, pause) {
				return ctx.Err()
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		s.Platform.Log.Error("the feed stopped", "function", f.Name, "error", err)
	}
}

// pumpQueue hands bells to a queue function until ctx ends, each by itself: one receiver's slow attempt keeps no other's
// bell, nor its place, waiting.
func (s *Server) pumpQueue(ctx context.Context, f host.Function, q queue.Queue) {
	handle := f.Messages(s.Platform)
	places, free := make(chan struct{}, inFlight), make(chan queue.Received)
	work := func(m queue.Received) {
		for ok := true; ok; m, ok = another(ctx, free) {
			if len(handle(ctx, []queue.Received{m})) == 0 {
				if err := q.Delete(context.WithoutCancel(ctx), m); err != nil {
					s.Platform.Log.Warn("a message handled but not deleted", "error", err)
				}
			}
			give(places, 1)
		}
	}
	for ctx.Err() == nil {
		n := take(places)
		messages, err := q.Receive(ctx, n, queueWait)
		give(places, n-len(messages))
		if err != nil && ctx.Err() == nil {
			wait(ctx, pause)
		}
		for _, m := range messages {
			select {
			case free <- m:
			default:
				s.pumps.Go(func() { work(m) })
			}
		}
	}
}

// another waits idleFor a next bell: a goroutine that goes on has its stack, which to grow anew for each bell costs more
// than what is done on it.
func another(ctx context.Context, free <-chan queue.Received) (m queue.Received, ok bool) {
	t := time.NewTimer(idleFor)
	defer t.Stop()
	select {
	case m = <-free:
		return m, true
	case <-t.C:
	case <-ctx.Done():
	}
	return m, false
}

// take waits for a place, and takes those beside it that are free, up to a batch.
func take(places chan struct{}) int {
	places <- struct{}{}
	for n := 1; n < queueBatch; n++ {
		select {
		case places <- struct{}{}:
		default:
			return n
		}
	}
	return queueBatch
}

func give(places chan struct{}, n int) {
	for range n {
		<-places
	}
}

// tick runs a scheduled function each period until ctx ends.
func (s *Server) tick(ctx context.Context, f host.Function) {
	run := f.Tick(s.Platform)
	for wait(ctx, cmp.Or(f.Here, f.Every)) {
		bounded, cancel := context.WithTimeout(ctx, handleBudget)
		if err := s.caught(bounded, run); err != nil && ctx.Err() == nil {
			s.Platform.Log.Error("a scheduled run failed", "function", f.Name, "error", err)
		}
		cancel()
	}
}

// caught runs what may panic.
func (s *Server) caught(ctx context.Context, run func(context.Context) error) (err error) {
	defer s.Platform.Caught(ctx, &err)
	return run(ctx)
}

// wait is false when ctx ended before d was over.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// transient says whether an error will pass by itself: what it holds up must wait for it.
func transient(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, queue.ErrUnavailable)
}
