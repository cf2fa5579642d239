package changes

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/batcher"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/limit"
	"eshop/shared/limit/memory"
	"eshop/shared/queue"
	bells "eshop/shared/queue/memory"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// start is when these tests begin: a minute before midnight.
var start = time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)

// world is the feed over a file, with the batcher behind it.
type world struct {
	t      testing.TB
	file   string
	db     *bolt.DB
	p      *host.Platform
	api    *api.API
	handle func(context.Context, []events.Change) (int, error)
	mu     sync.Mutex
	now    time.Time
	meter  *store.Meter // of the last call
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, file: t.TempDir() + "/data", now: start}
	w.open()
	t.Cleanup(func() { _ = w.db.Close() })
	return w
}

// open opens the file, as a start of the platform does.
func (w *world) open() {
	db, err := bolt.Open(w.file, bolt.Options{Feeds: []string{"main"}, Now: w.clock})
	require.NoError(w.t, err)
	w.db = db
	ring := func() queue.Queue { return bells.New(queue.Settings{Visibility: time.Minute}, nil, 0) }
	w.p = &host.Platform{Main: db.Table("main"), Pipeline: db.Table("pipeline"), Counters: memory.Open(db.Table("counters")), Fresh: ring(), Retry: ring(),
		Key: make([]byte, 32), Now: w.clock, Random: &dice{ChaCha8: rand.NewChaCha8([32]byte{1})}, Log: slog.New(slog.DiscardHandler), OneProcess: true}
	w.api = api.New(api.Config{Table: w.p.Main, Counters: w.p.Counters, Authenticate: authenticate, Key: w.p.Key, Now: w.clock, Random: w.p.Random,
		Log: w.p.Log, BaseURL: "https://api.test", Inline: true})
	register(w.p, w.api)
	w.handle = batcher.Function.Feed(w.p)
}

func (w *world) clock() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }

func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

type dice struct {
	mu sync.Mutex
	*rand.ChaCha8
}

func (d *dice) Read(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ChaCha8.Read(b)
}

// authenticate knows "<shop>" with all permissions, and "<shop> <permission> …" with some.
func authenticate(_ context.Context, token string) (*api.Caller, error) {
	words := strings.Fields(token)
	c := &api.Caller{Access: token, Shop: words[0], Active: true, Limits: limit.Max, Permissions: api.Permissions}
	if len(words) > 1 {
		c.Permissions = nil
		for _, p := range words[1:] {
			c.Permissions = append(c.Permissions, api.Permission(p))
		}
	}
	return c, nil
}

// happens hands changes of the shop to the batcher, one for each list of records.
func (w *world) happens(all ...[]events.Record) {
	w.t.Helper()
	var changes []events.Change
	for _, records := range all {
		changes = append(changes, events.Change{Request: w.p.NewID(), Shop: "shop", At: w.clock().UnixMilli(), Records: records})
	}
	done, err := w.handle(w.t.Context(), changes)
	require.NoError(w.t, err)
	require.Equal(w.t, len(changes), done)
}

// of are records of a kind, created.
func of(k events.Kind, ids ...string) (records []events.Record) {
	for _, i := range ids {
		records = append(records, events.Record{Kind: k, ID: i, Did: events.Created, Version: "v" + i})
	}
	return records
}

// answer is a page, or a problem.
type answer struct {
	t          testing.TB
	status     int
	Items      []Entry `json:"items"`
	NextCursor string  `json:"nextCursor"`
	Code       string  `json:"code"`
	Permission string  `json:"permission"`
	raw        string
}

func (w *world) as(token, query string) answer {
	w.t.Helper()
	r := httptest.NewRequest("GET", "/api-engine/changes", nil)
	r.URL.RawQuery = query
	r.Header.Set("Authorization", "Bearer "+token)
	ctx, m := store.WithMeter(r.Context())
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r.WithContext(ctx))
	a := answer{t: w.t, status: rec.Code, raw: rec.Body.String()}
	require.NoError(w.t, json.Unmarshal(rec.Body.Bytes(), &a), a.raw)
	if rec.Code == http.StatusOK {
		require.NotEmpty(w.t, a.NextCursor, "always there")
		require.NotNil(w.t, a.Items)
	}
	w.mu.Lock()
	w.meter = m
	w.mu.Unlock()
	return a
}

func (w *world) get(query string) answer { w.t.Helper(); return w.as("shop", query).is(200) }

func (a answer) is(status int, code ...string) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, a.raw)
	if len(code) > 0 {
		require.Equal(a.t, code[0], a.Code)
	}
	return a
}

func (a answer) ids() []string {
	ids := []string{}
	for _, e := range a.Items {
		ids = append(ids, e.ID)
	}
	return ids
}

// follow reads on from a query until there is nothing newer, and returns the ids and the cursor to go on with.
func (w *world) follow(query string) (ids []string, cursor string) {
	w.t.Helper()
	ids = []string{}
	for range 10_000 {
		a := w.get(query)
		ids = append(ids, a.ids()...)
		if a.NextCursor == cursor {
			require.Empty(w.t, a.Items)
			return ids, cursor
		}
		cursor = a.NextCursor
		query = "itemsPerPage=3&cursor=" + url.QueryEscape(cursor)
	}
	w.t.Fatal("no end")
	return nil, ""
}

func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("%04d", i))
	}
	return ids
}
