package api

import (
	"context"
	"math/rand/v2"
	"time"

	"eshop/shared/store"
)

// rounds is how often a write begins anew; longestPause how long it waits before a round at most.
const (
	rounds       = 60
	longestPause = 32 * time.Millisecond
)

// Again does what reads a record and writes it on condition that nobody wrote between, anew each time somebody did: a
// *store.ConditionError of once. One of those who contend gets through in each round, so many writers of one record are
// all served, after waits that grow and are drawn by lot. With an If-Match the next round finds that it is not current any
// more. Unavailable when even that was not enough.
func Again[O any](ctx context.Context, once func() (*O, error)) (*O, error) {
	for round := range rounds {
		if out, err := once(); !store.IsCondition(err) {
			return out, err
		}
		if !pause(ctx, round) {
			break
		}
	}
	return nil, Unavailable(time.Second)
}

// pause waits up to a millisecond before the third round, twice that before each further one, and says whether there is
// still somebody to serve.
func pause(ctx context.Context, round int) bool {
	if round < 1 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(rand.N(min(time.Millisecond<<min(round-1, 10), longestPause)))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
