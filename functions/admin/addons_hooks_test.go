package admin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// hooks is the address of a page about the webhooks of a shop's add-on.
func (w *world) hooks(shop, name string) string { return accessPath(w.accesses[shop], name) }

// receiver is a verified receiver of the add-on of the tea shop, with what it is changed to.
func (w *world) receiver(also ...func(*webhook.Receiver)) webhook.Receiver {
	w.T.Helper()
	id := w.addon(tea, "POST", "/api-engine/webhooks", object{"url": "https://hooks.example/in?a=1&b"}).ID()
	r, err := w.owner().Receiver(w.T.Context(), w.P.Main, id)
	require.NoError(w.T, err)
	r.State, r.Verified, r.Proven = webhook.Enabled, true, true
	for _, change := range also {
		change(r)
	}
	w.Put(w.P.Main, r.Item())
	w.Main.NewChanges()
	return *r
}

func (w *world) owner() webhook.Owner {
	return webhook.Owner{Shop: w.shops[tea], Access: w.accesses[tea], Package: w.pkg}
}

// sentHook is a delivery to the receiver in a state, with attempts that were answered so.
func (w *world) sentHook(r webhook.Receiver, e events.Name, s webhook.DeliveryState, also ...func(*store.Item)) string {
	c := events.Change{Request: w.P.NewID(), Shop: r.Shop, At: w.Clock.Now().UnixMilli()}
	i, _ := webhook.NewRow(c, events.Sample(e),
		webhook.Addressee{Access: r.Access, Package: w.pkg, Receiver: r.ID, Version: events.APIVersion}, w.Clock.Now())
	i.Text["state"] = string(s)
	if s != webhook.Waiting {
		i.Index1 = store.Key{}
	}
	for _, change := range also {
		change(&i)
	}
	w.Put(w.P.Pipeline, i)
	return i.SK
}

// answered is a delivery with one attempt that failed.
func answered(status int, answer string) func(*store.Item) {
	return func(i *store.Item) {
		b, _ := json.Marshal(webhook.DeliveryAttempt{Number: 1, At: field.Time(1795226712583), Status: status,
			DurationMs: 834, Error: "status 500", Answer: answer})
		i.Text["attempt1"], i.Num["made"] = string(b), 1
	}
}

// refuses sends a form that is refused in words.
func refuses(b *hosttest.Browser, path, code, words string, fields ...string) {
	b.W.T.Helper()
	a := b.Form(path, fields...).Shown(409)
	require.Contains(b.W.T, a.Text, `role="alert" data-code="`+code+`"`)
	require.Contains(b.W.T, a.Text, words)
}

func TestKeysAreMadeActivatedAndRevokedAsThePageSays(t *testing.T) { onBoth(t, signingKeys) }

func signingKeys(t *testing.T, w *world) {
	b, at := w.ada(tea), w.hooks(tea, securityTab)
	page := func() string { return b.Page(at + "?lang=en").Shown(200).Text }
	list := func() (states []string) {
		for _, k := range w.addon(tea, "GET", "/api-engine/webhook-signing-keys", nil).Items() {
			states = append(states, k["state"].(string))
		}
		return states
	}
	require.Contains(t, page(), "Webhooks are unsigned")

	first := b.Form(at+"/keys").Leads(303, at)
	require.NotContains(t, first.Header.Get("Location"), "whsec_")
	shown := b.Page(at).Shown(200)
	require.Regexp(t, "^whsec_", secretOf(shown, "key"))
	require.NotContains(t, page(), "whsec_", "it is shown once")
	require.Contains(t, page(), "Verify X-Webhook-Signature with the key")
	require.Contains(t, page(), "webhooks go out unsigned")

	does(b, at+"/keys")
	require.Equal(t, []string{"primary", "pending"}, list())
	require.Contains(t, page(), "with X-Webhook-Signature-Next. Once it matches")
	require.Contains(t, page(), "The pending key becomes primary at once.")
	require.NotContains(t, page(), `action="`+at+`/keys"`)
	refuses(b, at+"/keys", "key_pending", "A key is already pending")

	keys := w.addon(tea, "GET", "/api-engine/webhook-signing-keys", nil).Each("id")
	does(b, at+"/keys/"+keys[1]+"/activate")
	does(b, at+"/keys/"+keys[1]+"/activate")
	require.Equal(t, []string{"retiring", "primary"}, list())
	require.Contains(t, page(), "signs X-Webhook-Signature-Previous until")
	require.Contains(t, page(), "The previous key becomes primary again at once.")
	refuses(b, at+"/keys/"+keys[0]+"/activate", "key_not_pending", "Only a pending key")

	does(b, at+"/keys/"+keys[1]+"/revoke")
	does(b, at+"/keys/"+keys[1]+"/revoke")
	require.Equal(t, []string{"primary", "revoked"}, list())
	does(b, at+"/keys/"+keys[0]+"/revoke")
	require.Contains(t, page(), "Webhooks are unsigned")
	require.Contains(t, page(), `data-id="`+keys[0]+`" data-state="revoked"`)

	b.Form(at + "/keys/" + noID + "/revoke").Shown(404)
	b.Page(at + "?order%5Bcreated%5D=up").Shown(422)
}

func TestReceiversShowWhyTheyFailAndWhatCanBeDone(t *testing.T) { onBoth(t, receiving) }

func receiving(t *testing.T, w *world) {
	b, at := w.ada(tea), w.hooks(tea, receiversTab)
	require.Contains(t, b.Page(at+"?lang=en").Shown(200).Text, "No receivers yet.")
	r := w.receiver(func(r *webhook.Receiver) {
		r.State, r.Since, r.Groups = webhook.Failing, field.At(w.Clock.Now()), []events.Group{events.Stock}
		r.NotOwn = true
	})
	w.Put(w.P.Main, store.Item{Key: webhook.HealthKey(r.ID), Text: map[string]string{"failure": "status 500"},
		Num: map[string]int64{"failed": 1795226712583}})
	page := b.Page(at).Shown(200).Text
	for _, text := range []string{`data-id="` + r.ID + `" data-state="failing" data-health="failing"`, "https://hooks.example/in?a=1&amp;b",
		"Responded with status 500.",
		"Next try", "Enable now", "All events", "Only changes to",
		"Changes that the add-on made itself"} {
		require.Contains(t, page, text)
	}
	require.NotContains(t, page, "lacks these permissions")

	enabled := does(b, at+"/"+r.ID+"/enable")
	require.Contains(t, enabled.Text, `data-state="enabled" data-health="failures"`, "its last attempt failed")
	require.Contains(t, enabled.Text, "Has failures")
	require.NotContains(t, enabled.Text, "Webhooks are being delivered.")
	does(b, at+"/"+r.ID+"/enable")
	require.Equal(t, "enabled", w.addon(tea, "GET", "/api-engine/webhooks/"+r.ID, nil).At("state"))
	told := w.Main.NewChanges()
	require.Len(t, told, 1, "the second time changed nothing")
	require.Equal(t, events.ReceiverRecovered, told[0].Notices[0].Event)
	does(b, at+"/"+r.ID+"/ping")
	require.Equal(t, events.Ping, w.Main.NewChanges()[0].Notices[0].Event)

	unproven := w.receiver(func(r *webhook.Receiver) { r.State, r.Verified = webhook.Unverified, false })
	refuses(b, at+"/"+unproven.ID+"/enable", "receiver_unverified", "answered a ping yet")
	access := w.As(hosttest.OperatorToken, "PATCH", "/operator/shops/"+w.shops[tea]+"/accesses/"+w.accesses[tea],
		object{"permissions": []string{"customers:read"}})
	access.Is(200)
	require.Contains(t, b.Page(at).Text, "<code>orders:read</code>, <code>products:read</code>")

	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	off := b.Page(at).Shown(200).Text
	require.Equal(t, 2, strings.Count(off, `data-health="off"`), "an add-on that is not active is sent nothing")
	require.Equal(t, 2, strings.Count(off, "The add-on is not active, so nothing is sent to it."))
	require.NotContains(t, off, `class="state good"`)
	does(b, "/admin/packages/"+w.accesses[tea]+"/activate")

	does(b, at+"/"+r.ID+"/delete")
	b.Form(at + "/" + r.ID + "/delete").Shown(404)
	require.NotContains(t, b.Page(at).Text, r.ID)
	b.Page(at + "?itemsPerPage=0").Shown(422)
}

func TestAReplayIsBegunAndShown(t *testing.T) { onBoth(t, replays) }

func replays(t *testing.T, w *world) {
	b, r := w.ada(tea), w.receiver()
	at := w.hooks(tea, receiversTab) + "/" + r.ID + "/replay"
	require.Equal(t, 1, strings.Count(b.Page(at+"?lang=en").Shown(200).Text, " required"),
		"all but from may stay empty")
	wrong := b.Form(at, "from", "", "perSecond", "101").Shown(422).Text
	require.Contains(t, wrong, `data-code="required"`)
	require.Contains(t, wrong, `value="101"`)

	b.Form(at, "from", "2026-11-20T00:00", "to", "", "states", "exhausted", "perSecond", "").Leads(303, at)
	require.Contains(t, b.Page(at).Shown(200).Text, `data-state="running"`)
	over := w.addon(tea, "GET", "/api-engine/webhooks/"+r.ID+"/replay", nil)
	require.Equal(t, []any{"2026-11-19T23:00:00.000Z", []any{"exhausted"}, 10.0, "running"},
		[]any{over.At("from"), over.At("states"), over.At("perSecond"), over.At("state")},
		"a time without a zone is the shop's own")

	w.Clock.Pass(time.Second) // ids of one millisecond are in no order
	does(b, at, "from", "2026-11-20T00:00", "states", "")
	require.Equal(t, []any{"delivered", "exhausted"},
		w.addon(tea, "GET", "/api-engine/webhooks/"+r.ID+"/replay", nil).At("states"))
	off := w.receiver(func(r *webhook.Receiver) { r.Active = false })
	refuses(b, w.hooks(tea, receiversTab)+"/"+off.ID+"/replay", "receiver_inactive", "turned off or deleted", "from",
		"2026-11-20T00:00")
}

func TestDeliveriesAreShownWithTheirAttemptsAndSentAgain(t *testing.T) { onBoth(t, delivering) }

func delivering(t *testing.T, w *world) {
	b, at, r := w.ada(tea), w.hooks(tea, deliveriesTab), w.receiver()
	require.Contains(t, b.Page(at+"?lang=en").Shown(200).Text,
		"No webhooks were sent to this add-on in the last 30 days.")
	failed := w.sentHook(r, events.OrderChange, webhook.Exhausted, answered(500, "<script>alert(1)</script>"))
	w.Clock.Pass(time.Second)
	waits := w.sentHook(r, events.ProductChange, webhook.Waiting)
	log := b.Page(at).Shown(200).Text
	require.Contains(t, log, `<th scope="row" data-event="orderChange">`)
	require.Regexp(t, `<td data-label="Attempts" class="right">1</td><td data-label="Last response" data-status="500">`, log)
	require.Contains(t, log, `<td data-label="Attempts" class="right">0</td>`)
	again := w.sentHook(r, events.ProductChange, webhook.Waiting, answered(500, ""))
	require.Equal(t, 1, strings.Count(b.Page(at).Text, "Failed, will retry"), "another was never tried")
	require.Contains(t, b.Page(at+"/"+again).Shown(200).Text, "The last attempt failed.")
	require.Equal(t, []string{again, failed}, rowsOf(b.Page(at+"?failed=true").Shown(200)))
	require.Equal(t, []string{waits}, rowsOf(b.Page(at+"?failed=false").Shown(200)))
	w.Put(w.P.Pipeline, store.Item{Key: webhook.RowKey(r.Access, again), Expires: 1})
	require.Equal(t, []string{waits, failed}, rowsOf(b.Page(at).Shown(200)), "the newest is first")
	require.Equal(t, []string{failed, waits}, rowsOf(b.Page(at+"?order%5Bcreated%5D=asc").Shown(200)))
	require.Equal(t, []string{failed}, rowsOf(b.Page(at+"?state=exhausted&event=&receiverId="+r.ID).Shown(200)))
	require.Empty(t, rowsOf(b.Page(at+"?receiverId="+noID).Shown(200)))
	first := b.Page(at + "?itemsPerPage=1").Shown(200)
	require.Equal(t, []string{waits}, rowsOf(first))
	require.NotContains(t, first.Text, " required", "each filter may stay empty")
	b.Page(at + "?event=nothing").Shown(422)

	page := b.Page(at + "/" + failed).Shown(200).Text
	for _, text := range []string{`data-id="` + failed + `" data-state="exhausted"`,
		"&lt;script&gt;alert(1)&lt;/script&gt;", "Responded with status 500.",
		"834", "&#34;event&#34;:&#34;orderChange&#34;", "in?a=1&amp;b"} {
		require.Contains(t, page, text)
	}
	require.NotContains(t, page, "<script>alert")

	does(b, at+"/"+failed+"/redeliver")
	does(b, at+"/"+failed+"/redeliver")
	items, err := w.P.Pipeline.Get(t.Context(), webhook.RowKey(r.Access, failed))
	require.NoError(t, err)
	require.Equal(t, int64(1), items[0].Num["asked"], "asked for twice before it is made it is one attempt")
	require.Contains(t, b.Page(at+"/"+failed).Text, `data-state="waiting"`)

	cancelled := w.sentHook(r, events.OrderChange, webhook.Cancelled,
		func(i *store.Item) { i.Text["reason"] = webhook.Unsubscribed })
	require.Contains(t, b.Page(at+"/"+cancelled).Text, "no longer subscribes to this event")
	require.Contains(t, b.Page(at+"?state=cancelled").Text, ` data-code="unsubscribed">`)
	refuses(b, at+"/"+cancelled+"/redeliver", "delivery_cancelled", "was canceled")
	refuses(b, at+"/"+w.sentHook(r, events.Ping, webhook.Delivered)+"/redeliver", "not_redeliverable", "sent only once")
	off := w.receiver(func(r *webhook.Receiver) { r.Active = false })
	refuses(b, at+"/"+w.sentHook(off, events.OrderChange, webhook.Delivered)+"/redeliver", "receiver_inactive",
		"turned off or deleted")
	moved := w.receiver(func(r *webhook.Receiver) { r.State, r.Verified = webhook.Unverified, false })
	refuses(b, at+"/"+w.sentHook(moved, events.OrderChange, webhook.Delivered)+"/redeliver", "receiver_unverified",
		"answered a ping yet")
	b.Page(at + "/" + noID).Shown(404)
	b.Form(at + "/" + noID + "/redeliver").Shown(404)
	does(b, "/admin/packages/"+w.accesses[tea]+"/deactivate")
	refuses(b, at+"/"+failed+"/redeliver", "package_inactive", "not active")
}

func TestWebhooksOfAnotherShopAreNotThere(t *testing.T) { onBoth(t, hooksOfAnother) }

func hooksOfAnother(t *testing.T, w *world) {
	r := w.receiver()
	delivery := w.sentHook(r, events.OrderChange, webhook.Exhausted)
	w.addon(tea, "POST", "/api-engine/webhook-signing-keys", nil)
	pending := w.addon(tea, "POST", "/api-engine/webhook-signing-keys", nil).ID()
	b := w.ada(toys)
	w.Main.NewChanges()
	for _, access := range []string{w.accesses[tea], w.accesses[toys], noID} {
		for _, name := range []string{"/keys/" + pending + "/activate", "/keys/" + pending + "/revoke"} {
			b.Form(accessPath(access, securityTab) + name).Shown(404)
		}
		for _, name := range []string{"/enable", "/ping", "/delete", "/replay"} {
			b.Form(accessPath(access, receiversTab)+"/"+r.ID+name, hookFields(name)...).Shown(404)
		}
		b.Page(accessPath(access, receiversTab) + "/" + r.ID + "/replay").Shown(404)
		b.Page(accessPath(access, deliveriesTab) + "/" + delivery).Shown(404)
		b.Form(accessPath(access, deliveriesTab) + "/" + delivery + "/redeliver").Shown(404)
	}
	for _, access := range []string{w.accesses[tea], noID} {
		b.Form(accessPath(access, securityTab) + "/keys").Shown(404)
		for _, name := range []string{securityTab, receiversTab, deliveriesTab} {
			b.Page(accessPath(access, name)).Shown(404)
		}
	}
	require.Empty(t, w.Main.NewChanges())
}

// hookFields are the fields that a form of a receiver must have.
func hookFields(action string) []string {
	if action == "/replay" {
		return []string{"from", "2026-11-20T00:00"}
	}
	return nil
}
