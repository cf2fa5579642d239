package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
	"eshop/shared/record/change"
)

// UncountedRequests is the figure of requests that were served though their counters could not be reached (contract,
// "Rate limits").
const UncountedRequests = "UncountedRequests"

// charge is what a request has taken of its access's limits (contract, "Rate limits"). On AWS the first charge runs
// beside the request, while that is read and looked up. Nothing is written before the charge has answered.
type charge struct {
	api      *API
	caller   *change.Caller
	at       time.Time // whose windows are charged
	done     chan struct{}
	cost     int64
	standing limit.Standing
	refused  *problem.Problem
}

// begin charges the cost, at once or beside the request; with 0 it only looks how the caller's limits stand.
func (a *API) begin(ctx context.Context, caller *change.Caller, now time.Time, cost int64) *charge {
	c := &charge{api: a, caller: caller, at: now, done: make(chan struct{})}
	if a.Near {
		c.add(ctx, cost)
		close(c.done)
		return c
	}
	// On AWS the counters are a call away, so the request is read meanwhile.
	guard.Go(ctx, func() {
		defer close(c.done)
		if guard.Do(ctx, func() error { c.add(ctx, cost); return nil }) != nil {
			c.refused = problem.Internal()
		}
	})
	return c
}

// answered says whether the first charge has answered.
func (c *charge) answered() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// wait is the refusal of the first charge; nil if the request may go on. A nil charge, an operator's, never refuses.
func (c *charge) wait(ctx context.Context) *problem.Problem {
	if c == nil {
		return nil
	}
	if c.answered() {
		return c.refused
	}
	select {
	case <-c.done:
		return c.refused
	case <-ctx.Done():
		return problem.Unavailable(time.Second)
	}
}

// Standing is what is left of the caller's limits after this request's own charge.
func (c *Call) Standing(ctx context.Context) (limit.Standing, error) {
	if p := c.charge.wait(ctx); p != nil {
		return limit.Standing{}, p
	}
	return c.charge.standing, nil
}

// add charges cost more. If the counters cannot be reached, the request passes, with the last known standing (contract,
// "Rate limits"). If this process may not write them, it does not pass.
func (c *charge) add(ctx context.Context, cost int64) {
	standing, err := c.api.Counters.Charge(ctx, c.caller.Access, c.caller.Limits, cost, c.at)
	switch {
	case errors.Is(err, limit.ErrForbidden):
		c.api.Log.ErrorContext(ctx, "limit: counters forbidden, request refused", "access", c.caller.Access,
			"error", err)
		c.standing, c.refused = c.api.standing(c.caller), problem.Internal()
	case err != nil && cost == 0:
		c.standing = c.api.standing(c.caller)
	case errors.Is(err, limit.ErrThrottled):
		c.standing = c.api.standing(c.caller)
		c.refused = throttled(c.standing)
	case err != nil:
		c.api.uncounted(ctx, "access", c.caller.Access, err)
		c.standing = c.api.standing(c.caller)
	case standing.Refused != "":
		c.standing, c.refused = standing, exceeded(standing, c.cost+cost, c.at)
	default:
		c.standing = standing
		c.cost += cost
		if !c.api.Near { // counters in memory can always be reached
			c.api.known.Set(c.caller.Access, standing)
		}
	}
}

// raise brings the cost of the request up to cost (Call.Charge): a batch is charged the most that it can cost before it
// begins, and gets back what it did not. A cost above a whole limit could never be paid, so it is 422 and not 429.
func (c *charge) raise(ctx context.Context, cost int64) error {
	if c == nil {
		return nil
	}
	if p := c.wait(ctx); p != nil {
		return p
	}
	if l := c.caller.Limits; cost > min(l.Hourly, l.Daily) {
		return problem.Refused("batch_too_expensive",
			fmt.Sprintf("This request can cost %d, more than a whole limit of this access: send less at once.", cost))
	}
	if cost <= c.cost {
		return nil
	}
	c.add(ctx, cost-c.cost)
	if c.refused == nil {
		return nil
	}
	// A refused batch costs nothing at all, not even the 1 that the request was charged at its begin.
	c.refund(ctx, c.cost)
	c.refused.With("remaining", remaining(c.standing))
	return c.refused
}

// refund gives back a part of what was charged. If that fails the caller has paid too much, which a log line tells.
func (c *charge) refund(ctx context.Context, n int64) {
	s, err := c.api.Counters.Refund(ctx, c.caller.Access, c.caller.Limits, n, c.at)
	if err != nil {
		c.api.Log.Error("limit: refund lost", "access", c.caller.Access, "cost", n, "error", err)
		return
	}
	c.standing, c.cost = s, c.cost-n
}

// throttled is the 429 of an access that makes more requests in a second than its counter takes (contract, "Rate
// limits").
func throttled(s limit.Standing) *problem.Problem {
	return overLimit(time.Second, "Too many requests in this second: slow down.", limit.Hourly, 1, s)
}

// exceeded is the 429 of a limit that is used up. Retry-After is the rest of its window.
func exceeded(s limit.Standing, cost int64, now time.Time) *problem.Problem {
	detail := fmt.Sprintf("The %s limit of this access is used up: try again after Retry-After.", s.Refused)
	return overLimit(s.Refused.Reset(now).Sub(now), detail, s.Refused, cost, s)
}

// overLimit is the 429 of an access's request that costs so much, by the window that is named.
func overLimit(wait time.Duration, detail string, w limit.Window, cost int64, s limit.Standing) *problem.Problem {
	return rateLimited(wait, detail).With("limit", w).With("cost", cost).With("remaining", remaining(s))
}

// rateLimited is a 429 that says when to come again.
func rateLimited(wait time.Duration, detail string) *problem.Problem {
	return &problem.Problem{Status: http.StatusTooManyRequests, Code: "rate_limited",
		Header: problem.RetryAfter(wait), Detail: detail}
}

// remaining is what is left of both limits, as a problem shows it.
func remaining(s limit.Standing) map[string]int64 {
	return map[string]int64{"hourly": s.Hourly, "daily": s.Daily}
}

// LimitHeaders are the headers that tell of limits (contract, "Rate limits").
var LimitHeaders = []string{"X-RateLimit-Request-Cost",
	"X-RateLimit-Hourly-Remaining", "X-RateLimit-Daily-Remaining",
	"X-RateLimit-Hourly-Limit", "X-RateLimit-Daily-Limit",
	"X-RateLimit-Hourly-Reset", "X-RateLimit-Daily-Reset"}

// headers writes the limits' headers. Without a charge (401) all but the resets are 0. If the charge has not answered
// when the request ends, they say how the limits stood last.
func (c *charge) headers(header http.Header, now time.Time) {
	var limits limit.Limits
	var standing limit.Standing
	var cost int64
	switch {
	case c == nil:
	case !c.answered():
		limits, standing, now = c.caller.Limits, c.api.standing(c.caller), c.at
	default:
		limits, standing, now = c.caller.Limits, c.standing, c.at
		if c.refused == nil {
			cost = c.cost
		}
	}
	for i, n := range []int64{cost, standing.Hourly, standing.Daily, limits.Hourly, limits.Daily,
		limit.Hourly.Reset(now).Unix(), limit.Daily.Reset(now).Unix()} {
		header[LimitHeaders[i]] = []string{strconv.FormatInt(n, 10)}
	}
}

// maxKnown is of how many accesses the standing is remembered.
const maxKnown = 10_000

// standing is how an access stood when the counters last answered; an unknown one has all of its limits. It is only for
// headers while the counters cannot be reached.
func (a *API) standing(c *change.Caller) limit.Standing {
	if s, has := a.known.Get(c.Access); has {
		return s
	}
	return limit.Standing{Hourly: c.Limits.Hourly, Daily: c.Limits.Daily}
}

// uncounted takes down that a request was served though the counters of its access, or of its address, could not be
// reached.
func (a *API) uncounted(ctx context.Context, kind, who string, err error) {
	a.Log.ErrorContext(ctx, "limit: counters unreachable, request served", kind, who, "error", err)
	if a.Uncounted != nil {
		a.Uncounted()
	}
}
