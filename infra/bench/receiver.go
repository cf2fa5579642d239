package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"eshop/shared/signature"
)

// receiver is the add-on: it counts webhooks and can be told to hold its answers back.
type receiver struct {
	url     string
	count   atomic.Int64
	mu      sync.Mutex
	hold    chan struct{} // closed when answers may go; nil: at once
	sent    map[string]time.Time
	arrived []time.Duration
}

func listen() (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: fmt.Sprintf("http://%s/hook", l.Addr()), sent: map[string]time.Time{}}
	go http.Serve(l, r)
	return r, nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	now := time.Now()
	body, _ := io.ReadAll(q.Body)
	if q.Header.Get("X-Webhook-Event") == "ping" {
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
		<-hold
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

func (r *receiver) published(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[id] = time.Now()
}

func (r *receiver) arrivals() (p50, p99 time.Duration, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.arrived)
	if n = len(r.arrived); n == 0 {
		return 0, 0, 0
	}
	return r.arrived[n/2], r.arrived[n*99/100], n
}

func (r *receiver) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hold = make(chan struct{})
}

func (r *receiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.hold)
	r.hold = nil
}

// reach waits until n webhooks have come, at most for the time; it says how many came.
func (r *receiver) reach(n int64, within time.Duration) int64 {
	for end := time.Now().Add(within); r.count.Load() < n && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return r.count.Load()
}

// plainLoop posts signed bodies over kept connections with c workers, as fast as it can: the limit of any sender.
func plainLoop(url string, c int, span time.Duration) result {
	key := signature.New(zeros{})
	body := []byte(`{"id":"01","event":"productChange","data":{"products":[{"id":"01J00000000000000000000000","variantIds":[]}]}}`)
	return load(c, span, 0, func(int) *http.Request {
		now := time.Now().Unix()
		r, _ := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Webhook-Timestamp", fmt.Sprint(now))
		r.Header.Set("X-Webhook-Signature", signature.Hex(key, now, body))
		return r
	})
}

// zeros is randomness enough for a key that nobody keeps.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
