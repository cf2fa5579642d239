//go:build !race

// These are figures in simulated time: the race detector only takes minutes for them.
package journeys

import (
	"testing"

	"eshop/infra/journeys/simtest"
)

func TestOnAWSBesideAnImportOf100000ProductsAnotherShopsP99IsWithinTwentyPercent(t *testing.T) {
	simtest.BesideAnImport(t, onAWS, 20)
}

func TestOnAWSBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	simtest.BesideADeadAndAHangingReceiver(t, onAWS)
}
