package delivery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

// request is what an attempt sends, made anew for each: keys may have changed since the last one.
type request struct {
	body  []byte
	keys  []signingkey.Live // the keys that sign it, the primary first
	code  string            // the install code in the body, "" none
	stamp int64             // the attempt's time, which is signed: a receiver can refuse what is old
	trace string            // the attempt's traceparent, "" none
}

// request makes what an attempt at the delivery sends. An error is no fault of the receiver: the attempt is not made.
func (c *courier) request(ctx context.Context, r webhook.Row) (q request, err error) {
	if q.body, err = webhook.ReadBody(ctx, c.Pipeline, r); err != nil {
		return q, err
	}
	if q.body == nil {
		return q, fmt.Errorf("delivery: the data of %s is gone", r.ID)
	}
	if q.keys, err = c.keys.Live(ctx, r.Access); err != nil {
		return q, err
	}
	if r.Trace != "" {
		q.trace = r.Trace.Parent(c.Random)
	}
	if r.System() && r.Event == events.PackageActivate {
		// Each attempt has a code of its own, because one that an earlier attempt has sent may be over.
		if q.code, err = addon.IssueInstallCode(ctx, c.Unit(), webhook.Activates(r)); err != nil {
			return q, err
		}
		q.body = webhook.WithInstallCode(q.body, q.code)
	}
	return q, nil
}

// withoutCode blanks the install code in an answer that repeats it, so that no log shows it.
func (q request) withoutCode(answer []byte) []byte {
	if q.code == "" {
		return answer
	}
	return bytes.ReplaceAll(answer, []byte(q.code), []byte("[installCode]"))
}

// signed is what was signed, for the delivery of a receiver that has answered 401: an author sees by it whether the
// bytes or the key were others. nil for any other answer, and where nothing was signed.
func (q request) signed(status int) *webhook.Signed {
	if status != http.StatusUnauthorized || len(q.keys) == 0 {
		return nil
	}
	sum := sha256.Sum256(q.body)
	return &webhook.Signed{Timestamp: q.stamp, Bytes: len(q.body), SHA256: hex.EncodeToString(sum[:])}
}

// headers are those of a webhook (contract, "Headers"): they say which webhook it is and, when there is a key, sign it.
func headers(r webhook.Row, q request) http.Header {
	header := http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {"eshop-webhooks/1"},
		"X-Webhook-Event":   {string(r.Event)},
		"X-Webhook-Id":      {r.ID},
		"X-Webhook-Attempt": {strconv.Itoa(r.Made + 1)}, // redeliveries, replays and probes count on
	}
	if r.By != "" {
		header["X-Webhook-By"] = []string{string(r.By)}
	}
	if r.Changed != "" {
		header["X-Webhook-Changed"] = []string{r.Changed}
	}
	if q.trace != "" {
		header["Traceparent"] = []string{q.trace}
	}
	if len(q.keys) == 0 {
		return header
	}
	stamp := strconv.FormatInt(q.stamp, 10)
	header["X-Webhook-Timestamp"] = []string{stamp}
	signed := make([]signature.Key, len(q.keys))
	for i, k := range q.keys {
		signed[i] = k.Key
		header[signatureOf[k.State]] = []string{signature.Hex(k.Key, q.stamp, q.body)}
	}
	header["Webhook-Id"] = []string{r.ID}
	header["Webhook-Timestamp"] = []string{stamp}
	header["Webhook-Signature"] = []string{signature.Standard(r.ID, q.stamp, q.body, signed...)}
	return header
}

// signatureOf names the header with the signature of a key in a state, in the canonical form. Each has exactly one
// value: of several keys that retire, it is the last one's.
var signatureOf = map[signingkey.State]string{
	signingkey.Primary:  "X-Webhook-Signature",
	signingkey.Pending:  "X-Webhook-Signature-Next",
	signingkey.Retiring: "X-Webhook-Signature-Previous",
}

// repeatsNonce says whether the answer to a ping has the ping's nonce in it, which proves that the address is its
// owner's.
func repeatsNonce(ping, answer []byte) bool {
	var sent struct{ Data struct{ Nonce string } }
	err := json.Unmarshal(ping, &sent)
	return err == nil && sent.Data.Nonce != "" && bytes.Contains(answer, []byte(sent.Data.Nonce))
}
