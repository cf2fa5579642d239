package local

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/journeys/simtest"
	"eshop/shared/egress"
	"eshop/shared/secret/file"
	"eshop/shared/store/bolt"
)

func TestAnOrderlyStopAtAnyMomentDoublesAndLosesNoWebhook(t *testing.T) {
	simtest.AStopAtAnyMoment(t, func(t *testing.T, works ...func(*simtest.World)) {
		synctest.Test(t, func(t *testing.T) {
			w, data := simtest.New(t), t.TempDir()
			defer w.End(func() {})
			for _, work := range works {
				live(w, data, work)
			}
		})
	})
}

// A commit takes what it does on a server's SSD: a sync of the disk, and for each item that it edits its pages, so that
// 16 writers of 3 to 5 items each make some 10,000 writes a second.
const (
	commits = 1500 * time.Microsecond
	perEdit = 15 * time.Microsecond
)

// simulated is the whole one process in a bubble: its own pumps, queues, store and sender, without sockets.
func simulated(t *testing.T, work func(*simtest.World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := simtest.New(t)
		live(w, t.TempDir(), func(w *simtest.World) { work(w); w.End(func() {}) })
	})
}

// live is one life of the process.
func live(w *simtest.World, data string, work func(*simtest.World)) {
	s := &Server{settings: Settings{Data: data, Environment: "development", OperatorToken: simtest.Operator,
		Now:    time.Now,
		Random: rand.Reader, Log: slog.New(slog.DiscardHandler)}, BaseURL: "http://127.0.0.1:8080",
		listener: silent{make(chan struct{})}}
	s.begin(w)
	work(w)
	require.NoError(w.T, s.Stop())
}

// begin is Start with the world's disk and network.
func (s *Server) begin(w *simtest.World) {
	keys, err := file.Open(s.path("secret.key"))
	require.NoError(w.T, err)
	o := fileOptions(s.settings)
	o.Disk = func(edits int) error { time.Sleep(commits + time.Duration(edits)*perEdit); return nil }
	s.db, err = bolt.Open(filepath.Join(s.settings.Data, "eshop.db"), o)
	require.NoError(w.T, err)
	require.NoError(w.T, s.assemble(context.Background(), keys, simtest.Operator))
	s.Platform.Egress = egress.New(egress.Options{Rules: s.Platform.Callable(), Now: s.settings.Now,
		Dial: w.Network.Dial})
	s.serve()
	w.Handler = s.http.Handler
}

// silent is a listener that nobody connects to.
type silent struct{ closed chan struct{} }

// Close may be called again, as that of a real one.
func (l silent) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l silent) Accept() (net.Conn, error) { <-l.closed; return nil, net.ErrClosed }
func (l silent) Addr() net.Addr            { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }
