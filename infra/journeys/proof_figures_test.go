package journeys

import (
	"testing"

	"eshop/infra/journeys/simtest"
)

func TestOnAWSBesideAnImportOf100000ProductsAnotherShopsP99IsWithinTwentyPercent(t *testing.T) {
	simtest.BesideAnImport(t, onAWS)
}

// At 40 changes a second: at 100 the 100 places of the fresh queue are full before the first slow attempt is noted, and others
// wait until the first ones end.
func TestOnAWSBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	simtest.BesideADeadAndAHangingReceiver(t, onAWS, 40)
}
