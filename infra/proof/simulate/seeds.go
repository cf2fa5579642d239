package simulate

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A few hours of the first seeds are always tried.
const aFewHours = 3 * time.Hour

// Seeds are the seeds to try, and how long each is simulated: those that are always tried, or SEED (and the RUNS-1
// seeds behind it) for DAYS.
func Seeds(t testing.TB) (seeds []uint64, length time.Duration) {
	number := func(name string, otherwise int) int {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.Atoi(text)
		require.NoError(t, err, name)
		return n
	}
	if os.Getenv("SEED") == "" {
		for n := range always {
			seeds = append(seeds, uint64(n+1))
		}
		return seeds, aFewHours
	}
	first := number("SEED", 0)
	for n := range number("RUNS", 1) {
		seeds = append(seeds, uint64(first+n))
	}
	return seeds, time.Duration(number("DAYS", 1)) * 24 * time.Hour
}
