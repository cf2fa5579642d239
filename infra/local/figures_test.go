//go:build !race

// These are figures in simulated time: the race detector only takes minutes for them.
package local

import (
	"testing"

	"eshop/infra/journeys/simtest"
)

func TestBesideAnImportOf100000ProductsAnotherShopsP99IsWithinAQuarter(t *testing.T) {
	simtest.BesideAnImport(t, simulated, 25) // 13 to 21, by the order in which goroutines meet
}

func TestBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	simtest.BesideADeadAndAHangingReceiver(t, simulated)
}
