package deliveries_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/deliveries"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

const acc, path = "01KYFXV0000000000000000001", "/api-engine/webhook-deliveries"

// world is the API as one access.
type world struct {
	*hosttest.World
	retry *post
}

// post is a queue that keeps what is sent.
type post struct {
	queue.Sender
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
	w := &world{retry: &post{}}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{deliveries.Function},
		Platform: func(p *host.Parts) { p.Fresh, p.Retry, p.Traits = &post{}, w.retry, host.OneProcess },
		Authenticate: func(_ context.Context, token string) (*change.Caller, error) {
			return &change.Caller{Access: token, Shop: "shop", Package: "package", Active: true,
				Version: events.APIVersion,
				Limits:  limit.Limits{Hourly: 1000, Daily: 1000}}, nil
		}})
	w.Put(w.Main, addon.Access{Head: record.Head{ID: acc, Version: w.P.NewID()},
		Terms: addon.Terms{Shop: "shop", Package: "package", State: addon.Active,
			AccessFields: addon.AccessFields{Permissions: permission.All}}}.Item())
	w.Put(w.Main, addon.Package{Head: record.Head{ID: "package", Version: w.P.NewID()},
		PackageFields: addon.PackageFields{Permissions: permission.All}}.Item())
	return w
}

// receiver is an enabled receiver of the access.
func (w *world) receiver(also ...func(*webhook.Receiver)) webhook.Receiver {
	r := webhook.Receiver{ID: w.P.NewID(), Shop: "shop", Access: acc, URL: "https://example.com/", Events: events.Names,
		Active: true, Verified: true, Proven: true, State: webhook.Enabled, Version: w.P.NewID()}
	for _, f := range also {
		f(&r)
	}
	w.Put(w.Main, r.Item())
	return r
}

// row is a delivery to the receiver, of now, with what it is changed to.
func (w *world) row(receiver string, e events.Name, also ...func(*store.Item)) string {
	c := events.Change{Request: w.P.NewID(), Shop: "shop", At: w.Clock.Now().UnixMilli()}
	i, _ := webhook.NewRow(c, events.Sample(e), webhook.Addressee{Access: acc, Package: "package", Receiver: receiver,
		Version: events.APIVersion}, w.Clock.Now())
	for _, f := range also {
		f(&i)
	}
	w.Put(w.P.Pipeline, i)
	return i.SK
}

// body is the body that a row holds whole.
func (w *world) body(id string) object {
	items, err := w.P.Pipeline.Get(w.T.Context(), webhook.RowKey(acc, id))
	require.NoError(w.T, err)
	var body object
	require.NoError(w.T, json.Unmarshal(items[0].Doc, &body))
	return body
}

// in is a delivery's state.
func in(s webhook.DeliveryState) func(*store.Item) {
	return func(i *store.Item) {
		i.Text["state"] = string(s)
		if s != webhook.Waiting {
			i.Index1 = store.Key{}
		}
		if s == webhook.Cancelled {
			i.Text["reason"] = webhook.Unsubscribed
		}
	}
}

// attempted is a delivery with attempts that were answered so.
func attempted(status ...int) func(*store.Item) {
	return func(i *store.Item) {
		for n, s := range status {
			a := webhook.DeliveryAttempt{Number: n + 1, At: field.Time(1795226712583), Status: s, DurationMs: 12,
				Answer: "ok"}
			if s >= 300 {
				a.Error = "status " + strconv.Itoa(s)
			}
			b, _ := json.Marshal(a)
			i.Text["attempt"+string(rune('1'+n))] = string(b)
		}
		i.Num["made"] = int64(len(status))
	}
}

func (w *world) do(method, target string, header ...string) hosttest.Answer {
	w.T.Helper()
	return w.As(acc, method, target, nil, header...)
}

type object = hosttest.Object
