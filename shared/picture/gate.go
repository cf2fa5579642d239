package picture

import (
	"context"
	"errors"
	"sync"

	"eshop/shared/turns"
)

// ErrBusy says that too many pictures wait for their turn already.
var ErrBusy = errors.New("picture: too many wait for their turn")

// How many bytes of files may wait for their turn: of one shop, and of all shops. A shop's first file may always wait,
// so that no other shop keeps it out.
const (
	maxShopWaits = 4 * MaxFile
	maxAllWait   = 16 * MaxFile
)

// gate lets one picture at a time be decoded: a process needs the memory of one picture, and no more. Turns go round by
// shop. So a shop's next picture waits for the one that is decoded now and for at most one of each other shop, however
// many the others have sent.
type gate struct {
	mu    sync.Mutex
	line  turns.Line[*ticket]
	taken bool
	bytes int // of the files that wait
}

// ticket is a file that waits for its turn.
type ticket struct {
	bytes int
	turn  chan struct{} // closed when it has come
}

// decoding is the gate of this process.
var decoding gate

// enter waits for the turn of a shop's file of so many bytes; leave ends the turn. It is ErrBusy if too many wait, or
// the context's error.
func (g *gate) enter(ctx context.Context, shop string, bytes int) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := &ticket{bytes: bytes, turn: make(chan struct{})}
	if !g.wait(shop, t) {
		return nil, ErrBusy
	}
	select {
	case <-t.turn:
		return func() { g.done(shop) }, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	waited := g.line.Leave(shop, t)
	if waited {
		g.bytes -= t.bytes
	}
	g.mu.Unlock()
	if !waited { // its turn came in the same moment
		g.done(shop)
	}
	return nil, ctx.Err()
}

// wait lets a ticket wait; false when too many do.
func (g *gate) wait(shop string, t *ticket) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	others := 0
	for _, w := range g.line.Waiting(shop) {
		others += w.bytes
	}
	// others is 0 for a shop's first file, which may always wait.
	if others > 0 && (others+t.bytes > maxShopWaits || g.bytes+t.bytes > maxAllWait) {
		return false
	}
	g.line.Put(shop, t)
	g.bytes += t.bytes
	g.next()
	return true
}

// done ends the turn of a shop.
func (g *gate) done(shop string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taken = false
	g.line.Done(shop)
	g.next()
}

// next lets in the file whose turn it is, if nobody is in. Its caller holds the lock.
func (g *gate) next() {
	if g.taken {
		return
	}
	if t, ok := g.line.Next(); ok {
		g.taken, g.bytes = true, g.bytes-t.bytes
		close(t.turn)
	}
}
