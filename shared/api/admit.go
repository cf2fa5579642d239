package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
	"eshop/shared/record/change"
)

// admit finds out who asks, as the operation's audience says, and begins to charge them.
func (a *API) admit(c *Call) error {
	switch c.op.audience {
	case forPeople:
		return c.op.People.Enter(c)
	case forAccesses:
		return a.admitAccess(c)
	case forOperator:
		return a.admitOperator(c)
	case forDeveloper:
		return a.admitDeveloper(c)
	default:
		return admitAddress(c)
	}
}

// admitAccess lets an access of an active package in. The charge may still be under way when it returns. A package that
// is not active is 403 on every request, and is charged nothing.
func (a *API) admitAccess(c *Call) error {
	if err := a.identify(c, a.Authenticate); err != nil {
		return err
	}
	caller := c.Caller
	// A charge of 0 only reads how the limits stand: the headers of this 403 say so, too.
	if !caller.Active {
		c.charge = a.begin(c, caller, c.Started, 0)
		if p := c.charge.wait(c); p != nil {
			return p
		}
		return problem.Forbidden("package_inactive", "The package of this access is not active on the shop.")
	}
	c.charge = a.begin(c, caller, c.Started, 1)
	// Only a charge that has answered already refuses here. Any other is waited for before the first write, or at the
	// end.
	if c.charge.answered() && c.charge.refused != nil {
		return c.charge.refused
	}
	return nil
}

// identify sets the call's caller to the one of its token, by what looks tokens of the kind up.
func (a *API) identify(c *Call, callerOf func(context.Context, string) (*change.Caller, error)) error {
	token, ok := Bearer(c.r)
	if !ok {
		return unauthenticated(c)
	}
	caller, err := callerOf(c, token)
	switch {
	case errors.Is(err, change.ErrUnauthenticated):
		return unauthenticated(c)
	case err != nil && c.HungUp():
		return hungUp()
	case err != nil:
		a.Log.ErrorContext(c, "authentication unavailable", "requestId", c.RequestID, "error", err)
		return problem.Unavailable(time.Second)
	}
	c.Caller = caller
	return nil
}

// admitOperator lets the operator in.
func (a *API) admitOperator(c *Call) error {
	err := a.identify(c, a.Operators)
	if err == nil {
		c.By = events.Operator(c.Operator)
	}
	return err
}

// developerRate is how many requests a developer may make in a second: enough for a program that sets up and tears down
// what it tests with.
const developerRate = 100

// admitDeveloper lets a developer in who has made fewer requests in this second than developerRate.
func (a *API) admitDeveloper(c *Call) error {
	if err := a.identify(c, a.Developers); err != nil {
		return err
	}
	c.By = events.Developer
	return c.perSecond(c.owner(), developerRate, "You made more than %d requests in this second: slow down.")
}

// Bearer is the token of the request's one Authorization header. Its scheme may be in any case (RFC 9110, section
// 11.1). Two such headers, another scheme, or nothing behind it are no token.
func Bearer(r *http.Request) (token string, ok bool) {
	h := r.Header["Authorization"]
	if len(h) != 1 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(h[0], " ")
	token = strings.TrimSpace(rest)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// doors are what the tokens of each audience are called.
var doors = [...]string{forAnyone: "", forAccesses: "an access's", forOperator: "the operator's",
	forDeveloper: "a developer's"}

// beginnings are what the texts of tokens begin with, by whose they are.
var beginnings = map[string]audience{"esk_live_": forAccesses, "esk_test_": forAccesses, "esk_dev_": forDeveloper,
	"eop_": forOperator}

// unauthenticated is the 401 of a request without a good token. Its challenge tells a missing token from a bad one
// (contract, "Authentication"), and its words one of another door, by what it begins with alone: whether there is such
// a token they do not say.
func unauthenticated(c *Call) *problem.Problem {
	challenge, detail := "Bearer", "Send a valid token as Authorization: Bearer <token>."
	if c.r.Header.Get("Authorization") != "" {
		challenge = `Bearer error="invalid_token"`
	}
	token, _ := Bearer(c.r)
	for begins, of := range beginnings {
		if strings.HasPrefix(token, begins) && of != c.op.audience {
			detail = fmt.Sprintf("This is %s token; this door takes %s.", doors[of], doors[c.op.audience])
		}
	}
	return &problem.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated",
		Header: http.Header{"Www-Authenticate": {challenge}}, Detail: detail}
}

// permitted refuses a caller who lacks a permission that the request needs.
func (c *Call) permitted() error {
	missing := c.op.Needs
	if c.Has(missing) {
		missing = ""
		// What a request needs may depend on its query, such as the types of the change feed.
		if c.op.Asks != nil {
			missing = c.op.Asks(c.Caller, c.r.URL.Query())
		}
	}
	if missing != "" {
		return problem.Lacking(string(missing))
	}
	return nil
}

// admitAddress refuses a request without a token when its address has made as many in this second as the operation
// takes.
func admitAddress(c *Call) error {
	if c.op.Rate == 0 {
		return nil
	}
	return c.perSecond(c.op.Route+"@"+c.Address(), c.op.Rate,
		"Your address made more than %d of these requests in this second: slow down.")
}

// PerSecond counts something that this request does, in this second. It is the problem rate_limited once that was done
// as often as it may be. what names it, and whoever it is counted of.
func (c *Call) PerSecond(what string, most int64) error {
	return c.perSecond(what, most, "This was done more than %d times in this second: slow down.")
}

// perSecond is PerSecond with the words of the problem, in which %d stands for most.
func (c *Call) perSecond(what string, most int64, words string) error {
	if passes, err := c.api.passes(c, &c.api.seconds, what, most, c.Started); passes || err != nil {
		return err
	}
	return rateLimited(time.Second, fmt.Sprintf(words, most))
}

// PerMinute is PerSecond in this minute of the clock.
func (c *Call) PerMinute(what string, most int64) error {
	minute := c.Started.Truncate(time.Minute)
	if passes, err := c.api.passes(c, &c.api.minutes, what, most, minute); passes || err != nil {
		return err
	}
	return rateLimited(minute.Add(time.Minute).Sub(c.Started),
		fmt.Sprintf("This was done more than %d times in this minute: slow down.", most))
}

// passes counts one request in the window that begins now: in memory if there is one process, else in a counter that
// all processes see. If the counter cannot be reached the request passes; a throttled counter lets none pass; a counter
// that this process may not write is an error.
func (a *API) passes(ctx context.Context, in *perWindow, who string, most int64, now time.Time) (bool, error) {
	if a.Alone {
		return in.count(who, now.Unix()) <= most, nil
	}
	// The moment is a part of the name, so each window begins a new counter. It lives a minute longer than any window,
	// so that the table forgets it.
	window := who + "@" + strconv.FormatInt(now.Unix(), 10)
	s, err := a.Counters.Charge(ctx, window, limit.Limits{Hourly: most, Daily: most, Life: 2 * time.Minute}, 1, now)
	if errors.Is(err, limit.ErrForbidden) {
		return false, err
	}
	if err != nil {
		a.uncounted(ctx, "address", who, err)
		return !errors.Is(err, limit.ErrThrottled), nil
	}
	return s.Refused == "", nil
}

// perWindow counts the requests of each caller, an address or a developer, in one second or minute: the newest that it
// was asked about. A request that began in an earlier one and is counted late counts in the newest one. The zero value
// is ready.
type perWindow struct {
	mu    sync.Mutex
	begun int64
	by    map[string]int64
}

// count counts one more by this caller in the window that has begun at this second, and returns how many there were. It
// remembers the newest window only.
func (r *perWindow) count(who string, begun int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begun > r.begun || r.by == nil {
		r.begun, r.by = begun, map[string]int64{}
	}
	r.by[who]++
	return r.by[who]
}

// Address is where the request comes from, without a port: the connection, on AWS as API Gateway tells it.
func (c *Call) Address() string { return AddressOf(c.r) }

// AddressOf is Call.Address of a request that is no call.
func AddressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
