//go:build !race

// These are figures in simulated time: the race detector only takes minutes for them.
package main

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// looked is how long a simulation is looked at.
const looked = time.Minute / 2

// still runs the work on a platform on which nothing goes wrong: in simulated time only what is given a time takes one
// (a disk, a table far away, a network). So it is measured who waits for whom and how long, and not the machine.
func still(t *testing.T, onAWS bool, work func(*Sim)) {
	t.Helper()
	within(t, 1, 0, func(t testing.TB) Host {
		if onAWS {
			return newCloud(t, math.MaxInt)
		}
		return newProcess(t)
	}, work)
}

func TestBesideAnImportOf50000ProductsAnotherShopsP99IsWithinAThird(t *testing.T) {
	besideAnImport(t, false, 33) // its webhooks 26: five commits of the import, of 28 ms alone
}

func TestOnAWSBesideAnImportOf50000ProductsAnotherShopsP99IsWithinTwentyPercent(t *testing.T) {
	besideAnImport(t, true, 20)
}

func TestBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	besideADeadAndAHangingReceiver(t, false)
}

func TestOnAWSBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	besideADeadAndAHangingReceiver(t, true)
}

// besideAnImport wants a shop to feel little of another shop's import of 50,000 products: at the 99th percentile it
// waits at most so many percent longer than without, for its webhooks, its changes and its reads, those of the change
// feed included. The importing shop's own receiver is slow.
func besideAnImport(t *testing.T, onAWS bool, percent time.Duration) {
	const rate = 50
	var alone, beside *tenant
	still(t, onAWS, func(w *Sim) {
		alone = w.tenant(rate, way)
		alone.works(looked, nil) // as long as beside the import at least: fewer webhooks have another p99 each time
		alone.settles()
	})
	still(t, onAWS, func(w *Sim) {
		beside = w.tenant(rate, way)
		i := w.imports(50_000)
		beside.works(looked, i.over)
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

// besideADeadAndAHangingReceiver wants each of eight healthy receivers to hear of changes at most a tenth later, at the
// 99th percentile: from the first call to the sick ones until their breakers are open, and beyond. At a hundred changes
// a second what hangs at once would fill all places, if there were fewer.
func besideADeadAndAHangingReceiver(t *testing.T, onAWS bool) {
	const rate = 100
	var distances []time.Duration
	for n := range 8 {
		distances = append(distances, way/2+time.Duration(n)*way/8)
	}
	var alone, beside *tenant
	still(t, onAWS, func(w *Sim) {
		alone = w.tenant(rate, distances...)
		alone.works(looked/2, nil)
		alone.settles()
	})
	still(t, onAWS, func(w *Sim) {
		beside = w.tenant(rate, distances...)
		beside.partner.registers(w.receives(far(way, func(http.Header, []byte) int { return 500 })))
		beside.partner.registers(w.receives(far(way, func(http.Header, []byte) int { return 0 })))
		beside.works(looked, nil)
		beside.settles()
	})
	for n := range distances {
		was, is := alone.heard(n), beside.heard(n)
		t.Logf("%s: alone %s; beside the sick %s", was.of, was, is)
		require.LessOrEqual(t, is.p(99), was.p(99)*11/10, was.of)
	}
}
