package urls

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
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
	"eshop/functions/products"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/limit"
	"eshop/shared/limit/memory"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// world is the API of URLs beside that of products, over a file.
type world struct {
	t     testing.TB
	api   *api.API
	table *table
	p     *host.Platform
	mu    sync.Mutex
	now   time.Time
	meter *store.Meter // of the last call
}

// table notes what was told, lets a test in before a write, and can hide the newest of an index.
type table struct {
	store.Table
	mu     sync.Mutex
	told   []events.Change
	before func(ops []store.Op)
	blind  int // so many queries of Index2 find nothing
	down   bool
}

func (t *table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	t.mu.Lock()
	before, down := t.before, t.down
	t.before = nil
	t.mu.Unlock()
	if before != nil {
		before(ops)
	}
	if down {
		return store.Item{}, store.ErrUnavailable
	}
	item, err := t.Table.Write(ctx, change, ops...)
	if err == nil && !change.Empty() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.told = append(t.told, change)
	}
	return item, err
}

func (t *table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	t.mu.Lock()
	hidden := q.Index == store.Index2 && t.blind > 0
	if hidden {
		t.blind--
	}
	t.mu.Unlock()
	if hidden {
		return store.Page{}, nil
	}
	return t.Table.Query(ctx, q)
}

type dice struct {
	mu sync.Mutex
	*rand.ChaCha8
}

func (d *dice) Read(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ChaCha8.Read(b)
}

func newWorld(t testing.TB) *world {
	return worldOn(t, nil)
}

// worldOn is a world whose records are in a table, nil: in its file.
func worldOn(t testing.TB, main store.Table) *world {
	w := &world{t: t, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Feeds: []string{"main"}, Now: w.clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	if main == nil {
		main = db.Table("main")
	}
	w.table = &table{Table: main}
	w.p = &host.Platform{Main: w.table, Counters: memory.Open(db.Table("counters")), Key: make([]byte, 32), Now: w.clock,
		Random: &dice{ChaCha8: rand.NewChaCha8([32]byte{7})}, Log: slog.New(slog.DiscardHandler), BaseURL: "https://api.test", OneProcess: true,
		Reserved: func(s string) bool { return slices.Contains([]string{"basket", "api-engine", "docs"}, s) }}
	w.api = api.New(api.Config{Table: w.table, Counters: w.p.Counters, Authenticate: authenticate, Key: w.p.Key, Now: w.clock,
		Random: w.p.Random, Log: w.p.Log, BaseURL: w.p.BaseURL})
	products.Function.HTTP(w.p, w.api)
	register(w.p, w.api)
	return w
}

// clock goes a millisecond on each time it is asked.
func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time.Millisecond)
	return w.now
}

func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

// authenticate knows "<shop>" with all permissions, and "<shop> <permission>" with one.
func authenticate(_ context.Context, token string) (*api.Caller, error) {
	shop, only, limited := strings.Cut(token, " ")
	c := &api.Caller{Access: token, Shop: shop, Website: "https://" + shop + ".example", Active: true, Limits: limit.Max, Permissions: api.Permissions}
	if limited {
		c.Permissions = []api.Permission{api.Permission(only)}
	}
	return c, nil
}

type obj = map[string]any

// reply is an answer as a test reads it.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   obj
	raw    string
}

func (w *world) as(token, method, path string, body any, headers ...string) reply {
	w.t.Helper()
	var b bytes.Buffer
	switch x := body.(type) {
	case nil:
	case string:
		b.WriteString(x)
	default:
		require.NoError(w.t, json.NewEncoder(&b).Encode(x))
	}
	r := httptest.NewRequest(method, strings.ReplaceAll(path, " ", "%20"), &b)
	r.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	ctx, m := store.WithMeter(r.Context())
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r.WithContext(ctx))
	w.mu.Lock()
	w.meter = m
	w.mu.Unlock()
	out := reply{t: w.t, status: rec.Code, header: rec.Header(), raw: rec.Body.String()}
	_ = json.Unmarshal(rec.Body.Bytes(), &out.body)
	return out
}

func (w *world) ask(method, path string, body any, headers ...string) reply {
	w.t.Helper()
	return w.as("shop", method, path, body, headers...)
}

// is requires a status and, of a problem, a code.
func (r reply) is(status int, code ...string) reply {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.raw)
	if len(code) > 0 {
		require.Equal(r.t, code[0], r.body["code"], r.raw)
	}
	return r
}

// fault requires that the problem has just this fault.
func (r reply) fault(location, code string) {
	r.t.Helper()
	r.is(422, "invalid")
	require.Len(r.t, r.body["errors"], 1, r.raw)
	fault := r.body["errors"].([]any)[0].(obj)
	require.Equal(r.t, []any{location, code}, []any{fault["location"], fault["code"]}, r.raw)
}

func (r reply) text(field string) string { s, _ := r.body[field].(string); return s }
func (r reply) id() string               { return r.text("id") }
func (r reply) path() string             { return path + "/" + r.id() }

// product and category make one and return its id.
func (w *world) product(code, name string) string {
	w.t.Helper()
	return w.ask("POST", "/api-engine/products", obj{"code": code, "name": name, "priceLevels": []obj{{"level": "default", "price": "1.00"}}}).is(201).id()
}

func (w *world) category(name string) string {
	w.t.Helper()
	return w.ask("POST", "/api-engine/categories", obj{"name": name}).is(201).id()
}

func (w *world) rename(product, name string) {
	w.t.Helper()
	w.ask("PATCH", "/api-engine/products/"+product, obj{"name": name}).is(200)
}

// post asks for a URL of a product.
func (w *world) post(product, url string) reply {
	w.t.Helper()
	return w.ask("POST", path, wanted("product", product, url))
}

func wanted(of, item, url string) obj { return obj{"urlItem": obj{"type": of, "id": item}, "url": url} }

// of are the URLs of an item, sorted: slug, kind, and whether it is the active one.
func (w *world) of(item string) []string {
	w.t.Helper()
	page := w.ask("GET", path+"?itemsPerPage=250&urlItem="+item, nil).is(200)
	all := []string{}
	for _, x := range page.body["items"].([]any) {
		u := x.(obj)
		s := u["slug"].(string) + " " + u["kind"].(string)
		if u["active"].(bool) {
			s += " active"
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// told are the changes told since it was asked last.
func (w *world) told() []events.Change {
	w.table.mu.Lock()
	defer w.table.mu.Unlock()
	all := w.table.told
	w.table.told = nil
	return all
}

// put writes an item beside the API.
func (w *world) put(i store.Item) {
	w.t.Helper()
	_, err := w.table.Table.Write(w.t.Context(), events.Nothing, store.Put(i))
	require.NoError(w.t, err)
}
