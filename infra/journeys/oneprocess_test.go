package journeys

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
)

// oneProcess is the platform in one process, on a new folder.
func oneProcess(t *testing.T) *world {
	w := &world{clock: &clock{}}
	s, err := local.Start(context.Background(),
		local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "development",
			Now: w.clock.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	w.url, w.operator = s.BaseURL, s.Run.OperatorToken
	return w
}

func TestTheOneProcess(t *testing.T) {
	t.Parallel()
	w := oneProcess(t)
	travel(t, w)
}
