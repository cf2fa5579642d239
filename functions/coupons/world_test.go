package coupons

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/limit"
	"eshop/shared/limit/memory"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop, otherShop = "01SHOP0000000000000000000A", "01SHOP0000000000000000000B"
	all             = "all permissions"
	reader          = "coupons:read only"
	writer          = "coupons:write only"
	nobody          = "no permission"
	stranger        = "all permissions in another shop"
)

// world is the coupons' API over a file, with a clock and randomness of the test's own.
type world struct {
	t     testing.TB
	api   *api.API
	table *table
	gate  *gate
	now   time.Time
	meter *store.Meter // of the last call
}

func newWorld(t testing.TB) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	g := &gate{Counters: memory.Open(db.Table("counters"))}
	w := &world{t: t, table: &table{Table: db.Table("main"), gate: g}, gate: g, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	w.api = api.New(api.Config{Table: w.table, Counters: g, Authenticate: w.authenticate, Key: make([]byte, 32),
		Now: func() time.Time { return w.now }, Random: &steady{random: rand.NewChaCha8([32]byte{1})}, Log: slog.New(slog.DiscardHandler), BaseURL: "http://api.test"})
	register(&host.Platform{Main: w.table}, w.api)
	return w
}

func (w *world) authenticate(_ context.Context, token string) (*api.Caller, error) {
	c := &api.Caller{Access: token, Shop: shop, Active: true, Limits: limit.Limits{Hourly: 1e9, Daily: 1e9}}
	switch token {
	case all:
		c.Permissions = api.Permissions
	case reader:
		c.Permissions = []api.Permission{api.ReadCoupons}
	case writer:
		c.Permissions = []api.Permission{api.WriteCoupons}
	case stranger:
		c.Permissions, c.Shop = api.Permissions, otherShop
	case nobody:
	default:
		return nil, api.ErrUnauthenticated
	}
	return c, nil
}

// reply is an answer as a test reads it.
type reply struct {
	*httptest.ResponseRecorder
	body map[string]any
}

// as calls with a token. Headers are names and values in turn. Time passes with each call.
func (w *world) as(token, method, path, body string, headers ...string) reply {
	w.t.Helper()
	w.now = w.now.Add(time.Second)
	r := httptest.NewRequest(method, path, bytes.NewBufferString(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	ctx, m := store.WithMeter(r.Context())
	w.meter = m
	w.table.told = nil
	out := reply{ResponseRecorder: httptest.NewRecorder()}
	w.api.ServeHTTP(out, r.WithContext(ctx))
	_ = json.Unmarshal(out.Body.Bytes(), &out.body)
	return out
}

func (w *world) do(method, path, body string, headers ...string) reply {
	w.t.Helper()
	return w.as(all, method, path, body, headers...)
}

// made is a coupon of this code, with what a coupon needs besides.
func (w *world) made(code string, more string) reply {
	w.t.Helper()
	r := w.do("POST", path, `{"code":"`+code+`","type":"percentage","value":"10.00"`+more+`}`)
	require.Equal(w.t, http.StatusCreated, r.Code, r.Body.String())
	return r
}

func (r reply) id() string   { return r.body["id"].(string) }
func (r reply) path() string { return path + "/" + r.id() }
func (r reply) etag() string { return r.Header().Get("ETag") }

// codes of a page, in its order.
func (r reply) codes(t testing.TB) []string {
	t.Helper()
	require.Equal(t, http.StatusOK, r.Code, r.Body.String())
	out := []string{}
	for _, c := range r.body["items"].([]any) {
		out = append(out, c.(map[string]any)["code"].(string))
	}
	return out
}

// refused requires a problem of that status and code which wrote nothing.
func (w *world) refused(r reply, status int, code string) reply {
	w.t.Helper()
	require.Equal(w.t, status, r.Code, r.Body.String())
	require.Equal(w.t, code, r.body["code"], r.Body.String())
	require.Empty(w.t, w.table.told)
	return r
}

// fault requires that the problem has just this fault.
func (w *world) fault(r reply, location, code string) {
	w.t.Helper()
	w.refused(r, http.StatusUnprocessableEntity, "invalid")
	faults := r.body["errors"].([]any)
	require.Len(w.t, faults, 1, r.Body.String())
	require.Equal(w.t, location, faults[0].(map[string]any)["location"])
	require.Equal(w.t, code, faults[0].(map[string]any)["code"])
}

// table notes the changes written, lets a test in before a write, and tells the gate that reading has begun.
type table struct {
	store.Table
	gate   *gate
	mu     sync.Mutex
	told   []events.Change
	writes int
	before func() // once, before the next write
}

func (t *table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	defer t.gate.pass()()
	return t.Table.Get(ctx, keys...)
}

func (t *table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	defer t.gate.pass()()
	return t.Table.Query(ctx, q)
}

func (t *table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	t.mu.Lock()
	before := t.before
	t.before = nil
	t.mu.Unlock()
	if before != nil {
		before()
	}
	item, err := t.Table.Write(ctx, change, ops...)
	if err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.writes++
		if !change.Empty() {
			t.told = append(t.told, change)
		}
	}
	return item, err
}

// gate is counters whose charge, when armed, begins before the first read and ends after it, before the next one: so the
// two are seen to go side by side, or the call hangs.
type gate struct {
	limit.Counters
	begun, read, ended chan struct{}
}

func (g *gate) arm() {
	g.begun, g.read, g.ended = make(chan struct{}), make(chan struct{}), make(chan struct{})
}

func (g *gate) disarm() { g.begun, g.read, g.ended = nil, nil, nil }

func (g *gate) Charge(ctx context.Context, access string, l limit.Limits, cost int64, now time.Time) (limit.Standing, error) {
	if g.begun == nil {
		return g.Counters.Charge(ctx, access, l, cost, now)
	}
	done := store.MeterOf(ctx).Begin()
	close(g.begun)
	<-g.read
	s, err := g.Counters.Charge(context.Background(), access, l, cost, now)
	done(0, 1)
	close(g.ended)
	return s, err
}

// pass waits for the charge to begin; what it returns lets it end.
func (g *gate) pass() func() {
	if g.begun == nil {
		return func() {}
	}
	<-g.begun
	return func() {
		select {
		case <-g.read:
		default:
			close(g.read)
		}
		<-g.ended
	}
}

// steady is randomness that is the same in each run, for concurrent use.
type steady struct {
	mu     sync.Mutex
	random *rand.ChaCha8
}

func (s *steady) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.Read(b)
}
