package orders

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/products"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/limit"
	"eshop/shared/limit/memory"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop, otherShop = "01SHAP0000000000000000000A", "01SHAP0000000000000000000B"
	all             = "all permissions"
	reader          = "orders:read only"
	writer          = "orders:write only"
	nobody          = "no permission"
	stranger        = "all permissions in another shop"
	nothing         = "01KAJ1V4S7TGXSAKB4YV5Q2D3E" // an id of nothing
)

// world is the APIs of orders and of what they are made of, over a file, with a clock and randomness of the test's own.
type world struct {
	t     testing.TB
	api   *api.API
	table *table
	mu    sync.Mutex
	now   time.Time
	step  time.Duration // passes each time the clock is read
	meter *store.Meter  // of the last call
}

type object = map[string]any

func newWorld(t testing.TB) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return worldOn(t, db.Table("main"), memory.Open(db.Table("counters")))
}

func worldOn(t testing.TB, main store.Table, counters limit.Counters) *world {
	w := &world{t: t, table: &table{Table: main}, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	config := api.Config{Table: w.table, Counters: gated{counters, w.table}, Authenticate: authenticate, Key: make([]byte, 32),
		Now: w.clock, Random: &steady{random: rand.NewChaCha8([32]byte{1})}, Log: slog.New(slog.DiscardHandler), BaseURL: "http://api.test"}
	w.api = api.New(config)
	p := &host.Platform{Main: w.table, Now: w.clock, Random: config.Random, Log: config.Log, Reserved: func(string) bool { return false }}
	for _, f := range []host.Function{Function, coupons.Function, customers.Function, products.Function} {
		f.HTTP(p, w.api)
	}
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(w.step)
	return w.now
}

func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

func authenticate(_ context.Context, token string) (*api.Caller, error) {
	c := &api.Caller{Access: token, Shop: shop, Locale: "cs_CZ", Currency: "CZK", Website: "https://shop.test", Active: true, Limits: limit.Limits{Hourly: 1e9, Daily: 1e9}}
	switch token {
	case all:
		c.Permissions = api.Permissions
	case reader:
		c.Permissions = []api.Permission{api.ReadOrders}
	case writer:
		c.Permissions = []api.Permission{api.WriteOrders}
	case stranger:
		c.Permissions, c.Shop, c.Locale, c.Currency = api.Permissions, otherShop, "sk_SK", "EUR"
	case nobody:
	default:
		return nil, api.ErrUnauthenticated
	}
	return c, nil
}

// reply is an answer as a test reads it.
type reply struct {
	*httptest.ResponseRecorder
	t    testing.TB
	body object
}

// as calls with a token. body is text or what becomes JSON; headers are names and values in turn. Time passes with each
// call.
func (w *world) as(token, method, path string, body any, headers ...string) reply {
	w.t.Helper()
	w.pass(time.Second)
	w.table.forget()
	return w.call(token, method, path, body, headers...)
}

// call is as for many at a time: what was told before is not forgotten.
func (w *world) call(token, method, path string, body any, headers ...string) reply {
	text, is := body.(string)
	if !is && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		text = string(b)
	}
	r := httptest.NewRequest(method, path, bytes.NewBufferString(text))
	r.Header.Set("Authorization", "Bearer "+token)
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	ctx, m := store.WithMeter(r.Context())
	out := reply{ResponseRecorder: httptest.NewRecorder(), t: w.t}
	w.api.ServeHTTP(out, r.WithContext(ctx))
	_ = json.Unmarshal(out.Body.Bytes(), &out.body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.meter = m
	return out
}

func (w *world) do(method, path string, body any, headers ...string) reply {
	w.t.Helper()
	return w.as(all, method, path, body, headers...)
}

// is wants a status and, of a problem, a code.
func (r reply) is(status int, code ...string) reply {
	r.t.Helper()
	require.Equal(r.t, status, r.Code, r.Body.String())
	if len(code) > 0 {
		require.Equal(r.t, code[0], r.body["code"], r.Body.String())
	}
	return r
}

// fault wants a 422 with just this fault.
func (r reply) fault(location, code string) {
	r.t.Helper()
	r.is(http.StatusUnprocessableEntity, "invalid")
	faults := r.body["errors"].([]any)
	require.Len(r.t, faults, 1, r.Body.String())
	require.Equal(r.t, location, faults[0].(object)["location"])
	require.Equal(r.t, code, faults[0].(object)["code"])
}

func (r reply) id() string   { return r.body["id"].(string) }
func (r reply) etag() string { return r.Header().Get("ETag") }

// at is a value inside the body: at("totals", "total"), at("items", 0, "code").
func (r reply) at(path ...any) any {
	r.t.Helper()
	var v any = r.body
	for _, p := range path {
		switch x := p.(type) {
		case string:
			require.IsType(r.t, object{}, v, r.Body.String())
			v = v.(object)[x]
		case int:
			require.IsType(r.t, []any{}, v, r.Body.String())
			v = v.([]any)[x]
		}
	}
	return v
}

// list is a field of all items of a page.
func (r reply) list(field string) []any {
	r.t.Helper()
	r.is(200)
	out := []any{}
	for _, x := range r.body["items"].([]any) {
		out = append(out, x.(object)[field])
	}
	return out
}

// product makes a product of this code, price and stock; what more says overrides.
func (w *world) product(code, price string, stock int, more ...object) reply {
	w.t.Helper()
	body := object{"code": code, "name": "Product " + code, "vatRate": "21.00", "stock": object{"quantity": stock}, "priceLevels": levels(price)}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return w.do("POST", "/api-engine/products", body).is(201)
}

func levels(price string) []object { return []object{{"level": "default", "price": price}} }

// variant is one of a product's in the making.
func variant(code, price string, stock int) object {
	v := object{"code": code, "name": "Variant " + code, "stock": object{"quantity": stock}}
	if price != "" {
		v["priceLevels"] = levels(price)
	}
	return v
}

// coupon makes a coupon; what more says overrides.
func (w *world) coupon(code, kind, value string, more ...object) reply {
	w.t.Helper()
	body := object{"code": code, "type": kind, "value": value}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return w.do("POST", "/api-engine/discount-coupons", body).is(201)
}

// line orders so many of a product.
func line(product string, quantity int) object {
	return object{"productId": product, "quantity": quantity}
}

// of is the body of an order of these lines.
func of(lines ...object) object { return object{"email": "jana@example.cz", "items": lines} }

// with adds fields to a body.
func with(body object, name string, v any) object { body[name] = v; return body }

func (w *world) order(body object) reply { w.t.Helper(); return w.do("POST", path, body).is(201) }

// state is the id of the state of a key.
func (w *world) state(key string) string {
	w.t.Helper()
	page := w.call(all, "GET", statesPath, nil)
	if len(page.list("key")) == 0 {
		w.seed()
		page = w.call(all, "GET", statesPath, nil)
	}
	i := slices.Index(page.list("key"), any(key))
	require.GreaterOrEqual(w.t, i, 0)
	return page.list("id")[i].(string)
}

// seed gives the shop its states, as operator's createShop does.
func (w *world) seed() {
	w.t.Helper()
	made := w.call(all, "POST", statesPath, object{"name": "Own"}).is(201)
	w.call(all, "DELETE", statesPath+"/"+made.id(), nil).is(204)
}

// stock is what there is of a product; variants by their code.
func (w *world) stock(product string, code ...string) int {
	w.t.Helper()
	p := w.call(all, "GET", "/api-engine/products/"+product, nil).is(200)
	if len(code) == 0 {
		return int(p.at("stock", "quantity").(float64))
	}
	for _, v := range p.at("variants").([]any) {
		if v.(object)["code"] == code[0] {
			return int(v.(object)["stock"].(object)["quantity"].(float64))
		}
	}
	w.t.Fatal("no variant ", code[0])
	return 0
}

func (w *world) used(coupon string) int {
	w.t.Helper()
	return int(w.call(all, "GET", "/api-engine/discount-coupons/"+coupon, nil).is(200).at("used").(float64))
}

// told are the records told by the last call, as "orders created [groups] variants".
func (w *world) told() []string {
	w.table.mu.Lock()
	defer w.table.mu.Unlock()
	var out []string
	for _, c := range w.table.told {
		for _, r := range c.Records {
			s := fmt.Sprint(r.Kind, " ", r.Did)
			if len(r.Groups) > 0 {
				s += fmt.Sprint(" ", r.Groups)
			}
			if len(r.Variants) > 0 {
				s += fmt.Sprint(" ", len(r.Variants), " variants")
			}
			out = append(out, s)
		}
	}
	return out
}

// table notes the changes written, lets a test in before a write, and holds calls to waves.
type table struct {
	store.Table
	mu     sync.Mutex
	told   []events.Change
	before func(ops []store.Op) error // of each write
	after  func(ops []store.Op) error // of each write that was done
	waves  *waves
}

func (t *table) forget() { t.mu.Lock(); defer t.mu.Unlock(); t.told = nil }

func (t *table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	t.waves.join(ctx)
	return t.Table.Get(ctx, keys...)
}

func (t *table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	t.waves.join(ctx)
	return t.Table.Query(ctx, q)
}

func (t *table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	t.waves.join(ctx)
	t.mu.Lock()
	before := t.before
	t.mu.Unlock()
	if before != nil {
		if err := before(ops); err != nil {
			return store.Item{}, err
		}
	}
	item, err := t.Table.Write(ctx, change, ops...)
	if err != nil {
		return item, err
	}
	if t.after != nil {
		err = t.after(ops)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !change.Empty() {
		t.told = append(t.told, change)
	}
	return item, err
}

// gated is counters whose charges are calls of a wave, too.
type gated struct {
	limit.Counters
	table *table
}

func (g gated) Charge(ctx context.Context, access string, l limit.Limits, cost int64, now time.Time) (limit.Standing, error) {
	g.table.waves.join(ctx)
	return g.Counters.Charge(ctx, access, l, cost, now)
}

// waves holds the calls of a request until so many are under way as its next wave has: a request whose calls do not come
// side by side never ends. No call may come behind the last wave.
type waves struct {
	mu    sync.Mutex
	sizes []int
	here  int
	go_   chan struct{}
	extra int
}

func inWaves(sizes ...int) *waves { return &waves{sizes: sizes, go_: make(chan struct{})} }

func (w *waves) join(context.Context) {
	if w == nil {
		return
	}
	w.mu.Lock()
	if len(w.sizes) == 0 {
		w.extra++
		w.mu.Unlock()
		return
	}
	open := w.go_
	if w.here++; w.here == w.sizes[0] {
		close(open)
		w.sizes, w.here, w.go_ = w.sizes[1:], 0, make(chan struct{})
	}
	w.mu.Unlock()
	<-open
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

// codes of statuses counted, for parallel calls.
func statuses(replies []reply) map[int]int {
	n := map[int]int{}
	for _, r := range replies {
		n[r.Code]++
	}
	return n
}

// together makes n calls at the same time.
func (w *world) together(n int, call func(i int) reply) []reply {
	replies := make([]reply, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { replies[i] = call(i) })
	}
	wg.Wait()
	return replies
}

func path2(id string, more ...string) string {
	return path + "/" + id + strings.Join(more, "")
}
