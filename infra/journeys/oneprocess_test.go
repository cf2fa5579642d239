package journeys

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/infra/local"
)

// oneProcess is the platform in one process, on a new folder.
func oneProcess(t *testing.T, also ...func(*local.Settings)) *world {
	w := &world{clock: &clock{}}
	settings := local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "development",
		Now: w.clock.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)}
	for _, change := range also {
		change(&settings)
	}
	s, err := local.Start(context.Background(), settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	w.url, w.operator, w.demo = s.BaseURL, s.Run.OperatorToken, s.Run.Demo
	for _, f := range functions.List {
		if f.Outside {
			w.canary = w.canaryOn(f, s.Platform)
		}
	}
	return w
}

func TestTheOneProcess(t *testing.T) {
	t.Parallel()
	w := oneProcess(t)
	travel(t, w)
}
