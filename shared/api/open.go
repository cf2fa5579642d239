package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"eshop/shared/limit"
	"eshop/shared/problem"
)

// address is where the request comes from, without a port.
func (c *Call) address() string {
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		return c.r.RemoteAddr
	}
	return host
}

// unhurried refuses a request without a token when its address has made as many in this second as the operation takes.
func (a *API) unhurried(ctx context.Context, c *Call) *problem.Problem {
	if c.op.Rate == 0 || a.passes(ctx, c.op.Route+"@"+c.address(), c.op.Rate, c.Started) {
		return nil
	}
	return &problem.Problem{Status: http.StatusTooManyRequests, Code: "rate_limited", Header: problem.RetryAfter(time.Second),
		Detail: fmt.Sprintf("Your address made more than %d of these requests in this second: slow down.", c.op.Rate),
		More:   map[string]any{"limit": "second", "cost": 1, "remaining": remaining(limit.Standing{})}}
}

// passes counts one in this second: here where there is one process, else where all see it, in a counter that lives for
// this second. A counter that cannot be reached lets pass.
func (a *API) passes(ctx context.Context, who string, most int64, now time.Time) bool {
	if a.Inline {
		return a.rush.count(who, now.Unix()) <= most
	}
	s, err := a.Counters.Charge(ctx, who+"@"+strconv.FormatInt(now.Unix(), 10), limit.Limits{Hourly: most, Daily: most}, 1, now)
	if err != nil {
		a.Log.ErrorContext(ctx, CountersUnreachable, "address", who, "error", err)
		return !errors.Is(err, limit.ErrThrottled)
	}
	return s.Refused == ""
}

// rush counts in the second that it is. The zero value is ready.
type rush struct {
	mu     sync.Mutex
	second int64
	by     map[string]int64
}

func (r *rush) count(who string, second int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if second != r.second || r.by == nil {
		r.second, r.by = second, map[string]int64{}
	}
	r.by[who]++
	return r.by[who]
}
