package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"eshop/infra/proof/model"
	"eshop/shared/base/egress/egresstest"
)

// mode is how a receiver that is sick answers.
type mode string

// The modes.
const (
	failing    mode = "500"
	hanging    mode = "hangs"
	resetting  mode = "resets"
	gone       mode = "410"
	busy       mode = "429"
	slow       mode = "slow"
	dripping   mode = "drips"
	forgetting mode = "answers and forgets" // it takes the call, and its answer is lost
)

// modes are all ways in which a receiver can be bad.
var modes = []mode{failing, hanging, resetting, gone, busy, slow, dripping, forgetting}

// dated is of when a webhook is, and which records of which shop it tells of.
type dated struct {
	shop, created, kind string
	ids                 []string
}

// receiver is an add-on's, whose calls the model knows.
type receiver struct {
	sim     *Sim
	address string
	flaky   bool
}

// way is how long a call takes to its receiver, and as long its answer back: some 2,000 km.
const way = 20 * time.Millisecond

// Serve implements egresstest.Server.
func (r *receiver) Serve(c net.Conn) {
	defer c.Close()
	calls := bufio.NewReader(c)
	for {
		call, err := http.ReadRequest(calls)
		if err != nil {
			return
		}
		if r.mode(call.Header) == resetting {
			return // with a part of the call unread
		}
		body, err := io.ReadAll(call.Body)
		if err != nil {
			return
		}
		r.sim.rest(way)
		if !r.answer(c, calls, call.Header, body) {
			return
		}
	}
}

// answer answers one call, and says whether the connection goes on.
func (r *receiver) answer(c net.Conn, calls io.Reader, header http.Header, body []byte) (goesOn bool) {
	status, more := 200, ""
	// It stays zero unless the platform can have received a 200.
	var answered time.Time
	defer func() { r.hears(header, body, answered) }()
	switch r.mode(header) {
	case failing:
		status = 500
	case gone:
		status = 410
	case busy:
		status, more = 429, "Retry-After: 90\r\n"
	case slow:
		time.Sleep(4 * time.Second)
	case hanging:
		_, _ = io.ReadFull(calls, make([]byte, 1)) // until the caller has had enough
		return false
	case dripping:
		for range 20 {
			if _, err := c.Write([]byte("H")); err != nil {
				return false
			}
			time.Sleep(time.Second)
		}
		return false
	case forgetting:
		return false
	}
	_, err := fmt.Fprintf(c, "HTTP/1.1 %d x\r\n%sContent-Length: %d\r\n\r\n%s", status, more, len(body), body)
	if err == nil && status == 200 {
		answered = time.Now()
	}
	return err == nil
}

// mode is how the receiver answers this call.
func (r *receiver) mode(call http.Header) (is mode) {
	for _, f := range r.sim.faults().during(time.Now(), sick) {
		// Pings are always answered, so that a person can enable the receiver again.
		if r.flaky && call.Get("X-Webhook-Event") != "ping" {
			is = f.Mode
		}
	}
	return is
}

// hears notes what a call tells.
func (r *receiver) hears(header http.Header, body []byte, answered time.Time) {
	var call struct {
		ID, Event, ShopID, CreatedAt, By string
		Data                             struct {
			CustomerIDs []string
			OrderIDs    []string
			Products    []struct{ ID string }
		}
	}
	if err := json.Unmarshal(body, &call); err != nil {
		r.sim.T.Errorf("a body that is no JSON: %s", body)
	}
	if mark := r.sim.persons.shown(time.Now(), string(body)); mark != "" {
		r.sim.T.Errorf("a webhook shows %s, who is erased: %s", mark, body)
	}
	if by := header.Get("X-Webhook-By"); by != call.By {
		r.sim.T.Errorf("a webhook is by %s, and says %s in its header", call.By, by)
	}
	ids, kind := call.Data.CustomerIDs, "customers"
	if len(call.Data.OrderIDs) > 0 {
		ids, kind = call.Data.OrderIDs, "orders"
	}
	for _, p := range call.Data.Products {
		ids, kind = append(ids, p.ID), "products"
	}
	if len(ids) > 0 && call.Event != "customerErase" { // of which the feed knows nothing
		r.sim.mu.Lock()
		r.sim.dated[call.ID] = dated{call.ShopID, call.CreatedAt, kind, ids}
		r.sim.mu.Unlock()
	}
	var subjects []model.Subject
	for _, id := range ids {
		subjects = append(subjects, model.Subject{Shop: call.ShopID, Event: call.Event, ID: id, By: call.By})
	}
	r.sim.saw(r.address, call.ID, ids, answered.IsZero())
	r.sim.Told.Heard(r.address, call.ID, answered, subjects...)
}

// far is a receiver so far away that answers like this, once it was proven.
func far(way time.Duration, answer func(header http.Header, body []byte) int) *egresstest.Receiver {
	return &egresstest.Receiver{Way: way, Answer: func(header http.Header, body []byte) int {
		if header.Get("X-Webhook-Event") == "ping" {
			return 200
		}
		return answer(header, body)
	}}
}
