package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/ports/store"
)

// TestWhatAWebhookTakes counts changes that nobody hears, and changes that one receiver hears, in batches of one and of
// ten, as a busy platform has them. This process knows who listens, except when the last of them come, a minute
// later. The floor is four rows for ever: the change in its feed; the webhook before it is tried, so that it is never
// lost; that it is being tried, so that nobody does so beside it; and what became of it. Who listens, what its package
// may, and whether it is well are read once for each batch.
func TestWhatAWebhookTakes(t *testing.T) {
	for _, batch := range []int{1, 10} {
		w := newWorld(t, func(p *host.Parts) { p.Traits = host.Traits{Loopback: true} })
		a, nobody := w.install("S", permission.All...), w.install("T", permission.All...)
		w.receiver(a, serve(t, nil).URL)
		require.NotEqual(t, a.Shop, nobody.Shop)
		takes := func(shop string) (reads, writes float64) {
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
			return m.Units()
		}
		n := float64(batch)
		for _, shop := range []string{"S", "S", "T"} {
			takes(shop)
		}
		reads, writes := takes("T")
		require.Equal(t, []float64{1, n}, []float64{reads, writes}, "nobody hears")
		reads, writes = takes("S")
		require.Equal(t, []float64{3, 4 * n}, []float64{reads, writes}, "one receiver hears: the floor")

		w.clock.Pass(time.Minute)
		if forgotten, _ := takes("S"); batch == 1 {
			require.Equal(t, 5.0, forgotten-reads)
		} else {
			require.Less(t, forgotten-reads, n*5)
		}
	}
}
