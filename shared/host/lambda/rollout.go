package lambda

import (
	"time"

	"eshop/shared/host"
)

// A new version of a function is tried before it has all calls. It has CanaryShare of them for CanaryBake, and none any
// more if it fails meanwhile. It has failed if, within CanaryWindow, CanaryPercent of its own calls or more were faults
// or errors, and at least CanaryFailures of them were. What the old version does beside it does not count.
//
// The numbers are chosen so that three things hold (rollout_test.go plays them through). A function with ten calls a
// minute that always fails shows it within the bake. One under load shows that it fails one call in fifty. One that is
// well is never taken back for the odd fault of a table.
const (
	RolloutShare   = 10 // percent
	RolloutBake    = 15 * time.Minute
	RolloutWindow  = 5 * time.Minute
	RolloutPercent = 1
)

// RolloutFailures are how many failures in a window are too many. What the clock or an upload calls is called seldom,
// and each failure of it counts.
func RolloutFailures(f host.Function) int {
	if f.Tick != nil || f.Upload != nil {
		return 1
	}
	return 2
}
