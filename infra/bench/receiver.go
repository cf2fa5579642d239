package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is an add-on's endpoint for webhooks: it counts them, and can be told to keep its answers back (hang) or to
// be gone (die).
type receiver struct {
	url     string
	server  *http.Server
	count   atomic.Int64
	opened  atomic.Int64 // connections
	mu      sync.Mutex
	hold    chan struct{} // closed when answers may go; nil: at once
	sent    map[string]time.Time
	arrived []time.Duration
}

// listen starts a receiver of webhooks on this machine, which counts the connections that are opened to it.
func listen() (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: fmt.Sprintf("http://%s/hook", listener.Addr()), sent: map[string]time.Time{}}
	r.server = &http.Server{Handler: r, ConnState: func(_ net.Conn, now http.ConnState) {
		if now == http.StateNew {
			r.opened.Add(1)
		}
	}}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// die refuses connections from now on.
func (r *receiver) die() { _ = r.server.Close() }

// ServeHTTP answers pings, and notes how long after its change each webhook came. While it hangs, it answers nothing.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	now := time.Now()
	body, _ := io.ReadAll(request.Body)
	// A new receiver is enabled once it repeats the body of a ping (contract, "Receivers").
	if request.Header.Get("X-Webhook-Event") == "ping" {
		w.Write(body)
		return
	}
	r.mu.Lock()
	hold := r.hold
	if len(r.sent) > 0 {
		r.note(body, now)
	}
	r.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-request.Context().Done(): // the sender has given up
		}
	}
	r.count.Add(1)
	w.WriteHeader(http.StatusNoContent)
}

// note writes down how long the change of a product took to arrive.
func (r *receiver) note(body []byte, now time.Time) {
	var x struct {
		Data struct{ Products []struct{ ID string } }
	}
	if json.Unmarshal(body, &x) != nil {
		return
	}
	for _, p := range x.Data.Products {
		if at, ok := r.sent[p.ID]; ok {
			r.arrived = append(r.arrived, now.Sub(at))
			delete(r.sent, p.ID)
		}
	}
}

// published notes that a change of the record is being made now. Its arrival is measured from this moment.
func (r *receiver) published(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[id] = time.Now()
}

// arrivals are how long changes took to arrive since the last call, and how many have not come.
func (r *receiver) arrivals() (arrived []time.Duration, missing int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	arrived, missing = r.arrived, len(r.sent)
	r.arrived, r.sent = nil, map[string]time.Time{}
	return arrived, missing
}

// awaited is how many changes have not come.
func (r *receiver) awaited() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sent)
}

// hang keeps all answers back until release.
func (r *receiver) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hold = make(chan struct{})
}

// release lets the answers go.
func (r *receiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.hold)
	r.hold = nil
}

// reach waits until n webhooks have come in all, at most for the time; it says how many came.
func reach(n int64, within time.Duration, ins []*receiver) (came int64) {
	for end := time.Now().Add(within); ; time.Sleep(time.Millisecond) {
		came = 0
		for _, in := range ins {
			came += in.count.Load()
		}
		if came >= n || time.Now().After(end) {
			return came
		}
	}
}
