//go:build !race

package simtest

import "time"

// span is how long a simulation is looked at, and whole whether what outlasts it is waited for.
const (
	span  = time.Minute
	whole = true
)
