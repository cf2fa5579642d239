//go:build !race

// These are figures in simulated time: the race detector only takes minutes for them.
package local

import (
	"testing"

	"eshop/infra/journeys/simtest"
)

func TestBesideAnImportOf100000ProductsAnotherShopsP99IsWithinAThird(t *testing.T) {
	simtest.BesideAnImport(t, simulated, 33) // its webhooks 26: five commits of the import, of 28 ms alone
}

func TestBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	simtest.BesideADeadAndAHangingReceiver(t, simulated)
}
