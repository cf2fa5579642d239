package delivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/queue"
)

// busy is a suspect receiver's lane whose places are taken, and a bell of that receiver.
func busy(t *testing.T, now *time.Time) (*lanes, *lane, func(id string) Bell) {
	ls := newLanes(func() time.Time { return *now })
	bell := func(id string) Bell { return Bell{ID: id, Receiver: "r", Retry: true} }
	l, _, _ := ls.enter(bell("sick"))
	require.True(t, ls.start(t.Context(), l))
	ls.finish(l, time.Millisecond, true)
	require.Empty(t, ls.leave(l))
	for range suspectLane {
		l, _, _ := ls.enter(bell("running"))
		require.NotNil(t, l)
	}
	return ls, l, bell
}

// come brings the bell through the queue, and says whether it has a place.
func (ls *lanes) come(t *testing.T, b Bell) bool {
	heard, ok := bellOf(queue.Received{Body: b.Message(0).Body})
	require.True(t, ok)
	l, _, kept := ls.enter(heard)
	require.NotEqual(t, l != nil, kept)
	return l != nil
}

func TestWhoWaitsLongestForAPlaceHasTheNextHoweverManyCome(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls, l, bell := busy(t, &now)
	for _, id := range []string{"1", "2", "3"} {
		require.False(t, ls.come(t, bell(id)))
	}
	for _, id := range []string{"1", "2", "3", "late"} {
		called := ls.leave(l)
		require.Len(t, called, 1)
		require.Equal(t, id, called[0].ID)
		require.False(t, ls.come(t, bell("late")), "the place is another's")
		require.True(t, ls.come(t, called[0]))
	}
}

func TestAPlaceIsNotKeptForeverForABellThatTheQueueLost(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls, l, bell := busy(t, &now)
	for _, id := range []string{"lost", "2"} {
		require.False(t, ls.come(t, bell(id)))
	}
	lost := ls.leave(l)
	require.Equal(t, "lost", lost[0].ID)
	now = now.Add(patience + 1)
	require.True(t, ls.come(t, bell("late")))
	require.False(t, ls.come(t, lost[0]), "it comes after all, too late")
	called := ls.leave(l)
	require.Len(t, called, 1)
	require.Equal(t, "lost", called[0].ID, "it was first")
}
