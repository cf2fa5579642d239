package importer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/customers"
	"eshop/functions/importer"
	door "eshop/functions/imports"
	"eshop/functions/products"
	"eshop/functions/sweeper"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	shops "eshop/shared/shop"
)

// shop is the one of these tests; its id is the token of an access that has every permission, and the id of that
// access.
const (
	shop = "01KYFXV0000000000000000SHP"
	pkg  = "01KYFXV0000000000000000PKG"
)

// world is a shop with an importer that tests let run, fail and die.
type world struct {
	*hosttest.World
	files *folder.Bucket
	run   func(context.Context, string) error // the importer's
	mu    sync.Mutex
	put   []string // keys that were put, not handled yet
}

func newWorld(t testing.TB) *world {
	w := &world{}
	doors := []host.Function{customers.Function, products.Function, door.Function}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: doors,
		Step: time.Millisecond, Authenticate: installed, Platform: func(p *host.Parts) {
			var err error
			w.files, err = folder.Open(t.TempDir(),
				folder.Options{Base: "https://files.example/uploads", Key: []byte("key"), Now: p.Now, OnPut: w.heard})
			require.NoError(t, err)
			p.Files = w.files
		}})
	w.Put(w.DB.Table("main"), shops.Shop{Head: record.Head{ID: shop, Version: version},
		Fields: shops.Fields{Domain: shop + ".example"}}.Item())
	w.installs(addon.Active, permission.All, permission.All)
	w.restart()
	return w
}

// installed is hosttest.AuthenticateByText for accesses of the package.
func installed(ctx context.Context, token string) (*change.Caller, error) {
	c, err := hosttest.AuthenticateByText(ctx, token)
	if err == nil {
		c.Package = pkg
	}
	return c, err
}

const version = "01KYFXV0000000000000000001"

// installs makes the shop's access what the operator may make of it, and as at once known as there.
func (w *world) installs(state addon.AccessState, own, packages []permission.Permission) {
	w.T.Helper()
	w.Put(w.DB.Table("main"), addon.Package{Head: record.Head{ID: pkg, Version: version},
		PackageFields: addon.PackageFields{Permissions: packages}}.Item(),
		addon.Access{Head: record.Head{ID: shop, Version: version},
			Terms: addon.Terms{Shop: shop, Package: pkg, State: state,
				AccessFields: addon.AccessFields{Permissions: own}}}.Item())
	w.P.Accesses.Drop(shop)
}

// between sets what gets in between from now on, counting writes from 1: before the nth write, and behind it when it
// was done; an error is its outcome. nil is nothing.
func (w *world) between(before func(n int, ops []store.Op) error, after func(n int) error) {
	var mu sync.Mutex
	writes := 0
	w.Main.Around(func(ops []store.Op, write func() error) error {
		mu.Lock()
		writes++
		n := writes
		mu.Unlock()
		if before != nil {
			if err := before(n, ops); err != nil {
				return err
			}
		}
		err := write()
		if err == nil && after != nil {
			err = after(n)
		}
		return err
	})
}

// restart is a new process of the importer's.
func (w *world) restart() { w.run = importer.Function.Upload.Handler(w.P) }

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
type fields = hosttest.Object

func (w *world) do(method, path string, body any) hosttest.Answer {
	w.T.Helper()
	return w.As(shop, method, path, body)
}

func (w *world) get(path string) hosttest.Answer {
	w.T.Helper()
	return w.do("GET", path, nil).Is(200)
}

// asked is an import that waits for its file.
func (w *world) asked(of imports.Type, format imports.Format) (id, upload string) {
	w.T.Helper()
	a := w.do("POST", "/api-engine/imports", fields{"type": of, "format": format, "mode": "upsert"}).Is(201)
	return a.ID(), a.Get("uploadUrl")
}

// upload PUTs the file as the host does.
func (w *world) upload(to string, file io.Reader) error {
	w.T.Helper()
	u, err := url.Parse(to)
	require.NoError(w.T, err)
	return w.files.Receive(context.Background(), strings.TrimPrefix(u.Path, "/uploads/"), u.Query(), file)
}

// begin asks for an import and uploads its file.
func (w *world) begin(of imports.Type, format imports.Format, file string) string {
	w.T.Helper()
	id, to := w.asked(of, format)
	require.NoError(w.T, w.upload(to, strings.NewReader(file)))
	return id
}

// work lets the importer do all that was put.
func (w *world) work() {
	w.T.Helper()
	for keys := w.keys(); len(keys) > 0; keys = w.keys() {
		for _, key := range keys {
			require.NoError(w.T, w.run(context.Background(), key))
		}
	}
}

// imported is an import of the file, to its end.
func (w *world) imported(of imports.Type, format imports.Format, file string) report {
	w.T.Helper()
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
	w.T.Helper()
	a := w.get("/api-engine/imports/" + id)
	rows := a.Body["rows"].(fields)
	n := func(name string) int { return int(rows[name].(float64)) }
	r := report{id: id, state: a.Body["state"].(string), read: n("read"), changed: n("changed"),
		unchanged: n("unchanged"), failed: n("failed"),
		progress: a.Body["progress"].(float64)}
	for next := "/api-engine/imports/" + id + "/errors?itemsPerPage=250"; next != ""; {
		page := w.get(next)
		raw, err := json.Marshal(page.Body["items"])
		require.NoError(w.T, err)
		var some []rowError
		require.NoError(w.T, json.Unmarshal(raw, &some))
		r.errors = append(r.errors, some...)
		next = ""
		if cursor, more := page.Body["nextCursor"].(string); more {
			next = "/api-engine/imports/" + id + "/errors?itemsPerPage=250&cursor=" + cursor
		}
	}
	return r
}

// counts are a report's in one line.
func (r report) counts() string {
	return fmt.Sprintf("%s: %d read, %d changed, %d unchanged, %d failed", r.state, r.read, r.changed,
		r.unchanged, r.failed)
}

// one is the only record that a filter finds.
func (w *world) one(path, filter, value string) fields {
	w.T.Helper()
	items := w.get(path + "?" + filter + "=" + url.QueryEscape(value)).Body["items"].([]any)
	require.Len(w.T, items, 1, value)
	return items[0].(fields)
}

func (w *world) product(code string) fields {
	w.T.Helper()
	return w.one("/api-engine/products", "code", code)
}

func (w *world) customer(email string) fields {
	w.T.Helper()
	return w.one("/api-engine/customers", "email", email)
}

var errDied = errors.New("died here")

// sweep is a run of the sweeper's.
func (w *world) sweep() {
	w.T.Helper()
	require.NoError(w.T, sweeper.Function.Tick.Handler(w.P)(context.Background()))
}
