package importer_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/customers"
	"eshop/functions/importer"
	"eshop/functions/imports"
	"eshop/functions/products"
	"eshop/functions/sweeper"
	"eshop/shared/api"
	"eshop/shared/blob/folder"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/limit"
	limits "eshop/shared/limit/memory"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// world is a shop on the real store and bucket, with an importer that tests let run, fail and die.
type world struct {
	t     testing.TB
	p     *host.Platform
	db    *bolt.DB
	files *folder.Bucket
	frame *api.API
	table *watched
	shop  string
	ahead atomic.Int64
	run   func(context.Context, string) error // the importer's
	mu    sync.Mutex
	put   []string // keys that were put, not handled yet
}

// watched is the main table, where tests look on and get in between.
type watched struct {
	store.Table
	mu     sync.Mutex
	before func(n int, ops []store.Op) error // of the nth write; an error is its outcome, and nothing is written
	after  func(n int) error                 // an error is its outcome, though it was written
	writes int
}

func (w *watched) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	w.mu.Lock()
	w.writes++
	n, before, after := w.writes, w.before, w.after
	w.mu.Unlock()
	if before != nil {
		if err := before(n, ops); err != nil {
			return store.Item{}, err
		}
	}
	item, err := w.Table.Write(ctx, change, ops...)
	if err == nil && after != nil {
		err = after(n)
	}
	return item, err
}

// between sets what gets in between from now on, counting writes from 1.
func (w *watched) between(before func(n int, ops []store.Op) error, after func(n int) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before, w.after, w.writes = before, after, 0
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, shop: id.New(time.Now(), rand.Reader)}
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Feeds: []string{"main"}, Now: w.now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w.db, w.table = db, &watched{Table: db.Table("main")}
	w.files, err = folder.Open(t.TempDir(), folder.Options{Base: "https://files.example/uploads", Key: []byte("key"), Now: w.now, Heard: w.heard})
	require.NoError(t, err)
	w.p = &host.Platform{Main: w.table, Pipeline: db.Table("pipeline"), Files: w.files, Now: w.now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)}
	w.restart()
	caller := &api.Caller{Access: id.New(time.Now(), rand.Reader), Shop: w.shop, Website: "https://shop.example", Active: true,
		Permissions: api.Permissions, Limits: limit.Limits{Hourly: 3_600_000, Daily: 86_400_000}, Version: api.Version}
	w.frame = api.New(api.Config{Table: w.table, Counters: limits.Open(db.Table("counters")), Key: []byte("key"), Now: w.now, Random: rand.Reader, Inline: true,
		Log: slog.New(slog.DiscardHandler), BaseURL: "https://api.example", Authenticate: func(_ context.Context, token string) (*api.Caller, error) {
			c := *caller
			if token != "all" {
				c.Permissions = []api.Permission{api.Permission(token)}
			}
			return &c, nil
		}})
	for _, f := range []host.Function{customers.Function, products.Function, imports.Function} {
		f.HTTP(w.p, w.frame)
	}
	return w
}

// restart is a new process of the importer's.
func (w *world) restart() { w.run = importer.Function.Upload(w.p) }

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *world) pass(d time.Duration) { w.ahead.Add(int64(d)) }

func (w *world) heard(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put = append(w.put, key)
}

// keys are those that were put since the last call.
func (w *world) keys() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys := w.put
	w.put = nil
	return keys
}

// fields is JSON.
type fields = map[string]any

// answer is what a request is answered.
type answer struct {
	status int
	fields
	header http.Header
}

func (w *world) as(token, method, path string, body any) answer {
	w.t.Helper()
	var raw []byte
	if body != nil {
		var err error
		raw, err = json.Marshal(body)
		require.NoError(w.t, err)
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(raw))
	r.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	rec := httptest.NewRecorder()
	w.frame.ServeHTTP(rec, r)
	a := answer{status: rec.Code, header: rec.Header()}
	if rec.Body.Len() > 0 {
		require.NoError(w.t, json.Unmarshal(rec.Body.Bytes(), &a.fields))
	}
	return a
}

func (w *world) do(method, path string, body any) answer {
	w.t.Helper()
	return w.as("all", method, path, body)
}

func (w *world) get(path string) answer {
	w.t.Helper()
	a := w.do("GET", path, nil)
	require.Equal(w.t, 200, a.status, "%s: %v", path, a.fields)
	return a
}

// asked is an import that waits for its file.
func (w *world) asked(of imports.Type, format imports.Format) (id, upload string) {
	w.t.Helper()
	a := w.do("POST", "/api-engine/imports", fields{"type": of, "format": format, "mode": "upsert"})
	require.Equal(w.t, 201, a.status, a.fields)
	return a.fields["id"].(string), a.fields["uploadUrl"].(string)
}

// upload PUTs the file as the host does.
func (w *world) upload(to string, file io.Reader) error {
	w.t.Helper()
	u, err := url.Parse(to)
	require.NoError(w.t, err)
	return w.files.Receive(context.Background(), strings.TrimPrefix(u.Path, "/uploads/"), u.Query(), file)
}

// begin asks for an import and uploads its file.
func (w *world) begin(of imports.Type, format imports.Format, file string) string {
	w.t.Helper()
	id, to := w.asked(of, format)
	require.NoError(w.t, w.upload(to, strings.NewReader(file)))
	return id
}

// work lets the importer do all that was put.
func (w *world) work() {
	w.t.Helper()
	for keys := w.keys(); len(keys) > 0; keys = w.keys() {
		for _, key := range keys {
			require.NoError(w.t, w.run(context.Background(), key))
		}
	}
}

// imported is an import of the file, to its end.
func (w *world) imported(of imports.Type, format imports.Format, file string) report {
	w.t.Helper()
	id := w.begin(of, format, file)
	w.work()
	return w.report(id)
}

// report is what became of an import.
type report struct {
	id                               string
	state                            string
	read, changed, unchanged, failed int
	progress                         float64
	errors                           []rowError
}

type rowError struct {
	Row                     int
	Code, Location, Message string
}

func (w *world) report(id string) report {
	w.t.Helper()
	a := w.get("/api-engine/imports/" + id)
	rows := a.fields["rows"].(fields)
	n := func(name string) int { return int(rows[name].(float64)) }
	r := report{id: id, state: a.fields["state"].(string), read: n("read"), changed: n("changed"), unchanged: n("unchanged"), failed: n("failed"),
		progress: a.fields["progress"].(float64)}
	for next := "/api-engine/imports/" + id + "/errors?itemsPerPage=250"; next != ""; {
		page := w.get(next)
		raw, err := json.Marshal(page.fields["items"])
		require.NoError(w.t, err)
		var some []rowError
		require.NoError(w.t, json.Unmarshal(raw, &some))
		r.errors = append(r.errors, some...)
		next = ""
		if cursor, more := page.fields["nextCursor"].(string); more {
			next = "/api-engine/imports/" + id + "/errors?itemsPerPage=250&cursor=" + cursor
		}
	}
	return r
}

// counts are a report's in one line.
func (r report) counts() string {
	return fmt.Sprintf("%s: %d read, %d changed, %d unchanged, %d failed", r.state, r.read, r.changed, r.unchanged, r.failed)
}

// one is the only record that a filter finds.
func (w *world) one(path, filter, value string) fields {
	w.t.Helper()
	items := w.get(path + "?" + filter + "=" + url.QueryEscape(value)).fields["items"].([]any)
	require.Len(w.t, items, 1, value)
	return items[0].(fields)
}

func (w *world) product(code string) fields {
	w.t.Helper()
	return w.one("/api-engine/products", "code", code)
}

func (w *world) customer(email string) fields {
	w.t.Helper()
	return w.one("/api-engine/customers", "email", email)
}

var errDied = errors.New("died here")

// told is all changes so far that tell add-ons something.
func (w *world) told() (all []events.Change) {
	w.t.Helper()
	mark := events.Change{Request: "MARK", Shop: w.shop, At: 1, Records: []events.Record{{Kind: events.Categories, ID: "mark", Did: events.Created}}}
	_, err := w.db.Table("main").Write(context.Background(), mark, store.Put(store.Item{Key: store.Key{PK: "MARK", SK: rand.Text()}}))
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	err = w.db.Feed("main").Follow(ctx, 500, func(_ context.Context, changes []events.Change) error {
		for _, c := range changes {
			if c.Request == "MARK" {
				stop()
				continue
			}
			all = append(all, c)
		}
		return nil
	})
	require.ErrorIs(w.t, err, context.Canceled)
	return all
}

// sweep is a run of the sweeper's.
func (w *world) sweep() {
	w.t.Helper()
	require.NoError(w.t, sweeper.Function.Tick(w.p)(context.Background()))
}
