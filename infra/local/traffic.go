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

// traffic are the requests that are being answered: what can wait lets them go first. Uploads are none of them, for
// they take as long as their senders do, nor is whoever asks how far an import has come.
type traffic struct {
	under atomic.Int64
	last  atomic.Int64 // when one began or ended, unix nanoseconds
}

// through counts the requests to h.
func (t *traffic) through(h http.Handler) http.Handler {
	none := aside()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.ContainsFunc(none, func(path string) bool { return strings.HasPrefix(r.URL.Path, path) }) {
			h.ServeHTTP(w, r)
			return
		}
		c := &counted{ResponseWriter: w, ReadCloser: r.Body, traffic: t}
		defer c.over()
		if r.Body == nil || r.Body == http.NoBody {
			c.whole()
		} else {
			whole := *r
			whole.Body = c
			r = &whole
		}
		h.ServeHTTP(c, r)
	})
}

// aside are how the paths begin of requests that are no traffic.
func aside() []string {
	paths := []string{uploads + "/"}
	for _, f := range functions.List {
		if f.Progress {
			paths = append(paths, f.Routes()...)
		}
	}
	return paths
}

// counted is a request that is traffic from when the whole of it has come until its answer begins to go out. Who holds
// back a body, or does not take an answer, holds up nothing else; nor does a request that is refused before its body is
// read.
type counted struct {
	http.ResponseWriter
	io.ReadCloser // the body
	traffic       *traffic
	begun, ended  bool
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if err == io.EOF {
		c.whole()
	}
	return n, err
}

func (c *counted) WriteHeader(status int) {
	c.over()
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(b []byte) (int, error) {
	c.over()
	return c.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *counted) whole() {
	if !c.begun {
		c.begun = true
		c.traffic.count(1)
	}
}

func (c *counted) over() {
	if c.begun && !c.ended {
		c.traffic.count(-1)
	}
	c.begun, c.ended = true, true
}

func (t *traffic) count(n int64) {
	t.under.Add(n)
	t.last.Store(time.Now().UnixNano())
}

const (
	waits = 20 * time.Millisecond  // the longest that what can wait does: under a load without end it still gets on
	looks = 500 * time.Microsecond // how often it looks
	least = 3 * time.Millisecond   // how long it waits where there is traffic: the processors look for requests when they are idle
	quiet = time.Second            // how long after a request there is traffic
)

// calm waits for a moment without requests, and says whether there is traffic.
func (t *traffic) calm(ctx context.Context) (traffic bool) {
	if time.Now().UnixNano()-t.last.Load() > quiet.Nanoseconds() && t.under.Load() == 0 {
		return false
	}
	time.Sleep(least)
	for left := waits - least; left > 0 && t.under.Load() > 0 && ctx.Err() == nil; left -= looks {
		time.Sleep(looks)
	}
	return true
}
