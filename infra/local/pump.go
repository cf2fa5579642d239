package local

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"eshop/events"
	"eshop/shared/blob"
	"eshop/shared/guard"
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

// pump runs what feeds a function until the stop.
func (s *Server) pump(ctx context.Context, run func()) {
	s.pumps.Go(ctx, func() error { run(); return nil })
}

// pumpFeed hands changes to a feed function until ctx ends.
func (s *Server) pumpFeed(ctx context.Context, f host.Function) {
	feeder := &feeder{log: s.Platform.Log.With("function", f.Name), handle: f.Feed.Handler(s.Platform),
		ill: map[string]bool{}}
	if err := s.feed.Follow(ctx, f.Feed.Batch, feeder.hand); err != nil && !errors.Is(err, context.Canceled) {
		s.Platform.Log.Error("the feed stopped", "function", f.Name, "error", err)
	}
}

// feeder hands changes to a feed function. One that fails again and again, also by itself, is logged and put aside, as
// the on-failure queue does on AWS: it must not hold up the ones behind it. Nor must a shop where that happens each
// time: its next one that fails by itself is put aside at once.
type feeder struct {
	log    *slog.Logger
	handle func(context.Context, []events.Change) (done int, err error)
	tries  int             // of the first change that is not handled
	ill    map[string]bool // shops of which a change was put aside, and none handled since
}

func (f *feeder) hand(ctx context.Context, changes []events.Change) error {
	for len(changes) > 0 {
		some := changes
		if f.tries > 0 {
			some = changes[:1]
		}
		done, err := f.try(ctx, some)
		if changes = changes[done:]; done > 0 {
			f.tries = 0
		}
		if err == nil {
			continue
		}
		first := changes[0]
		log := f.log.With("request", first.Request, "error", err)
		f.tries++
		switch alone := len(some) == 1; {
		case !transient(err) && alone && (f.tries >= poisonTries || f.ill[first.Shop]):
			log.Error("a change was put aside")
			changes, f.tries, f.ill[first.Shop] = changes[1:], 0, true
		case f.ill[first.Shop] && !alone:
		default:
			log.Warn("a change will be tried again")
			if !wait(ctx, pause) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// try says how many changes are handled, and the error of the one behind them.
func (f *feeder) try(ctx context.Context, changes []events.Change) (done int, err error) {
	err = guard.Do(ctx, func() (err error) { done, err = f.handle(ctx, changes); return err })
	if err == nil || done == len(changes) {
		done, err = len(changes), nil
	}
	for _, c := range changes[:done] {
		delete(f.ill, c.Shop)
	}
	return done, err
}

// receive starts a pump for each of the function's queues: one handler serves them all.
func (s *Server) receive(ctx context.Context, m *host.Messages) {
	handle := m.Handler(s.Platform)
	for _, q := range m.From {
		s.pump(ctx, func() { s.pumpQueue(ctx, handle, s.queues[q.Resource]) })
	}
	s.pump(ctx, func() { s.refill(ctx, m.Refill) })
}

// pumpQueue hands bells to a handler until ctx ends, each by itself: one receiver's slow attempt keeps no other's bell,
// nor its place, waiting.
func (s *Server) pumpQueue(ctx context.Context, handle func(context.Context, []queue.Received) []queue.Received,
	q queue.Queue) {
	places, free := make(chan struct{}, inFlight), make(chan queue.Received)
	work := func(m queue.Received) {
		for ok := true; ok; m, ok = another(ctx, free) {
			err := guard.Do(ctx, func() error {
				if len(handle(ctx, []queue.Received{m})) > 0 {
					return nil // it rings again
				}
				return q.Delete(context.WithoutCancel(ctx), m)
			})
			if err != nil {
				s.Platform.Log.Warn("a message was not handled, or not deleted", "error", err)
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
				s.pump(ctx, func() { work(m) })
			}
		}
	}
}

// another waits idleFor a next bell: a goroutine that goes on has its stack, which to grow anew for each bell costs
// more than what is done on it.
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
	run := f.Tick.Handler(s.Platform)
	for wait(ctx, cmp.Or(f.Tick.Here, f.Tick.Every)) {
		bounded, cancel := context.WithTimeout(ctx, handleBudget)
		if err := guard.Do(bounded, func() error { return run(bounded) }); err != nil && ctx.Err() == nil {
			s.Platform.Log.Error("a scheduled run failed", "function", f.Name, "error", err)
		}
		cancel()
	}
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
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, queue.ErrUnavailable) ||
		errors.Is(err, blob.ErrUnavailable)
}
