package webhooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/operator"
	"eshop/functions/webhooks"
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

// world is a platform with an access, over a file of its own.
type world struct {
	t     *testing.T
	p     *host.Platform
	table *recorded
	frame *api.API
	now   atomic.Int64

	access, token string // of the shop a.cz
}

// names resolves what a test gives it.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, has := n[strings.TrimSuffix(host, ".")]; has {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, nil
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

// told is what was told since the last call.
func (w *world) told() []events.Notice {
	w.table.mu.Lock()
	defer w.table.mu.Unlock()
	var all []events.Notice
	for _, c := range w.table.changes {
		require.Empty(w.t, c.Records)
		require.NotEmpty(w.t, c.Shop)
		all = append(all, c.Notices...)
	}
	w.table.changes = nil
	return all
}

// forget lets go of what was told so far: what a new shop tells is others' matter.
func (w *world) forget() {
	w.table.mu.Lock()
	defer w.table.mu.Unlock()
	w.table.changes = nil
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
		Now: w.clock, Random: &random{ChaCha8: rand.NewChaCha8([32]byte{1})}, Log: slog.New(slog.DiscardHandler), OneProcess: true,
		Names: names{"example.com": "1.1.1.1", "inside.example.com": "10.0.0.1"}}
	w.p.Accesses = access.NewResolver(w.table, w.clock, website, 0)
	w.frame = w.p.Frame()
	operator.Function.HTTP(w.p, w.frame)
	webhooks.Function.HTTP(w.p, w.frame)
	w.access, w.token = w.install("a.cz")
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

// request is one with a token; in is its body, a text or a value to be JSON; header holds names and values in turn.
func request(t *testing.T, token, method, path string, in any, header ...string) *http.Request {
	var body io.Reader
	switch x := in.(type) {
	case nil:
	case string:
		body = bytes.NewBufferString(x)
	default:
		b, err := json.Marshal(x)
		require.NoError(t, err)
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
	return r
}

// as sends a request with a token.
func (w *world) as(token, method, path string, in any, header ...string) answer {
	r := request(w.t, token, method, path, in, header...)
	rec := httptest.NewRecorder()
	w.frame.ServeHTTP(rec, r)
	a := answer{t: w.t, status: rec.Code, header: rec.Header(), text: rec.Body.String()}
	if rec.Body.Len() > 0 {
		require.NoError(w.t, json.Unmarshal(rec.Body.Bytes(), &a.body), a.text)
	}
	return a
}

// do is as the access.
func (w *world) do(method, path string, in any, header ...string) answer {
	return w.as(w.token, method, path, in, header...)
}

// install makes a shop with a package of its own that may read customers, and returns the access and its token.
func (w *world) install(domain string) (access, token string) {
	shop := w.as(operatorToken, "POST", "/operator/shops", object{"name": "Shop", "domain": domain, "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "jana@example.cz"}}).is(201).get("id")
	pkg := w.as(operatorToken, "POST", "/operator/packages", object{"code": domain, "name": "P", "instructions": "",
		"permissions": []string{"customers:read", "orders:read"}}).is(201).get("id")
	made := w.as(operatorToken, "POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg, "permissions": []string{"customers:read"}}).is(201)
	w.forget()
	return made.get("id"), made.get("token")
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

const nobody = "01KYFXV0000000000000000000"
