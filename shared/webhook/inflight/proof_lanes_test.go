package inflight

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/webhook"
)

// taken counts how many bells of the receiver a host would hold at once, of those it was given.
func taken(ls *lanes, b webhook.Bell, given int) (n int) {
	for range given {
		if l, _, _ := ls.enter(b); l != nil {
			n++
		}
	}
	return n
}

func TestHoweverManyBellsAReceiverHasItHoldsFewOfTheProcesssPlaces(t *testing.T) {
	ls := newLanes(time.Now)
	fresh, retry := webhook.Bell{Receiver: "hangs"}, webhook.Bell{Receiver: "hangs", Retry: true}
	require.Equal(t, healthyTurns+maxAhead, taken(ls, fresh, 5000), "before anything is known of it")
	l := ls.of["hangs"]
	for range healthyTurns {
		require.True(t, ls.start(t.Context(), l))
	}
	require.Zero(t, taken(ls, fresh, 5000))
	for range healthyTurns {
		ls.finish(l, 10*time.Second, true)
	}
	require.Zero(t, taken(ls, fresh, 5000), "suspect, its bells belong into the other queue")
	for range healthyTurns + maxAhead {
		ls.leave(l)
	}
	retry.Woken = true
	require.Equal(t, suspectTurns, taken(ls, retry, 5000))
}

func TestAStuckLaneTakesNothingAhead(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls := newLanes(func() time.Time { return now })
	b := webhook.Bell{Receiver: "hangs"}
	require.Equal(t, healthyTurns+maxAhead, taken(ls, b, healthyTurns+maxAhead))
	l := ls.of["hangs"]
	for range healthyTurns {
		require.True(t, ls.start(t.Context(), l))
	}
	for range maxAhead { // their patience is over
		now = now.Add(takeAhead + 1)
		require.Empty(t, ls.leave(l))
		require.Zero(t, taken(ls, b, 1), "it is kept until an attempt has ended")
	}
	ls.finish(l, time.Second, false)
	require.Len(t, ls.leave(l), maxAhead, "well again, it is woken as before")
}
