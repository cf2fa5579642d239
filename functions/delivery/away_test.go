package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/delivery"
	"eshop/functions/sweeper"
	"eshop/shared/addon"
	"eshop/shared/base/egress"
	"eshop/shared/base/egress/egresstest"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// called is a receiver that counts its calls, takes so long and answers as told.
type called struct {
	egresstest.Receiver
	is     webhook.Receiver
	access addon.Access
	calls  atomic.Int64
	status atomic.Int64
}

func (w *world) called(n *egresstest.Network, port int, takes time.Duration, status int64) *called {
	c := &called{}
	c.status.Store(status)
	c.Answer = func(http.Header, []byte) int {
		c.calls.Add(1)
		time.Sleep(takes)
		return int(c.status.Load())
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	n.Listen(address, &c.Receiver)
	c.access = w.install(fmt.Sprint(port), permission.ReadCustomers)
	c.is = w.receiver(c.access, "http://"+address+"/")
	return c
}

// swept runs the sweeper as the one process does, until the test ends.
func (w *world) swept() {
	ctx, end := context.WithCancel(w.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for tick := time.NewTicker(sweeper.Function.Tick.EveryInOneProcess); ; {
			select {
			case <-tick.C:
				_ = w.sweep(ctx) // while the store refuses it fails
			case <-ctx.Done():
				return
			}
		}
	}()
	w.t.Cleanup(func() { end(); <-over })
}

// A full disk refuses writes, and heals when somebody makes room.
func TestWhatTheStoreRefusedIsTakenUpWithinTenSecondsOfItsServing(t *testing.T) {
	for _, away := range []time.Duration{2 * time.Second, 15 * time.Second, 40 * time.Second, 255 * time.Second} {
		t.Run(fmt.Sprint("after ", away), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var refuses atomic.Bool
				var network egresstest.Network
				dead := memory.New(queue.Settings{}, nil, 0)
				from := delivery.Function.Messages.From
				fresh, retry := memory.New(from[0].Settings(), dead, 0), memory.New(from[1].Settings(), dead, 0)
				w := newWorld(t, func(p *host.Parts) {
					p.Fresh, p.Retry, p.Now = fresh, retry, time.Now
					for _, table := range []*store.Table{&p.Main, &p.Pipeline} {
						*table = &broken{Table: *table, fails: func([]store.Op) bool { return refuses.Load() }}
					}
					p.Calling = egress.Options{Dial: network.Dial}
				})
				t.Cleanup(w.p.Egress.CloseIdle)
				w.pumped(fresh, retry)
				w.swept()

				// The breaker of one is open, and its probe is due while the store is away.
				parked := w.called(&network, 9000, 0, 500)
				for range 5 {
					w.tell(w.change(parked.is.Shop, customer("c")))
				}
				for w.read(parked.is).State != webhook.Failing {
					time.Sleep(time.Second)
				}
				time.Sleep(time.Until(w.read(parked.is).NextProbe(time.Now()).Go()) - time.Second)
				// Another one's retry is due then, and a third's attempt has begun, whose result nobody can write down.
				retried, unwritten := w.called(&network, 9001, 0, 500), w.called(&network, 9002, 3*time.Second, 200)
				w.tell(w.change(retried.is.Shop, customer("c")), w.change(unwritten.is.Shop, customer("c")))
				time.Sleep(time.Second / 2)
				probes := parked.calls.Load()
				require.Equal(t, []int64{1, 1}, []int64{retried.calls.Load(), unwritten.calls.Load()})
				for _, c := range []*called{parked, retried} {
					c.status.Store(200)
				}
				refuses.Store(true)
				time.Sleep(away)
				require.LessOrEqual(t, unwritten.calls.Load(), int64(1), "what may have been answered waits")
				require.Equal(t, probes, parked.calls.Load())

				refuses.Store(false)
				time.Sleep(10 * time.Second)
				require.Greater(t, parked.calls.Load(), probes)
				for _, c := range []*called{retried, unwritten} {
					require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(c.access))
				}
			})
		})
	}
}
