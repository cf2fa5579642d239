package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
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

// matchesStrong says whether a list of entity tags, or "*", holds the tag; a weak one never matches. A tag without
// quotes counts, too, because the change feed shows versions so.
func matchesStrong(list, tag string) bool {
	for t := range strings.SplitSeq(list, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || t == tag || t == strings.Trim(tag, `"`) {
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

// KeepsAnswer says whether what the call answers is kept under a new Idempotency-Key, in a row of its own for 24 hours.
func (c *Call) KeepsAnswer() bool { return c.key != nil }

// Charge raises the cost of the request to cost before a batch is done; a 429 with nothing charged when it is more than
// is left, a 422 when it is more than a whole limit.
func (c *Call) Charge(ctx context.Context, cost int64) error { return c.charge.raise(ctx, cost) }

// LowerCost gives back what the request was charged beyond cost.
func (c *Call) LowerCost(ctx context.Context, cost int64) {
	if charged := c.charge; charged != nil && charged.answered() && cost < charged.cost {
		charged.refund(ctx, charged.cost-cost)
	}
}
