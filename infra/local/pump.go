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

// pumpFeed hands changes to a feed function until ctx ends.
func (s *Server) pumpFeed(ctx context.Context, f host.Function) {
	feeder := &feeder{log: s.Platform.Log.With("function", f.Name), handle: f.Feed.Handler(s.Platform),
		poisoned: map[string]bool{}}
	if err := s.feed.Follow(ctx, f.Feed.Batch, feeder.hand); err != nil && !errors.Is(err, context.Canceled) {
		s.Platform.Log.Error("the feed stopped", "function", f.Name, "error", err)
	}
}

// feeder hands changes to a feed function. A change that fails again and again, also by itself, is logged and put
// aside, as the on-failure queue does on AWS, so that it does not hold up the changes behind it. From then on, until
// one of the same shop is handled, a change of that shop that fails by itself is put aside at once.
type feeder struct {
	log      *slog.Logger
	handle   func(context.Context, []events.Change) (done int, err error)
	tries    int             // of the first change that is not handled
	poisoned map[string]bool // shops of which a change was put aside, and none handled since
}

// hand hands the changes until each is handled or put aside. After a failure they are handed one by one, until one
// works.
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
		case !transient(err) && alone && (f.tries >= poisonTries || f.poisoned[first.Shop]):
			log.Error("a change was put aside")
			changes, f.tries, f.poisoned[first.Shop] = changes[1:], 0, true
		case f.poisoned[first.Shop] && !alone:
		default:
			log.Warn("a change will be tried again")
			if !wait(ctx, pause) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// try hands the changes once. It says how many are handled, from the first on, and the error of the next one.
func (f *feeder) try(ctx context.Context, changes []events.Change) (done int, err error) {
	err = guard.Do(ctx, func() (err error) { done, err = f.handle(ctx, changes); return err })
	if err == nil || done == len(changes) {
		done, err = len(changes), nil
	}
	for _, c := range changes[:done] {
		delete(f.poisoned, c.Shop)
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
	q queue.Queue,
) {
	places, free := make(chan struct{}, maxHandled), make(chan queue.Received)
	work := func(m queue.Received) {
		for ok := true; ok; m, ok = nextBell(ctx, free) {
			err := guard.Do(ctx, func() error {
				if len(handle(ctx, []queue.Received{m})) > 0 {
					return nil // it comes again
				}
				return q.Delete(context.WithoutCancel(ctx), m)
			})
			if err != nil {
				s.Platform.Log.Warn("a message was not handled, or not deleted", "error", err)
			}
			leave(places, 1)
		}
	}
	for ctx.Err() == nil {
		n := enter(places)
		messages, err := q.Receive(ctx, n, queueWait)
		leave(places, n-len(messages))
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

// nextBell waits up to idleFor for the next bell. A goroutine that goes on keeps its stack: to grow a new one for each
// bell costs more than what is done on it.
func nextBell(ctx context.Context, free <-chan queue.Received) (m queue.Received, ok bool) {
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

// enter waits for a place, takes the free ones beside it, up to a batch, and says how many it has.
func enter(places chan struct{}) int {
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

// leave gives n places back.
func leave(places chan struct{}, n int) {
	for range n {
		<-places
	}
}

// tick runs a scheduled function each period until ctx ends.
func (s *Server) tick(ctx context.Context, f host.Function) {
	run := f.Tick.Handler(s.Platform)
	for wait(ctx, cmp.Or(f.Tick.EveryInOneProcess, f.Tick.Every)) {
		bounded, cancel := context.WithTimeout(ctx, handleBudget)
		if err := guard.Do(bounded, func() error { return run(bounded) }); err != nil && ctx.Err() == nil {
			s.Platform.Log.Error("a scheduled run failed", "function", f.Name, "error", err)
		}
		cancel()
	}
}

// wait waits for d; false when ctx ended before.
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

// transient says whether an error will pass by itself, because something cannot be reached now. No change is put aside
// for one: it waits until the error is over.
func transient(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, queue.ErrUnavailable) ||
		errors.Is(err, blob.ErrUnavailable)
}
