package delivery

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

// TestTheContractsVector holds the headers against the vector (contract, "Signing keys").
func TestTheContractsVector(t *testing.T) {
	key, err := signature.Parse("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	require.NoError(t, err)
	body := []byte(`{"id":"01","event":"ping","data":{"nonce":"n"}}`)
	h := headers(webhook.Row{ID: "01", Event: events.Ping, Made: 2},
		request{body: body, stamp: 1795226712, keys: []signingkey.Live{{State: signingkey.Primary, Key: key}}})
	require.Equal(t, http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"eshop-webhooks/1"},
		"X-Webhook-Event": {"ping"}, "X-Webhook-Id": {"01"}, "X-Webhook-Attempt": {"3"},
		"X-Webhook-Timestamp": {"1795226712"},
		"X-Webhook-Signature": {"sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4"},
		"Webhook-Id":          {"01"}, "Webhook-Timestamp": {"1795226712"},
		"Webhook-Signature": {"v1,dHB+9rxMWmt0n6y4cIrdCk8qW4B3qdKwWKGI1OYY+K0="},
	}, h)
}

// TestATraceIsSentWhereThereIsOne: what each attempt sends of it, a journey sees.
func TestATraceIsSentWhereThereIsOne(t *testing.T) {
	h := headers(webhook.Row{ID: "01"}, request{body: []byte("{}"), trace: "00-a-b-01"})
	require.Equal(t, []string{"00-a-b-01"}, h["Traceparent"])
	require.NotContains(t, headers(webhook.Row{ID: "01"}, request{body: []byte("{}")}), "Traceparent")
}

func TestAPendingKeySignsBesideThePrimaryOnly(t *testing.T) {
	primary, _ := signature.FromBytes(make([]byte, 32))
	second := make([]byte, 32)
	second[0] = 1
	pending, _ := signature.FromBytes(second)
	h := headers(webhook.Row{ID: "01"}, request{body: []byte("{}"), stamp: 1, keys: []signingkey.Live{
		{State: signingkey.Primary, Key: primary}, {State: signingkey.Pending, Key: pending}}})
	require.Equal(t, []string{signature.Hex(primary, 1, []byte("{}"))}, h["X-Webhook-Signature"])
	require.Equal(t, []string{signature.Standard("01", 1, []byte("{}"), primary, pending)}, h["Webhook-Signature"])
}
