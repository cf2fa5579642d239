package simtest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Host runs the work with a world that this host serves, in a bubble of testing/synctest that ends with it.
type Host func(t *testing.T, work func(*World))

// span is how long a simulation is looked at.
const span = time.Minute

// BesideAnImport wants a shop to feel little of another shop's import of 100,000 products: at the 99th percentile it
// waits at most so many percent longer than without, for its webhooks, its changes and its reads, those of the change
// feed included. The importing shop's own receiver is slow.
func BesideAnImport(t *testing.T, on Host, percent time.Duration) {
	const rate = 50
	var alone, beside *tenant
	on(t, func(w *World) {
		alone = w.tenant(rate, way)
		alone.works(after(span)) // as long as beside the import at least: fewer webhooks have another p99 each time
		alone.settles()
	})
	on(t, func(w *World) {
		beside = w.tenant(rate, way)
		i := w.imports(100_000)
		beside.works(either(i.over, after(span)))
		beside.settles()
		i.check()
	})
	for n, was := range alone.times() {
		is := beside.times()[n]
		t.Logf("%s: alone %s; beside the import %s", was.of, was, is)
		require.LessOrEqual(t, is.p(99), was.p(99)*(100+percent)/100, was.of)
	}
	require.Equal(t, alone.reads.p(99), beside.reads.p(99), "a record's read waits for nothing at all")
}

// BesideADeadAndAHangingReceiver wants each of eight healthy receivers to hear of changes at most a tenth later, at the
// 99th percentile: from the first call to the sick ones until their breakers are open, and beyond. At a hundred changes
// a second what hangs at once would fill all places, if there were fewer.
func BesideADeadAndAHangingReceiver(t *testing.T, on Host) {
	const rate = 100
	var distances []time.Duration
	for n := range 8 {
		distances = append(distances, way/2+time.Duration(n)*way/8)
	}
	var alone, beside *tenant
	on(t, func(w *World) {
		alone = w.tenant(rate, distances...)
		alone.works(after(span / 2))
		alone.settles()
	})
	on(t, func(w *World) {
		beside = w.tenant(rate, distances...)
		w.receiver(beside.token, way, func(http.Header, []byte) int { return 500 })
		w.receiver(beside.token, way, func(http.Header, []byte) int { return 0 })
		beside.works(after(span))
		beside.settles()
	})
	for n := range distances {
		was, is := alone.heard(n), beside.heard(n)
		t.Logf("%s: alone %s; beside the sick %s", was.of, was, is)
		require.LessOrEqual(t, is.p(99), was.p(99)*11/10, was.of)
	}
}
