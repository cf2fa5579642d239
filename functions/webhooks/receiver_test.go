package webhooks_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

const (
	receivers = "/api-engine/webhooks"
	url       = "https://example.com/hook"
)

// register makes a receiver.
func (w *world) register(fields ...any) hosttest.Answer {
	body := object{"url": url}
	for i := 0; i < len(fields); i += 2 {
		body[fields[i].(string)] = fields[i+1]
	}
	return w.do("POST", receivers, body).Is(201)
}

// queues says whether changes that the event tells of are queued for the receiver.
func (w *world) queues(id string, e events.Name) bool {
	s := webhook.Standing{Receiver: w.stored(id), Access: &addon.Access{Terms: addon.Terms{State: addon.Active}},
		May: permission.All}
	return s.Queues(e)
}

// stored is the receiver as the batcher reads it, nil when it is gone.
func (w *world) stored(id string) *webhook.Receiver {
	c, err := w.P.Accesses.Authenticate(context.Background(), w.token)
	require.NoError(w.T, err)
	hooks, err := webhook.ReadHooks(context.Background(), w.P.Main, c.Shop)
	require.NoError(w.T, err)
	for _, r := range hooks.Receivers[w.access] {
		if r.ID == id {
			return &r
		}
	}
	return nil
}

// verify does what the delivery of a ping does when the nonce came back.
func (w *world) verify(id string) {
	require.NoError(w.T, webhook.MarkVerified(context.Background(), w.P.Unit(), w.P.Webhooks(), *w.stored(id)))
}

func (w *world) note(op store.Op) {
	_, err := w.P.Main.Write(context.Background(), events.Nothing, op)
	require.NoError(w.T, err)
}

// pings are the receivers pinged since the last call, each with a nonce of its own. What a vendor is told of the
// states of receivers is nothing to a receiver.
func (w *world) pings() (to []string) {
	seen := map[string]bool{}
	for _, n := range w.told() {
		if slices.Contains(events.Operational, n.Event) {
			continue
		}
		require.Equal(w.T, events.Ping, n.Event)
		require.Equal(w.T, w.access, n.Access)
		var data struct{ Nonce string }
		require.NoError(w.T, json.Unmarshal(n.Data, &data))
		require.Regexp(w.T, `^[0-9a-f]{32}$`, data.Nonce)
		require.False(w.T, seen[data.Nonce])
		seen[data.Nonce] = true
		to = append(to, n.Receiver)
	}
	return to
}

func TestAReceiverIsRegisteredAndPinged(t *testing.T) {
	w := open(t)
	made := w.register()
	id := made.ID()
	var all, lacks []any
	for _, n := range events.Names {
		all = append(all, string(n))
	}
	for _, p := range webhook.Missing(events.Names, []permission.Permission{permission.ReadCustomers}) {
		lacks = append(lacks, string(p))
	}
	require.Equal(t, object{"id": id, "url": url, "events": all,
		"missingPermissions": lacks, "own": true, "active": true,
		"state": "unverified", "created": "2026-11-21T02:05:12.583Z", "changed": "2026-11-21T02:05:12.583Z"}, made.Body)
	require.Equal(t, []string{id}, w.pings())
}

func TestAReceiverSaysWhatItTakes(t *testing.T) {
	w := open(t)
	some := w.register("events", []string{"orderChange", "customerChange"}, "groups", []string{"contact", "billing"},
		"own", false, "active", false)
	require.Equal(t, []any{"orderChange", "customerChange"}, some.Body["events"])
	require.Equal(t, false, some.Body["own"])
	require.Equal(t, []any{"contact", "billing"}, some.Body["groups"])
	require.Equal(t, false, some.Body["active"])
	require.Equal(t, []any{"orders:read"}, some.Body["missingPermissions"])
	none := w.register("events", []string{}, "groups", []string{})
	require.Equal(t, []any{}, none.Body["events"])
	require.NotContains(t, none.Body, "groups")
	require.Equal(t, []any{}, none.Body["missingPermissions"])
	require.Len(t, w.register("events", nil).Body["events"], len(events.Names))
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
		{object{"url": url, "own": "no"}, "body.own", "wrong_type"},
		{object{"url": url, "state": "enabled"}, "body.state", "read_only"},
		{object{"url": url, "lastFailure": "x"}, "body.lastFailure", "read_only"},
		{object{"url": "https://example.com/" + strings.Repeat("a", 1981)}, "body.url", "too_long"},
	} {
		w.do("POST", receivers, x.body).Fault(x.at, x.code)
	}
	require.Empty(t, w.do("GET", receivers, nil).Items())
	require.Empty(t, w.pings())
}

func TestAnAddressThatMayNotBeCalledIsRefused(t *testing.T) {
	w := open(t)
	for _, bad := range []string{"", "x", "ftp://example.com/", "http://example.com/", "https://user@example.com/",
		"https://example.com:80/",
		"https://example.com:8/", "https://nowhere.example.com/", "https://inside.example.com/", "https://10.0.0.1/",
		"https://169.254.169.254/", "https://2130706433/", "https://0x7f000001/", "http://127.1:9000/",
		"https://[::ffff:10.0.0.1]/", "http://127.0.0.1:8080/", "http://localhost:8080/api-engine/webhooks",
		"http://127.0.0.1:8080/demo/receiver", "http://127.0.0.1:9000/a b",
		"http://127.0.0.1:9000/\u0085", "http://127.0.0.1:9000/?\u0000", "http://127.0.0.1:9000/\t"} {
		w.do("POST", receivers, object{"url": bad}).Fault("body.url", "bad_format")
	}
	for _, good := range []string{"https://1.1.1.1/", "https://example.com:8443/x?y=1", "http://127.0.0.1:9000/",
		"http://localhost:9000/"} {
		w.register("url", good)
	}
}

func TestLoopbackIsForTheOneProcessOutsideProduction(t *testing.T) {
	for name, x := range map[string]struct {
		turn func(*host.Parts)
		demo int
		hook int
	}{
		"development":         {func(*host.Parts) {}, 422, 201},
		"with a demo":         {func(p *host.Parts) { p.Demo = true }, 201, 201},
		"production":          {func(p *host.Parts) { p.Environment = "production" }, 422, 422},
		"a demo's production": {func(p *host.Parts) { p.Environment, p.Demo = "production", true }, 422, 422},
		"AWS":                 {func(p *host.Parts) { p.Traits = host.Traits{} }, 422, 422},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, x.turn)
			w.do("POST", receivers, object{"url": "http://127.0.0.1:8080/demo/receiver"}).Is(x.demo)
			w.do("POST", receivers, object{"url": "http://127.0.0.1:9000/hook"}).Is(x.hook)
			w.do("POST", receivers, object{"url": "http://127.0.0.1:8080/other"}).Is(422)
		})
	}
}

func TestAReceiverIsEnabledByItsPing(t *testing.T) {
	w := open(t)
	made := w.register()
	id := made.ID()
	require.False(t, w.queues(id, events.CustomerChange), "for a receiver never verified nothing is queued")
	require.False(t, w.stored(id).Reachable())
	w.note(webhook.ShowPingFailure(id, webhook.NonceMissing, w.P.Now()))
	failed := w.do("GET", receivers+"/"+id, nil).Is(200)
	require.Equal(t, "nonce_missing", failed.Get("lastFailure"))
	require.Equal(t, "2026-11-21T02:05:12.583Z", failed.Get("lastFailureAt"))
	require.NotContains(t, made.Body, "lastFailureAt", "none yet")
	require.Equal(t, made.ETag(), failed.ETag(), "traffic moves no version")
	w.Clock.Pass(time.Second)
	w.verify(id)
	now := w.do("GET", receivers+"/"+id, nil).Is(200)
	require.Equal(t, "enabled", now.Get("state"))
	require.Equal(t, "2026-11-21T02:05:13.583Z", now.Get("changed"))
	require.Equal(t, "2026-11-21T02:05:13.583Z", now.Get("lastSuccessAt"))
	require.NotEqual(t, made.ETag(), now.ETag())
	w.verify(id)
	require.Equal(t, now.ETag(), w.do("GET", receivers+"/"+id, nil).ETag(), "a second ping changes nothing")
	require.True(t, w.queues(id, events.CustomerChange))
	require.True(t, w.stored(id).Reachable())
}

func TestANewAddressIsVerifiedAnew(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	w.verify(id)
	was := *w.stored(id)
	w.pings()
	same := w.do("PATCH", receivers+"/"+id, object{"url": url}).Is(200)
	require.Equal(t, "enabled", same.Get("state"))
	require.Empty(t, w.pings())
	moved := w.do("PATCH", receivers+"/"+id, object{"url": url + "2"}).Is(200)
	require.Equal(t, "unverified", moved.Get("state"))
	require.Equal(t, []string{id}, w.pings())
	require.True(t, w.queues(id, events.CustomerChange), "its webhooks are queued")
	require.False(t, w.stored(id).Reachable(), "and wait")
	require.NoError(t, webhook.MarkVerified(context.Background(), w.P.Unit(), w.P.Webhooks(), was))
	require.Equal(t, webhook.Unverified, w.stored(id).State, "the old address proves nothing for the new one")
	w.verify(id)
	require.Equal(t, webhook.Enabled, w.stored(id).State)
	w.do("PATCH", receivers+"/"+id, object{"url": "https://10.0.0.1/"}).Fault("body.url", "bad_format")
}

func TestAVerdictThatComesWithAnotherChangeIsNotLost(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	was := *w.stored(id)
	w.Main.Meanwhile(func() { w.do("PATCH", receivers+"/"+id, object{"active": false}).Is(200) })
	require.NoError(t, webhook.MarkVerified(context.Background(), w.P.Unit(), w.P.Webhooks(), was))
	require.Equal(t, webhook.Enabled, w.stored(id).State)
	require.False(t, w.stored(id).Active)
	w.do("DELETE", receivers+"/"+id, nil).Is(204)
	require.NoError(t, webhook.MarkVerified(context.Background(), w.P.Unit(), w.P.Webhooks(), was))
	require.Nil(t, w.stored(id))
}

func TestAReceiverIsChanged(t *testing.T) {
	w := open(t)
	made := w.register("groups", []string{"stock"})
	path := receivers + "/" + made.ID()
	w.Clock.Pass(time.Second)
	same := w.do("PATCH", path, object{"active": true, "groups": []string{"stock"}}, "If-Match", made.ETag()).Is(200)
	require.Equal(t, made.ETag(), same.ETag())
	now := w.do("PATCH", path, object{"events": []string{"productChange"}, "groups": nil, "active": false}).Is(200)
	require.Equal(t, []any{"productChange"}, now.Body["events"])
	require.Equal(t, []any{"products:read"}, now.Body["missingPermissions"])
	require.NotContains(t, now.Body, "groups")
	require.Equal(t, "2026-11-21T02:05:13.583Z", now.Get("changed"))
	w.do("PATCH", path, object{"url": nil}).Fault("body.url", "required")
	all := w.do("PATCH", path, object{"events": nil, "active": true}).Is(200)
	require.Len(t, all.Body["events"], len(events.Names))
	require.Equal(t, true, all.Body["active"])
	for _, own := range []bool{false, true} {
		kept := w.do("PATCH", path, object{"own": own}).Is(200)
		require.Equal(t, own, kept.Body["own"])
		require.Equal(t, kept.Body, w.do("GET", path, nil).Is(200).Body)
		require.Equal(t, kept.ETag(), w.do("PATCH", path, object{"own": own, "active": true}).Is(200).ETag())
	}
	w.do("PATCH", path, object{"active": nil}).Fault("body.active", "required")
	w.do("PATCH", path, object{"own": nil}).Fault("body.own", "required")
}

func TestAnAccessHasTenReceiversAtMost(t *testing.T) {
	w := open(t)
	var made atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if a := w.do("POST", receivers, object{"url": url}); a.Status == 201 {
				made.Add(1)
			} else {
				a.Is(409, "too_many_receivers")
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 10, made.Load(), "two receivers may have one address")
	list := w.do("GET", receivers+"?order[changed]=desc", nil).Items()
	require.Len(t, list, 10)
	page := w.do("GET", receivers+"?itemsPerPage=7", nil)
	require.Len(t, page.Items(), 7)
	require.Len(t, w.do("GET", receivers+"?cursor="+page.Get("nextCursor"), nil).Items(), 3)
	gone := receivers + "/" + list[0]["id"].(string)
	w.do("DELETE", gone, nil).Is(204)
	w.do("DELETE", gone, nil).Is(404)
	w.do("GET", gone, nil).Is(404)
	w.register()
	w.do("POST", receivers, object{"url": url}).Is(409, "too_many_receivers")
}

func TestADeletedReceiverLeavesNothing(t *testing.T) {
	w := open(t)
	made := w.register()
	id := made.ID()
	w.do("DELETE", receivers+"/"+id, nil).Is(204)
	for _, op := range []store.Op{webhook.Note{Receiver: id}.CountSuccess(), webhook.Note{Receiver: id}.CountFailure(),
		webhook.Note{Receiver: id}.ShowFailure(), webhook.ShowPingFailure(id, "timeout", time.UnixMilli(8)),
		webhook.ShowSuccess(id, 1)} {
		_, err := w.P.Main.Write(context.Background(), events.Nothing, op)
		require.True(t, store.IsCondition(err), "an attempt that ends later brings nothing back")
	}
	items, err := w.P.Main.Get(context.Background(), webhook.HealthKey(id))
	require.NoError(t, err)
	require.Nil(t, items[0])
	w.do("POST", receivers+"/"+id+"/ping", nil).Is(404, "not_found")
	w.do("POST", receivers+"/"+id+"/enable", nil).Is(404, "not_found")
}

func TestAReceiverIsPingedOnRequest(t *testing.T) {
	w := open(t)
	made := w.register("active", false)
	path := receivers + "/" + made.ID()
	w.pings()
	pinged := w.do("POST", path+"/ping", nil, "Idempotency-Key", "p").Is(202)
	require.Equal(t, made.Body, pinged.Body)
	require.Equal(t, made.ETag(), pinged.ETag())
	told := w.Main.NewChanges()
	require.Equal(t, delivered(told, made.ID()), pinged.Header.Get("Location"))
	again := w.do("POST", path+"/ping", nil, "Idempotency-Key", "p").Is(202)
	require.Empty(t, w.pings(), "replayed")
	require.Equal(t, pinged.Header.Get("Location"), again.Header.Get("Location"))
	w.do("POST", path+"/ping", nil).Is(202)
	w.do("POST", path+"/ping", "{}").Is(202)
	w.do("POST", path+"/ping", "null").Is(202)
	w.do("POST", path+"/ping", object{"x": 1}).Fault("body.x", "unknown_field")
	w.do("POST", path+"/ping", []int{}).Fault("body", "wrong_type")
	w.do("POST", path+"/ping", `{"x":`).Is(400, "malformed_json")
	w.do("POST", path+"/ping", "x", "Content-Type", "text/plain").Is(415, "unsupported_media_type")
	w.do("POST", path+"/ping", strings.Repeat(" ", 1<<20+1)).Is(413, "body_too_large")
	w.do("POST", path+"/ping", object{"x": 1}, "Idempotency-Key", "p").Is(422, "idempotency_key_reused")
	require.Len(t, w.pings(), 3)
	w.Main.Meanwhile(func() { w.do("DELETE", path, nil).Is(204) })
	w.do("POST", path+"/ping", nil).Is(404, "not_found")
}

func TestAFailingReceiverSaysWhenItIsProbedNext(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	w.verify(id)
	next := func() any { return w.do("GET", receivers+"/"+id, nil).Is(200).Body["nextProbeAt"] }
	for _, s := range []webhook.ReceiverState{webhook.Unverified, webhook.Enabled, webhook.Disabled} {
		w.trip(id, s)
		require.Nil(t, next(), s)
	}
	w.trip(id, webhook.Failing)
	require.Equal(t, "2026-11-21T02:06:12.583Z", next(), "a minute after the breaker opened")
	listed := w.do("GET", receivers, nil).Body["items"].([]any)[0].(object)
	require.Equal(t, next(), listed["nextProbeAt"])
	for passed, want := range map[time.Duration]string{time.Minute: "2026-11-21T02:10:12.583Z",
		59 * time.Minute:           "2026-11-21T03:05:12.583Z",
		5*24*time.Hour - time.Hour: ""} {
		now := w.P.Now().Add(passed)
		require.Equal(t, want, text(w.stored(id).NextProbe(now)),
			"after %s; at the end of five days it is disabled", passed)
	}
	w.do("POST", receivers+"/"+id+"/enable", nil).Is(200)
	require.Nil(t, next())
}

// text is a moment as answers have it, "" none.
func text(at field.Time) string {
	if at == 0 {
		return ""
	}
	return at.Go().UTC().Format("2006-01-02T15:04:05.000Z")
}

func TestEnableClosesTheBreakerAndProvesNothing(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	path := receivers + "/" + id + "/enable"
	w.do("POST", path, nil).Is(409, "receiver_unverified")
	w.verify(id)
	enabled := w.do("POST", path, nil).Is(200)
	require.Equal(t, enabled.ETag(), w.do("POST", path, nil).Is(200).ETag())
	w.pings()
	w.trip(id, webhook.Failing)
	require.Equal(t, "enabled", w.do("POST", path, nil).Is(200).Get("state"))
	require.Empty(t, w.pings())
	w.do("PATCH", receivers+"/"+id, object{"url": url + "2"}).Is(200)
	w.pings()
	w.trip(id, webhook.Disabled)
	require.Equal(t, "unverified", w.do("POST", path, nil).Is(200).Get("state"), "a new address that never answered")
	require.Equal(t, []string{id}, w.pings())
}

// drain is what is to be done next about what is parked for the receiver.
func (w *world) drain(id string) *webhook.Drain {
	items, err := w.P.Main.Get(context.Background(), webhook.DrainKey(id))
	require.NoError(w.T, err)
	if items[0] == nil {
		return nil
	}
	d, err := webhook.DrainOf(items[0])
	require.NoError(w.T, err)
	return &d
}

func TestWhatIsParkedFollowsTheReceiver(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	path := receivers + "/" + id
	w.do("PATCH", path, object{"url": url + "1"}).Is(200)
	require.Nil(t, w.drain(id), "nothing is queued for one that never proved an address")
	w.verify(id)
	require.Nil(t, w.drain(id))

	r, err := webhook.EnterState(context.Background(), w.P.Unit(), w.P.Webhooks(), *w.stored(id), webhook.Failing, 0)
	require.NoError(t, err)
	shown := w.do("GET", path, nil).Is(200)
	require.Equal(t, "failing", shown.Get("state"))
	require.Equal(t, time.Minute, w.drain(id).Due.Sub(r.Entered()), "the first probe")
	w.note(webhook.Note{Receiver: id, Webhook: "w", At: w.P.Now(), Failure: "timeout"}.CountFailure())
	w.Clock.Pass(time.Second)
	enabled := w.do("POST", path+"/enable", nil).Is(200)
	require.Equal(t, "enabled", enabled.Get("state"))
	require.NotEqual(t, shown.ETag(), enabled.ETag())
	require.NotEqual(t, shown.Get("changed"), enabled.Get("changed"))
	require.Equal(t, "timeout", w.do("GET", path, nil).Get("lastFailure"))
	require.Equal(t, w.P.Now().UTC(), w.drain(id).Due.UTC(), "it drains")

	w.do("PATCH", path, object{"url": url + "2"}).Is(200)
	require.Equal(t, 5*24*time.Hour, w.drain(id).Due.Sub(w.stored(id).Entered()), "until it is disabled")
	w.verify(id)
	require.Equal(t, w.P.Now().UTC(), w.drain(id).Due.UTC())
	w.do("DELETE", path, nil).Is(204)
	require.Equal(t, w.P.Now().UTC(), w.drain(id).Due.UTC(), "what is parked is cancelled")
}

// trip does what the breaker does.
func (w *world) trip(id string, state webhook.ReceiverState) {
	r := *w.stored(id)
	r.State = state
	w.note(store.Put(r.Item()))
}

func TestAttemptsAreNotedInTheReceiversHealth(t *testing.T) {
	w := open(t)
	id := w.register().ID()
	health := func() webhook.Health {
		items, err := w.P.Main.Get(context.Background(), webhook.HealthKey(id))
		require.NoError(t, err)
		return webhook.HealthOf(items[0])
	}
	note := func(of, failure string) webhook.Note {
		return webhook.Note{Receiver: id, Health: health(), Webhook: of, At: time.UnixMilli(8), Failure: failure}
	}
	w.note(note("a", "status 500").CountFailure())
	w.note(note("a", "timeout").CountFailure())
	require.Equal(t, field.Time(8), health().FailedAt)
	w.note(webhook.ShowPingFailure(id, "tls", time.UnixMilli(9)))
	now := health()
	require.Equal(t, field.Time(9), now.FailedAt)
	probe := note("a", "status 502")
	probe.At = time.UnixMilli(10)
	w.note(probe.ShowFailure())
	require.Equal(t, []any{"status 502", field.Time(10)}, []any{health().LastFailure, health().FailedAt})
	w.note(webhook.ShowPingFailure(id, "tls", time.UnixMilli(9)))
	require.Equal(t, []any{"tls", int64(2), field.Time(8), "a", false},
		[]any{now.LastFailure, now.Failures, now.Since, now.First, now.Several})
	w.note(webhook.ShowSuccess(id, 7))
	require.Equal(t, []any{field.Time(7), int64(2)}, []any{health().LastSuccess, health().Failures})
	w.note(note("b", "reset").CountFailure())
	require.True(t, health().Several)
	w.note(note("b", "").CountSuccess())
	now = health()
	require.Equal(t, []any{field.Time(8), "reset", int64(0), field.Time(0), "", false},
		[]any{now.LastSuccess, now.LastFailure, now.Failures, now.Since, now.First, now.Several},
		"the failure is kept until the next")
}

func TestWhatIsMissingIsSortedAndNamedOnce(t *testing.T) {
	require.Equal(t, []permission.Permission{"customers:read", "orders:read", "products:read"},
		webhook.Missing([]events.Name{events.ProductChange, events.OrderChange, events.ProductDelete,
			events.CustomerChange, events.ShopOwnerChange}, nil))
	for _, n := range events.Names {
		require.Equal(t, n.Needs() != "", len(webhook.Missing([]events.Name{n}, nil)) == 1, n)
	}
	require.Equal(t, []permission.Permission{}, webhook.Missing(events.Names, permission.All))
	require.Equal(t, []permission.Permission{}, webhook.Missing(nil, nil))
}

func TestAReceiverIsItsAccesssOnly(t *testing.T) {
	w := open(t)
	mine := receivers + "/" + w.register().ID()
	w.do("POST", keys, nil).Is(201)
	key := keys + "/" + w.do("GET", keys, nil).Items()[0]["id"].(string)
	w.pings()
	w.access, w.token = w.install("b.cz")
	w.do("POST", mine+"/ping", nil).Is(404, "not_found")
	w.do("POST", mine+"/enable", nil).Is(404, "not_found")
	w.do("DELETE", key, nil).Is(404, "not_found")
	require.Empty(t, w.do("GET", keys, nil).Items())
	require.Empty(t, w.pings())
}

// TestCallsOfTheStore holds the operations to their budgets.
func TestCallsOfTheStore(t *testing.T) {
	w := open(t)
	path := receivers + "/" + w.register().ID()
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
		a := w.do(x.method, x.path, x.in)
		require.Less(t, a.Status, 300, a.Text)
		calls := w.Meter().Calls()
		require.LessOrEqual(t, calls, x.calls, x.method+" "+x.path+" "+strconv.Itoa(calls))
	}
}

// delivered is the address of the delivery of the one notice that was told.
func delivered(told []events.Change, receiver string) string {
	if len(told) != 1 || len(told[0].Notices) != 1 {
		return ""
	}
	return "/api-engine/webhook-deliveries/" + told[0].WebhookID(told[0].Notices[0].Event, receiver, 0)
}
