package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Call is one request as a handler sees it, and the context in which it is answered: it can be passed wherever a
// context is wanted.
type Call struct {
	context.Context
	*change.Caller        // who asks, once that is known; the zero Caller of who is no access and no shop's visitor
	Request        string // the platform's own id of the request, a ULID
	RequestID      string // what X-Request-Id answers: the caller's own, else Request
	Started        time.Time

	api    *API
	r      *http.Request
	res    *response // the answer under construction
	op     *operation
	path   []string   // the parts of the path, when the operation has parameters there
	query  url.Values // what the operation is asked by: of a cursor, what that keeps
	after  string     // where the collection goes on: what the cursor held
	sent   any        // the body as it was decoded; nil: none
	charge *charge
	key    *idempotency
	acted  bool // something was written for the call, or may have been

	// Of a call of People, as Enter says: who comes, and whose its Idempotency-Keys are.
	Visitor any
	Owner   string
	By      events.Actor // who acts, once that is known; "": the caller's package, if it has one

	form    url.Values // what a form has sent, of a call of People
	formErr error      // why a form could not be read that may mean another method
	body    countedBody
	cookies []string
}

type callKey struct{}

// callOf is the call that an HTTP request belongs to, on its way through the mux.
func callOf(r *http.Request) *Call { return r.Context().Value(callKey{}).(*Call) }

// Now is the host's time.
func (c *Call) Now() time.Time { return c.api.Now() }

// Header is a header of the request.
func (c *Call) Header(name string) string { return c.r.Header.Get(name) }

// Query is a parameter of the request's query, "" when it has none: what a cursor keeps counts.
func (c *Call) Query(name string) string { return c.query.Get(name) }

// Match holds the request's If-Match against the record's version: a VersionConflict when it is not current, nil
// without the header (RFC 9110, section 13.1.1).
func (c *Call) Match(version string) error {
	if h := c.r.Header.Values("If-Match"); len(h) > 0 && !matchesStrong(strings.Join(h, ","), ETag(version)) {
		return problem.VersionConflict()
	}
	return nil
}

// ETag is the entity tag of a version.
func ETag(version string) string { return `"` + version + `"` }

// matchesStrong says whether a list of entity tags, or "*", holds the tag; a weak one never matches.
func matchesStrong(list, tag string) bool {
	for t := range strings.SplitSeq(list, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || t == tag {
			return true
		}
	}
	return false
}

// matchesWeak is matchesStrong with weak tags, too.
func matchesWeak(list, tag string) bool {
	return matchesStrong(list, tag) || matchesStrong(list, "W/"+tag)
}

// Admitted waits until the limit has let the request through. Its error is a problem: 429, or 503 where that cannot be
// known. Nothing may be written before.
func (c *Call) Admitted(ctx context.Context) error {
	if p := c.charge.wait(ctx); p != nil {
		return p
	}
	return nil
}

// Write writes to the platform's main table once the limit has let the request through. answer is what the handler will
// return, nil when this is not the request's last transaction: with an Idempotency-Key it is kept in the same
// transaction (contract, "Idempotency"). Its errors are the store's: ErrUnavailable, of which Problem makes a 503, and
// *ConditionError.
func (c *Call) Write(ctx context.Context, answer answer, change events.Change, ops ...store.Op) (store.Item, error) {
	if err := c.Admitted(ctx); err != nil {
		return store.Item{}, err
	}
	if answer == nil || c.key == nil {
		return c.wrote(c.api.Table.Write(ctx, change, ops...))
	}
	keep, err := c.key.keep(c, answer.reply())
	if err != nil {
		return store.Item{}, err
	}
	item, err := c.writeKey(ctx, change, ops, keep)
	c.key.kept = err == nil
	return item, err
}

// KeepsAnswer says whether what the call answers is kept under a new Idempotency-Key, in a row of its own for 24 hours.
func (c *Call) KeepsAnswer() bool { return c.key != nil }

// Begin writes the first of a request's several transactions. With an Idempotency-Key it holds the key in the same
// transaction, so that no other request under it begins within life, or before the answer is there.
func (c *Call) Begin(ctx context.Context, life time.Duration, ops ...store.Op) error {
	if err := c.Admitted(ctx); err != nil {
		return err
	}
	if c.key == nil {
		_, err := c.wrote(c.api.Table.Write(ctx, events.Nothing, ops...))
		return err
	}
	_, err := c.writeKey(ctx, events.Nothing, ops, c.key.hold(c, life))
	// Remembered, because only the request that holds the key may keep an answer under it.
	c.key.held = err == nil
	return err
}

// writeKey does the operations with the one on the item of the request's Idempotency-Key: errKeyLost when another
// request has it.
func (c *Call) writeKey(ctx context.Context, change events.Change, ops []store.Op, key store.Op) (store.Item, error) {
	item, err := c.wrote(c.api.Table.Write(ctx, change, append(slices.Clip(ops), key)...))
	if _, lost := store.Failed(err, key.Key); lost {
		return item, errKeyLost
	}
	return item, err
}

// wrote notes that something was written. A write that nobody knows the outcome of may have been done.
func (c *Call) wrote(item store.Item, err error) (store.Item, error) {
	c.acted = c.acted || err == nil || errors.Is(err, store.ErrUnavailable)
	return item, err
}

// Charge raises the cost of the request to cost before a batch is done; a 429 with nothing charged when it is more than
// is left, a 422 when it is more than a whole limit.
func (c *Call) Charge(ctx context.Context, cost int64) error { return c.charge.raise(ctx, cost) }

// LowerCost gives back what the request was charged beyond cost.
func (c *Call) LowerCost(ctx context.Context, cost int64) { c.charge.lowerTo(ctx, cost) }
