package api

import (
	"cmp"
	"errors"
	"io"
	"sync"
)

// Bodies bound how many bytes the bodies of all requests under way hold together, and of that those of one caller: so
// nobody fills the room of all others. Each byte that was read counts until the answer is made.
type Bodies struct {
	most, each int64

	mu   sync.Mutex
	held int64
	by   map[string]int64 // of each caller who holds more than none
}

// NewBodies bounds all bodies by most bytes, and those of one caller by each.
func NewBodies(most, each int64) *Bodies {
	return &Bodies{most: most, each: each, by: map[string]int64{}}
}

// Take counts bytes of a caller, unless there is no room for them.
func (b *Bodies) Take(who string, bytes int64) bool {
	if bytes == 0 {
		return true // or a caller with an empty body would stay in the map
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+bytes > b.most || b.by[who]+bytes > b.each {
		return false
	}
	b.held, b.by[who] = b.held+bytes, b.by[who]+bytes
	return true
}

// giveBack takes bytes of a caller off the count.
func (b *Bodies) giveBack(who string, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held, b.by[who] = b.held-bytes, b.by[who]-bytes
	if b.by[who] == 0 {
		delete(b.by, who)
	}
}

// countedBody is the body of a request in a process that bounds what all bodies under way hold together. The zero value
// is none.
type countedBody struct {
	io.ReadCloser
	all  *Bodies
	who  string
	held int64
	full bool // a piece had no room
}

// countBody counts the body from here on, if the process has a bound: for the caller, else for who is signed in, else
// for the address. A form that was read already, for the method that it means, counts once.
func (c *Call) countBody() {
	if c.api.Bodies == nil || c.r.Body == nil || c.body.all != nil {
		return
	}
	who := cmp.Or(c.Access, c.Developer, c.Operator)
	if who == "" && c.op != nil && c.op.People != nil && c.op.People.SignedIn {
		who = c.Owner
	}
	c.body.ReadCloser, c.body.all, c.body.who = c.r.Body, c.api.Bodies, cmp.Or(who, c.Address())
	c.r.Body = &c.body // of the call's own request, which is a copy
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
		b.all.giveBack(b.who, b.held)
		b.held = 0
	}
}
