package api

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"sync"
)

// Room bounds how much of something all requests under way hold together, such as bytes of their bodies, and how much
// of that one holder has: so nobody fills the room of all others.
type Room struct {
	most, each int64

	mu   sync.Mutex
	held int64
	by   map[string]int64 // of each holder of more than nothing
}

// NewRoom is room for most in all, and for each of one holder.
func NewRoom(most, each int64) *Room { return &Room{most: most, each: each, by: map[string]int64{}} }

// Take counts so much more of a holder, unless there is no room for it.
func (r *Room) Take(who string, n int64) bool {
	if n == 0 {
		return true // or a holder of nothing would stay in the map
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held+n > r.most || r.by[who]+n > r.each {
		return false
	}
	r.held, r.by[who] = r.held+n, r.by[who]+n
	return true
}

// Give gives back what was taken for a holder.
func (r *Room) Give(who string, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.by[who] = r.held-n, r.by[who]-n
	if r.by[who] == 0 {
		delete(r.by, who)
	}
}

// countedBody is the body of a request in a process that bounds what all bodies under way hold together. The zero value
// is none.
type countedBody struct {
	io.ReadCloser
	all  *Room
	who  string
	held int64
	full bool // a piece had no room
}

// holder is whose room the request takes: the caller's, else of who is signed in, else of the address.
func (c *Call) holder() string {
	who := cmp.Or(c.Access, c.Developer, c.Operator)
	if who == "" && c.op != nil && c.op.People != nil && c.op.People.SignedIn {
		who = c.Owner
	}
	return cmp.Or(who, c.Address())
}

// countBody counts the body from here on, if the process has a bound: each byte that was read, until the answer is
// made. A form that was read already, for the method that it means, counts once.
func (c *Call) countBody() {
	if c.api.Bodies == nil || c.r.Body == nil || c.body.all != nil {
		return
	}
	c.body.ReadCloser, c.body.all, c.body.who = c.r.Body, c.api.Bodies, c.holder()
	c.r.Body = &c.body // of the call's own request, which is a copy
}

// largeAnswer is from how many bytes on an answer counts while it is sent.
const largeAnswer = 64 << 10

// countAnswer counts a large answer to a read until it was sent, which takes as long as its client wants, if the
// process has a bound. It is not ok if there is no room. What was written is answered in any case.
func (c *Call) countAnswer(res *response) (sent func(), ok bool) {
	n := int64(res.body.Len())
	if c.api.Answers == nil || n < largeAnswer || c.r.Method != http.MethodGet {
		return func() {}, true
	}
	who := c.holder()
	if !c.api.Answers.Take(who, n) {
		return func() {}, false
	}
	return func() { c.api.Answers.Give(who, n) }, true
}

// errBodiesFull is why a body was not read on: all bodies together, or the caller's, hold what they may.
var errBodiesFull = errors.New("api: the bodies under way hold all that they may")

// Read reads a piece and counts it. It drops the piece and fails with errBodiesFull if there is no room.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.all.Take(b.who, int64(n)) {
		b.full = true
		return 0, errBodiesFull
	}
	b.held += int64(n)
	return n, err
}

// release gives back what the body held.
func (b *countedBody) release() {
	if b.held > 0 {
		b.all.Give(b.who, b.held)
		b.held = 0
	}
}
