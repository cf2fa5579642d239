package delivery_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/egress"
	"eshop/shared/base/egress/egresstest"
	"eshop/shared/base/permission"
	"eshop/shared/host"
)

func TestOnAWSAReceiverIsSuspectAsSoonAsAnAttemptTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network egresstest.Network
		takes := 5 * time.Second
		network.Listen("127.0.0.1:9000", &egresstest.Receiver{Answer: func(http.Header, []byte) int {
			time.Sleep(takes)
			return 200
		}})
		w := newWorld(t, func(p *host.Parts) {
			p.Traits, p.Now = host.Traits{}, time.Now
			p.Calling = egress.Options{Dial: network.Dial}
		})
		r := w.receiver(w.install("shop", permission.ReadCustomers), "http://127.0.0.1:9000/")
		rung := func() int { w.fresh.mu.Lock(); defer w.fresh.mu.Unlock(); return w.fresh.sent }

		w.tell(w.change("shop", customer("1")))
		require.Equal(t, 1, rung())
		bells, err := w.fresh.Receive(t.Context(), 10, 0)
		require.NoError(t, err)
		ended := make(chan struct{})
		go func() { defer close(ended); w.deliver(t.Context(), bells) }()
		time.Sleep(1900 * time.Millisecond)
		w.tell(w.change("shop", customer("2")))
		require.Equal(t, 2, rung(), "it may still be one that answers")
		time.Sleep(200 * time.Millisecond)
		w.tell(w.change("shop", customer("3")))
		require.Equal(t, 2, rung())
		require.Equal(t, 1, w.retry.sent, "it takes no place of others' first attempts any more")
		<-ended
		require.Zero(t, w.health(r).Failures, "what takes long is no failure")

		takes = 0
		time.Sleep(time.Minute)
		w.tell(w.change("shop", customer("4")))
		require.Equal(t, 3, rung(), "a minute later it is as any other")
		w.p.Egress.CloseIdle()
	})
}
