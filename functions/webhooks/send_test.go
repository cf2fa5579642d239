package webhooks_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// verified registers a receiver and proves its address.
func (w *world) verified() string {
	id := w.do("POST", "/api-engine/webhooks",
		object{"url": "https://example.com/hooks", "events": []string{}}).Is(201).ID()
	require.NoError(w.T, webhook.MarkVerified(w.T.Context(), w.P.Unit(), w.P.Webhooks(), w.receiver(id)))
	w.told()
	return id
}

func (w *world) receiver(id string) webhook.Receiver {
	shop, err := w.P.Accesses.Authenticate(w.T.Context(), w.token)
	require.NoError(w.T, err)
	items, err := w.P.Main.Get(w.T.Context(), webhook.ReceiverKey(shop.Shop, w.access, id))
	require.NoError(w.T, err)
	r, err := webhook.ReceiverOf(items[0])
	require.NoError(w.T, err)
	return r
}

func TestATestIsToldToItsReceiver(t *testing.T) {
	w := open(t)
	id := w.verified()
	got := w.do("POST", "/api-engine/webhooks/"+id+"/test", object{"event": "productChange"}).Is(202)
	require.Equal(t, w.do("GET", "/api-engine/webhooks/"+id, nil).Body, got.Body,
		"whatever its events and the access's permissions")
	told := w.Main.NewChanges()
	require.Equal(t, delivered(told, id), got.Header.Get("Location"))
	require.Equal(t, []events.Notice{{Event: events.ProductChange, Access: w.access, Receiver: id, Test: true,
		Data: nil}}, told[0].Notices)
	path := "/api-engine/webhooks/" + id + "/test"
	w.do("POST", path, nil).Is(400, "malformed_json")
	w.do("POST", path, object{}).Fault("body.event", "required")
	w.do("POST", path, object{"event": "ping"}).Fault("body.event", "bad_format")
	w.do("POST", path, object{"event": "orderCreate"}).Fault("body.event", "bad_format")
	require.Empty(t, w.told())
	for _, e := range events.Heard { // customerErase, too, to which nobody can subscribe
		w.do("POST", path, object{"event": e}).Is(202)
		require.Equal(t, e, w.Main.NewChanges()[0].Notices[0].Event)
	}
	w.do("POST", path, object{"event": "orderChange"}, "Idempotency-Key", "k").Is(202)
	w.do("POST", path, object{"event": "orderChange"}, "Idempotency-Key", "k").Is(202)
	require.Len(t, w.told(), 1)
}

func TestAReplayHasItsDefaultsAndIsShown(t *testing.T) {
	w := open(t)
	id := w.verified()
	path := "/api-engine/webhooks/" + id + "/replay"
	w.do("GET", path, nil).Is(404, "not_found")
	now := w.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	begun := w.do("POST", path, object{"from": "2026-11-20T00:00:00Z"}, "Idempotency-Key", "k").Is(202)
	require.Equal(t, path, begun.Header.Get("Location"))
	w.Clock.Pass(time.Second)
	w.do("POST", path, object{"from": "2026-11-20T00:00:00Z"}, "Idempotency-Key", "k").Is(202)
	require.Len(t, w.replays(id), 1)
	shown := object{"from": "2026-11-20T00:00:00.000Z", "to": now, "states": []any{"delivered", "exhausted"},
		"perSecond": 10.0,
		"state":     "running", "sent": 0.0, "created": now, "changed": now}
	require.Equal(t, shown, w.do("GET", path, nil).Is(200).Body)
	w.do("POST", path, object{"from": "2026-11-20T00:00:00Z", "to": "2026-11-20T01:00:00+01:00",
		"states": []string{"exhausted"}, "perSecond": 100}).Is(202)
	require.Len(t, w.replays(id), 2)
	last := w.do("GET", path, nil).Is(200).Body
	require.Equal(t, []any{last["from"], last["from"], []any{"exhausted"}, 100.0},
		[]any{last["from"], last["to"], last["states"], last["perSecond"]})
	for at, c := range map[string]struct {
		body object
		code string
	}{
		"body.from":      {object{}, "required"},
		"body.perSecond": {object{"from": "2026-11-20T00:00:00Z", "perSecond": 101}, "too_big"},
		"body.states[0]": {object{"from": "2026-11-20T00:00:00Z", "states": []string{"parked"}}, "bad_format"},
		"body.states[1]": {object{"from": "2026-11-20T00:00:00Z", "states": []string{"exhausted", "exhausted"}},
			"duplicate"},
		"body.to":   {object{"from": "2026-11-20T00:00:00Z", "to": "2026-11-19T00:00:00Z"}, "conflict"},
		"body.rate": {object{"from": "2026-11-20T00:00:00Z", "rate": 1}, "unknown_field"},
	} {
		w.do("POST", path, c.body).Fault(at, c.code)
	}
	w.do("POST", path, object{"from": "2026-11-20T00:00:00Z", "perSecond": 0}).Fault("body.perSecond", "too_small")
	require.Len(t, w.replays(id), 2)
}

// replays are those of a receiver.
func (w *world) replays(receiver string) []store.Item {
	page, err := w.P.Main.Query(w.T.Context(),
		store.Query{PK: webhook.HealthKey(receiver).PK, From: "REPLAY#", To: "REPLAY#~"})
	require.NoError(w.T, err)
	return page.Items
}

func TestWhatIsSentOnDemandAsksForAnActiveVerifiedReceiver(t *testing.T) {
	for path, body := range map[string]object{"/test": {"event": "customerChange"},
		"/replay": {"from": "2026-11-20T00:00:00Z"}} {
		w := open(t)
		unverified := w.do("POST", "/api-engine/webhooks", object{"url": "https://example.com/hooks"}).ID()
		id := w.verified()
		w.do("POST", "/api-engine/webhooks/"+unverified+path, body).Is(409, "receiver_unverified")
		w.do("PATCH", "/api-engine/webhooks/"+id, object{"active": false}).Is(200)
		w.do("POST", "/api-engine/webhooks/"+id+path, body).Is(409, "receiver_inactive")
		w.do("PATCH", "/api-engine/webhooks/"+id, object{"active": true}).Is(200)
		r := w.receiver(id)
		r.State = webhook.Failing
		_, err := w.P.Main.Write(t.Context(), events.Nothing, store.Put(r.Item()))
		require.NoError(t, err)
		w.do("POST", "/api-engine/webhooks/"+id+path, body).Is(202)
		w.do("POST", "/api-engine/webhooks/"+nobody+path, body).Is(404, "not_found")
		_, other := w.install("other.cz")
		w.As(other, "POST", "/api-engine/webhooks/"+id+path, body).Is(404, "not_found")
	}
}

func TestAReplayTakesAnyMoments(t *testing.T) {
	w := open(t)
	path := "/api-engine/webhooks/" + w.verified() + "/replay"
	for given, shown := range map[string]string{"0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
		"0001-01-01T01:00:00+01:00": "0001-01-01T00:00:00.000Z",
		"1969-12-31T23:59:59.999Z":  "1969-12-31T23:59:59.999Z"} {
		w.do("POST", path, object{"from": given, "to": "1970-01-01T00:00:00Z"}).Is(202)
		replay := w.do("GET", path, nil).Is(200).Body
		require.Equal(t, []any{shown, "1970-01-01T00:00:00.000Z"}, []any{replay["from"], replay["to"]})
	}
}
