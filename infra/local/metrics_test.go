package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/search"
	"eshop/shared/webhook"
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

// TestAStartSaysThatTheIndexOfSearchesIsAnOldOne, in one line, until it is made anew.
func TestAStartSaysThatTheIndexOfSearchesIsAnOldOne(t *testing.T) {
	s := started(t)
	var said strings.Builder
	s.Platform.Log = slog.New(slog.NewTextHandler(&said, nil))
	shop := s.Run.Demo.ShopID
	products, err := s.Platform.Main.Query(t.Context(), store.Query{Index: store.Index1,
		PK: catalog.ProductShards(shop)[0], Limit: 1})
	require.NoError(t, err)
	parts := strings.Split(products.Items[0].PK, "#")
	entry := store.Key{PK: "S#" + shop + "#ENTRY#P#" + parts[len(parts)-1], SK: "A"}
	store.Lag(s.Platform.Main, search.Follower)(t.Context())
	s.tellOldIndexes(t.Context())
	require.Empty(t, said.String())
	entries, err := s.Platform.Pipeline.Get(t.Context(), entry)
	require.NoError(t, err)
	old := *entries[0]
	old.Doc, old.Index1.SK = []byte(`["caj"]`), " first"
	_, err = s.Platform.Pipeline.Write(t.Context(), events.Nothing, store.Put(old))
	require.NoError(t, err)
	s.tellOldIndexes(t.Context())
	require.Equal(t, 1, strings.Count(said.String(), "\n"))
	require.Contains(t, said.String(), "`eshop reindex` makes it anew")
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
	status, after := ask(t, s, s.Run.OperatorToken, "/metrics")
	require.Equal(t, 200, status)
	for _, f := range host.Figures {
		require.Contains(t, after, "# HELP "+metricName(f)+" "+f.Doc)
	}
	for _, name := range []string{`eshop_queue_messages{queue="fresh",state="ready"}`,
		`eshop_queue_messages{queue="retry",state="delayed"}`,
		"process_resident_memory_bytes", "go_goroutines"} {
		require.NotEmpty(t, line(t, after, name))
	}
	require.NotContains(t, after, s.Run.OperatorToken)
	problems, err := promlint.New(strings.NewReader(after)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems, "what promtool check metrics says")
	require.Regexp(t, `(?m)^eshop_build_info\{commit="[^"]+",goversion="go1[^"]+",version="[^"]+"} 1$`, after)
}

func TestRequestsAreCountedByFunctionAndStatusAndTimed(t *testing.T) {
	s := started(t)
	for _, x := range []struct {
		token, path, function string
		status                int
	}{
		{s.Run.Demo.Token, "/api-engine/shop", "shop", 200},
		{"", "/api-engine/shop", "shop", 401},
		{s.Run.Demo.Token, "/api-engine/products/01M6BBB0C0KF7BX3DCANN4J50Z", "products", 404},
		{s.Run.Demo.Token, "/api-engine/nowhere", "none", 404},
		{s.Run.OperatorToken, "/operator/nowhere", "none", 404},
		{"", "/admin-of-nobody", "storefront", 404},
		{"", "/docs", "docs", 200},
	} {
		count := fmt.Sprintf(`eshop_requests_total{function=%q,status="%d"}`, x.function, x.status)
		timed := fmt.Sprintf(`eshop_request_duration_seconds_count{function=%q}`, x.function)
		before := map[string]float64{count: value(t, s, count), timed: value(t, s, timed)}
		status, _ := ask(t, s, x.token, x.path)
		require.Equal(t, x.status, status, x.path)
		require.Equal(t, before[count]+1, value(t, s, count), x.path)
		require.Equal(t, before[timed]+1, value(t, s, timed), x.path)
	}
	require.Positive(t, value(t, s, `eshop_requests_total{function="host",status="200"}`), "metrics themselves")
}

// TestStrangersMakeNoSeries: the labels of a request are ours, whatever it asks for.
func TestStrangersMakeNoSeries(t *testing.T) {
	s := started(t)
	series := func() int {
		_, text := ask(t, s, s.Run.OperatorToken, "/metrics")
		return strings.Count(text, "\neshop_request")
	}
	ask(t, s, "", "/a")
	ask(t, s, "", "/metrics") // 401, as the last of these
	was := series()
	for i := range 20 {
		ask(t, s, "", fmt.Sprintf("/%d", i))
	}
	require.Equal(t, was, series())
}

// TestAgesAreInSeconds: Prometheus wants base units, where CloudWatch has milliseconds.
func TestAgesAreInSeconds(t *testing.T) {
	m := newMetrics()
	m.add(webhook.CallAge, host.Milliseconds, 1500)
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, "1.5", line(t, w.Body.String(), "eshop_call_age_seconds_sum"))
}

// value is what a series is at now; 0 while nothing has been counted.
func value(t *testing.T, s *Server, series string) float64 {
	t.Helper()
	_, text := ask(t, s, s.Run.OperatorToken, "/metrics")
	if !strings.Contains(text, "\n"+series+" ") {
		return 0
	}
	n, err := strconv.ParseFloat(line(t, text, series), 64)
	require.NoError(t, err)
	return n
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
	away := &Server{API: w.API, Platform: &host.Platform{Parts: host.Parts{Stores: host.Stores{Main: awayTable{}},
		World: host.World{Log: slog.New(slog.DiscardHandler)}}}}
	away.served.Store(true)
	w.API.Handle("GET /readyz", http.HandlerFunc(away.readiness))
	w.As("", "GET", "/readyz", nil).Is(503, "unavailable")
}

// awayTable is a table that cannot be reached.
type awayTable struct{ store.Table }

func (awayTable) Get(context.Context, ...store.Key) ([]*store.Item, error) {
	return nil, errors.New("away")
}

// TestTheGuideNamesAllMetrics holds the guide's table against what is served: figures by both of their names, and no
// metric of ours without a row, or a row without its metric.
func TestTheGuideNamesAllMetrics(t *testing.T) {
	guide, err := os.ReadFile("../../functions/docs/operator.md")
	require.NoError(t, err)
	for _, f := range host.Figures {
		require.Contains(t, string(guide), "| `"+metricName(f)+"` | `"+f.Name+"` | "+f.Doc+" |")
	}
	s := started(t)
	_, text := ask(t, s, s.Run.OperatorToken, "/metrics")
	var rows, served []string
	table := regexp.MustCompile("(?m)^\\| `(eshop_\\w+)` \\|.*\\| (.+) \\|$")
	for _, row := range table.FindAllStringSubmatch(string(guide), -1) {
		rows = append(rows, row[1]+" "+row[2])
	}
	for _, help := range regexp.MustCompile(`(?m)^# HELP (eshop_.*)$`).FindAllStringSubmatch(text, -1) {
		served = append(served, help[1])
	}
	require.ElementsMatch(t, rows, served)
}

// TestTheDashboardShowsWhatIsServed holds the queries of Grafana's dashboard against /metrics, and looks for what
// Grafana needs of it.
func TestTheDashboardShowsWhatIsServed(t *testing.T) {
	s := started(t)
	_, text := ask(t, s, s.Run.OperatorToken, "/metrics")
	_, file := ask(t, s, "", "/docs/grafana.json")
	type source struct{ Type, UID string }
	var dashboard struct {
		Title, UID    string
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type, Definition string }
		}
		Panels []struct {
			ID          int
			Title, Type string
			Datasource  source
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct {
				RefID, Expr string
				Datasource  source
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(file), &dashboard))
	require.NotEmpty(t, dashboard.Title)
	require.NotEmpty(t, dashboard.UID)
	require.GreaterOrEqual(t, dashboard.SchemaVersion, 36, "from Grafana 9 on")
	chosen := dashboard.Templating.List
	require.Equal(t, []string{"datasource datasource", "instance query"},
		[]string{chosen[0].Name + " " + chosen[0].Type, chosen[1].Name + " " + chosen[1].Type})
	require.Equal(t, "label_values(eshop_build_info, instance)", chosen[1].Definition)
	names := regexp.MustCompile(`\b(eshop|process|go)_\w+`)
	labels := regexp.MustCompile(`by \(([^)]*)\)|[{,] *(\w+)=`)
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		require.False(t, ids[p.ID], "%s has another's id", p.Title)
		ids[p.ID] = true
		require.NotEmpty(t, p.Type)
		require.Positive(t, p.GridPos.W*p.GridPos.H)
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, q := range p.Targets {
			require.Equal(t, []source{{"prometheus", "${datasource}"}, {"prometheus", "${datasource}"}},
				[]source{p.Datasource, q.Datasource}, p.Title)
			found := names.FindAllString(q.Expr, -1)
			require.NotEmpty(t, found, q.Expr)
			for _, name := range found {
				require.Regexp(t, `(?m)^`+name+`[ {]`, text, "a series of %s", p.Title)
			}
			for _, label := range labels.FindAllStringSubmatch(q.Expr, -1) {
				for one := range strings.SplitSeq(label[1]+label[2], ", ") {
					require.True(t, one == "instance" || strings.Contains(text, one+`="`), "%s of %s", one, p.Title)
				}
			}
		}
	}
}
