package local

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"eshop/functions"
)

// traffic is the requests that are being answered. Work that can wait lets them go first. Two kinds do not count:
// uploads, which take as long as their senders do, and requests that ask how far such work has come.
type traffic struct {
	underWay atomic.Int64
	last     atomic.Int64 // when one began or ended, unix nanoseconds
}

// counting is h with its requests counted.
func (t *traffic) counting(h http.Handler) http.Handler {
	uncounted := uncountedPaths()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.ContainsFunc(uncounted, func(path string) bool { return strings.HasPrefix(r.URL.Path, path) }) {
			h.ServeHTTP(w, r)
			return
		}
		// A request without a body counts at once, one with a body from its end.
		counted := &counted{ResponseWriter: w, ReadCloser: r.Body, traffic: t}
		defer counted.end()
		if r.Body == nil || r.Body == http.NoBody {
			counted.begin()
		} else {
			withBody := *r
			withBody.Body = counted
			r = &withBody
		}
		h.ServeHTTP(counted, r)
	})
}

// uncountedPaths are how the paths of requests begin that are no traffic.
func uncountedPaths() []string {
	paths := []string{uploads + "/"}
	for _, f := range functions.List {
		if f.Progress {
			paths = append(paths, f.Routes()...)
		}
	}
	return paths
}

// counted is a request that counts from when all of it has come until its answer begins to go out. So work waits
// neither for a client that holds back a body or does not take its answer, nor for a request that is refused before its
// body is read.
type counted struct {
	http.ResponseWriter
	io.ReadCloser // the body
	traffic       *traffic
	begun, ended  bool
}

// Read begins to count at the body's end.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if err == io.EOF {
		c.begin()
	}
	return n, err
}

// WriteHeader ends the count.
func (c *counted) WriteHeader(status int) {
	c.end()
	c.ResponseWriter.WriteHeader(status)
}

// Write ends the count.
func (c *counted) Write(b []byte) (int, error) {
	c.end()
	return c.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// begin counts the request, once.
func (c *counted) begin() {
	if !c.begun {
		c.begun = true
		c.traffic.count(1)
	}
}

// end takes the request out of the count, for good: a body whose end comes later does not count any more.
func (c *counted) end() {
	if c.begun && !c.ended {
		c.traffic.count(-1)
	}
	c.begun, c.ended = true, true
}

// count adds to the requests under way, and notes the time.
func (t *traffic) count(n int64) {
	t.underWay.Add(n)
	t.last.Store(time.Now().UnixNano())
}

// How long work lets requests go first.
const (
	maxWait    = 20 * time.Millisecond  // the longest that work waits: under a load without end it still gets on
	lookEvery  = 500 * time.Microsecond // how often waiting work looks whether requests are under way
	minWait    = 3 * time.Millisecond   // how long work waits where there is traffic, so that it leaves processors idle
	quietAfter = time.Second            // how long after the last request there is no traffic any more
)

// calm waits for a moment without requests, at least minWait and at most maxWait, and says whether there is traffic.
// Without traffic it does not wait.
func (t *traffic) calm(ctx context.Context) (traffic bool) {
	if time.Now().UnixNano()-t.last.Load() > quietAfter.Nanoseconds() && t.underWay.Load() == 0 {
		return false
	}
	time.Sleep(minWait)
	for left := maxWait - minWait; left > 0 && t.underWay.Load() > 0 && ctx.Err() == nil; left -= lookEvery {
		time.Sleep(lookEvery)
	}
	return true
}
