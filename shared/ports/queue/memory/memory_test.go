package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/queuetest"
)

func TestQueueKeepsItsPromises(t *testing.T) {
	queuetest.RunUnder(t, synctest.Test, func(_ *testing.T, s queue.Settings) (queue.Queue, queue.Queue) {
		dead := New(queue.Settings{Name: s.DeadLetter, Visibility: s.Visibility}, nil, 0)
		return New(s, dead, 0), dead
	})
}

var loan = queue.Settings{Name: "q", Visibility: 30 * time.Second}

func bells(group string, n int) []queue.Message {
	all := make([]queue.Message, n)
	for i := range all {
		all[i] = queue.Message{Body: fmt.Sprintf("%s%d", group, i), Group: group}
	}
	return all
}

func receive(t *testing.T, q *Queue, most int) string {
	t.Helper()
	got, err := q.Receive(t.Context(), most, 0)
	require.NoError(t, err)
	var all []string
	for _, r := range got {
		all = append(all, r.Body)
	}
	return strings.Join(all, " ")
}

func TestGroupsTakeTurns(t *testing.T) {
	q := New(loan, nil, 0)
	require.NoError(t, q.Send(t.Context(), bells("big", 1000)...))
	require.NoError(t, q.Send(t.Context(), bells("a", 2)...))
	require.NoError(t, q.Send(t.Context(), bells("b", 1)...))
	require.Equal(t, "big0 a0 b0 big1 a1 big2 big3", receive(t, q, 7))
}

func TestAReceiveTakesAsManyAsAskedFor(t *testing.T) {
	q := New(loan, nil, 0)
	require.NoError(t, q.Send(t.Context(), bells("g", 300)...))
	require.Len(t, strings.Fields(receive(t, q, 250)), 250)
}

func TestAFullQueueDropsFromTheGroupWithTheMost(t *testing.T) {
	q := New(loan, nil, 10)
	require.NoError(t, q.Send(t.Context(), bells("big", 50)...))
	require.NoError(t, q.Send(t.Context(), bells("a", 3)...))
	n, _, _ := q.Depth()
	require.Equal(t, 10, n)
	require.Equal(t, "big0 a0 big1 a1 big2 a2 big3 big4 big5 big6", receive(t, q, 50))
}

func TestDelayedMessagesTakeNoRoomOfReadyOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(loan, nil, 10)
		for range 25 {
			require.NoError(t, q.Send(t.Context(), queue.Message{Body: "x", Group: "g", Delay: time.Minute}))
		}
		require.NoError(t, q.Send(t.Context(), bells("g", 10)...))
		ready, delayed, _ := q.Depth()
		require.Equal(t, []int{10, 10}, []int{ready, delayed})
		time.Sleep(time.Minute)
		ready, delayed, _ = q.Depth()
		require.Equal(t, []int{20, 0}, []int{ready, delayed}, "what was taken in is not dropped later")
	})
}

func TestTheOwnerIsAskedToRefillOnceAfterAnOverflow(t *testing.T) {
	q := New(loan, nil, 20)
	asked := func() bool {
		select {
		case <-q.Refill():
			return true
		default:
			return false
		}
	}
	require.NoError(t, q.Send(t.Context(), bells("g", 20)...))
	receive(t, q, 20)
	require.False(t, asked(), "nothing was dropped")
	require.NoError(t, q.Send(t.Context(), bells("g", 25)...))
	receive(t, q, 17)
	require.False(t, asked(), "3 of 20 are still in")
	receive(t, q, 1)
	require.True(t, asked())
	receive(t, q, 5)
	require.False(t, asked(), "asked once already")
}

func TestRoomForReadyMessagesDoesNotWaitForDelayedOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(loan, nil, 10)
		for range 11 {
			require.NoError(t, q.Send(t.Context(), queue.Message{Body: "x", Group: "later", Delay: time.Minute}))
		}
		require.NoError(t, q.Send(t.Context(), bells("g", 11)...))
		receive(t, q, 10)
		<-q.Refill()
		time.Sleep(time.Minute)
		receive(t, q, 1)
		<-q.Refill()
		require.Empty(t, q.Refill())
	})
}

func TestAnOvertakenReceiptDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(loan, nil, 0)
		require.NoError(t, q.Send(t.Context(), bells("g", 1)...))
		first, err := q.Receive(t.Context(), 1, 0)
		require.NoError(t, err)
		time.Sleep(loan.Visibility)
		second, err := q.Receive(t.Context(), 1, 0)
		require.NoError(t, err)
		require.NoError(t, q.Delete(t.Context(), first...))
		require.NoError(t, q.Delete(t.Context(), queue.Received{ID: "odd"}))
		_, _, onLoan := q.Depth()
		require.Equal(t, 1, onLoan)
		require.NoError(t, q.Delete(t.Context(), second...))
		_, _, onLoan = q.Depth()
		require.Zero(t, onLoan)
	})
}

func TestEachWaitingReceiverGetsItsDelayedMessageInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const receivers = 8
		q := New(loan, nil, 0)
		late := make(chan time.Duration, receivers)
		start := time.Now()
		for range receivers {
			go func() {
				got, _ := q.Receive(context.Background(), 1, time.Hour)
				var n int
				_, _ = fmt.Sscanf(got[0].Body, "g%d", &n)
				late <- time.Since(start) - time.Duration(n+1)*time.Second
			}()
		}
		synctest.Wait()
		for i, m := range bells("g", receivers) {
			m.Delay = time.Duration(i+1) * time.Second
			require.NoError(t, q.Send(t.Context(), m))
		}
		for range receivers {
			require.Zero(t, <-late)
		}
	})
}

func TestAReceiverThatLeavesPassesItsRingOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(loan, nil, 0)
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan int, 2)
		for _, c := range []context.Context{ctx, t.Context()} {
			go func() {
				got, _ := q.Receive(c, 1, time.Hour)
				done <- len(got)
			}()
			synctest.Wait()
		}
		q.mu.Lock() // so that the first is rung and told to leave in one moment
		q.put(queue.Message{Body: "x"}, q.now())
		q.wake(1)
		leave()
		q.mu.Unlock()
		require.Equal(t, 1, max(<-done, <-done))
		require.Less(t, q.now(), time.Hour)
	})
}

func TestNothingIsLostOrMadeUpWhateverHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, everyMessageEndsOnce) // without Deadline, which a bubble has none of
	})
}

// everyMessageEndsOnce does anything in any order; in the end each message was deleted, or is in one of the two queues.
func everyMessageEndsOnce(r *rapid.T) {
	ctx := context.Background()
	dead := New(loan, nil, 0)
	q := New(queue.Settings{Visibility: 2 * time.Second, MaxReceives: 3}, dead, 0)
	sent, want, seen := 0, map[string]bool{}, []queue.Received{}
	r.Repeat(map[string]func(*rapid.T){
		"send": func(r *rapid.T) {
			sent++
			body := fmt.Sprint("m", sent)
			want[body] = true
			delay := time.Duration(rapid.IntRange(0, 3).Draw(r, "delay")) * time.Second
			require.NoError(r, q.Send(ctx, queue.Message{Body: body,
				Group: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "group"), Delay: delay}))
		},
		"receive": func(r *rapid.T) {
			got, err := q.Receive(ctx, rapid.IntRange(1, 5).Draw(r, "max"), 0)
			require.NoError(r, err)
			for _, m := range got {
				require.True(r, want[m.Body], "a deleted message came again")
				require.LessOrEqual(r, m.Count, 3)
			}
			seen = append(seen, got...)
		},
		"delete": func(r *rapid.T) {
			if len(seen) == 0 {
				return
			}
			m := rapid.SampledFrom(seen).Draw(r, "message")
			_, _, before := q.Depth()
			require.NoError(r, q.Delete(ctx, m))
			if _, _, after := q.Depth(); after < before {
				delete(want, m.Body)
			}
		},
		"wait": func(r *rapid.T) {
			time.Sleep(time.Duration(rapid.IntRange(1, 3000).Draw(r, "ms")) * time.Millisecond)
		},
	})
	left := map[string]bool{}
	for _, of := range []*Queue{q, dead} {
		time.Sleep(time.Minute)
		got, err := of.Receive(ctx, 10_000, 0)
		require.NoError(r, err)
		for _, m := range got {
			require.False(r, left[m.Body], "twice")
			left[m.Body] = true
		}
	}
	require.Equal(r, want, left)
}

func BenchmarkSendReceiveDelete(b *testing.B) {
	q := New(loan, nil, 0)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_ = q.Send(ctx, queue.Message{Body: "row", Group: "g"})
		got, _ := q.Receive(ctx, 10, 0)
		_ = q.Delete(ctx, got...)
	}
}

func BenchmarkFullQueueOfManyGroups(b *testing.B) {
	q := New(loan, nil, 0)
	ctx := context.Background()
	groups := make([]string, 1000)
	for i := range groups {
		groups[i] = fmt.Sprint(i)
	}
	for i := 0; b.Loop(); i++ {
		_ = q.Send(ctx, queue.Message{Body: "row", Group: groups[i%1000]})
	}
}
