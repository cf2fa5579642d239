package store

import (
	"context"
	"sync"
)

// lightBytes is how much one request may read of a store without a slot: ordinary pages of ordinary records take less.
const lightBytes = 256 << 10

// Slots bound how many requests of one process hold much of what they read at the same time. A request that has read
// lightBytes waits for a slot before it reads more, and keeps the slot until its answer is made. A request that reads
// less never waits. So what all requests hold does not grow with their number. Slots go to requests in the order in
// which they asked.
type Slots struct{ free chan struct{} }

// NewSlots is so many slots.
func NewSlots(n int) *Slots {
	s := &Slots{make(chan struct{}, n)}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

type readerKey struct{}

// Reader returns a context for one request, whose reads are counted together, and the function that gives its slot
// back. Of nil slots the context is ctx: nothing is counted.
func (s *Slots) Reader(ctx context.Context) (reading context.Context, release func()) {
	if s == nil {
		return ctx, func() {}
	}
	r := &Reader{slots: s}
	return context.WithValue(ctx, readerKey{}, r), r.release
}

// Look returns a context for a look of a request that keeps nothing of what it sees and waits between its looks, and
// the function that ends the look. So who waits keeps no slot.
func Look(ctx context.Context) (looking context.Context, end func()) {
	r := ReaderOf(ctx)
	if r == nil {
		return ctx, func() {}
	}
	return r.slots.Reader(ctx)
}

// Reader is what one request has read. A table that is in the process asks it before it copies items out of its file.
type Reader struct {
	slots *Slots
	mu    sync.Mutex
	bytes int
	has   bool // it has a slot
}

// ReaderOf is the context's reader, nil when it has none. A nil reader may read anything.
func ReaderOf(ctx context.Context) *Reader {
	r, _ := ctx.Value(readerKey{}).(*Reader)
	return r
}

// May says whether n bytes more may be read at once. If not, the table must let go of what it holds and call Wait.
func (r *Reader) May(n int) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.has || r.bytes+n <= lightBytes
}

// Add counts n bytes that were read.
func (r *Reader) Add(n int) {
	if r != nil {
		r.mu.Lock()
		r.bytes += n
		r.mu.Unlock()
	}
}

// Wait waits for a slot, unless the request has one, or until ctx ends, whose error it returns. Nothing that another
// request could wait for may be held meanwhile.
func (r *Reader) Wait(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.has {
		return nil
	}
	select {
	case <-r.slots.free:
		r.has = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release gives the request's slot back, if it has one.
func (r *Reader) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.has {
		r.has = false
		r.slots.free <- struct{}{}
	}
}
