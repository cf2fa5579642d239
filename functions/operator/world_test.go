package operator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/operator"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/limit/memory"
	"eshop/shared/secret/file"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// operatorToken is the operator's.
const operatorToken = "operator"

// world is a platform with the operator's API, over a file of its own.
type world struct {
	t     *testing.T
	p     *host.Platform
	table *recorded
	frame *api.API
	now   atomic.Int64
}

// recorded is a table that keeps the changes handed to its feed.
type recorded struct {
	store.Table
	mu      sync.Mutex
	changes []events.Change
	before  func() // called once, ahead of the next Write
}

func (r *recorded) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	r.mu.Lock()
	before := r.before
	r.before = nil
	r.mu.Unlock()
	if before != nil {
		before()
	}
	item, err := r.Table.Write(ctx, c, ops...)
	if err == nil && !c.Empty() {
		r.mu.Lock()
		r.changes = append(r.changes, c)
		r.mu.Unlock()
	}
	return item, err
}

// told is what was told since the last call, a new shop's order states apart.
func (w *world) told() []events.Notice {
	w.table.mu.Lock()
	defer w.table.mu.Unlock()
	var all []events.Notice
	for _, c := range w.table.changes {
		for _, r := range c.Records {
			require.Equal(w.t, events.States, r.Kind, "of records, only a new shop's order states are told")
		}
		require.NotEmpty(w.t, c.Shop)
		all = append(all, c.Notices...)
	}
	w.table.changes = nil
	return all
}

type random struct {
	mu sync.Mutex
	*rand.ChaCha8
}

func (r *random) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ChaCha8.Read(b)
}

func open(t *testing.T) *world {
	dir := t.TempDir()
	db, err := bolt.Open(filepath.Join(dir, "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	keys, err := file.Open(filepath.Join(dir, "key"))
	require.NoError(t, err)
	w := &world{t: t, table: &recorded{Table: db.Table("main")}}
	w.now.Store(1795226712583)
	website := func(_, domain string) string { return "https://" + domain }
	w.p = &host.Platform{Main: w.table, Pipeline: db.Table("pipeline"), Counters: memory.Open(db.Table("counters")), Secrets: keys,
		Key: make([]byte, 32), Operator: host.TokenHash(operatorToken), BaseURL: "http://127.0.0.1:8080", Environment: "test", Website: website,
		Now: w.clock, Random: &random{ChaCha8: rand.NewChaCha8([32]byte{1})}, Log: slog.New(slog.DiscardHandler), OneProcess: true}
	w.p.Accesses = access.NewResolver(w.table, w.clock, website, 0)
	w.frame = w.p.Frame()
	operator.Function.HTTP(w.p, w.frame)
	api.Add(w.frame, api.Op{Route: "GET /api-engine/me", ID: "me"}, func(ctx context.Context, _ *struct{}) (*api.Answer[api.Caller], error) {
		return api.Of(*api.From(ctx).Caller, ""), nil
	})
	return w
}

func (w *world) clock() time.Time { return time.UnixMilli(w.now.Load()).UTC() }

func (w *world) pass(d time.Duration) { w.now.Add(d.Milliseconds()) }

// answer is what came back: body is nil without one.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	text   string
	body   map[string]any
}

// as sends a request with a token; in is its body, a text or a value to be JSON; header holds names and values in turn.
func (w *world) as(token, method, path string, in any, header ...string) answer {
	var body io.Reader
	switch x := in.(type) {
	case nil:
	case string:
		body = bytes.NewBufferString(x)
	default:
		b, err := json.Marshal(x)
		require.NoError(w.t, err)
		body = bytes.NewReader(b)
	}
	r := httptest.NewRequest(method, path, body)
	r.Header.Set("Authorization", "Bearer "+token)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.frame.ServeHTTP(rec, r)
	a := answer{t: w.t, status: rec.Code, header: rec.Header(), text: rec.Body.String()}
	if rec.Body.Len() > 0 {
		require.NoError(w.t, json.Unmarshal(rec.Body.Bytes(), &a.body), a.text)
	}
	return a
}

// do is as the operator.
func (w *world) do(method, path string, in any, header ...string) answer {
	return w.as(operatorToken, method, path, in, header...)
}

// is asks for a status, and of a problem for its code.
func (a answer) is(status int, code ...string) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, a.text)
	if len(code) > 0 {
		require.Equal(a.t, code[0], a.body["code"], a.text)
	}
	return a
}

// at asks for one fault of a 422, by its place and code.
func (a answer) at(location, code string) {
	a.t.Helper()
	a.is(422, "invalid")
	faults := a.body["errors"].([]any)
	require.Len(a.t, faults, 1, a.text)
	require.Equal(a.t, location, faults[0].(map[string]any)["location"], a.text)
	require.Equal(a.t, code, faults[0].(map[string]any)["code"], a.text)
}

func (a answer) get(name string) string {
	a.t.Helper()
	s, is := a.body[name].(string)
	require.True(a.t, is, "%s in %s", name, a.text)
	return s
}

// raw is a header whose name is spelt as the specification has it.
func (a answer) raw(name string) string { return strings.Join(a.header[name], ",") }

func (a answer) etag() string { return a.header.Get("ETag") }

// items are the records of a page.
func (a answer) items() (all []map[string]any) {
	a.t.Helper()
	a.is(200)
	for _, x := range a.body["items"].([]any) {
		all = append(all, x.(map[string]any))
	}
	return all
}

type object = map[string]any

func shopBody(domain string) object {
	return object{"name": "Shop", "domain": domain, "locale": "cs_CZ", "currency": "CZK", "owner": object{"email": "jana@example.cz"}}
}

func packageBody(code string, permissions ...string) object {
	return object{"code": code, "name": "Package", "instructions": "# Do it", "permissions": append([]string{}, permissions...)}
}

func (w *world) shop(domain string) string {
	return w.do("POST", "/operator/shops", shopBody(domain)).is(201).get("id")
}

func (w *world) pack(code string, permissions ...string) string {
	return w.do("POST", "/operator/packages", packageBody(code, permissions...)).is(201).get("id")
}

// install puts a package on a shop and returns the access and its path.
func (w *world) install(shop, pkg string) (answer, string) {
	a := w.do("POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg}).is(201)
	return a, "/operator/shops/" + shop + "/accesses/" + a.get("id")
}

const nobody = "01KYFXV0000000000000000000"
