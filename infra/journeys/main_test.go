package journeys

import (
	"log/slog"
	"os"
	"testing"
)

// What the hosts say of faults that tests make is not the tests' output.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
