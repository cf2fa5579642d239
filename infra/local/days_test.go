package local

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/infra/proof/simulate"
	"eshop/shared/host"
)

// TestDaysInTheOneProcess simulates days of the one process: SEED and DAYS choose others than the few that are always
// tried.
func TestDaysInTheOneProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("days of seeds take long")
	}
	seeds, length := simulate.Seeds(t)
	for _, seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			simulate.Run(t, seed, length, func(t testing.TB) simulate.Host {
				return &simulatedProcess{t: t, data: t.TempDir()}
			})
		})
	}
}

// simulatedProcess is the one process with a simulated disk, clock and network, and without sockets.
type simulatedProcess struct {
	t     testing.TB
	data  string
	s     *Server
	life  *simulate.Life
	dying sync.WaitGroup
}

// Begin is Start with the surroundings of a life.
func (p *simulatedProcess) Begin(l *simulate.Life) http.Handler {
	s := begin(p.t, Settings{Data: p.data, Environment: "development", OperatorToken: simulate.Operator,
		Now: l.Now, Random: l.Random(), Log: slog.New(slog.DiscardHandler)}, l.Disk, func(parts *host.Parts) {
		parts.Calling.Dial, parts.Main, parts.Pipeline = l.Dial, l.Near(parts.Main), l.Near(parts.Pipeline)
		parts.Fresh, parts.Retry = l.Memory(parts.Fresh), l.Memory(parts.Retry)
	})
	p.s, p.life = s, l
	return s.http.Handler
}

// Kill leaves the folder as it is on disk to the next life. What is still under way in this one has nothing to do with
// it any more, and comes to its end by itself: it loses the files first, so that it cannot delete one for a record that
// the next life never sees. Nobody is answered any more by then (Life.cut).
func (p *simulatedProcess) Kill() {
	killed := p.s
	left := p.t.TempDir()
	const files = "files"
	at := filepath.Join(p.data, files)
	if err := os.Rename(at, filepath.Join(left, files)); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(p.t, err)
		require.NoError(p.t, os.WriteFile(at, nil, 0o600), "nothing can be put there any more")
	}
	require.NoError(p.t, killed.db.Snapshot(func(data func(io.Writer) error) error {
		to, err := os.Create(filepath.Join(left, DataFile))
		if err != nil {
			return err
		}
		defer to.Close()
		return data(to)
	}))
	const key = "secret.key"
	b, err := os.ReadFile(filepath.Join(p.data, key))
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(left, key), b, 0o600))
	from := p.data
	p.data = left
	p.dying.Go(func() {
		_ = killed.Stop()
		require.NoError(p.t, os.RemoveAll(from))
	})
}

// Stop ends the process in order.
func (p *simulatedProcess) Stop() {
	p.life.HangUp(grace)
	_ = p.s.Stop()
}

// OnAWS is false.
func (p *simulatedProcess) OnAWS() bool { return false }

// End waits for what killed processes left under way.
func (p *simulatedProcess) End() { p.dying.Wait() }
