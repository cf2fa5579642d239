package record

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
)

// maxRounds is how often a write is tried, longestPause how long it waits before a round at most. In each round one of
// those who contend gets through, so sixty of them are served side by side, within four seconds in all. Two hundred
// buyers of one product in DynamoDB are served with some two tries each; with a quarter of this pause it was ten.
const (
	maxRounds    = 60
	longestPause = 128 * time.Millisecond
)

// Rounds are the tries of what reads records and writes them on condition that nobody wrote between. One of those who
// contend gets through in each round, so many writers of one record are all served, after waits that grow and are drawn
// by lot. When even that was not enough, or ctx has ended, the rounds end, and whoever ranges over them
// answers that it is unavailable.
func Rounds(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		for round := range maxRounds {
			if !yield(round) || !pause(ctx, round) {
				return
			}
		}
	}
}

// Retry calls try until its error is no *store.ConditionError any more, which says that somebody else was faster: see
// Rounds. With an If-Match the next round finds that it is not current any more.
func Retry[O any](ctx context.Context, try func() (O, error)) (O, error) {
	for range Rounds(ctx) {
		if out, err := try(); !store.IsCondition(err) {
			return out, err
		}
	}
	return *new(O), problem.Unavailable(time.Second)
}

// pause waits up to a millisecond before the third round, twice that before each further one, and says whether there is
// still somebody to serve.
func pause(ctx context.Context, round int) bool {
	if round < 1 {
		return ctx.Err() == nil
	}
	return guard.Wait(ctx, rand.N(min(time.Millisecond<<min(round-1, 10), longestPause)))
}
