package inflight

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/webhook"
)

// enter asks for a slot for a bell of a delivery that is not under way.
func (ls *lanes) enter(b webhook.Bell) (l *lane, later time.Duration, inBacklog bool) {
	slot, verdict := (&alone{lanes: ls}).Enter(b)
	if slot != nil {
		l = slot.(*laneSlot).lane
	}
	return l, verdict.Later, verdict.InBacklog
}

// start waits for a turn in the lane.
func (ls *lanes) start(ctx context.Context, l *lane) bool {
	return (&laneSlot{lanes: ls, lane: l}).Start(ctx)
}

// finish ends the turn of an attempt that took so long, and leaves its slot taken.
func (ls *lanes) finish(l *lane, took time.Duration, failed bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.endTurn(Attempt{Made: true, Took: took, Failed: failed}, ls.now())
}

// leave gives back a slot that has no turn.
func (ls *lanes) leave(l *lane) []webhook.Bell {
	return (&laneSlot{lanes: ls, lane: l}).Leave(Attempt{})
}

// busy is a suspect receiver's lane whose turns are taken, and a bell of that receiver.
func busy(t *testing.T, now *time.Time) (*lanes, *lane, func(id string) webhook.Bell) {
	ls := newLanes(func() time.Time { return *now })
	bell := func(id string) webhook.Bell { return webhook.Bell{ID: id, Receiver: "r", Retry: true} }
	l, _, _ := ls.enter(bell("sick"))
	require.True(t, ls.start(t.Context(), l))
	ls.finish(l, time.Millisecond, true)
	require.Empty(t, ls.leave(l))
	for range suspectTurns {
		l, _, _ := ls.enter(bell("running"))
		require.NotNil(t, l)
	}
	return ls, l, bell
}

// come brings the bell through the queue, and says whether it has a slot.
func (ls *lanes) come(t *testing.T, b webhook.Bell) bool {
	heard, ok := webhook.ParseBell(b.Message(0).Body)
	require.True(t, ok)
	l, _, inBacklog := ls.enter(heard)
	require.NotEqual(t, l != nil, inBacklog)
	return l != nil
}

func TestWhoWaitsLongestForAPlaceHasTheNextHoweverManyCome(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls, l, bell := busy(t, &now)
	for _, id := range []string{"1", "2", "3"} {
		require.False(t, ls.come(t, bell(id)))
	}
	for _, id := range []string{"1", "2", "3", "late"} {
		woken := ls.leave(l)
		require.Len(t, woken, 1)
		require.Equal(t, id, woken[0].ID)
		require.False(t, ls.come(t, bell("late")), "the slot is another's")
		require.True(t, ls.come(t, woken[0]))
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
	now = now.Add(MaxWait + 1)
	require.True(t, ls.come(t, bell("late")))
	require.False(t, ls.come(t, lost[0]), "it comes after all, too late")
	woken := ls.leave(l)
	require.Len(t, woken, 1)
	require.Equal(t, "lost", woken[0].ID, "it was first")
}

func TestALaneHoldsSixteenAndOfASuspectTwo(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls := newLanes(func() time.Time { return now })
	fresh, retry, next := webhook.Bell{Receiver: "r"}, webhook.Bell{Receiver: "r", Retry: true},
		webhook.Bell{Receiver: "r", Retry: true, Woken: true}
	l, _, _ := ls.enter(fresh)
	for range 40 {
		other, _, _ := ls.enter(fresh)
		require.Same(t, l, other, "a healthy lane lets deliveries be taken ahead")
	}
	for range healthyTurns {
		require.True(t, ls.start(t.Context(), l))
	}
	began := make(chan bool)
	go func() { began <- ls.start(t.Context(), l) }()
	require.Eventually(t, func() bool {
		ls.mu.Lock()
		defer ls.mu.Unlock()
		return len(l.waiting) == 1
	}, time.Minute, time.Millisecond)
	ls.finish(l, time.Millisecond, false)
	require.True(t, <-began, "the slot of one that ended goes to the next")
	require.Equal(t, healthyTurns, l.running)

	ls.finish(l, 10*time.Second, true)
	refused, _, inBacklog := ls.enter(fresh)
	require.Nil(t, refused)
	require.True(t, inBacklog, "there is no slot for it")
	var woken []webhook.Bell
	for range 40 {
		woken = append(woken, ls.leave(l)...)
	}
	require.Equal(t, []webhook.Bell{next}, woken, "of a suspect one bells belong into the retry queue")
	l.woken = 0 // the queue lost it
	refused, later, inBacklog := ls.enter(fresh)
	require.Nil(t, refused)
	require.Zero(t, later)
	require.False(t, inBacklog, "there is a slot, but not for a fresh one")
	entered, _, _ := ls.enter(retry)
	require.NotNil(t, entered)
	for range 20 {
		_, _, inBacklog := ls.enter(retry)
		require.True(t, inBacklog)
	}
	ls.finish(l, time.Millisecond, false)
	require.Len(t, ls.leave(l), 20, "one success and it is healthy again")
	entered, _, _ = ls.enter(fresh)
	require.NotNil(t, entered)
}

// TestALaneForgetsNoBell plays hosts: bells come in any order, are admitted, hurry or miss their slot, and fail or do
// not.
func TestALaneForgetsNoBell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1795226712, 0)
		ls := newLanes(func() time.Time { return now })
		bells := rapid.IntRange(1, 400).Draw(t, "bells")
		var ringing, admitted []webhook.Bell
		for n := range bells {
			ringing = append(ringing, webhook.Bell{Receiver: "r", ID: strconv.Itoa(n)})
		}
		did := map[string]bool{}
		for len(ringing)+len(admitted) > 0 {
			if len(admitted) == 0 || len(ringing) > 0 && rapid.Bool().Draw(t, "rings") {
				b := ringing[0]
				ringing = ringing[1:]
				switch l, _, inBacklog := ls.enter(b); {
				case l != nil:
					admitted = append(admitted, b)
				case !inBacklog:
					b.Retry = true
					ringing = append(ringing, b)
				}
				continue
			}
			b, l := admitted[0], ls.of["r"]
			admitted = admitted[1:]
			if rapid.IntRange(0, 3).Draw(t, "misses its slot at three") == 3 {
				ringing = append(ringing, b)
			} else {
				require.False(t, did[b.ID])
				did[b.ID] = ls.start(context.Background(), l)
				ls.finish(l, time.Millisecond, rapid.Bool().Draw(t, "fails"))
			}
			ringing = append(ringing, ls.leave(l)...)
		}
		require.Len(t, did, bells)
		require.Zero(t, ls.backlog)
	})
}

func TestLanesKeepABoundedNumberOfBells(t *testing.T) {
	ls := newLanes(time.Now)
	_, _, _ = ls.enter(webhook.Bell{Receiver: "r"})
	ls.backlog = maxBacklog - 1
	l := ls.of["r"]
	l.suspect, l.admitted = true, suspectTurns
	_, _, inBacklog := ls.enter(webhook.Bell{Receiver: "r", Retry: true})
	require.True(t, inBacklog)
	refused, later, inBacklog := ls.enter(webhook.Bell{Receiver: "r", Retry: true})
	require.Nil(t, refused)
	require.False(t, inBacklog)
	require.Equal(t, fullDelay, later)
}

func TestWhatALaneCalledAndAFullQueueDroppedHoldsUpNothing(t *testing.T) {
	now := time.Unix(1795226712, 0)
	ls := newLanes(func() time.Time { return now })
	b := webhook.Bell{Receiver: "r", Retry: true}
	l, _, _ := ls.enter(b)
	l.suspect, l.admitted = true, suspectTurns
	for range 10 {
		_, _, inBacklog := ls.enter(b)
		require.True(t, inBacklog)
	}
	require.Len(t, ls.leave(l), 1)
	require.Len(t, ls.leave(l), 1)
	l.admitted = 1 // the two woken never came
	now = now.Add(MaxWait + 1)
	require.Len(t, ls.leave(l), suspectTurns)
}

func TestASlowReceiverIsSuspectAndAFullLaneTakesNoMoreThanASecondsWork(t *testing.T) {
	ls := newLanes(time.Now)
	b := webhook.Bell{Receiver: "r"}
	l, _, _ := ls.enter(b)
	require.True(t, ls.start(t.Context(), l))
	l.mean = 500 * time.Millisecond
	n := 0
	for entered, _, _ := ls.enter(b); entered != nil; entered, _, _ = ls.enter(b) {
		n++
	}
	require.Equal(t, healthyTurns-1+32, n)
	ls.finish(l, Slow+1, false)
	require.True(t, l.suspect)
}

func TestIdleLanesAreForgottenWhenThereAreMany(t *testing.T) {
	ls := newLanes(time.Now)
	busy, _, _ := ls.enter(webhook.Bell{Receiver: "busy"})
	for range manyLanes {
		l, _, _ := ls.enter(webhook.Bell{Receiver: time.Now().String()})
		ls.leave(l)
	}
	require.LessOrEqual(t, len(ls.of), manyLanes)
	require.Same(t, busy, ls.of["busy"])
}
