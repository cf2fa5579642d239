package hosttest

import (
	"regexp"
	"testing"

	"eshop/shared/bill"
)

// Print prints what a million of something costs, where tests say all that they do (-v).
func Print(t testing.TB, s bill.Spent, what string) {
	if testing.Verbose() {
		t.Logf("%7.2f $ a million: %5.1f read and %5.1f write units  %s", s.Dollars(), s.Reads, s.Writes,
			ids.ReplaceAllString(what, "{id}"))
	}
}

var ids = regexp.MustCompile(`[0-9A-Z]{26}`)

// Charge prints what the last request cost. Its calls came in so many waves at most.
func (w *World) Charge(waves int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var units bill.Units
	units.Reads, units.Writes = w.meter.Units()
	Print(w.T, bill.Request(units, waves, w.sent), w.asked)
}
