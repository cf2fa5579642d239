package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// client keeps its connections and asks for no compression: what is measured is the platform.
var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
	MaxIdleConnsPerHost: 256, MaxConnsPerHost: 0, DisableCompression: true, IdleConnTimeout: time.Minute}}

// call is one request of a load; n counts up over the whole load.
type call func(n int) *http.Request

// result of a load. The plain loop's comes from its process as JSON.
type result struct {
	Requests int
	Took     time.Duration
	P50, P99 time.Duration
	Failed   int
	First    string // the first answer that was not a 2xx
}

func (r result) perSecond() float64 { return float64(r.Requests) / r.Took.Seconds() }

// load makes calls with c workers until span is over, or until limit calls were made (0: no limit). Each worker begins
// the next call when its last one is done. A call that fails is counted and its time is, too.
func load(c int, span time.Duration, limit int, next call) result {
	var begun atomic.Int64
	times := make([][]time.Duration, c)
	var failed atomic.Int64
	var first atomic.Value
	var wg sync.WaitGroup
	start := time.Now()
	for worker := range c {
		wg.Go(func() {
			for time.Since(start) < span {
				i := int(begun.Add(1)) - 1
				if limit > 0 && i >= limit {
					return
				}
				t := time.Now()
				if err := send(next(i)); err != nil {
					failed.Add(1)
					first.CompareAndSwap(nil, err.Error())
				}
				times[worker] = append(times[worker], time.Since(t))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(times...)
	r := result{Requests: len(all), Took: time.Since(start), Failed: int(failed.Load())}
	r.First, _ = first.Load().(string)
	r.P50, r.P99 = percentiles(all)
	return r
}

// send makes the request and reads its answer to the end.
func send(r *http.Request) error { return decode(r, nil) }

// decode makes the request and reads its answer's JSON into into, unless that is nil. The answer is read to its end, so
// that the connection can be used again. A status of 300 or more is an error.
func decode(r *http.Request, into any) error {
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		b, _ := io.ReadAll(io.LimitReader(answer.Body, 300))
		return fmt.Errorf("%s %s: %d %s", r.Method, r.URL.Path, answer.StatusCode, b)
	}
	if into != nil {
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// request is an API request with a token.
func request(method, url, token string, body []byte) *http.Request {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		panic(err) // addresses are the platform's own
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// hello is the limit of any HTTP server in Go on this machine.
func hello(addr string) error {
	return http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"hello":"world"}`)
	}))
}
