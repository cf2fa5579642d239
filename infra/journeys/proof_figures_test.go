package journeys

import (
	"fmt"
	"testing"

	"eshop/infra/journeys/simtest"
)

func TestOnAWSBesideAnImportOf100000ProductsAnotherShopsP99IsWithinTwentyPercent(t *testing.T) {
	simtest.BesideAnImport(t, onAWS)
}

func TestOnAWSBesideADeadAndAHangingReceiverTheP99OfEightHealthyOnesIsWithinTenPercent(t *testing.T) {
	for _, rate := range []float64{40, 100} { // at 100 what hangs at once would fill all places, if there were fewer
		t.Run(fmt.Sprint(rate, " changes a second"),
			func(t *testing.T) { simtest.BesideADeadAndAHangingReceiver(t, onAWS, rate) })
	}
}
