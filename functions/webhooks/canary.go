package webhooks

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/webhook/canaryhook"
)

// hear keeps a webhook for the canary, which looks for it, and answers a ping with its nonce. Without a canary, and
// without the address's key, there is nothing here.
func (d door) hear(w http.ResponseWriter, r *http.Request) {
	if d.canaryAt == "" || !canaryhook.Knows(d.key, r.URL.Query().Get(canaryhook.KeyParameter)) {
		api.RefuseError(r, problem.NotFound())
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, canaryhook.MaxBody))
	var hook struct {
		Data struct{ Nonce string }
	}
	if err != nil || json.Unmarshal(body, &hook) != nil {
		http.Error(w, "not a webhook", http.StatusBadRequest)
		return
	}
	// The canary's own change has a trace, which is in its webhook. Nothing else is waited for.
	if trace := events.TraceOf(r.Header.Get("Traceparent")); trace != "" {
		timestamp, _ := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64) // what is none fits no signature
		heard := canaryhook.Heard{Signature: r.Header.Get("X-Webhook-Signature"), Timestamp: timestamp, Body: body}
		if err := heard.Keep(r.Context(), d.main, trace, d.now()); err != nil {
			api.RefuseError(r, err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, hook.Data.Nonce)
}
