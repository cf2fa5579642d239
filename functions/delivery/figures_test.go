package delivery_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

func TestWhatBecomesOfCallsIsMeasured(t *testing.T) {
	var mu sync.Mutex
	got := map[string][]float64{}
	w := newWorld(t, func(p *host.Parts) {
		p.Figure = func(name, _ string, value float64) {
			mu.Lock()
			defer mu.Unlock()
			got[name] = append(got[name], value)
		}
	})
	ok, fails := serve(t, status(200)), serve(t, status(500))
	a := w.install("shop", permission.ReadCustomers)
	good, bad := w.receiver(a, ok.URL), w.receiver(a, fails.URL)
	w.tell(w.change("shop", customer("c")))
	w.clock.Pass(3 * time.Second)
	w.run()
	require.Equal(t, map[string][]float64{webhook.CallsDelivered: {1}, webhook.CallAge: {3000},
		webhook.AttemptsFailed: {1}}, got)

	clear(got)
	w.tell(w.change("shop", customer("d")))
	_, err := webhook.EnterState(t.Context(), w.p.Unit(), w.p.Webhooks(), w.read(good), webhook.Failing, 0)
	require.NoError(t, err)
	off := w.read(bad)
	off.Active = false
	w.put(off.Item())
	w.run()
	require.Equal(t, map[string][]float64{webhook.CallsParked: {1}, webhook.CallsCancelled: {1}}, got)

	clear(got)
	c := w.change("shop", customer("e"))
	w.tell(c)
	w.tell(c)
	require.Equal(t, map[string][]float64{webhook.CallsParked: {1}}, got,
		"as it was queued, and once, though it was told twice")
	clear(got)
	_, err = webhook.EnterState(t.Context(), w.p.Unit(), w.p.Webhooks(), w.read(good), webhook.Disabled, 0)
	require.NoError(t, err)
	w.clock.Pass(webhook.ParkedFor)
	w.tell(w.change("shop", customer("f")))
	require.Equal(t, map[string][]float64{webhook.CallsExhausted: {1}}, got, "the receiver was disabled long ago")
	clear(got)
	require.NoError(t, w.sweep(t.Context()))
	w.run()
	require.Equal(t, []float64{1, 1}, got[webhook.CallsExhausted], "those parked for it, too")
}
