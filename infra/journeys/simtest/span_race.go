//go:build race

package simtest

import "time"

// The same with the race detector, which makes it take five times the processor.
const (
	span  = 10 * time.Second
	whole = false
)
