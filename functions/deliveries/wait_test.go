package deliveries_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// TestAReadWaitsForTheEndOfADelivery has a clock of its own: a second that passes in the bubble passes on the platform.
func TestAReadWaitsForTheEndOfADelivery(t *testing.T) {
	for name, c := range map[string]struct {
		wait   string
		ends   webhook.DeliveryState
		after  int // seconds until the delivery is in that state
		is     int
		took   int // seconds
		absent bool
	}{
		"it has ended":                {"20", webhook.Delivered, 0, 200, 0, false},
		"it ends meanwhile":           {"20", webhook.Exhausted, 3, 200, 3, false},
		"it is cancelled":             {"20", webhook.Cancelled, 1, 200, 1, false},
		"parked is no end":            {"2", webhook.Parked, 0, 200, 2, false},
		"the time is over":            {"1", webhook.Delivered, 9, 200, 1, false},
		"it comes and ends":           {"20", webhook.Delivered, 4, 200, 4, true},
		"nobody waits without asking": {"", webhook.Delivered, 9, 200, 0, false},
		"it never comes":              {"2", webhook.Delivered, 9, 404, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := open(t)
				id := w.row("receiver", events.ProductChange)
				items, err := w.P.Pipeline.Get(t.Context(), webhook.RowKey(acc, id))
				require.NoError(t, err)
				if c.absent {
					_, err := w.P.Pipeline.Write(t.Context(), events.Nothing, store.Delete(items[0].Key))
					require.NoError(t, err)
				}
				become := func() {
					i := *items[0]
					in(c.ends)(&i)
					w.Put(w.P.Pipeline, i)
				}
				if c.after == 0 {
					become()
				}
				answered := make(chan struct{})
				defer close(answered)
				go func() { // in the middle of each second, so that no look comes at the same moment
					for second, middle := 1, time.Second/2; ; second, middle = second+1, time.Second {
						select {
						case <-answered:
							return
						case <-time.After(middle):
						}
						if w.Clock.Pass(time.Second); second == c.after {
							become()
						}
					}
				}()
				query, began := "", time.Now()
				if c.wait != "" {
					query = "?wait=" + c.wait
				}
				a := w.do("GET", path+"/"+id+query).Is(c.is)
				require.Equal(t, c.took, int(time.Since(began)/time.Second))
				if c.is == 200 && c.took == c.after {
					require.Equal(t, string(c.ends), a.Get("state"))
				}
			})
		})
	}
	w := open(t)
	one := w.row("receiver", events.ProductChange, in(webhook.Delivered))
	for wait, code := range map[string]string{"0": "too_small", "21": "too_big", "-1": "too_small", "x": "wrong_type"} {
		w.do("GET", path+"/"+one+"?wait="+wait).Fault("query.wait", code)
	}
}
