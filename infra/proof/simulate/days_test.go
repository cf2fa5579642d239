package main

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// platforms are the hosts that are simulated.
var platforms = map[string]func(testing.TB) Host{
	"InTheOneProcess": func(t testing.TB) Host { return newProcess(t) },
	"OnAWS":           func(t testing.TB) Host { return newCloud(t, 8) },
}

// TestDays simulates a few hours of the first seeds on both hosts, or DAYS of SEED: see make simulate.
func TestDays(t *testing.T) {
	if testing.Short() {
		t.Skip("days of seeds take long")
	}
	seeds, length := []uint64{1, 2, 3}, 3*time.Hour
	if os.Getenv("SEED") != "" {
		seeds, length = []uint64{number(t, "SEED", 0)}, time.Duration(number(t, "DAYS", 1))*24*time.Hour
	}
	for name, host := range platforms {
		for _, seed := range seeds {
			t.Run(name+"/"+strconv.FormatUint(seed, 10), func(t *testing.T) { Run(t, seed, length, host) })
		}
	}
}

// number is a number in the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}
