package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// note is the record of these tests' operations.
type note struct {
	ID    string     `json:"id"`
	Title field.Name `json:"title"`
	NoteRest
	Created field.Time `json:"created"`
	Changed field.Time `json:"changed"`
}

type NoteRest struct {
	Text    field.Text   `json:"text,omitempty"`
	Price   *field.Money `json:"price,omitempty"`
	Fee     field.Money  `json:"fee" required:"false"`
	Until   field.Time   `json:"until" required:"false"`
	Count   int          `json:"count" required:"false" minimum:"0" maximum:"10"`
	Stock   int64        `json:"stock" required:"false" maximum:"3600000"`
	Tags    []field.Code `json:"tags" required:"false" maxItems:"3"`
	Address *address     `json:"address,omitempty"`
	Mail    field.Email  `json:"mail,omitempty"`
}

type address struct {
	City field.Name `json:"city"`
	Zip  field.Name `json:"zip"`
}

type noteFields struct {
	Title field.Name `json:"title"`
	NoteRest
}

// world is a frame with one resource over a table in memory, and what a test may turn.
type world struct {
	t      testing.TB
	api    *api.API
	table  *memory
	listed store.Table // where lists are read
	now    time.Time
	caller change.Caller
	down   error // what counters fail with
}

type memory struct {
	mu    sync.Mutex
	items map[store.Key]*store.Item
	down  bool
}

func (m *memory) Get(_ context.Context, keys ...store.Key) ([]*store.Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return nil, store.ErrUnavailable
	}
	out := make([]*store.Item, len(keys))
	for i, k := range keys {
		out[i] = m.items[k]
	}
	return out, nil
}

func (m *memory) Query(_ context.Context, q store.Query) (store.Page, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var p store.Page
	keys := map[string]store.Item{}
	var sorted []string
	for _, i := range m.items {
		if i.Index1.PK == q.PK && i.Index1.SK >= q.From && (q.To == "" || i.Index1.SK <= q.To) &&
			(q.After == "" || !q.Descending && i.Index1.SK > q.After || q.Descending && i.Index1.SK < q.After) {
			keys[i.Index1.SK] = store.Item{Key: i.Key, Index1: i.Index1}
			sorted = append(sorted, i.Index1.SK)
		}
	}
	sortStrings(sorted, q.Descending)
	for _, k := range sorted {
		if q.Limit > 0 && len(p.Items) == q.Limit {
			p.Next = p.Items[len(p.Items)-1].Index1.SK
			break
		}
		p.Items = append(p.Items, keys[k])
	}
	return p, nil
}

func sortStrings(s []string, descending bool) {
	for i := range s {
		for j := i + 1; j < len(s); j++ {
			if descending && s[j] > s[i] || !descending && s[j] < s[i] {
				s[i], s[j] = s[j], s[i]
			}
		}
	}
}

func (m *memory) Write(_ context.Context, _ events.Change, ops ...store.Op) (store.Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return store.Item{}, store.ErrUnavailable
	}
	ops, err := store.Merge(ops)
	if err != nil {
		return store.Item{}, err
	}
	var failed store.ConditionError
	for _, o := range ops {
		for _, c := range o.Conds {
			if !c.Holds(m.items[o.Key]) {
				failed.Failures = append(failed.Failures, store.Failure{Key: o.Key, Item: m.items[o.Key]})
				break
			}
		}
	}
	if len(failed.Failures) > 0 {
		return store.Item{}, &failed
	}
	for _, o := range ops {
		if after := o.Apply(m.items[o.Key]); after != nil {
			m.items[o.Key] = after
		} else {
			delete(m.items, o.Key)
		}
	}
	return store.Item{}, nil
}

// counters count one access in memory.
type counters struct {
	limit.Counters // what the frame does not ask

	w    *world
	mu   sync.Mutex
	used int64
}

func (c *counters) Charge(_ context.Context, _ string, l limit.Limits, cost int64,
	_ time.Time,
) (limit.Standing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.w.down != nil {
		return limit.Standing{}, c.w.down
	}
	if c.used+cost > l.Hourly {
		return limit.Standing{Hourly: l.Hourly - c.used, Daily: l.Daily - c.used, Refused: limit.Hourly}, nil
	}
	c.used += cost
	return limit.Standing{Hourly: l.Hourly - c.used, Daily: l.Daily - c.used}, nil
}

func (c *counters) Refund(_ context.Context, _ string, l limit.Limits, cost int64,
	_ time.Time,
) (limit.Standing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used -= cost
	return limit.Standing{Hourly: l.Hourly - c.used, Daily: l.Daily - c.used}, nil
}

const shop = "01J00000000000000000000000"

func open(t testing.TB) *world {
	w := &world{t: t, table: &memory{items: map[store.Key]*store.Item{}},
		now: time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)}
	w.caller = change.Caller{Access: "01J00000000000000000000001", Shop: shop, Active: true, Version: events.APIVersion,
		Permissions: []permission.Permission{permission.ReadCustomers, permission.WriteCustomers},
		Limits:      limit.Limits{Hourly: 1000, Daily: 5000}}
	random := rand.NewChaCha8([32]byte{})
	w.api = api.New(api.Config{Table: w.table, Counters: &counters{w: w}, Key: make([]byte, 32),
		Random: &lockedReader{r: random}, Near: true, Alone: true,
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler), BaseURL: "http://api.test",
		Authenticate: func(_ context.Context, token string) (*change.Caller, error) {
			if token != "good" {
				return nil, change.ErrUnauthenticated
			}
			c := w.caller
			return &c, nil
		}, Operators: nobody, Developers: nobody})
	w.listed = w.table
	w.register()
	return w
}

// nobody is whose tokens of other doors are.
func nobody(context.Context, string) (*change.Caller, error) { return nil, change.ErrUnauthenticated }

type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(b)
}

func key(id string) store.Key { return store.Key{PK: "S#N#" + id, SK: "A"} }

func (w *world) register() {
	api.Add(w.api, api.Op{Route: "POST /api-engine/notes", ID: "createNote", Needs: permission.WriteCustomers},
		func(c *api.Call, in *api.Create[noteFields]) (*api.Answer[note], error) {
			v := c.Unit().NextVersion("")
			n := note{ID: c.Unit().NewID(), Title: in.Body.Title, NoteRest: in.Body.NoteRest,
				Created: field.At(c.Now()), Changed: field.At(c.Now())}
			if n.Tags == nil {
				n.Tags = []field.Code{}
			}
			return written(c, api.Of(n, v).At("/api-engine/notes/"+n.ID), store.Put(w.item(n, v), store.Absent()))
		})
	api.Add(w.api, api.Op{Route: "GET /api-engine/notes/{id}", ID: "readNote", Needs: permission.ReadCustomers},
		func(c *api.Call, in *api.ByID) (*api.Answer[note], error) {
			n, v, err := w.load(c, in.ID)
			return api.Of(n, v), err
		})
	api.Add(w.api, api.Op{Route: "PATCH /api-engine/notes/{id}", ID: "changeNote", Needs: permission.WriteCustomers,
		Reads: permission.ReadCustomers}, w.change)
	api.Add(w.api, api.Op{Route: "DELETE /api-engine/notes/{id}", ID: "deleteNote", Needs: permission.WriteCustomers},
		func(c *api.Call, in *api.ByID) (*api.None, error) {
			_, v, err := w.load(c, in.ID)
			if err != nil {
				return nil, err
			}
			if err := c.Match(v); err != nil {
				return nil, err
			}
			return api.Done(c, func(u *change.Unit) error {
				_, err := u.Write(c, v, events.Nothing, store.Delete(key(in.ID)))
				return err
			})
		})
	type listing struct {
		api.List
		Title string `query:"title"`
	}
	api.Add(w.api, api.Op{Route: "GET /api-engine/notes", ID: "listNotes", Needs: permission.ReadCustomers},
		func(c *api.Call, in *listing) (*api.Collection[note], error) {
			return api.Page(c, in.List,
				record.InPartitions(w.listed, store.Index1, "N#0", "N#1"),
				func(ctx context.Context, rows []store.Item) ([]record.Shown[note], error) {
					out := make([]record.Shown[note], len(rows))
					for i, r := range rows {
						var n note
						if err := json.Unmarshal(w.table.items[r.Key].Doc, &n); err != nil {
							return nil, err
						}
						out[i] = record.Shown[note]{Record: n, At: n.Changed.Go(), Size: 100,
							Missing: in.Title != "" && string(n.Title) != in.Title}
					}
					return out, nil
				})
		})
	api.Add(w.api, api.Op{Route: "POST /api-engine/notes/{id}/ping", ID: "pingNote", Status: 202,
		Once: []string{"token"}},
		func(c *api.Call, in *api.ByID) (*api.Answer[map[string]string], error) {
			w.now = w.now.Add(time.Second)
			return api.Of(map[string]string{"id": in.ID, "at": w.now.String(), "token": "shown-once"}, ""),
				c.Admitted(c)
		})
	type batch struct {
		Body struct {
			Items []int `json:"items" maxItems:"100"`
		}
	}
	api.Add(w.api, api.Op{Route: "PATCH /api-engine/notes/batch/all", ID: "batch", Needs: permission.WriteCustomers,
		TooMany: tooMany},
		func(c *api.Call, in *batch) (*api.Answer[map[string]int], error) {
			if err := c.Charge(c, limit.Cost(len(in.Body.Items))); err != nil {
				return nil, err
			}
			c.LowerCost(c, limit.Cost(in.Body.Items[0]))
			return api.Of(map[string]int{"changed": in.Body.Items[0]}, ""), nil
		})
	api.Add(w.api, api.Op{Route: "GET /api-engine/panic", ID: "panic"},
		func(*api.Call, *struct{}) (*api.None, error) { panic("secret internals") })
	api.Add(w.api, api.Op{Route: "GET /api-engine/orders-only", ID: "ordersOnly", Needs: permission.ReadOrders},
		func(*api.Call, *struct{}) (*api.None, error) { return &api.None{}, nil })
	w.api.Handle("GET /page", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		io.WriteString(rw, strings.Repeat("page ", 1000))
	}))
}

func (w *world) item(n note, v string) store.Item {
	b, _ := json.Marshal(n)
	return store.Item{Key: key(n.ID), Version: v, Doc: b,
		Index1: store.Key{PK: "N#" + string('0'+n.ID[25]%2), SK: v[:10] + "#" + n.ID}}
}

func (w *world) load(ctx context.Context, id string) (n note, version string, err error) {
	items, err := w.table.Get(ctx, key(id))
	if err != nil {
		return n, "", err
	}
	if items[0] == nil {
		return n, "", problem.NotFound()
	}
	return n, items[0].Version, json.Unmarshal(items[0].Doc, &n)
}

func (w *world) change(c *api.Call, in *api.Change[noteFields]) (*api.Answer[note], error) {
	n, v, err := w.load(c, in.ID)
	if err != nil {
		return nil, err
	}
	if err := c.Match(v); err != nil {
		return nil, err
	}
	f, err := api.Apply(c, in.Body, noteFields{n.Title, n.NoteRest})
	if err != nil {
		return nil, err
	}
	n.Title, n.NoteRest = f.Title, f.NoteRest
	next := c.Unit().NextVersion(v)
	return written(c, api.Of(n, next), store.Put(w.item(n, next), store.VersionIs(v)))
}

// written is what a command answers that writes the operations.
func written[R any](c *api.Call, a *api.Answer[R], ops ...store.Op) (*api.Answer[R], error) {
	return api.Do(c, func(a *api.Answer[R]) *api.Answer[R] { return a }, func(u *change.Unit) (*api.Answer[R], error) {
		_, err := u.Write(c, a, events.Nothing, ops...)
		return a, err
	})
}

func tooMany() *problem.Problem {
	return &problem.Problem{Status: 413, Code: "too_many_items", Detail: "Send fewer."}
}

// reply is an answer as a test reads it.
type reply struct {
	*httptest.ResponseRecorder
	body map[string]any
}

func (w *world) do(method, path, body string, headers ...string) reply {
	w.t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewBufferString(body))
	r.Header.Set("Authorization", "Bearer good")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		} else {
			r.Header[http.CanonicalHeaderKey(headers[i])] = []string{headers[i+1]}
		}
	}
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	out := reply{ResponseRecorder: rec}
	_ = json.Unmarshal(rec.Body.Bytes(), &out.body)
	return out
}

// refused requires a problem of that status and code.
func (w *world) refused(r reply, status int, code string) reply {
	w.t.Helper()
	require.Equal(w.t, status, r.Code, r.Body.String())
	require.Equal(w.t, code, r.body["code"], r.Body.String())
	require.Equal(w.t, "application/problem+json", r.Header().Get("Content-Type"))
	return r
}

func (r reply) fault(t *testing.T, n int) map[string]any {
	t.Helper()
	list, _ := r.body["errors"].([]any)
	require.Greater(t, len(list), n, r.Body.String())
	return list[n].(map[string]any)
}

// exact is a header by its exact spelling, which the platform sends as the contract has it.
func (r reply) exact(name string) []string { return r.Header()[name] }
