// Package canaryhook is what the canary (functions/canary) and its receiver share: the receiver's address, and the
// webhook that it has heard.
//
// The receiver is the one address of its own that the platform calls in production, too. So a webhook of the canary's
// goes out and comes in as that of any add-on, and nothing beside the platform is needed for it. Whoever knows the
// address's key may have a row written that nobody but the canary reads; the canary itself holds the webhook's
// signature against the signing keys of its access.
package canaryhook

import (
	"context"
	"encoding/base64"
	"time"

	"eshop/events"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
)

// Path is where the receiver is, below the API's address.
const Path = "/api-engine/webhooks/canary"

// KeyParameter is the parameter of the address that holds its key.
const KeyParameter = "key"

// MaxBody is how many bytes of a webhook the receiver takes. One of the canary's has some hundred.
const MaxBody = 16 << 10

// kept is for how long a webhook is kept: longer than any run waits for it.
const kept = time.Hour

// Address is the receiver's address. platform is the platform's own secret.
func Address(baseURL string, platform []byte) string {
	return baseURL + Path + "?" + KeyParameter + "=" + key(platform)
}

// key is the address's key, the same on every host of the platform.
func key(platform []byte) string {
	return base64.RawURLEncoding.EncodeToString(secret.MAC(platform, "canary\n"))
}

// Knows says whether given is the address's key.
func Knows(platform []byte, given string) bool {
	return secret.Matches(given, secret.Hash(key(platform)))
}

// Heard is a webhook as it came.
type Heard struct {
	Signature string // X-Webhook-Signature
	Timestamp int64  // X-Webhook-Timestamp
	Body      []byte
}

// heardKey is where the webhook is kept that tells of a request, by the trace that the request was part of.
func heardKey(trace events.Trace) store.Key {
	return store.Key{PK: "CANARY", SK: "HEARD#" + string(trace)}
}

// Keep keeps a webhook that came at a moment; one that comes again takes the place of the one before.
func (h Heard) Keep(ctx context.Context, t store.Table, trace events.Trace, at time.Time) error {
	_, err := t.Write(ctx, events.Nothing, store.Put(store.Item{Key: heardKey(trace), Doc: h.Body,
		Text: map[string]string{"signature": h.Signature}, Num: map[string]int64{"timestamp": h.Timestamp},
		Expires: at.Add(kept).Unix()}))
	return err
}

// HeardOf is the webhook that tells of the request of a trace; nil while none has come.
func HeardOf(ctx context.Context, t store.Table, trace events.Trace) (*Heard, error) {
	items, err := t.Get(ctx, heardKey(trace))
	if err != nil || items[0] == nil {
		return nil, err
	}
	return &Heard{items[0].Text["signature"], items[0].Num["timestamp"], items[0].Doc}, nil
}
