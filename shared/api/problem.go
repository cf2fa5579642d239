package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Problem is what an error is to the caller: itself when it is a problem, 503 when the platform cannot serve now, else
// 500. Anything but a problem is logged, and nothing of it is shown.
func (c *Call) Problem(err error) *problem.Problem {
	switch p, is := problem.As(err); {
	case errors.Is(err, ErrHungUp):
		return hungUp()
	case is:
		return p
	case errors.Is(err, change.ErrUnauthenticated): // since it was let in
		return unauthenticated(c)
	case errors.Is(err, errKeyLost):
		return inProgress()
	case errors.Is(err, store.ErrUnavailable),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		if c.HungUp() {
			return hungUp()
		}
		c.api.Log.ErrorContext(c, "unavailable", "requestId", c.RequestID, "error", err)
		return problem.Unavailable(time.Second)
	}
	c.api.Log.ErrorContext(c, "unexpected error", "requestId", c.RequestID, "error", err)
	return problem.Internal()
}

// statusHungUp is the status of a request whose caller has hung up: nobody reads it but who reads the log, and it is no
// fault of the platform's.
const statusHungUp = 499

// ErrHungUp is why a request ends whose caller was gone before it had sent all.
var ErrHungUp = errors.New("api: the caller has hung up")

// hungUp is the answer to a caller who has hung up.
func hungUp() *problem.Problem {
	p := problem.Unavailable(time.Second)
	p.Status = statusHungUp
	return p
}

// HungUp says whether the caller has hung up. A cancel that comes of the platform's own stop has a cause of its own.
func (c *Call) HungUp() bool {
	return errors.Is(c.Err(), context.Canceled) && errors.Is(context.Cause(c), context.Canceled)
}

// problem makes the answer that problem, whatever it was.
func (res *response) problem(c *Call, p *problem.Problem) {
	clear(res.header)
	for name, v := range p.Header {
		res.header[name] = v
	}
	res.header["Content-Type"] = []string{"application/problem+json"}
	res.status = p.Status
	res.body.Reset()
	body := map[string]any{"type": c.api.BaseURL + "/docs/errors#" + p.Code, "title": http.StatusText(p.Status),
		"status": p.Status, "detail": p.Detail, "instance": c.instance(),
		"code": p.Code, "requestId": c.RequestID}
	if len(p.Errors) > 0 {
		body["errors"] = c.reported(p.Errors)
	}
	for name, v := range p.More {
		body[name] = v
	}
	if err := writeJSON(&res.body, body); err != nil {
		c.api.Log.Error("a problem that cannot be written", "requestId", c.RequestID, "error", err)
	}
}

// maxValue is how many bytes of JSON an answer repeats of what was sent at the place of a fault; longer ones it leaves
// out.
const maxValue = 200

// reported are faults as an answer reports them.
func (c *Call) reported(faults []problem.Fault) []problem.Fault {
	all := make([]problem.Fault, min(len(faults), problem.MaxFaults))
	for i := range all {
		f := faults[i]
		if len(f.Location) <= problem.MaxLocation { // a longer one takes long to find
			if v, was := c.sentAt(f.Location); was {
				f.Value = short(v)
			}
		}
		f.Location = cut(f.Location, problem.MaxLocation)
		all[i] = f
	}
	return all
}

// sentAt is what the request has at the location of a fault; false when there is nothing.
func (c *Call) sentAt(location string) (v any, was bool) {
	root, _, _ := strings.Cut(location, ".")
	name := strings.TrimPrefix(location, root+".")
	switch {
	case root == "header":
		v := c.r.Header.Get(name)
		return v, v != ""
	case root != "query":
		return within(c.sent, strings.TrimPrefix(location, "body"))
	case len(c.r.URL.RawQuery) > maxQuery:
		return nil, false
	}
	q, _ := url.ParseQuery(c.r.URL.RawQuery)
	if values := q[name]; len(values) > 1 {
		return values, true
	}
	return q.Get(name), q.Has(name)
}

// within is what v holds at a path: ".items[3].quantity". A name may have points and brackets itself, so of the names
// that the path begins with the longest that leads there is meant.
func within(value any, path string) (any, bool) {
	switch x := value.(type) {
	case []any:
		i, rest, is := strings.Cut(strings.TrimPrefix(path, "["), "]")
		if n, err := strconv.ParseUint(i, 10, 31); is && err == nil && int(n) < len(x) {
			return within(x[n], rest)
		}
	case map[string]any:
		for end := len(path); end > 1; end = strings.LastIndexAny(path[:end], ".[") {
			if inner, has := x[path[1:end]]; has {
				if found, is := within(inner, path[end:]); is {
					return found, true
				}
			}
		}
	}
	return value, path == ""
}

// short is the JSON of what was sent; nil when it is longer than an answer repeats.
func short(v any) any {
	var b bytes.Buffer
	if room(v, maxValue) < 0 || writeJSON(&b, v) != nil {
		return nil
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(text) > maxValue {
		return nil
	}
	return json.RawMessage(text)
}

// room is how many of so many bytes the JSON of v leaves, or more; less than 0 when v does not fit. It looks at no more
// of v than fits.
func room(v any, bytes int) int {
	switch x := v.(type) {
	case omitted, File:
		return -1
	case string:
		return bytes - len(x) - len(`""`)
	case json.Number:
		return bytes - len(x)
	case []any:
		for _, inner := range x {
			if bytes = room(inner, bytes) - len(","); bytes < 0 {
				break
			}
		}
		return bytes - len("]") // the first has no comma, and the last no bracket
	case map[string]any:
		for name, inner := range x {
			if bytes = room(inner, bytes-len(name)-len(`"":`)) - len(","); bytes < 0 {
				break
			}
		}
		return bytes - len("}")
	}
	return bytes
}
