package webhooks_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/webhooks"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

const (
	receivers = "/api-engine/webhooks"
	url       = "https://example.com/hook"
)

// register makes a receiver.
func (w *world) register(fields ...any) answer {
	body := object{"url": url}
	for i := 0; i < len(fields); i += 2 {
		body[fields[i].(string)] = fields[i+1]
	}
	return w.do("POST", receivers, body).is(201)
}

// stored is the receiver as the batcher reads it, nil when it is gone.
func (w *world) stored(id string) *webhooks.Receiver {
	c, err := w.p.Accesses.Authenticate(context.Background(), w.token)
	require.NoError(w.t, err)
	hooks, err := webhooks.HooksOf(context.Background(), w.p.Main, c.Shop)
	require.NoError(w.t, err)
	for _, r := range hooks.Receivers[w.access] {
		if r.ID == id {
			return &r
		}
	}
	return nil
}

// verify does what the delivery of a ping does when the nonce came back.
func (w *world) verify(id string) {
	require.NoError(w.t, webhooks.Verified(context.Background(), w.p, *w.stored(id)))
}

func (w *world) note(op store.Op) {
	_, err := w.p.Main.Write(context.Background(), events.Nothing, op)
	require.NoError(w.t, err)
}

// pings are the receivers pinged since the last call, each with a nonce of its own.
func (w *world) pings() (to []string) {
	seen := map[string]bool{}
	for _, n := range w.told() {
		require.Equal(w.t, events.Ping, n.Event)
		require.Equal(w.t, w.access, n.Access)
		var data struct{ Nonce string }
		require.NoError(w.t, json.Unmarshal(n.Data, &data))
		require.Regexp(w.t, `^[0-9a-f]{32}$`, data.Nonce)
		require.False(w.t, seen[data.Nonce])
		seen[data.Nonce] = true
		to = append(to, n.Receiver)
	}
	return to
}

func TestAReceiverIsRegisteredAndPinged(t *testing.T) {
	w := open(t)
	made := w.register()
	id := made.get("id")
	var all []any
	for _, n := range events.Names {
		all = append(all, string(n))
	}
	require.Equal(t, object{"id": id, "url": url, "events": all, "missingPermissions": []any{"orders:read", "products:read"}, "active": true,
		"state": "unverified", "created": "2026-11-21T02:05:12.583Z", "changed": "2026-11-21T02:05:12.583Z"}, made.body)
	require.Equal(t, receivers+"/"+id, made.header.Get("Location"))
	require.Equal(t, []string{id}, w.pings())
	read := w.do("GET", receivers+"/"+id, nil).is(200)
	require.Equal(t, made.body, read.body)
	require.Equal(t, made.etag(), read.etag())
	require.Equal(t, []map[string]any{made.body}, w.do("GET", receivers, nil).items())
	w.do("GET", receivers+"/"+nobody, nil).is(404, "not_found")
}

func TestAReceiverSaysWhatItTakes(t *testing.T) {
	w := open(t)
	some := w.register("events", []string{"orderChange", "customerChange"}, "groups", []string{"contact", "billing"}, "active", false)
	require.Equal(t, []any{"orderChange", "customerChange"}, some.body["events"])
	require.Equal(t, []any{"contact", "billing"}, some.body["groups"])
	require.Equal(t, false, some.body["active"])
	require.Equal(t, []any{"orders:read"}, some.body["missingPermissions"])
	none := w.register("events", []string{}, "groups", []string{})
	require.Equal(t, []any{}, none.body["events"])
	require.NotContains(t, none.body, "groups")
	require.Equal(t, []any{}, none.body["missingPermissions"])
	require.Len(t, w.register("events", nil, "active", nil).body["events"], len(events.Names))
}

func TestAReceiversFieldsAreChecked(t *testing.T) {
	w := open(t)
	for _, x := range []struct {
		body     object
		at, code string
	}{
		{object{}, "body.url", "required"},
		{object{"url": nil}, "body.url", "required"},
		{object{"url": 1}, "body.url", "wrong_type"},
		{object{"url": url, "events": []string{"ping"}}, "body.events[0]", "bad_format"},
		{object{"url": url, "events": []string{"productChange", "productChange"}}, "body.events[1]", "duplicate"},
		{object{"url": url, "events": "productChange"}, "body.events", "wrong_type"},
		{object{"url": url, "groups": []string{"colour"}}, "body.groups[0]", "bad_format"},
		{object{"url": url, "groups": []string{"stock", "stock"}}, "body.groups[1]", "duplicate"},
		{object{"url": url, "active": 1}, "body.active", "wrong_type"},
		{object{"url": url, "state": "enabled"}, "body.state", "read_only"},
		{object{"url": url, "lastFailure": "x"}, "body.lastFailure", "read_only"},
		{object{"url": url, "secret": "x"}, "body.secret", "unknown_field"},
		{object{"url": "https://example.com/" + strings.Repeat("a", 1981)}, "body.url", "too_long"},
	} {
		w.do("POST", receivers, x.body).at(x.at, x.code)
	}
	require.Empty(t, w.do("GET", receivers, nil).items())
	require.Empty(t, w.pings())
}

func TestAnAddressThatMayNotBeCalledIsRefused(t *testing.T) {
	w := open(t)
	for _, bad := range []string{"", "x", "ftp://example.com/", "http://example.com/", "https://user@example.com/", "https://example.com:80/",
		"https://example.com:8/", "https://nowhere.example.com/", "https://inside.example.com/", "https://10.0.0.1/", "https://169.254.169.254/",
		"https://2130706433/", "https://0x7f000001/", "http://127.1:9000/", "https://[::ffff:10.0.0.1]/", "http://127.0.0.1:8080/",
		"http://localhost:8080/api-engine/webhooks", "http://127.0.0.1:8080/demo/receiver", "http://127.0.0.1:9000/a b"} {
		w.do("POST", receivers, object{"url": bad}).at("body.url", "bad_format")
	}
	for _, good := range []string{"https://1.1.1.1/", "https://example.com:8443/x?y=1", "http://127.0.0.1:9000/", "http://localhost:9000/"} {
		w.register("url", good)
	}
}

func TestLoopbackIsForTheOneProcessOutsideProduction(t *testing.T) {
	for name, x := range map[string]struct {
		turn func(*host.Platform)
		demo int
		hook int
	}{
		"development":         {func(*host.Platform) {}, 422, 201},
		"with a demo":         {func(p *host.Platform) { p.Demo = true }, 201, 201},
		"production":          {func(p *host.Platform) { p.Environment = "production" }, 422, 422},
		"a demo's production": {func(p *host.Platform) { p.Environment, p.Demo = "production", true }, 422, 422},
		"AWS":                 {func(p *host.Platform) { p.OneProcess = false }, 422, 422},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			x.turn(w.p)
			w.do("POST", receivers, object{"url": "http://127.0.0.1:8080/demo/receiver"}).is(x.demo)
			w.do("POST", receivers, object{"url": "http://127.0.0.1:9000/hook"}).is(x.hook)
			w.do("POST", receivers, object{"url": "http://127.0.0.1:8080/other"}).is(422)
		})
	}
}

func TestAReceiverIsEnabledByItsPing(t *testing.T) {
	w := open(t)
	made := w.register()
	id := made.get("id")
	require.False(t, w.stored(id).Takes(events.CustomerChange), "for a receiver never verified nothing is queued")
	require.False(t, w.stored(id).Open())
	w.note(webhooks.PingFailed(id, webhooks.NonceMissing))
	failed := w.do("GET", receivers+"/"+id, nil).is(200)
	require.Equal(t, "nonce_missing", failed.get("lastFailure"))
	require.Equal(t, made.etag(), failed.etag(), "traffic moves no version")
	w.pass(time.Second)
	w.verify(id)
	now := w.do("GET", receivers+"/"+id, nil).is(200)
	require.Equal(t, "enabled", now.get("state"))
	require.Equal(t, "2026-11-21T02:05:13.583Z", now.get("changed"))
	require.Equal(t, "2026-11-21T02:05:13.583Z", now.get("lastSuccessAt"))
	require.NotEqual(t, made.etag(), now.etag())
	w.verify(id)
	require.Equal(t, now.etag(), w.do("GET", receivers+"/"+id, nil).etag(), "a second ping changes nothing")
	require.True(t, w.stored(id).Takes(events.CustomerChange))
	require.True(t, w.stored(id).Open())
}

func TestANewAddressIsVerifiedAnew(t *testing.T) {
	w := open(t)
	id := w.register().get("id")
	w.verify(id)
	was := *w.stored(id)
	w.pings()
	same := w.do("PATCH", receivers+"/"+id, object{"url": url}).is(200)
	require.Equal(t, "enabled", same.get("state"))
	require.Empty(t, w.pings())
	moved := w.do("PATCH", receivers+"/"+id, object{"url": url + "2"}).is(200)
	require.Equal(t, "unverified", moved.get("state"))
	require.Equal(t, []string{id}, w.pings())
	require.True(t, w.stored(id).Takes(events.CustomerChange), "its webhooks are queued")
	require.False(t, w.stored(id).Open(), "and wait")
	require.NoError(t, webhooks.Verified(context.Background(), w.p, was))
	require.Equal(t, webhooks.Unverified, w.stored(id).State, "the old address proves nothing for the new one")
	w.verify(id)
	require.Equal(t, webhooks.Enabled, w.stored(id).State)
	w.do("PATCH", receivers+"/"+id, object{"url": "https://10.0.0.1/"}).at("body.url", "bad_format")
}

func TestAVerdictThatComesWithAnotherChangeIsNotLost(t *testing.T) {
	w := open(t)
	id := w.register().get("id")
	was := *w.stored(id)
	w.table.before = func() { w.do("PATCH", receivers+"/"+id, object{"active": false}).is(200) }
	require.NoError(t, webhooks.Verified(context.Background(), w.p, was))
	require.Equal(t, webhooks.Enabled, w.stored(id).State)
	require.False(t, w.stored(id).Active)
	w.do("DELETE", receivers+"/"+id, nil).is(204)
	require.NoError(t, webhooks.Verified(context.Background(), w.p, was))
	require.Nil(t, w.stored(id))
}

func TestAReceiverIsChanged(t *testing.T) {
	w := open(t)
	made := w.register("groups", []string{"stock"})
	path := receivers + "/" + made.get("id")
	w.pass(time.Second)
	same := w.do("PATCH", path, object{"active": true, "groups": []string{"stock"}}, "If-Match", made.etag()).is(200)
	require.Equal(t, made.etag(), same.etag())
	now := w.do("PATCH", path, object{"events": []string{"productChange"}, "groups": nil, "active": false}).is(200)
	require.Equal(t, []any{"productChange"}, now.body["events"])
	require.Equal(t, []any{"products:read"}, now.body["missingPermissions"])
	require.NotContains(t, now.body, "groups")
	require.Equal(t, "2026-11-21T02:05:13.583Z", now.get("changed"))
	w.do("PATCH", path, object{"active": true}, "If-Match", made.etag()).is(412, "version_conflict")
	w.do("PATCH", path, object{"url": nil}).at("body.url", "required")
	all := w.do("PATCH", path, object{"events": nil, "active": nil}).is(200)
	require.Len(t, all.body["events"], len(events.Names))
	require.Equal(t, true, all.body["active"])
	w.do("PATCH", receivers+"/"+nobody, object{"active": true}).is(404, "not_found")
}

func TestThePermissionsThatAreMissingAreTheAccesssOwn(t *testing.T) {
	w := open(t)
	made := w.register("events", []string{"orderChange"})
	path := receivers + "/" + made.get("id")
	shop := w.stored(made.get("id")).Shop
	w.as(operatorToken, "PATCH", "/operator/shops/"+shop+"/accesses/"+w.access, object{"permissions": []string{"orders:read"}}).is(200)
	now := w.do("GET", path, nil, "If-None-Match", made.etag()).is(200)
	require.Equal(t, []any{}, now.body["missingPermissions"])
	w.do("GET", path, nil, "If-None-Match", now.etag()).is(304)
	w.do("PATCH", path, object{"active": false}, "If-Match", now.etag()).is(200)
}

func TestAnAccessHasTenReceiversAtMost(t *testing.T) {
	w := open(t)
	var made atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if a := w.do("POST", receivers, object{"url": url}); a.status == 201 {
				made.Add(1)
			} else {
				a.is(409, "too_many_receivers")
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 10, made.Load(), "two receivers may have one address")
	list := w.do("GET", receivers+"?order[changed]=desc", nil).items()
	require.Len(t, list, 10)
	page := w.do("GET", receivers+"?itemsPerPage=7", nil)
	require.Len(t, page.items(), 7)
	require.Len(t, w.do("GET", receivers+"?cursor="+page.get("nextCursor"), nil).items(), 3)
	gone := receivers + "/" + list[0]["id"].(string)
	w.do("DELETE", gone, nil).is(204)
	w.do("DELETE", gone, nil).is(404)
	w.do("GET", gone, nil).is(404)
	w.register()
	w.do("POST", receivers, object{"url": url}).is(409, "too_many_receivers")
}

func TestADeletedReceiverLeavesNothing(t *testing.T) {
	w := open(t)
	made := w.register()
	id := made.get("id")
	w.do("DELETE", receivers+"/"+id, nil, "If-Match", `"x"`).is(412, "version_conflict")
	w.do("DELETE", receivers+"/"+id, nil, "If-Match", made.etag()).is(204)
	for _, op := range []store.Op{webhooks.Note{Receiver: id}.Succeeded(), webhooks.Note{Receiver: id}.Failed(), webhooks.Note{Receiver: id}.FailedProbe(), webhooks.PingFailed(id, "timeout"), webhooks.PingSucceeded(id, 1)} {
		_, err := w.p.Main.Write(context.Background(), events.Nothing, op)
		require.True(t, store.IsCondition(err), "an attempt that ends later brings nothing back")
	}
	items, err := w.p.Main.Get(context.Background(), webhooks.HealthKey(id))
	require.NoError(t, err)
	require.Nil(t, items[0])
	w.do("POST", receivers+"/"+id+"/ping", nil).is(404, "not_found")
	w.do("POST", receivers+"/"+id+"/enable", nil).is(404, "not_found")
}

func TestAReceiverIsPingedOnRequest(t *testing.T) {
	w := open(t)
	made := w.register("active", false)
	path := receivers + "/" + made.get("id")
	w.pings()
	pinged := w.do("POST", path+"/ping", nil, "Idempotency-Key", "p").is(202)
	require.Equal(t, made.body, pinged.body)
	require.Equal(t, made.etag(), pinged.etag())
	require.Len(t, w.pings(), 1)
	w.do("POST", path+"/ping", nil, "Idempotency-Key", "p").is(202)
	require.Empty(t, w.pings(), "replayed")
	w.do("POST", path+"/ping", nil).is(202)
	require.Len(t, w.pings(), 1)
	w.table.before = func() { w.do("DELETE", path, nil).is(204) }
	w.do("POST", path+"/ping", nil).is(404, "not_found")
}

func TestEnableClosesTheBreakerAndProvesNothing(t *testing.T) {
	w := open(t)
	id := w.register().get("id")
	path := receivers + "/" + id + "/enable"
	w.do("POST", path, nil).is(409, "receiver_unverified")
	w.verify(id)
	enabled := w.do("POST", path, nil).is(200)
	require.Equal(t, enabled.etag(), w.do("POST", path, nil).is(200).etag())
	w.pings()
	w.trip(id, webhooks.Failing)
	require.Equal(t, "enabled", w.do("POST", path, nil).is(200).get("state"))
	require.Empty(t, w.pings())
	w.do("PATCH", receivers+"/"+id, object{"url": url + "2"}).is(200)
	w.pings()
	w.trip(id, webhooks.Disabled)
	require.Equal(t, "unverified", w.do("POST", path, nil).is(200).get("state"), "a new address that never answered")
	require.Equal(t, []string{id}, w.pings())
}

// drain is what is to be done next about what is parked for the receiver.
func (w *world) drain(id string) *webhooks.Drain {
	items, err := w.p.Main.Get(context.Background(), webhooks.DrainKey(id))
	require.NoError(w.t, err)
	if items[0] == nil {
		return nil
	}
	d, err := webhooks.DrainOf(items[0])
	require.NoError(w.t, err)
	return &d
}

func TestWhatIsParkedFollowsTheReceiver(t *testing.T) {
	w := open(t)
	id := w.register().get("id")
	path := receivers + "/" + id
	w.do("PATCH", path, object{"url": url + "1"}).is(200)
	require.Nil(t, w.drain(id), "nothing is queued for one that never proved an address")
	w.verify(id)
	require.Nil(t, w.drain(id))

	r, err := webhooks.Move(context.Background(), w.p, *w.stored(id), webhooks.Failing, 0)
	require.NoError(t, err)
	shown := w.do("GET", path, nil).is(200)
	require.Equal(t, "failing", shown.get("state"))
	require.Equal(t, time.Minute, w.drain(id).Due.Sub(r.Entered()), "the first probe")
	w.note(webhooks.Note{Receiver: id, Webhook: "w", At: w.p.Now(), Failure: "timeout"}.Failed())
	w.pass(time.Second)
	enabled := w.do("POST", path+"/enable", nil).is(200)
	require.Equal(t, "enabled", enabled.get("state"))
	require.NotEqual(t, shown.etag(), enabled.etag())
	require.NotEqual(t, shown.get("changed"), enabled.get("changed"))
	require.Equal(t, "timeout", w.do("GET", path, nil).get("lastFailure"))
	require.Equal(t, w.p.Now().UTC(), w.drain(id).Due.UTC(), "it drains")

	w.do("PATCH", path, object{"url": url + "2"}).is(200)
	require.Equal(t, 5*24*time.Hour, w.drain(id).Due.Sub(w.stored(id).Entered()), "until it is disabled")
	w.verify(id)
	require.Equal(t, w.p.Now().UTC(), w.drain(id).Due.UTC())
	w.do("DELETE", path, nil).is(204)
	require.Equal(t, w.p.Now().UTC(), w.drain(id).Due.UTC(), "what is parked is cancelled")
}

// trip does what the breaker does.
func (w *world) trip(id string, state webhooks.State) {
	r := *w.stored(id)
	r.State = state
	w.note(store.Put(r.Item()))
}

func TestAttemptsAreNotedInTheReceiversHealth(t *testing.T) {
	w := open(t)
	id := w.register().get("id")
	health := func() webhooks.Health {
		items, err := w.p.Main.Get(context.Background(), webhooks.HealthKey(id))
		require.NoError(t, err)
		return webhooks.HealthOf(items[0])
	}
	note := func(webhook, failure string) webhooks.Note {
		return webhooks.Note{Receiver: id, Health: health(), Webhook: webhook, At: time.UnixMilli(8), Failure: failure}
	}
	w.note(note("a", "status 500").Failed())
	w.note(note("a", "timeout").Failed())
	w.note(webhooks.PingFailed(id, "tls"))
	now := health()
	require.Equal(t, []any{"tls", int64(2), api.Time(8), "a", false}, []any{now.LastFailure, now.Failures, now.Since, now.First, now.Several})
	w.note(webhooks.PingSucceeded(id, 7))
	require.Equal(t, []any{api.Time(7), int64(2)}, []any{health().LastSuccess, health().Failures})
	w.note(note("b", "reset").Failed())
	require.True(t, health().Several)
	w.note(note("b", "").Succeeded())
	now = health()
	require.Equal(t, []any{api.Time(8), "reset", int64(0), api.Time(0), "", false},
		[]any{now.LastSuccess, now.LastFailure, now.Failures, now.Since, now.First, now.Several}, "the failure is kept until the next")
}

func TestWhatNeedsWhichPermission(t *testing.T) {
	for _, n := range events.Names {
		want := api.Permission("")
		for prefix, p := range map[string]api.Permission{"customer": "customers:read", "product": "products:read", "order": "orders:read"} {
			if strings.HasPrefix(string(n), prefix) {
				want = p
			}
		}
		require.Equal(t, want, webhooks.Reads(n), n)
	}
	require.Equal(t, []api.Permission{"customers:read", "orders:read", "products:read"}, webhooks.Missing(events.Names, nil))
	require.Equal(t, []api.Permission{}, webhooks.Missing(events.Names, api.Permissions))
	require.Equal(t, []api.Permission{}, webhooks.Missing(nil, nil))
}

func TestAReceiverIsItsAccesssOnly(t *testing.T) {
	w := open(t)
	mine := receivers + "/" + w.register().get("id")
	w.do("POST", keys, nil).is(201)
	key := keys + "/" + w.do("GET", keys, nil).items()[0]["id"].(string)
	w.pings()
	w.access, w.token = w.install("b.cz")
	w.do("GET", mine, nil).is(404, "not_found")
	w.do("PATCH", mine, object{"active": false}).is(404, "not_found")
	w.do("POST", mine+"/ping", nil).is(404, "not_found")
	w.do("POST", mine+"/enable", nil).is(404, "not_found")
	w.do("DELETE", mine, nil).is(404, "not_found")
	w.do("DELETE", key, nil).is(404, "not_found")
	require.Empty(t, w.do("GET", receivers, nil).items())
	require.Empty(t, w.do("GET", keys, nil).items())
	require.Empty(t, w.pings())
}

func TestRegisteringTwiceUnderOneKeyIsOneReceiver(t *testing.T) {
	w := open(t)
	first := w.do("POST", receivers, object{"url": url}, "Idempotency-Key", "k").is(201)
	second := w.do("POST", receivers, object{"url": url}, "Idempotency-Key", "k").is(201)
	require.Equal(t, first.body, second.body)
	require.Equal(t, first.etag(), second.etag())
	require.Len(t, w.pings(), 1)
	w.do("POST", receivers, object{"url": url + "2"}, "Idempotency-Key", "k").is(422, "idempotency_key_reused")
}

// TestCallsOfTheStore holds the operations against the budgets of the architecture.
func TestCallsOfTheStore(t *testing.T) {
	w := open(t)
	path := receivers + "/" + w.register().get("id")
	for _, x := range []struct {
		method, path string
		in           any
		calls        int // the counter's among them
	}{
		{"GET", path, nil, 2},
		{"GET", receivers, nil, 3},
		{"PATCH", path, object{"active": false}, 3},
		{"POST", receivers, object{"url": url}, 2},
		{"POST", path + "/ping", nil, 3},
		{"POST", keys, nil, 3},
	} {
		ctx, meter := store.WithMeter(context.Background())
		r := request(t, w.token, x.method, x.path, x.in).WithContext(ctx)
		rec := httptest.NewRecorder()
		w.frame.ServeHTTP(rec, r)
		require.Less(t, rec.Code, 300, rec.Body.String())
		require.LessOrEqual(t, meter.Calls(), x.calls, x.method+" "+x.path+" "+strconv.Itoa(meter.Calls()))
	}
}
