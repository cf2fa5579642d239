package main

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

// process is the one process with a simulated disk, clock and network, and without sockets.
type process struct {
	t     testing.TB
	data  string
	s     *local.Server
	dying sync.WaitGroup
}

func newProcess(t testing.TB) *process { return &process{t: t, data: t.TempDir()} }

// Begin starts it with the surroundings of a life. A start that meets a store which cannot serve ends, and whoever
// began the process begins it anew.
func (p *process) Begin(l *Life) http.Handler {
	settings := local.Settings{Data: p.data, Environment: "development", OperatorToken: Operator,
		Now: l.Now, Random: l.Random(), Log: slog.New(slog.DiscardHandler), Disk: l.Disk,
		Parts: func(parts *host.Parts) {
			parts.Calling.Dial, parts.Main, parts.Pipeline = l.Dial, l.Near(parts.Main), l.Near(parts.Pipeline)
			parts.Fresh, parts.Retry = l.Memory(parts.Fresh), l.Memory(parts.Retry)
		}}
	err := store.ErrUnavailable
	for n := 0; n < 100 && errors.Is(err, store.ErrUnavailable); n++ {
		settings.Listener = hosttest.NewPipes() // nobody connects
		p.s, err = local.Start(p.t.Context(), settings)
	}
	require.NoError(p.t, err)
	return p.s
}

// Kill leaves the folder as it is on disk to the next life. What is still under way in this one has nothing to do with
// it any more, and comes to its end by itself: it loses the files first, so that it cannot delete one for a record that
// the next life never sees. Nobody is answered any more by then, and nothing is committed (Life.cut).
func (p *process) Kill() {
	synctest.Wait() // for commits that have begun
	killed, from := p.s, p.data
	p.data = p.t.TempDir()
	const files = "files"
	if err := os.Rename(filepath.Join(from, files), filepath.Join(p.data, files)); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(p.t, err)
		require.NoError(p.t, os.WriteFile(filepath.Join(from, files), nil, 0o600), "nothing can be put there any more")
	}
	for _, name := range []string{local.DataFile, "secret.key", "format"} {
		b, err := os.ReadFile(filepath.Join(from, name))
		require.NoError(p.t, err)
		require.NoError(p.t, os.WriteFile(filepath.Join(p.data, name), b, 0o600))
	}
	p.dying.Go(func() {
		_ = killed.Stop()
		require.NoError(p.t, os.RemoveAll(from))
	})
}

// Stop ends the process in order.
func (p *process) Stop() { _ = p.s.Stop() }

// OnAWS is false.
func (p *process) OnAWS() bool { return false }

// End waits for what killed processes left under way.
func (p *process) End() { p.dying.Wait() }
