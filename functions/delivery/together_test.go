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
	"eshop/shared/egress"
	"eshop/shared/host"
	"eshop/shared/permission"
	"eshop/shared/queue"
	"eshop/shared/queue/memory"
	"eshop/shared/webhook"
)

// pumped runs both queues as the one process does, until stop or the test's end.
func (w *world) pumped(fresh, retry *memory.Queue) (stop func()) {
	end := make(chan struct{})
	var pumps sync.WaitGroup
	for _, q := range []*memory.Queue{fresh, retry} {
		pumps.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				got, err := q.Receive(w.t.Context(), 64, 20*time.Millisecond)
				if err != nil {
					return
				}
				pumps.Go(func() {
					failed := w.deliver(w.t.Context(), got)
					if len(failed) == 0 {
						_ = q.Delete(w.t.Context(), got...)
					}
				})
			}
		})
	}
	return func() { close(end); pumps.Wait() }
}

// inMemory gives the world the one process's own queues and the time of day. A receiver that hangs does so until the
// test lets it answer, for no attempt runs out of time.
func inMemory(fresh, retry *memory.Queue) func(*host.Platform) {
	return func(p *host.Platform) {
		p.Fresh, p.Retry, p.Now = fresh, retry, time.Now
		p.Egress = egress.New(egress.Options{Rules: egress.Rules{AllowLoopback: true}, Now: p.Now, Whole: time.Hour})
	}
}

func TestNoReceiverHasMoreThanSixteenAttemptsInFlightAndNoneHoldsUpAnother(t *testing.T) {
	settings := queue.Settings{Visibility: time.Minute}
	fresh, retry := memory.New(settings, nil, 0), memory.New(settings, nil, 0)
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
	stop := w.pumped(fresh, retry)
	defer stop()
	defer answer()
	require.Eventually(t, func() bool { return len(well.got()) == 100 && inFlight.Load() == 16 }, 2*time.Minute, time.Millisecond)
	answer()
	require.Eventually(t, func() bool { return arrived.Load() == 100 }, 2*time.Minute, 10*time.Millisecond)
	require.EqualValues(t, 16, most.Load())
	require.Len(t, stuck.got(), 100)
}

func TestWhatWaitedForAReceiverThatHungIsCalledAsItAnswers(t *testing.T) {
	settings := queue.Settings{Visibility: time.Minute}
	fresh, retry := memory.New(settings, nil, 0), memory.New(settings, nil, 0)
	w := newWorld(t, inMemory(fresh, retry))
	hang := make(chan struct{})
	answer := sync.OnceFunc(func() { close(hang) })
	s := serve(t, func(http.ResponseWriter, hit) { <-hang })
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	for i := range 600 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	stop := w.pumped(fresh, retry)
	defer stop()
	defer answer()
	require.Eventually(t, func() bool { return w.p.Process.Kept() >= 600-128 }, 2*time.Minute, time.Millisecond,
		"but for those in flight and ahead, none is in a queue")
	answer()
	require.Eventually(t, func() bool { return w.states(a)[webhook.Delivered] == 600 }, 2*time.Minute, 10*time.Millisecond)
	require.Len(t, s.got(), 600)
	require.Zero(t, w.p.Process.Kept())
}

func TestAQueueThatOverflowedIsRefilledFromTheRows(t *testing.T) {
	settings := queue.Settings{Visibility: time.Minute}
	fresh, retry := memory.New(settings, nil, 50), memory.New(settings, nil, 50)
	w, s := newWorld(t, inMemory(fresh, retry)), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	for i := range 200 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	stop := w.pumped(fresh, retry)
	defer stop()
	require.Eventually(t, func() bool {
		select {
		case <-fresh.Refill():
			require.NoError(t, delivery.Refill(t.Context(), w.p, 50))
		default:
		}
		return len(s.got()) >= 200
	}, 2*time.Minute, time.Millisecond)
	seen := map[string]int{}
	for _, h := range s.got() {
		seen[h.Get("X-Webhook-Id")]++
	}
	require.Len(t, seen, 200)
}
