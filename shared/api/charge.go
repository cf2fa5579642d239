package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"eshop/shared/guard"
	"eshop/shared/limit"
	"eshop/shared/problem"
)

// CountersUnreachable is the log line of a request that was served uncounted: a metric counts it (contract, section 3).
const CountersUnreachable = "limit: counters unreachable, request served"

// charge is what a request has taken of its access's limits (contract, section 3). The first charge may still be under
// way while the request is read and looked up: nothing is written before it has answered.
type charge struct {
	api      *API
	caller   *Caller
	at       time.Time // whose windows are charged
	done     chan struct{}
	cost     int64
	standing limit.Standing
	refused  *problem.Problem
}

// begin charges the cost, at once or beside the request; with 0 it only looks how the caller's limits stand.
func (a *API) begin(ctx context.Context, caller *Caller, now time.Time, cost int64) *charge {
	c := &charge{api: a, caller: caller, at: now, done: make(chan struct{})}
	if a.Inline {
		c.take(ctx, cost)
		close(c.done)
		return c
	}
	guard.Go(ctx, func() {
		defer close(c.done)
		if guard.Do(ctx, func() error { c.take(ctx, cost); return nil }) != nil {
			c.refused = problem.Internal()
		}
	})
	return c
}

// settled says whether the first charge has answered.
func (c *charge) settled() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// wait is the refusal of the first charge, nil when the request may go on. A nil charge (an operator's call) never
// refuses.
func (c *charge) wait(ctx context.Context) *problem.Problem {
	if c == nil {
		return nil
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
	if err := c.Admitted(ctx); err != nil {
		return limit.Standing{}, err
	}
	return c.charge.standing, nil
}

// take charges cost more. Counters that cannot be reached let the request pass with the last known standing.
func (c *charge) take(ctx context.Context, cost int64) {
	s, err := c.api.Counters.Charge(ctx, c.caller.Access, c.caller.Limits, cost, c.at)
	switch {
	case err != nil && cost == 0:
		c.standing = c.api.known.of(c.caller)
	case errors.Is(err, limit.ErrThrottled):
		c.standing = c.api.known.of(c.caller)
		c.refused = throttled(c.standing)
	case err != nil:
		c.api.Log.Error(CountersUnreachable, "access", c.caller.Access, "error", err)
		c.standing = c.api.known.of(c.caller)
	case s.Refused != "":
		c.standing, c.refused = s, exceeded(s, c.cost+cost, c.at)
	default:
		c.standing = s
		c.cost += cost
		c.api.known.keep(c.caller, s, c.api.Inline)
	}
}

// raise brings the cost of the request up to cost (Call.Charge).
func (c *charge) raise(ctx context.Context, cost int64) error {
	if c == nil {
		return nil
	}
	if p := c.wait(ctx); p != nil {
		return p
	}
	if l := c.caller.Limits; cost > min(l.Hourly, l.Daily) {
		return problem.Refused("batch_too_expensive", fmt.Sprintf("This batch can cost %d, more than a whole limit of this access: send fewer items.", cost))
	}
	if cost <= c.cost {
		return nil
	}
	c.take(ctx, cost-c.cost)
	if c.refused == nil {
		return nil
	}
	c.refund(ctx, c.cost)
	c.refused.With("remaining", remaining(c.standing))
	return c.refused
}

// settle brings the cost of the request down to cost (Call.Settle).
func (c *charge) settle(ctx context.Context, cost int64) {
	if c != nil && cost < c.cost {
		c.refund(ctx, c.cost-cost)
	}
}

func (c *charge) refund(ctx context.Context, n int64) {
	s, err := c.api.Counters.Refund(ctx, c.caller.Access, c.caller.Limits, n, c.at)
	if err != nil {
		c.api.Log.Error("limit: refund lost", "access", c.caller.Access, "cost", n, "error", err)
		return
	}
	c.standing, c.cost = s, c.cost-n
}

func throttled(s limit.Standing) *problem.Problem {
	return &problem.Problem{Status: http.StatusTooManyRequests, Code: "rate_limited", Header: problem.RetryAfter(time.Second),
		Detail: "Too many requests in this second: slow down.", More: map[string]any{"limit": limit.Hourly, "cost": 1, "remaining": remaining(s)}}
}

func exceeded(s limit.Standing, cost int64, now time.Time) *problem.Problem {
	return &problem.Problem{Status: http.StatusTooManyRequests, Code: "rate_limited",
		Header: problem.RetryAfter(s.Refused.Reset(now).Sub(now)),
		Detail: fmt.Sprintf("The %s limit of this access is used up: try again after Retry-After.", s.Refused),
		More:   map[string]any{"limit": s.Refused, "cost": cost, "remaining": remaining(s)}}
}

func remaining(s limit.Standing) map[string]int64 {
	return map[string]int64{"hourly": s.Hourly, "daily": s.Daily}
}

// headers writes section 3's headers; without a charge (401) cost and remaining are 0.
func (c *charge) headers(h http.Header, caller *Caller, now time.Time) {
	var l limit.Limits
	var s limit.Standing
	var cost int64
	if caller != nil {
		l = caller.Limits
	}
	if c != nil {
		s, now = c.standing, c.at
		if c.refused == nil {
			cost = c.cost
		}
	}
	set := func(name string, n int64) { h[name] = []string{strconv.FormatInt(n, 10)} }
	set("X-RateLimit-Request-Cost", cost)
	set("X-RateLimit-Hourly-Remaining", s.Hourly)
	set("X-RateLimit-Daily-Remaining", s.Daily)
	set("X-RateLimit-Hourly-Limit", l.Hourly)
	set("X-RateLimit-Daily-Limit", l.Daily)
	set("X-RateLimit-Hourly-Reset", limit.Hourly.Reset(now).Unix())
	set("X-RateLimit-Daily-Reset", limit.Daily.Reset(now).Unix())
}

// maxStandings bounds what is remembered for headers while the counters cannot be reached.
const maxStandings = 10_000

// standings are the last known ones, by access. The zero value is ready.
type standings struct {
	mu sync.Mutex
	by map[string]limit.Standing
}

func (k *standings) keep(c *Caller, s limit.Standing, never bool) {
	if never {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil || len(k.by) >= maxStandings {
		k.by = map[string]limit.Standing{}
	}
	k.by[c.Access] = s
}

func (k *standings) of(c *Caller) limit.Standing {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, ok := k.by[c.Access]; ok {
		return s
	}
	return limit.Standing{Hourly: c.Limits.Hourly, Daily: c.Limits.Daily}
}
