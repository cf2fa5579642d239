package delivery_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/delivery"
	"eshop/shared/base/egress"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/webhook"
)

// pumped runs both queues until the test ends, each bell by itself as in the one process, and then waits for what is
// under way: receivers that hang must answer by then.
func (w *world) pumped(fresh, retry *memory.Queue) {
	var pumps sync.WaitGroup
	w.t.Cleanup(pumps.Wait)
	for _, q := range []*memory.Queue{fresh, retry} {
		pumps.Go(func() {
			for {
				got, err := q.Receive(w.t.Context(), 64, time.Second)
				if err != nil {
					return // the test has ended
				}
				for _, m := range got {
					pumps.Go(func() {
						if len(w.deliver(w.t.Context(), []queue.Received{m})) == 0 {
							_ = q.Delete(w.t.Context(), m)
						}
					})
				}
			}
		})
	}
}

// queues are the one process's own, which hold so many messages (0: as many as come). None is on loan so short that it
// comes twice while a receiver hangs.
func queues(most int) (fresh, retry *memory.Queue) {
	settings := queue.Settings{Visibility: time.Hour}
	return memory.New(settings, nil, most), memory.New(settings, nil, most)
}

// inMemory gives the world these queues and the time of day. A receiver that hangs does so until the test lets it
// answer, for no attempt runs out of time.
func inMemory(fresh, retry *memory.Queue) func(*host.Parts) {
	return func(p *host.Parts) {
		p.Fresh, p.Retry, p.Now = fresh, retry, time.Now
		p.Calling = egress.Options{Whole: time.Hour}
	}
}

func TestNoReceiverHasMoreThanSixteenAttemptsInFlightAndNoneHoldsUpAnother(t *testing.T) {
	fresh, retry := queues(0)
	w := newWorld(t, inMemory(fresh, retry))
	var inFlight, most, arrived atomic.Int64
	hang := make(chan struct{})
	answer := sync.OnceFunc(func() { close(hang) })
	stuck := serve(t, func(http.ResponseWriter, hit) {
		n := inFlight.Add(1)
		defer inFlight.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		<-hang
		arrived.Add(1)
	})
	well := serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), stuck.URL)
	w.receiver(w.install("shop", permission.ReadCustomers), well.URL)
	for i := range 100 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	w.pumped(fresh, retry)
	defer answer()
	require.Eventually(t, func() bool { return len(well.got()) == 100 && inFlight.Load() == 16 }, 2*time.Minute,
		time.Millisecond)
	answer()
	require.Eventually(t, func() bool { return arrived.Load() == 100 }, 2*time.Minute, 10*time.Millisecond)
	require.EqualValues(t, 16, most.Load())
	require.Len(t, stuck.got(), 100)
}

func TestWhatWaitedForAReceiverThatHungIsCalledAsItAnswers(t *testing.T) {
	fresh, retry := queues(0)
	w := newWorld(t, inMemory(fresh, retry))
	hang := make(chan struct{})
	answer := sync.OnceFunc(func() { close(hang) })
	s := serve(t, func(http.ResponseWriter, hit) { <-hang })
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	for i := range 600 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	w.pumped(fresh, retry)
	defer answer()
	// 16 are in flight and 112 taken ahead: inflight's healthyTurns and maxAhead.
	require.Eventually(t, func() bool { return w.p.Process.Backlog() >= 600-128 }, 2*time.Minute, time.Millisecond,
		"but for those in flight and ahead, none is in a queue")
	answer()
	require.Eventually(t, func() bool { return w.states(a)[webhook.Delivered] == 600 }, 2*time.Minute,
		10*time.Millisecond)
	require.Len(t, s.got(), 600)
	require.Zero(t, w.p.Process.Backlog())
}

func TestAQueueThatOverflowedIsRefilledFromTheRows(t *testing.T) {
	fresh, retry := queues(50)
	w, s := newWorld(t, inMemory(fresh, retry)), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	for i := range 200 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	w.pumped(fresh, retry)
	for late := time.After(2 * time.Minute); len(s.got()) < 200; {
		select {
		case <-fresh.Refill():
			require.NoError(t, delivery.Refill(t.Context(), w.p, 50))
		case <-time.After(time.Millisecond): // look again
		case <-late:
			require.Fail(t, "not all came")
		}
	}
	seen := map[string]int{}
	for _, h := range s.got() {
		seen[h.Get("X-Webhook-Id")]++
	}
	require.Len(t, seen, 200)
}
