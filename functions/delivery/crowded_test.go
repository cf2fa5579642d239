package delivery_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/egress"
	"eshop/shared/base/egress/egresstest"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

// 400 receivers hang at one host, each of a tenant of its own, which is more than the host has places for.
func TestAHostFullOfCallsThatHangIsNoFailureOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network egresstest.Network
		network.Listen("127.0.0.1:9000", &egresstest.Receiver{Answer: func(_ http.Header, body []byte) int {
			if bytes.Contains(body, []byte(`"shopId":"hangs"`)) {
				time.Sleep(9 * time.Second)
			}
			return 200
		}})
		fresh, retry := queues(0)
		w := newWorld(t, func(p *host.Parts) {
			p.Fresh, p.Retry, p.Now = fresh, retry, time.Now
			p.Calling = egress.Options{Dial: network.Dial}
		})
		t.Cleanup(w.p.Egress.CloseIdle)
		for n := range 400 {
			w.receiver(w.install("hangs", permission.ReadCustomers), fmt.Sprintf("http://127.0.0.1:9000/%d", n))
		}
		a := w.install("well", permission.ReadCustomers)
		r := w.receiver(a, "http://127.0.0.1:9000/well")
		w.pumped(fresh, retry)
		w.tell(w.change("hangs", customer("c")))
		time.Sleep(time.Second)
		w.tell(w.change("well", customer("c")))
		time.Sleep(6 * time.Second)
		row, attempts := w.row(a)
		require.Equal(t, webhook.Waiting, row.State)
		require.Empty(t, attempts, "an attempt that got no place at the host counts as not made")
		time.Sleep(6 * time.Second)
		row, attempts = w.row(a)
		require.Equal(t, webhook.Delivered, row.State, "it was made once there was one")
		require.Len(t, attempts, 1)
		require.Zero(t, attempts[0].DurationMs, "the wait is none of its time")
		require.Zero(t, w.health(r).Failures)
		time.Sleep(time.Minute) // until all that hang were answered
	})
}
