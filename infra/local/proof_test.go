package local

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/journeys/simtest"
	"eshop/shared/host"
	"eshop/shared/ports/store"
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
	s := begin(w.T, Settings{Data: data, Environment: "development", OperatorToken: simtest.Operator, Now: time.Now,
		Random: rand.Reader, Log: slog.New(slog.DiscardHandler)},
		func(edits int) error { time.Sleep(commits + time.Duration(edits)*perEdit); return nil },
		func(parts *host.Parts) { parts.Calling.Dial = w.Network.Dial })
	w.Handler = s.http.Handler
	work(w)
	require.NoError(w.T, s.Stop())
}

// begin is Start on a disk of the test's, without sockets, and with parts that are otherwise. A start that meets a store
// which cannot serve ends, and whoever began the process begins it anew.
func begin(t testing.TB, settings Settings, disk func(edits int) error, otherwise func(*host.Parts)) (s *Server) {
	t.Helper()
	settings.Disk, settings.Parts = disk, otherwise
	err := store.ErrUnavailable
	for n := 0; n < 100 && errors.Is(err, store.ErrUnavailable); n++ {
		settings.Listener = newPipes()
		s, err = Start(t.Context(), settings)
	}
	require.NoError(t, err)
	return s
}
