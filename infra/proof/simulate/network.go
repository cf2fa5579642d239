package simulate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"eshop/infra/proof/model"
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

// network is the receivers, and what is between them and the platform.
type network struct {
	sim *Sim
	mu  sync.Mutex
	at  map[string]*receiver

	dated map[string]dated // what webhooks said of customers, by their ids
}

// dated is of when a webhook is, and which customers of which shop it tells of.
type dated struct {
	shop, created string
	customers     []string
}

// receiver is an add-on's.
type receiver struct {
	address string
	flaky   bool
}

// simulated has a receiver listen in the simulated network, where it likes.
func (n *network) simulated(r *receiver) (address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at[r.address] = r
	return r.address
}

// dial is a connection to a receiver.
func (n *network) dial(address string) (net.Conn, error) {
	n.mu.Lock()
	r := n.at[address]
	n.mu.Unlock()
	if r == nil || len(n.sim.faults().during(time.Now(), away)) > 0 {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	// A pipe has no buffer: what is written waits for its reader, as on a very short line.
	here, there := net.Pipe()
	go n.serve(r, there)
	return here, nil
}

// way is how long a call takes to its receiver, and its answer back.
const way = 20 * time.Millisecond

// serve answers the calls of one connection.
func (n *network) serve(r *receiver, c net.Conn) {
	defer c.Close()
	calls := bufio.NewReader(c)
	for {
		call, err := http.ReadRequest(calls)
		if err != nil {
			return
		}
		if n.mode(r, call.Header) == resetting {
			return // with a part of the call unread
		}
		body, err := io.ReadAll(call.Body)
		if err != nil {
			return
		}
		n.sim.rest(way)
		if !n.answer(r, c, calls, call.Header, body) {
			return
		}
	}
}

// answer answers one call, and says whether the connection goes on.
func (n *network) answer(r *receiver, c net.Conn, calls io.Reader, header http.Header, body []byte) (goesOn bool) {
	status, more := 200, ""
	// It stays zero unless the platform can have received a 200.
	var answered time.Time
	defer func() { n.hears(r, body, answered) }()
	switch n.mode(r, header) {
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

// mode is how a receiver answers this call.
func (n *network) mode(r *receiver, call http.Header) (is mode) {
	for _, f := range n.sim.faults().during(time.Now(), sick) {
		// Pings are always answered, so that a person can enable the receiver again.
		if r.flaky && call.Get("X-Webhook-Event") != "ping" {
			is = f.Mode
		}
	}
	return is
}

// hears notes what a call tells.
func (n *network) hears(r *receiver, body []byte, answered time.Time) {
	var call struct {
		ID, Event, ShopID, CreatedAt string
		Data                         struct {
			CustomerIDs []string
			OrderIDs    []string
			Products    []struct{ ID string }
		}
	}
	if err := json.Unmarshal(body, &call); err != nil {
		n.sim.T.Errorf("a body that is no JSON: %s", body)
	}
	ids := append(call.Data.CustomerIDs, call.Data.OrderIDs...)
	for _, p := range call.Data.Products {
		ids = append(ids, p.ID)
	}
	if len(call.Data.CustomerIDs) > 0 {
		n.mu.Lock()
		n.dated[call.ID] = dated{call.ShopID, call.CreatedAt, call.Data.CustomerIDs}
		n.mu.Unlock()
	}
	var subjects []model.Subject
	for _, id := range ids {
		subjects = append(subjects, model.Subject{Shop: call.ShopID, Event: call.Event, ID: id})
	}
	n.sim.saw(r.address, call.ID, ids, answered.IsZero())
	n.sim.Told.Heard(r.address, call.ID, answered, subjects...)
}
