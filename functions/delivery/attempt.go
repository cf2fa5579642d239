package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/egress"
	"eshop/shared/guard"
	"eshop/shared/signature"
	"eshop/shared/webhook"
)

// attempt makes the attempt that the claim is for, leaves the lane, writes down what became of it, and says whether the bell
// is done with.
func (c *courier) attempt(ctx context.Context, l *lane, b webhook.Bell, r webhook.Row, claim string) (done bool) {
	began := time.Now()
	did, err := c.try(ctx, r)
	if did.sent() {
		c.lanes.finish(l, time.Since(began), did.failure != "")
	} else {
		c.lanes.back(l)
	}
	c.leave(ctx, l)
	ctx, end := writing(ctx)
	defer end()
	if err != nil {
		c.Log.Warn("a delivery is given back", "webhook", r.ID, "receiver", r.Receiver, "error", err)
		c.release(ctx, b, claim)
		return false
	}
	c.note(ctx, r, &did)
	if err := c.conclude(ctx, b, r, claim, did); err != nil {
		c.Log.Error("an attempt has no result", "webhook", r.ID, "receiver", r.Receiver, "error", err)
		return false
	}
	return true
}

// outcome is what became of a claim: nothing was sent and never will be (cancelled), or not now (held), or an attempt was
// made, and failed unless failure is empty.
type outcome struct {
	cancelled string // why
	held      bool
	used      int    // of the attempts that were asked for: one or none
	probe     bool   // it was let through an open breaker
	parks     bool   // it failed and the breaker is open: what is left of it is parked
	failure   string // one of the texts of lastFailure
	proof     string // the address that a ping proved, until that is written down
	answer    egress.Answer
	at, end   time.Time
	standing
}

// sent says whether an attempt was made.
func (o outcome) sent() bool { return !o.at.IsZero() }

// try makes the attempt if it still may be made. An error is no receiver's fault: nothing is known, or the host stops.
func (c *courier) try(ctx context.Context, r webhook.Row) (did outcome, err error) {
	defer guard.Caught(ctx, &err, "webhook", r.ID)
	if did.standing, err = c.known.standing(ctx, r); err != nil {
		return did, err
	}
	did.used = min(r.Asked, 1)
	if did.cancelled = did.stops(r); did.cancelled != "" {
		return did, nil
	}
	if did.held = did.keeps(r); did.held {
		return did, nil
	}
	if did.proof = r.Proof; did.proof != "" {
		did.end = c.Now()
		return did, nil
	}
	did.probe = did.probes(r)
	body, err := c.body(ctx, r)
	if err != nil {
		return did, err
	}
	keys, err := c.known.keys.Of(ctx, r.Access)
	if err != nil {
		return did, err
	}
	body, code, err := c.withCode(ctx, r, body)
	if err != nil {
		return did, err
	}
	if late(ctx) {
		return outcome{}, errLate
	}
	defer c.slowly(ctx, r, did.standing)()
	did.at = c.Now()
	answer, err := c.Egress.Post(ctx, did.receiver.URL, headers(r, did.at, body, keys), body)
	if ctx.Err() != nil && err != nil {
		return outcome{}, errCut
	}
	answer.Body = without(code, answer.Body)
	did.answer, did.end = answer, c.Now()
	did.failure = failureOf(answer, err)
	if did.failure == "" && r.Event == events.Ping {
		did.proof, did.failure = proof(did.receiver.URL, body, answer.Body)
	}
	return did, nil
}

// body is the bytes to send: the row's own, or with the list that receivers share.
func (c *courier) body(ctx context.Context, r webhook.Row) ([]byte, error) {
	if r.List.PK == "" {
		return r.Body, nil
	}
	items, err := c.Pipeline.Get(ctx, r.List)
	if err != nil {
		return nil, err
	}
	if items[0] == nil {
		return nil, fmt.Errorf("delivery: the data of %s is gone", r.ID)
	}
	body := make([]byte, 0, len(r.Body)+len(items[0].Doc)+1)
	return append(append(append(body, r.Body...), items[0].Doc...), '}'), nil
}

// headers are those of the contract, section 5: what the webhook is, and with a key who it is from. The keys are live ones,
// the primary first.
func headers(r webhook.Row, at time.Time, body []byte, keys []webhook.LiveKey) http.Header {
	h := http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {"eshop-webhooks/1"},
		"X-Webhook-Event":   {string(r.Event)},
		"X-Webhook-Id":      {r.ID},
		"X-Webhook-Attempt": {strconv.Itoa(r.Made + 1)},
	}
	if r.Changed != "" {
		h["X-Webhook-Changed"] = []string{r.Changed}
	}
	if len(keys) == 0 {
		return h
	}
	stamp := at.Unix()
	h["X-Webhook-Timestamp"] = []string{strconv.FormatInt(stamp, 10)}
	signed := make([]signature.Key, len(keys))
	for i, k := range keys {
		signed[i] = k.Key
		h[signatureOf[k.State]] = []string{signature.Hex(k.Key, stamp, body)}
	}
	h["Webhook-Id"] = []string{r.ID}
	h["Webhook-Timestamp"] = []string{strconv.FormatInt(stamp, 10)}
	h["Webhook-Signature"] = []string{signature.Standard(r.ID, stamp, body, signed...)}
	return h
}

// signatureOf names the header with the signature of a key in a state, in the canonical form: exactly one value each. Of
// several keys that retire it is the last one's.
var signatureOf = map[webhook.KeyState]string{
	webhook.Primary:  "X-Webhook-Signature",
	webhook.Pending:  "X-Webhook-Signature-Next",
	webhook.Retiring: "X-Webhook-Signature-Previous",
}

// failureOf is why an attempt failed, "" when it did not: 2xx is success, nothing else (contract, section 5, "Success").
func failureOf(a egress.Answer, err error) string {
	kind := egress.KindOf(err)
	switch {
	case err == nil && a.OK():
		return ""
	case err == nil:
		return "status " + strconv.Itoa(a.Status)
	case kind == "":
		return webhook.BadAnswer
	}
	return string(kind)
}

// proof is the address that a ping proved to be its owner's, which was answered 2xx there, or why it did not: the nonce must be
// in the answer.
func proof(address string, ping, answer []byte) (proven, failure string) {
	var sent struct{ Data struct{ Nonce string } }
	if err := json.Unmarshal(ping, &sent); err != nil || sent.Data.Nonce == "" || !bytes.Contains(answer, []byte(sent.Data.Nonce)) {
		return "", webhook.NonceMissing
	}
	return address, ""
}
