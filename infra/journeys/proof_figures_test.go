package journeys

import (
	"testing"
	"time"

	"eshop/infra/journeys/simtest"
)

func TestOnAWSBesideAnImportOf100000ProductsAnotherShopsP99IsWithinTwentyPercent(t *testing.T) {
	simtest.BesideAnImport(t, onAWS)
}

// Until the first attempts that hang have ended, nobody knows that they do, and they hold the places of the messages with
// which they share their batches.
func TestOnAWSBesideADeadAndAHangingReceiverOnceTheyAreKnownTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	simtest.BesideADeadAndAHangingReceiver(t, onAWS, 40, 30*time.Second)
}
