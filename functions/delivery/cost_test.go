package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/bill"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/permission"
	"eshop/shared/store"
)

// TestWhatAWebhookTakes counts changes that nobody hears, and changes that one receiver hears, in batches of one and of
// ten, as a busy platform has them. This process knows who listens, except when the last of them come, a minute
// later. The floor is four rows for ever: the change in its feed; the webhook before it is tried, so that it is never
// lost; that it is being tried, so that nobody does so beside it; and what became of it. Who listens, what its package
// may, and whether it is well are read once for each batch.
func TestWhatAWebhookTakes(t *testing.T) {
	for _, batch := range []int{1, 10} {
		w := newWorld(t, func(p *host.Platform) { p.Traits = host.Traits{Loopback: true} })
		a, nobody := w.install("S", permission.All...), w.install("T", permission.All...)
		w.receiver(a, serve(t, nil).URL)
		require.NotEqual(t, a.Shop, nobody.Shop)
		takes := func(shop string) bill.Units {
			ctx, m := store.WithMeter(t.Context())
			var changes []events.Change
			for range batch {
				changes = append(changes, w.change(shop, customer("C")))
			}
			done, err := w.batch(ctx, changes)
			require.NoError(t, err)
			require.Equal(t, batch, done)
			got, err := w.fresh.Receive(ctx, 10, 0)
			require.NoError(t, err)
			require.Empty(t, w.deliver(ctx, got))
			reads, writes := m.Units()
			return bill.Units{Reads: reads, Writes: writes}
		}
		n := float64(batch)
		for _, shop := range []string{"S", "S", "T"} {
			takes(shop)
		}
		change, both := takes("T"), takes("S")
		require.Equal(t, bill.Units{Reads: bill.Change.Reads, Writes: n * bill.Change.Writes}, change, "nobody hears")
		all := bill.Change.Plus(bill.Webhook)
		require.Equal(t, bill.Units{Reads: all.Reads, Writes: n * all.Writes}, both)
		floor := bill.Units{Reads: 3, Writes: 4 * n}
		require.LessOrEqual(t, both.Dollars()/floor.Dollars(), 1.05)

		w.clock.pass(time.Minute)
		if forgotten := takes("S").Reads - both.Reads; batch == 1 {
			require.Equal(t, float64(bill.UnknownReceiver), forgotten)
		} else {
			require.Less(t, forgotten, n*bill.UnknownReceiver)
		}
		for _, answers := range []time.Duration{50 * time.Millisecond, time.Second} {
			hosttest.Print(t, bill.Changed(n).Plus(bill.Delivered(n, n, answers)),
				fmt.Sprintf("a webhook with its change, in batches of %d, whose receiver takes %s", batch, answers))
		}
	}
}
