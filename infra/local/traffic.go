package local

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"eshop/functions/imports"
)

// traffic are the requests that are being answered: what can wait lets them go first. Uploads are none of them, for they take
// as long as their senders do, nor is whoever asks how far an import has come.
type traffic struct {
	under atomic.Int64
	last  atomic.Int64 // when one began or ended, unix nanoseconds
}

// through counts the requests to h.
func (t *traffic) through(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, uploads+"/") || strings.HasPrefix(r.URL.Path, imports.Path) {
			h.ServeHTTP(w, r)
			return
		}
		t.count(1)
		defer t.count(-1)
		h.ServeHTTP(w, r)
	})
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
