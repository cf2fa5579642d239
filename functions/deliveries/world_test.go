package deliveries_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/deliveries"
	"eshop/functions/delivery"
	"eshop/functions/webhooks"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/limit"
	"eshop/shared/limit/memory"
	"eshop/shared/queue"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

const acc, path = "01KYFXV0000000000000000001", "/api-engine/webhook-deliveries"

// world is the API over a file of its own, as one access.
type world struct {
	t     *testing.T
	p     *host.Platform
	frame *api.API
	now   atomic.Int64
	retry *post
}

// post is a queue that keeps what is sent.
type post struct {
	queue.Queue
	mu   sync.Mutex
	sent []string
	err  error
}

func (q *post) Send(_ context.Context, messages ...queue.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range messages {
		q.sent = append(q.sent, m.Body)
	}
	return q.err
}

func open(t *testing.T) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w := &world{t: t, retry: &post{}}
	w.now.Store(1795226712583)
	w.p = &host.Platform{Main: db.Table("main"), Pipeline: db.Table("pipeline"), Counters: memory.Open(db.Table("counters")),
		Fresh: &post{}, Retry: w.retry, Key: make([]byte, 32), BaseURL: "http://127.0.0.1:8080", Environment: "test",
		Now: w.clock, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), OneProcess: true}
	w.frame = api.New(api.Config{Table: w.p.Main, Counters: w.p.Counters, Key: w.p.Key, Now: w.clock, Random: rand.Reader,
		Log: w.p.Log, BaseURL: w.p.BaseURL, Environment: "test", Inline: true,
		Authenticate: func(_ context.Context, token string) (*api.Caller, error) {
			return &api.Caller{Access: token, Shop: "shop", Package: "package", Active: true, Version: api.Version,
				Limits: limit.Limits{Hourly: 1000, Daily: 1000}}, nil
		}})
	deliveries.Function.HTTP(w.p, w.frame)
	return w
}

func (w *world) clock() time.Time { return time.UnixMilli(w.now.Load()).UTC() }

func (w *world) pass(d time.Duration) { w.now.Add(d.Milliseconds()) }

func (w *world) put(t store.Table, i store.Item) {
	w.t.Helper()
	_, err := t.Write(context.Background(), events.Nothing, store.Put(i))
	require.NoError(w.t, err)
}

// receiver is an enabled receiver of the access.
func (w *world) receiver(also ...func(*webhooks.Receiver)) webhooks.Receiver {
	r := webhooks.Receiver{ID: id.New(w.clock(), rand.Reader), Shop: "shop", Access: acc, URL: "https://example.com/", Events: events.Names,
		Active: true, Verified: true, Proven: true, State: webhooks.Enabled, Version: id.New(w.clock(), rand.Reader)}
	for _, f := range also {
		f(&r)
	}
	w.put(w.p.Main, r.Item())
	return r
}

// row is a delivery to the receiver, of now, with what it is changed to.
func (w *world) row(receiver string, e events.Name, also ...func(*store.Item)) string {
	c := events.Change{Request: id.New(w.clock(), rand.Reader), Shop: "shop", At: w.clock().UnixMilli()}
	i, _ := delivery.New(c, events.Sample(e), delivery.Address{Access: acc, Package: "package", Receiver: receiver, Version: api.Version}, w.clock())
	for _, f := range also {
		f(&i)
	}
	w.put(w.p.Pipeline, i)
	return i.SK
}

// in is a delivery's state.
func in(s delivery.State) func(*store.Item) {
	return func(i *store.Item) {
		i.Text["state"] = string(s)
		if s != delivery.Waiting {
			i.Index1 = store.Key{}
		}
		if s == delivery.Cancelled {
			i.Text["reason"] = delivery.Unsubscribed
		}
	}
}

// attempted is a delivery with attempts that were answered so.
func attempted(status ...int) func(*store.Item) {
	return func(i *store.Item) {
		for n, s := range status {
			b, _ := json.Marshal(delivery.Attempt{Number: n + 1, At: api.Time(1795226712583), Status: s, DurationMs: 12, Answer: "ok"})
			i.Text["attempt"+string(rune('1'+n))] = string(b)
		}
		i.Num["made"] = int64(len(status))
	}
}

type answer struct {
	t      *testing.T
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (w *world) as(token, method, target string, header ...string) answer {
	r := httptest.NewRequest(method, target, bytes.NewReader(nil))
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.frame.ServeHTTP(rec, r)
	b, err := io.ReadAll(rec.Body)
	require.NoError(w.t, err)
	a := answer{t: w.t, status: rec.Code, header: rec.Header(), text: string(b)}
	require.NoError(w.t, json.Unmarshal(b, &a.body), a.text)
	return a
}

func (w *world) do(method, target string, header ...string) answer {
	return w.as(acc, method, target, header...)
}

func (a answer) is(status int, code ...string) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, a.text)
	if len(code) > 0 {
		require.Equal(a.t, code[0], a.body["code"], a.text)
	}
	return a
}

// ids are those of a page.
func (a answer) ids() (all []string) {
	a.t.Helper()
	a.is(200)
	for _, x := range a.body["items"].([]any) {
		all = append(all, x.(map[string]any)["id"].(string))
	}
	return all
}

type object = map[string]any

// metered sends a request and counts the calls of the store.
func (w *world) metered(method, target string) *store.Meter {
	ctx, meter := store.WithMeter(context.Background())
	r := httptest.NewRequestWithContext(ctx, method, target, nil)
	r.Header.Set("Authorization", "Bearer "+acc)
	rec := httptest.NewRecorder()
	w.frame.ServeHTTP(rec, r)
	require.Less(w.t, rec.Code, 300, rec.Body.String())
	return meter
}
