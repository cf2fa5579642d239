package lambdahost

import (
	"time"

	"eshop/shared/host"
)

// A new version of a function is tried before it has all calls: it has CanaryShare of them for CanaryBake, and none
// any more when it has failed meanwhile. It has failed when, within CanaryWindow, CanaryPercent of its own calls or
// more were faults or errors, and they were at least CanaryFailures. What the old version does beside it counts for
// nothing.
//
// The numbers are such that a function with ten calls a minute shows within the bake that it fails always, one under
// load that it fails one call in fifty, and one that is well is never taken back for the odd fault of a table
// (canary_test.go plays it through).
const (
	CanaryShare   = 10 // percent
	CanaryBake    = 15 * time.Minute
	CanaryWindow  = 5 * time.Minute
	CanaryPercent = 1
)

// CanaryFailures are how many failures in a window are too many. What the clock or an upload calls is called seldom,
// and each failure of it counts.
func CanaryFailures(f host.Function) int {
	if f.Tick != nil || f.Upload != nil {
		return 1
	}
	return 2
}
