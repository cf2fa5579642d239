package delivery_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/egress"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/queue/memory"
)

// hostPlaces is how many bells of one queue the one process handles side by side (infra/local, "inFlight").
const hostPlaces = 512

// hosted runs both queues as the one process does, each bell by itself in one of the queue's places, until stop.
func (w *world) hosted(fresh, retry *memory.Queue) (stop func()) {
	end := make(chan struct{})
	var pumps sync.WaitGroup
	for _, q := range []*memory.Queue{fresh, retry} {
		room := make(chan struct{}, hostPlaces)
		pumps.Go(func() {
			for {
				select {
				case <-end:
					return
				case room <- struct{}{}:
				}
				got, _ := q.Receive(w.t.Context(), 1, 20*time.Millisecond)
				if len(got) == 0 {
					<-room
					continue
				}
				pumps.Go(func() {
					defer func() { <-room }()
					if len(w.deliver(w.t.Context(), got)) == 0 {
						_ = q.Delete(w.t.Context(), got...)
					}
				})
			}
		})
	}
	return func() { close(end); pumps.Wait() }
}

// TestOneDeadAndOneHangingReceiverAmongTenHoldUpNoneOfTheOthers proves by the order that no healthy delivery waits for a
// sick one: of more changes than the process has places, all arrive at all others before the hanging one has answered once.
// How many of the places that can have, see the lanes' own proof; the times are in the bench.
func TestOneDeadAndOneHangingReceiverAmongTenHoldUpNoneOfTheOthers(t *testing.T) {
	t.Parallel()
	const changes = 700 // more than there are places
	loan := queue.Settings{Visibility: time.Minute}
	fresh, retry := memory.New(loan, nil, 0), memory.New(loan, nil, 0)
	w := newWorld(t, inMemory(fresh, retry), func(p *host.Platform) {
		p.Egress = egress.New(egress.Options{Rules: egress.Rules{AllowLoopback: true}, Whole: time.Hour}) // the test ends the hanging
	})
	over := make(chan struct{})
	hanging := serve(t, func(http.ResponseWriter, hit) { <-over })
	dead := serve(t, status(500))
	a := w.install("shop", api.ReadCustomers)
	w.receiver(a, dead.URL)
	w.receiver(a, hanging.URL)
	var well []*shop
	for range 8 {
		s := serve(t, nil)
		well = append(well, s)
		w.receiver(a, s.URL)
	}
	all := make([]events.Change, changes)
	for i := range all {
		all[i] = w.change("shop", customer(fmt.Sprint(i)))
	}
	w.tell(all...)
	defer w.hosted(fresh, retry)()
	defer close(over)
	for _, s := range well {
		require.Eventually(t, func() bool { return len(s.got()) == changes }, time.Minute, time.Millisecond)
	}
	require.LessOrEqual(t, len(hanging.got()), 16, "none of its attempts has ended yet")
}
