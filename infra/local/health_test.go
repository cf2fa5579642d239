package local

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
)

func TestHealthIsGoodOnceEverythingIsServed(t *testing.T) {
	s := &Server{API: hosttest.Open(t, hosttest.Setup{}).API}
	s.API.Handle("GET /healthz", http.HandlerFunc(s.health))
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.API.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		return w
	}
	early := ask()
	require.Equal(t, 503, early.Code)
	require.Equal(t, "application/problem+json", early.Header().Get("Content-Type"))
	require.Equal(t, "1", early.Header().Get("Retry-After"))
	s.served.Store(true)
	require.Equal(t, 200, ask().Code)
	require.JSONEq(t, `{"status":"ok"}`, ask().Body.String())
}

// TestNobodyIsReadyWhileWritesAreRefused: who asks makes it try again, once a second, so that it is ready by itself
// when there is room again.
func TestNobodyIsReadyWhileWritesAreRefused(t *testing.T) {
	var full atomic.Bool
	var tries atomic.Int64
	now := time.Unix(1_795_000_000, 0)
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Now: func() time.Time { return now },
		Disk: func(int) error {
			tries.Add(1)
			if full.Load() {
				return errors.New("no room")
			}
			return nil
		}})
	require.NoError(t, err)
	defer db.Close()
	w := hosttest.Open(t, hosttest.Setup{})
	s := &Server{API: w.API, db: db, settings: Settings{Now: func() time.Time { return now }},
		Platform: &host.Platform{Parts: host.Parts{Stores: host.Stores{Main: db.Table("main")},
			World: host.World{Log: slog.New(slog.DiscardHandler)}}}}
	s.served.Store(true)
	w.API.Handle("GET /readyz", http.HandlerFunc(s.readiness))
	write := func() error {
		_, err := db.Table("main").Write(t.Context(), events.Nothing,
			store.Put(store.Item{Key: store.Key{PK: "p", SK: "s"}}))
		return err
	}
	ready := func() int { return w.As("", "GET", "/readyz", nil).Status }
	require.NoError(t, write())
	require.Equal(t, 200, ready())
	require.EqualValues(t, 1, tries.Load(), "a store that is well is not tried")

	full.Store(true)
	require.ErrorIs(t, write(), store.ErrUnavailable)
	require.Equal(t, 503, ready())
	full.Store(false)
	require.Equal(t, 503, ready(), "it was tried in this second")
	require.EqualValues(t, 3, tries.Load())
	now = now.Add(time.Second)
	require.Equal(t, 200, ready())
	require.EqualValues(t, 4, tries.Load())
}
