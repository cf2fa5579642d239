package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/permission"
	"eshop/shared/store"
)

// TestWhatAWebhookTakes: of a change that one receiver hears, after those before it have told this process who listens.
// Messages are sent, received and deleted; batches are of one, or of ten, as a busy platform has them.
func TestWhatAWebhookTakes(t *testing.T) {
	const answers = 50 * time.Millisecond // a receiver's
	for _, c := range []struct {
		batch         float64
		reads, writes float64
	}{{1, 3, 4}, {10, 3, 4}} {
		w := newWorld(t, func(p *host.Platform) { p.Traits = host.Traits{Loopback: true} })
		shop := serve(t, nil)
		a := w.install("S", permission.All...)
		w.receiver(a, shop.URL)
		var m *store.Meter
		for range 3 {
			ctx, metered := store.WithMeter(t.Context())
			done, err := w.batch(ctx, []events.Change{w.change("S", customer("C"))})
			require.NoError(t, err)
			require.Equal(t, 1, done)
			got, err := w.fresh.Receive(ctx, 10, 0)
			require.NoError(t, err)
			require.Len(t, got, 1)
			require.Empty(t, w.deliver(ctx, got))
			m = metered
		}
		s := hosttest.Spent{Calls: 2 / c.batch, Messages: 3 / c.batch, Time: answers + 20*time.Millisecond,
			Lines: 2 / c.batch, Sent: 1500}.Metered(m)
		require.Equal(t, []float64{c.reads, c.writes}, []float64{s.Reads, s.Writes}, "read and write units")
		s.Print(t, fmt.Sprintf("a webhook, in batches of %.0f", c.batch))
	}
}
