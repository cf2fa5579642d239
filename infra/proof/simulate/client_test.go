package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/proof/model"
)

// client is who calls the platform: the API by a token, a storefront or an admin by its host and a cookie.
type client struct {
	sim    *Sim
	number int
	token  string
	pkg    string // of its access
	host   string // of a storefront or an admin; "" of the API
	cookie string
	from   string // the address that the client calls from; "" of all alike
}

// client is one more client of the simulated world, with a number of its own in the history.
func (s *Sim) client(token string) *client {
	return &client{sim: s, number: int(s.clients.Add(1)), token: token}
}

// answer is what a client was answered; Status is model.Unknown when nothing came or an error of the server.
type answer struct {
	Status int
	Header http.Header
	Body   fields
	Raw    string // of a file
}

// text is a field of the answer's body that is a text.
func (a answer) text(name string) string { s, _ := a.Body[name].(string); return s }

// list is a field that is a list of objects.
func (a answer) list(name string) (all []fields) {
	items, _ := a.Body[name].([]any)
	for _, i := range items {
		all = append(all, i.(fields))
	}
	return all
}

// version is the ETag's inside, "" without one.
func (a answer) version() string {
	tag := a.Header.Get("ETag")
	if len(tag) < 2 {
		return ""
	}
	return tag[1 : len(tag)-1]
}

// text is a body that is no JSON. A form is url.Values.
type text string

// ask sends one request. While nobody serves it waits, as a client does whose connection is refused. If the process was
// killed before it answered, the answer is lost: what it wrote may be there.
func (c *client) ask(method, path string, body any, headers ...string) answer {
	life := c.sim.serving()
	for ; life == nil; life = c.sim.serving() {
		c.sim.rest(time.Second)
	}
	begun := time.Now()
	var b []byte
	contentType := "application/json"
	switch body := body.(type) {
	case nil:
	case text:
		b = []byte(body)
	case url.Values:
		b, contentType = []byte(body.Encode()), "application/x-www-form-urlencoded"
	default:
		b = whole(c.sim.T, body)
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(b))
	if c.host != "" {
		r.Host = c.host
	} else {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.cookie != "" {
		r.Header.Set("Cookie", c.cookie)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	r.RemoteAddr = cmp.Or(c.from, r.RemoteAddr)
	w := httptest.NewRecorder()
	came := life.serve(w, r)
	c.sim.mu.Lock()
	c.sim.asked++
	c.sim.mu.Unlock()
	c.sim.saw(c.number, method, path, came, w.Code, w.Body.String())
	a := answer{Status: model.Known(w.Code), Header: http.Header{}}
	for name, values := range w.Header() { // as they come from a wire
		a.Header[http.CanonicalHeaderKey(name)] = values
	}
	if !came {
		return answer{}
	}
	if w.Code == http.StatusInternalServerError { // a store that cannot serve is a 503
		c.sim.T.Errorf("%s %s: an error that nobody foresaw: %s", method, path, w.Body)
	}
	if a.Status == model.Unknown && !c.sim.excused(begun) {
		c.sim.T.Errorf("%s %s: %d though nothing was wrong: %s", method, path, w.Code, w.Body)
	}
	is := a.Header.Get("Content-Type")
	if strings.HasPrefix(path, "/downloads/") || strings.HasPrefix(is, "image/") {
		a.Raw = w.Body.String()
		return a
	}
	if mark := c.sim.persons.shown(begun, w.Body.String()); mark != "" {
		c.sim.T.Errorf("%s %s shows %s, who is erased: %s", method, path, mark, w.Body)
	}
	if w.Body.Len() > 0 && !strings.HasPrefix(is, "text/html") && json.Unmarshal(w.Body.Bytes(), &a.Body) != nil {
		c.sim.T.Errorf("%s %s: an answer that is no JSON object: %s", method, path, w.Body)
	}
	return a
}

// insist sends a request under a key until its outcome is known.
func (c *client) insist(r *rand.Rand, method, path string, body any, headers ...string) answer {
	headers = append([]string{"Idempotency-Key", fmt.Sprint(c.number, "-", r.Uint64())}, headers...)
	var a answer
	for end := time.Now().Add(c.sim.tempo().patience); time.Now().Before(end); {
		a = c.ask(method, path, body, headers...)
		// These three say nothing of what became of the request: no answer, a limit, and an earlier try that still
		// runs.
		inProgress := a.Status == 409 && a.text("code") == "idempotency_in_progress"
		if a.Status != model.Unknown && a.Status != 429 && !inProgress {
			return a
		}
		c.sim.rest(time.Second + time.Duration(r.Int64N(int64(20*time.Second))))
	}
	c.sim.T.Errorf("nobody says what became of %s %s: %d %v", method, path, a.Status, a.Body)
	return a
}

// read asks for what there is until it is answered.
func (c *client) read(path string) answer {
	var a answer
	for end := time.Now().Add(c.sim.tempo().patience); time.Now().Before(end); {
		if a = c.ask("GET", path, nil); a.Status != model.Unknown && a.Status != 429 {
			return a
		}
		c.sim.rest(10 * time.Second)
	}
	c.sim.T.Errorf("nobody answers GET %s", path)
	return a
}

// write sends a write once, or, where all insist, until its outcome is known: under load so many outcomes would be
// unknown that no search would come to an end.
func (c *client) write(r *rand.Rand, method, path string, body any, headers ...string) answer {
	if c.sim.tempo().insists {
		return c.insist(r, method, path, body, headers...)
	}
	return c.ask(method, path, body, headers...)
}

// must sends a request until it is answered, a hundred times at most. It is for what is set up while nothing fails: any
// answer but a good one ends the test.
func (c *client) must(method, path string, body any) answer {
	for range 100 {
		a := c.ask(method, path, body)
		if a.Status != model.Unknown {
			require.Less(c.sim.T, a.Status, 300, "%s %s: %v", method, path, a.Body)
			return a
		}
		c.sim.rest(10 * time.Second)
	}
	require.FailNow(c.sim.T, "nobody answers", "%s %s", method, path)
	return answer{}
}

// told notes a change that listeners must hear of, or may, by the status of its answer, and who made it.
func (x *shop) told(by string, status int, event, id string) {
	x.sim.Told.Happened(model.Subject{Shop: x.id, Event: event, ID: id, By: by}, status != model.Unknown)
}

// mayHave notes what was perhaps a change.
func (x *shop) mayHave(by, event, id string) {
	x.sim.Told.MayHave(model.Subject{Shop: x.id, Event: event, ID: id, By: by})
}
