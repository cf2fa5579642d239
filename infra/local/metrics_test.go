package local

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/store"
)

// started is the one process on a new folder.
func started(t *testing.T) *Server {
	s, err := Start(context.Background(),
		Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "test", Demo: true,
			Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return s
}

func ask(t *testing.T, s *Server, token, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", s.BaseURL+path, nil)
	require.NoError(t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	return got.StatusCode, string(b)
}

func TestTheOperatorReadsTheMetricsAndNobodyElse(t *testing.T) {
	s := started(t)
	for _, token := range []string{"", s.Run.Demo.Token, "eop_" + strings.Repeat("x", 43)} {
		status, body := ask(t, s, token, "/metrics")
		require.Equal(t, 401, status)
		require.Contains(t, body, `"unauthenticated"`)
	}
	_, before := ask(t, s, s.Run.OperatorToken, "/metrics")
	status, _ := ask(t, s, s.Run.Demo.Token, "/api-engine/shop")
	require.Equal(t, 200, status)
	status, after := ask(t, s, s.Run.OperatorToken, "/metrics")
	require.Equal(t, 200, status)
	require.NotEqual(t, line(t, before, "eshop_requests_total"), line(t, after, "eshop_requests_total"))
	for _, f := range host.Figures {
		require.Contains(t, after, "# HELP "+metricName(f)+" "+f.Doc)
	}
	for _, name := range []string{`eshop_queue_messages{queue="fresh",state="ready"}`,
		`eshop_queue_messages{queue="retry",state="delayed"}`,
		"process_resident_memory_bytes", "go_goroutines"} {
		require.NotEmpty(t, line(t, after, name))
	}
	require.NotContains(t, after, s.Run.OperatorToken)
}

// line is the value of a metric.
func line(t *testing.T, text, name string) string {
	t.Helper()
	for l := range strings.Lines(text) {
		if value, is := strings.CutPrefix(l, name+" "); is {
			return strings.TrimSpace(value)
		}
	}
	require.FailNow(t, "there is no such metric", name)
	return ""
}

func TestReadyIsWhoServesAndCanReadTheStore(t *testing.T) {
	s := started(t)
	status, body := ask(t, s, "", "/readyz")
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"status":"ready"}`, body)
	s.served.Store(false)
	status, _ = ask(t, s, "", "/readyz")
	require.Equal(t, 503, status)
	s.served.Store(true)

	w := hosttest.Open(t, hosttest.Setup{})
	away := &Server{API: w.API, Platform: host.New(host.Platform{Stores: host.Stores{Main: awayTable{}},
		World: host.World{Log: slog.New(slog.DiscardHandler)}})}
	away.served.Store(true)
	w.API.Handle("GET /readyz", http.HandlerFunc(away.readiness))
	w.As("", "GET", "/readyz", nil).Is(503, "unavailable")
}

// awayTable is a table that cannot be reached.
type awayTable struct{ store.Table }

func (awayTable) Get(context.Context, ...store.Key) ([]*store.Item, error) {
	return nil, errors.New("away")
}

// TestTheGuideNamesAllMetrics holds the guide's table against the list, by both of their names.
func TestTheGuideNamesAllMetrics(t *testing.T) {
	guide, err := os.ReadFile("../../functions/docs/operator.md")
	require.NoError(t, err)
	for _, f := range host.Figures {
		require.Contains(t, string(guide), "| `"+metricName(f)+"` | `"+f.Name+"` | "+f.Doc+" |")
	}
}
