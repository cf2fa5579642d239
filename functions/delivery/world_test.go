package delivery_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/batcher"
	"eshop/functions/delivery"
	"eshop/functions/sweeper"
	"eshop/shared/addon"
	"eshop/shared/base/id"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

// world is the pipeline in one process, on a clock that the test moves.
type world struct {
	t            testing.TB
	p            *host.Platform
	clock        *hosttest.Clock
	fresh, retry *post
	batch        func(context.Context, []events.Change) (int, error)
	deliver      func(context.Context, []queue.Received) []queue.Received
	sweep        func(context.Context) error
}

var start = time.Date(2026, 11, 21, 2, 5, 12, 583e6, time.UTC)

func newWorld(t testing.TB, also ...func(*host.Parts)) *world {
	t.Helper()
	w := &world{t: t, fresh: &post{}, retry: &post{}}
	of := hosttest.Open(t, hosttest.Setup{Start: start, Platform: func(p *host.Parts) {
		p.Environment, p.Traits, p.Fresh, p.Retry = "development", host.OneProcess, w.fresh, w.retry
		for _, f := range also {
			f(p)
		}
		p.Loopback = true
	}})
	w.p, w.clock, w.fresh.clock, w.retry.clock = of.P, of.Clock, of.Clock, of.Clock
	w.restart()
	return w
}

// restart makes the functions anew, as a new process does.
func (w *world) restart() {
	delivery.Die(w.p)
	w.batch, w.deliver, w.sweep = batcher.Function.Feed.Handler(w.p), delivery.Function.Messages.Handler(w.p),
		sweeper.Function.Tick.Handler(w.p)
}

// post is a queue on the clock of the test.
type post struct {
	clock *hosttest.Clock
	mu    sync.Mutex
	sent  int
	in    []letter
	err   error
}

type letter struct {
	queue.Message
	id  int
	due time.Time
}

func (q *post) Send(_ context.Context, messages ...queue.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return q.err
	}
	for _, m := range messages {
		q.sent++
		q.in = append(q.in, letter{m, q.sent, q.clock.Now().Add(m.Delay)})
	}
	return nil
}

func (q *post) Receive(_ context.Context, most int, _ time.Duration) (got []queue.Received, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.in = slices.DeleteFunc(q.in, func(l letter) bool {
		if len(got) == most || l.due.After(q.clock.Now()) {
			return false
		}
		got = append(got, queue.Received{ID: fmt.Sprint(l.id), Body: l.Body, Group: l.Group, Count: 1})
		return true
	})
	return got, nil
}

// comeAgain brings messages back when their visibility ends.
func (q *post) comeAgain(messages []queue.Received) {
	visibility := delivery.Function.Messages.From[0].Visibility
	for _, m := range messages {
		_ = q.Send(context.Background(), queue.Message{Body: m.Body, Group: m.Group, Delay: visibility})
	}
}

func (q *post) Delete(context.Context, ...queue.Received) error { return nil }

func (q *post) Postpone(context.Context, queue.Received, time.Duration) error { return nil }

// lose forgets everything, as a process that ends does.
func (q *post) lose() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.in = nil
}

// next is how long until the first message is due; false when there is none.
func (q *post) next() (time.Duration, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.in) == 0 {
		return 0, false
	}
	first := slices.MinFunc(q.in, func(a, b letter) int { return a.due.Compare(b.due) })
	return first.due.Sub(q.clock.Now()), true
}

// tell hands changes to the batcher.
func (w *world) tell(changes ...events.Change) {
	w.t.Helper()
	done, err := w.batch(w.t.Context(), changes)
	require.NoError(w.t, err)
	require.Equal(w.t, len(changes), done)
}

// run delivers what is due now.
func (w *world) run() {
	w.t.Helper()
	for _, q := range []*post{w.fresh, w.retry, w.fresh} {
		for {
			got, err := q.Receive(w.t.Context(), 100, 0)
			require.NoError(w.t, err)
			if len(got) == 0 {
				break
			}
			require.Empty(w.t, w.deliver(w.t.Context(), got))
		}
	}
}

// put writes items as if they had always been there.
func (w *world) put(items ...store.Item) {
	w.t.Helper()
	for _, i := range items {
		_, err := w.p.Main.Write(w.t.Context(), events.Nothing, store.Put(i))
		require.NoError(w.t, err)
	}
}

func (w *world) id() string { return id.New(w.clock.Now(), rand.Reader) }

// install is a package with an active access on a shop.
func (w *world) install(shop string, may ...permission.Permission) addon.Access {
	w.t.Helper()
	pkg := addon.Package{Head: record.Head{ID: w.id(), Version: w.id()},
		PackageFields: addon.PackageFields{Permissions: permission.All}}
	a := addon.Access{Head: record.Head{ID: w.id(), Version: w.id()},
		Terms: addon.Terms{Shop: shop, Package: pkg.ID, State: addon.Active,
			AccessFields: addon.AccessFields{Permissions: may}, APIVersion: "2026-11-01"}}
	w.put(pkg.Item(), a.Item())
	return a
}

// receiver is an enabled receiver of all events.
func (w *world) receiver(a addon.Access, url string, also ...func(*webhook.Receiver)) webhook.Receiver {
	w.t.Helper()
	r := webhook.Receiver{ID: w.id(), Shop: a.Shop, Access: a.ID, URL: url, Events: events.Names, Active: true,
		State: webhook.Enabled, Verified: true, Proven: true, Version: w.id()}
	for _, f := range also {
		f(&r)
	}
	w.put(r.Item(), store.Item{Key: webhook.HealthKey(r.ID)})
	return r
}

func (w *world) health(r webhook.Receiver) webhook.Health {
	w.t.Helper()
	items, err := w.p.Main.Get(w.t.Context(), webhook.HealthKey(r.ID))
	require.NoError(w.t, err)
	return webhook.HealthOf(items[0])
}

// key is a signing key of the access.
func (w *world) key(a addon.Access, text string, state signingkey.State) {
	w.t.Helper()
	k, err := signature.Parse(text)
	require.NoError(w.t, err)
	name := w.id()
	sealed, err := w.p.Signing.Seal(w.t.Context(), signingkey.SealName(a.ID, name), k.Bytes())
	require.NoError(w.t, err)
	set, err := signingkey.ReadSet(w.t.Context(), w.p.Main, a.ID)
	require.NoError(w.t, err)
	_, err = w.p.Main.Write(w.t.Context(), events.Nothing, set.Put(w.id(), w.clock.Now(),
		signingkey.Key{ID: name, Owner: a.ID, State: state, Sealed: sealed, Created: field.At(w.clock.Now())})...)
	require.NoError(w.t, err)
}

// rows are all deliveries of an access.
func (w *world) rows(a addon.Access) (all []store.Item) {
	w.t.Helper()
	for n := range webhook.RowShards {
		page, err := w.p.Pipeline.Query(w.t.Context(), store.Query{PK: webhook.RowPartition(a.ID, n)})
		require.NoError(w.t, err)
		all = append(all, page.Items...)
	}
	slices.SortFunc(all, func(a, b store.Item) int { return compare(a.SK, b.SK) })
	return all
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// row is the only delivery of an access.
func (w *world) row(a addon.Access) (webhook.Row, []webhook.DeliveryAttempt) {
	w.t.Helper()
	all := w.rows(a)
	require.Len(w.t, all, 1)
	attempts, err := webhook.AttemptsOf(&all[0])
	require.NoError(w.t, err)
	return webhook.RowOf(&all[0]), attempts
}

// change is a change of records in a shop, of a request of its own.
func (w *world) change(shop string, records ...events.Record) events.Change {
	return events.Change{Request: w.id(), Shop: shop, At: w.clock.Now().UnixMilli(), Records: records}
}

func customer(name string) events.Record {
	return events.Record{Kind: events.Customers, ID: name, Did: events.Changed, Groups: []events.Group{events.Contact}}
}

// shop is a receiver's server and what it got.
type shop struct {
	URL  string
	mu   sync.Mutex
	hits []hit
	say  func(w http.ResponseWriter, h hit)
}

type hit struct {
	http.Header
	body []byte
}

func (h hit) event() string { return h.Get("X-Webhook-Event") }

func (h hit) data(t *testing.T) map[string]any {
	var body struct{ Data map[string]any }
	require.NoError(t, json.Unmarshal(h.body, &body))
	return body.Data
}

// serve is a receiver that answers as told; nil: 200.
func serve(t *testing.T, say func(http.ResponseWriter, hit)) *shop {
	s := &shop{say: say}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h := hit{r.Header, body}
		s.mu.Lock()
		s.hits = append(s.hits, h)
		say := s.say
		s.mu.Unlock()
		if say != nil {
			say(w, h)
		}
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *shop) answer(say func(http.ResponseWriter, hit)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say = say
}

func (s *shop) got() []hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hits)
}

func status(code int) func(http.ResponseWriter, hit) {
	return func(w http.ResponseWriter, _ hit) { w.WriteHeader(code) }
}
