package products

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
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

// shopful is a shop whose products are under test, over real HTTP.
type shopful struct {
	t      testing.TB
	table  *spy
	server *httptest.Server
	clock  *clock
	p      *host.Platform
}

// spy is the table with what was written to it noted, and a hook before each write.
type spy struct {
	store.Table
	mu      sync.Mutex
	changes []events.Change
	writes  [][]store.Op
	before  func(ops []store.Op) error
}

func (s *spy) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil {
		if err := before(ops); err != nil {
			return store.Item{}, err
		}
	}
	item, err := s.Table.Write(ctx, change, ops...)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.writes = append(s.writes, ops)
		if !change.Empty() {
			s.changes = append(s.changes, change)
		}
	}
	return item, err
}

// told are the changes since it was asked last.
func (s *spy) told() []events.Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.changes
	s.changes = nil
	return c
}

func (s *spy) count() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.writes) }

// clock goes a millisecond on each time it is asked.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

type dice struct {
	mu sync.Mutex
	*rand.ChaCha8
}

func (d *dice) Read(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ChaCha8.Read(b)
}

var callers = map[string]*api.Caller{
	"all":    {Access: "acc", Shop: "shop", Website: "https://shop.example", Active: true, Permissions: api.Permissions, Limits: limit.Max},
	"writer": {Access: "wri", Shop: "shop", Website: "https://shop.example", Active: true, Permissions: []api.Permission{api.WriteProducts}, Limits: limit.Max},
	"other":  {Access: "oth", Shop: "other", Website: "https://other.example", Active: true, Permissions: api.Permissions, Limits: limit.Max},
	"poor":   {Access: "poo", Shop: "shop", Website: "https://shop.example", Active: true, Permissions: api.Permissions, Limits: limit.Limits{Hourly: 12, Daily: 100}},
}

func open(t testing.TB) *shopful {
	c := &clock{now: time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC)}
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Now: c.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s := &shopful{t: t, table: &spy{Table: db.Table("main")}, clock: c}
	s.p = &host.Platform{Main: s.table, Counters: memory.Open(db.Table("counters")), Key: make([]byte, 32), Now: c.Now,
		Random: &dice{ChaCha8: rand.NewChaCha8([32]byte{1})}, Log: slog.New(slog.DiscardHandler), BaseURL: "https://api.example",
		Reserved: func(slug string) bool { return slug == "basket" || slug == "api-engine" }}
	frame := api.New(api.Config{Table: s.table, Counters: s.p.Counters, Key: s.p.Key, Now: c.Now, Random: s.p.Random, Log: s.p.Log, BaseURL: s.p.BaseURL,
		Authenticate: func(_ context.Context, token string) (*api.Caller, error) {
			if c := callers[token]; c != nil {
				return c, nil
			}
			return nil, api.ErrUnauthenticated
		}})
	Function.HTTP(s.p, frame)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, m := store.WithMeter(r.Context())
		frame.ServeHTTP(&metered{w, m}, r.WithContext(ctx))
	}))
	t.Cleanup(s.server.Close)
	return s
}

// metered tells the write capacity that the request took in a header of the answer.
type metered struct {
	http.ResponseWriter
	m *store.Meter
}

func (m *metered) WriteHeader(status int) {
	_, units := m.m.Units()
	m.Header().Set("X-Write-Units", fmt.Sprint(units))
	m.ResponseWriter.WriteHeader(status)
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   map[string]any
	raw    string
}

// ask sends a request; headers are pairs.
func (s *shopful) ask(method, path string, body any, headers ...string) answer {
	s.t.Helper()
	var b io.Reader
	switch x := body.(type) {
	case nil:
	case string:
		b = strings.NewReader(x)
	default:
		raw, err := json.Marshal(x)
		require.NoError(s.t, err)
		b = bytes.NewReader(raw)
	}
	r, err := http.NewRequest(method, s.server.URL+path, b)
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer all")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	a := answer{t: s.t, status: resp.StatusCode, header: resp.Header, raw: string(raw)}
	if len(raw) > 0 {
		err := json.Unmarshal(raw, &a.body)
		if huge := (*json.UnmarshalTypeError)(nil); !errors.As(err, &huge) { // a fault repeats any number that was sent
			require.NoError(s.t, err, "%s", raw)
		}
	}
	return a
}

// is wants the answer to have a status and, of a problem, a code.
func (a answer) is(status int, code ...string) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s", a.raw)
	if len(code) > 0 {
		require.Equal(a.t, code[0], a.body["code"], "%s", a.raw)
	}
	return a
}

// fault wants a fault at a place with a code.
func (a answer) fault(location, code string) answer {
	a.t.Helper()
	a.is(422, "invalid")
	list, _ := a.body["errors"].([]any)
	for _, e := range list {
		if m := e.(map[string]any); m["location"] == location && m["code"] == code {
			return a
		}
	}
	require.Failf(a.t, "no such fault", "%s %s in %s", location, code, a.raw)
	return a
}

// units is the write capacity that the request took, the counter's included.
func (a answer) units() (n float64) {
	a.t.Helper()
	_, err := fmt.Sscan(a.header.Get("X-Write-Units"), &n)
	require.NoError(a.t, err)
	return n
}

func (a answer) id() string   { return a.text("id") }
func (a answer) etag() string { return a.header.Get("ETag") }

func (a answer) text(field string) string {
	a.t.Helper()
	v, _ := a.at(field).(string)
	return v
}

// at is the value at a dotted path: variants.0.code.
func (a answer) at(path string) any {
	a.t.Helper()
	var v any = a.body
	for _, name := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			var i int
			_, err := fmt.Sscan(name, &i)
			require.NoError(a.t, err)
			require.Less(a.t, i, len(x), "%s in %s", path, a.raw)
			v = x[i]
		default:
			require.Failf(a.t, "nothing there", "%s in %s", path, a.raw)
		}
	}
	return v
}

type obj = map[string]any

// product is the body of a POST, with further fields.
func product(code string, more ...obj) obj {
	o := obj{"code": code, "name": "Product " + code, "priceLevels": []obj{{"level": "default", "price": "100.00"}}}
	for _, m := range more {
		maps.Copy(o, m)
	}
	return o
}

func variants(code string, n int) []obj {
	all := make([]obj, n)
	for i := range all {
		all[i] = obj{"code": fmt.Sprintf("%s-%d", code, i), "stock": obj{"quantity": 10}}
	}
	return all
}

// made creates a product.
func (s *shopful) made(code string, more ...obj) answer {
	s.t.Helper()
	return s.ask("POST", "/api-engine/products", product(code, more...)).is(201)
}

func path(id string, more ...string) string {
	return "/api-engine/products/" + strings.Join(append([]string{id}, more...), "/")
}

func (s *shopful) get(id string) answer { s.t.Helper(); return s.ask("GET", path(id), nil).is(200) }

// one wants exactly one change to have been told, and returns its records of a kind.
func (s *shopful) one(kind events.Kind) []events.Record {
	s.t.Helper()
	changes := s.table.told()
	require.Len(s.t, changes, 1)
	return slices.DeleteFunc(slices.Clone(changes[0].Records), func(r events.Record) bool { return r.Kind != kind })
}

func (s *shopful) nothing() { s.t.Helper(); require.Empty(s.t, s.table.told()) }

func (s *shopful) ids(a answer, list string) []string {
	s.t.Helper()
	var ids []string
	for _, v := range a.at(list).([]any) {
		ids = append(ids, v.(map[string]any)["id"].(string))
	}
	return ids
}

// change is one with a record of its own, made beside the API.
func (s *shopful) change(r events.Record) events.Change {
	return events.Change{Request: "r", Shop: "shop", At: s.clock.Now().UnixMilli(), Records: []events.Record{r}}
}
