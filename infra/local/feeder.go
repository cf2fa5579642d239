package local

import (
	"context"
	"errors"
	"log/slog"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
)

// pumpFeed hands changes to a feed function until ctx ends.
func (s *Server) pumpFeed(ctx context.Context, feed store.Feed, f host.Function) {
	feeder := &feeder{log: s.Platform.Log.With("function", f.Name), handle: f.Feed.Handler(s.Platform),
		poisoned: map[string]bool{}}
	if err := feed.Follow(ctx, f.Feed.Batch, feeder.hand); err != nil && !errors.Is(err, context.Canceled) {
		s.Platform.Log.Error("the feed stopped", "function", f.Name, "error", err)
	}
}

// feeder hands changes to a feed function. A change that fails poisonTries times, the last ones by itself, is logged
// and put aside, as the on-failure queue does on AWS: so it does not hold up the changes behind it. From then on a
// change of the same shop that fails by itself is put aside at once, until one of that shop is handled.
type feeder struct {
	log      *slog.Logger
	handle   func(context.Context, []events.Change) (done int, err error)
	tries    int             // of the first change that is not handled
	poisoned map[string]bool // shops of which a change was put aside, and none handled since
}

// hand hands the changes over until each is handled or put aside. After a failure it hands them one by one, to find out
// which one fails, until one works.
func (f *feeder) hand(ctx context.Context, changes []events.Change) error {
	for len(changes) > 0 {
		some := changes
		// One by one, it is known which change fails.
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
		// The shop has a change put aside already: its next one is tried alone, without a pause.
		case f.poisoned[first.Shop] && !alone:
		default:
			log.Warn("a change will be tried again")
			if !guard.Wait(ctx, pause) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// try hands the changes over once. It returns how many are handled, from the first on, and the error of the next one.
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

// transient says whether an error will pass by itself, because something cannot be reached now. Such an error puts no
// change aside: the feed waits until it is over.
func transient(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, queue.ErrUnavailable) ||
		errors.Is(err, blob.ErrUnavailable)
}
