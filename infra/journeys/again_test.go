package journeys

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const log = "/api-engine/webhook-deliveries"

// logged waits until the delivery is in this state in the access's log.
func (tn *tenant) logged(id, state string) answer {
	tn.t.Helper()
	eventually(tn.t, patience, func() bool { return tn.get(log+"/"+id).text("state") == state }, state)
	return tn.get(log + "/" + id)
}

// moment is when an attempt began.
func moment(t *testing.T, attempt fields) time.Time {
	at, err := time.Parse(time.RFC3339Nano, attempt["at"].(string))
	require.NoError(t, err)
	return at
}

// nth waits for the nth call of all.
func (a *listener) nth(n int) call {
	a.t.Helper()
	return a.until(func(calls []call) bool { return len(calls) >= n })[n-1]
}

// again is the log of deliveries, and all that goes out because somebody asks for it.
func again(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens()
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	first := a.hears("customerCreate", tn.do(201, "POST", "/api-engine/customers", someone(),
		"Traceparent", "00-"+trace+"-00f067aa0ba902b7-01").id())
	require.Regexp(t, "^00-"+trace+"-[0-9a-f]{16}-01$", first.header.Get("Traceparent"))
	id := first.body.ID
	require.Len(t, tn.logged(id, "delivered").items("attempts"), 1)
	list := tn.get(log + "?receiverId=" + a.id + "&event=customerCreate&state=delivered").items("items")
	require.Len(t, list, 1)
	require.NotContains(t, list[0], "attempts")
	ping := tn.get(log + "?event=ping").items("items")
	require.Len(t, ping, 1)
	tn.do(409, "POST", log+"/"+ping[0]["id"].(string)+"/redeliver", nil).problem(409, "not_redeliverable")

	a.answers(status(500))
	asked := tn.do(202, "POST", log+"/"+id+"/redeliver", nil)
	require.Equal(t, []string{id, log + "/" + id}, []string{asked.id(), asked.header.Get("Location")})
	second := a.nth(2)
	require.Equal(t, "2", second.header.Get("X-Webhook-Attempt"))
	require.Equal(t, first.raw, second.raw)
	require.Contains(t, second.header.Get("Traceparent"), trace)
	require.NotEqual(t, first.header.Get("Traceparent"), second.header.Get("Traceparent"), "a span of its own")
	eventually(t, patience, func() bool { return len(tn.get(log+"/"+id).items("attempts")) == 2 })
	require.Equal(t, "delivered", tn.get(log+"/"+id).text("state"))

	a.answers(nil)
	tn.do(202, "POST", "/api-engine/webhooks/"+a.id+"/replay",
		fields{"from": first.body.CreatedAt, "to": first.body.CreatedAt})
	third := a.nth(3)
	require.Equal(t, "3", third.header.Get("X-Webhook-Attempt"))
	require.Equal(t, first.raw, third.raw)

	asked = tn.do(202, "POST", "/api-engine/webhooks/"+a.id+"/test", fields{"event": "packageOpenInstructions"})
	test := a.nth(4)
	require.True(t, strings.HasSuffix(string(test.raw), `,"test":true}`), string(test.raw))
	require.Equal(t, "1", test.header.Get("X-Webhook-Attempt"))
	require.Equal(t, log+"/"+test.header.Get("X-Webhook-Id"), asked.header.Get("Location"))
	logged := tn.logged(test.header.Get("X-Webhook-Id"), "delivered")
	require.Equal(t, true, logged.fields()["test"])
	require.Contains(t, string(logged.body), `"body":`+string(test.raw), "as it was sent")
	tn.do(409, "POST", log+"/"+test.header.Get("X-Webhook-Id")+"/redeliver", nil).problem(409, "not_redeliverable")
	tn.hearsOnly(a, "customerCreate", "customerCreate", "customerCreate", "packageOpenInstructions")
}

// rotated is a key that takes another one's place.
func rotated(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	const keys = "/api-engine/webhook-signing-keys"
	old, next := tn.post(keys, nil), tn.post(keys, nil)
	require.Equal(t, "primary", tn.do(200, "POST", keys+"/"+next.id()+"/activate", nil).text("state"))
	tn.do(409, "POST", keys+"/"+old.id()+"/activate", nil).problem(409, "key_not_pending")
	c := tn.listens().hears("customerCreate", tn.customer()) // before its ping nobody remembered the keys
	stamp := c.header.Get("X-Webhook-Timestamp")
	require.Equal(t, []string{hexOf(t, next.text("key"), stamp, c.raw)}, c.header["X-Webhook-Signature"])
	require.Equal(t, []string{hexOf(t, old.text("key"), stamp, c.raw)}, c.header["X-Webhook-Signature-Previous"])
	require.ElementsMatch(t, []string{standardOf(t, old.text("key"), stamp, c),
		standardOf(t, next.text("key"), stamp, c)},
		strings.Fields(c.header.Get("Webhook-Signature")))
}
