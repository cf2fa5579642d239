package shop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheBudgetsAreKept holds each operation to its budget: a read is one wave, with the counter.
func TestTheBudgetsAreKept(t *testing.T) {
	for path, calls := range map[string]int{"/api-engine/shop": 2, "/api-engine/package": 2, "/api-engine/status": 1} {
		t.Run(path, func(t *testing.T) {
			w := newWorld(t)
			w.InWaves([]int{calls}, func() { w.get(path).Is(200) })
			_, write := w.Meter().Units()
			require.InDelta(t, 1, write, 0, "the counter")
		})
	}
}
