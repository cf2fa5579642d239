package webhooks_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/webhook/canaryhook"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"

// address is the path of the canary's receiver, with its key.
func (w *world) address() string { return canaryhook.Address("", w.P.Key) }

// withCanary is a platform that has a canary.
func withCanary(t *testing.T) *world {
	return open(t, func(p *host.Parts) { p.Canary = "canary.example" })
}

func TestWithoutACanaryThereIsNoReceiver(t *testing.T) {
	w := open(t, func(p *host.Parts) { p.BaseURL = "https://example.com" })
	w.As("", "POST", w.address(), `{"event":"ping","data":{"nonce":"n1"}}`).Is(404, "not_found")
	w.do("POST", "/api-engine/webhooks", object{"url": canaryhook.Address("https://example.com", w.P.Key)}).Is(422)
}

func TestTheCanarysReceiverIsThereForWhoKnowsItsKey(t *testing.T) {
	w := withCanary(t)
	writes := w.Main.Writes()
	wrong := []string{canaryhook.Path, canaryhook.Path + "?key=", canaryhook.Path + "?key=x", w.address() + "x"}
	for _, path := range wrong {
		w.As("", "POST", path, `{"event":"productChange"}`, "Traceparent", traceparent).Is(404, "not_found")
	}
	require.Equal(t, writes, w.Main.Writes(), "a stranger makes no row")
	ping := w.As("", "POST", w.address(), `{"event":"ping","data":{"nonce":"n1"}}`)
	require.Equal(t, []any{http.StatusOK, "n1"}, []any{ping.Status, ping.Text})
	require.Equal(t, writes, w.Main.Writes(), "nor does what is part of none of the canary's requests")
	for _, body := range []string{"", "{", `{"event":"` + strings.Repeat("x", canaryhook.MaxBody) + `"}`} {
		require.Equal(t, 400, w.As("", "POST", w.address(), body, "Traceparent", traceparent).Status)
	}
}

func TestTheCanaryFindsWhatItsReceiverHasHeard(t *testing.T) {
	w := withCanary(t)
	trace := events.TraceOf(traceparent)
	heard, err := canaryhook.HeardOf(t.Context(), w.Main, trace)
	require.NoError(t, err)
	require.Nil(t, heard)
	const body = `{"event":"productChange","data":{"products":[]}}`
	require.Equal(t, 200, w.As("", "POST", w.address(), body, "Traceparent", traceparent,
		"X-Webhook-Signature", "sha256=00", "X-Webhook-Timestamp", "17").Status)
	heard, err = canaryhook.HeardOf(t.Context(), w.Main, trace)
	require.NoError(t, err)
	require.Equal(t, &canaryhook.Heard{Signature: "sha256=00", Timestamp: 17, Body: []byte(body)}, heard)
	require.Empty(t, w.Main.NewChanges(), "nobody is told of it, or it would come again")
}

// TestAWebhookMayGoToTheCanarysReceiver of all addresses of the platform's own, in production, too.
func TestAWebhookMayGoToTheCanarysReceiver(t *testing.T) {
	w := open(t, func(p *host.Parts) {
		p.Canary, p.Environment, p.BaseURL = "canary.example", "production", "https://example.com"
	})
	w.do("POST", "/api-engine/webhooks", object{"url": "https://example.com/api-engine/webhooks"}).Is(422)
	w.do("POST", "/api-engine/webhooks", object{"url": canaryhook.Address("https://example.com", w.P.Key)}).Is(201)
}
