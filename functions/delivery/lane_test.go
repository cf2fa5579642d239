package delivery

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/webhook"
)

// busy is a suspect receiver's lane whose places are taken, and a bell of that receiver.
func busy(t *testing.T, now *time.Time) (*lanes, *lane, func(id string) webhook.Bell) {
	ls := newLanes(func() time.Time { return *now })
	bell := func(id string) webhook.Bell { return webhook.Bell{ID: id, Receiver: "r", Retry: true} }
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
func (ls *lanes) come(t *testing.T, b webhook.Bell) bool {
	heard, ok := webhook.BellIn(b.Message(0).Body)
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

// sentTo is a queue that takes down what is sent.
type sentTo struct {
	queue.Queue
	sent []queue.Message
}

func (s *sentTo) Send(_ context.Context, messages ...queue.Message) error {
	s.sent = append(s.sent, messages...)
	return nil
}

func TestADoubledBellOfWhatIsUnderWayKeepsNoPlaceAndRingsAgain(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls, l, bell := busy(t, &now)
	retry := &sentTo{}
	c := &courier{Platform: &host.Platform{Queues: host.Queues{Retry: retry, Fresh: &sentTo{}}}, lanes: ls}
	doubled := bell("running")
	for _, b := range []webhook.Bell{doubled, bell("next")} {
		require.False(t, ls.come(t, b))
	}
	called := ls.leave(l)
	require.Len(t, called, 1)
	require.True(t, c.underWay.begin(webhook.RowKey(doubled.Access, doubled.ID)))

	require.True(t, c.hear(t.Context(), t.Context(), called[0]))
	require.Len(t, retry.sent, 2)
	next, _ := webhook.BellIn(retry.sent[0].Body)
	require.Equal(t, "next", next.ID, "its place is that of the next")
	require.True(t, ls.come(t, next))
	require.Equal(t, doubled.Message(lease), retry.sent[1], "it is called no more")

	doubled.Parked = true
	require.True(t, c.hear(t.Context(), t.Context(), doubled))
	require.Len(t, retry.sent, 2, "the drain rings for what is parked")
}

func TestOfSeveralSlowAttemptsAtAReceiverOneIsNoted(t *testing.T) {
	var s slowed
	now := time.Unix(1795226712, 0)
	require.True(t, s.note("r", now))
	require.False(t, s.note("r", now))
	require.True(t, s.note("other", now))
	require.False(t, s.note("r", now.Add(timeout)))
	require.True(t, s.note("r", now.Add(timeout+1)))
	require.Len(t, s.at, 1, "what is over is forgotten")
}
