package picture

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

// ErrBusy says that too many pictures wait for their turn already.
var ErrBusy = errors.New("picture: too many wait for their turn")

// How many bytes of files may be here, decoded now or waiting: of one shop, and of all shops. A shop's first file may
// always come, so that no other shop keeps it out.
const (
	maxOfShop = 5 * MaxFile
	maxOfAll  = 17 * MaxFile
)

// gate bounds the memory of all pictures that are decoded at one time by MaxHeld.
//
// A shop decodes one picture at a time, and has no more than that one in the line for memory. So a shop's next picture
// waits for at most one of each other shop, however many the others have sent.
type gate struct {
	memory *semaphore.Weighted // MaxHeld bytes, given to who came first
	mu     sync.Mutex
	shops  map[string]*shopFiles
	bytes  int // of the files of all shops
}

// shopFiles are the files of a shop that are here.
type shopFiles struct {
	turn  *semaphore.Weighted // one picture at a time
	bytes int
}

// decoding is the gate of this process.
var decoding = newGate()

func newGate() *gate {
	return &gate{memory: semaphore.NewWeighted(MaxHeld), shops: map[string]*shopFiles{}}
}

// enter waits until a shop's file of so many bytes may be decoded, for which so much memory is needed; leave ends that.
// It is ErrBusy if too many wait, or the context's error.
func (g *gate) enter(ctx context.Context, shop string, bytes int, memory int64) (leave func(), err error) {
	turn := g.add(shop, bytes)
	if turn == nil {
		return nil, ErrBusy
	}
	if err = turn.Acquire(ctx, 1); err == nil {
		if err = g.memory.Acquire(ctx, memory); err == nil {
			return func() {
				g.memory.Release(memory)
				turn.Release(1)
				g.remove(shop, bytes)
			}, nil
		}
		turn.Release(1)
	}
	g.remove(shop, bytes)
	return nil, err
}

// add counts a file of a shop, and gives the shop's turn; nil if too many wait.
func (g *gate) add(shop string, bytes int) *semaphore.Weighted {
	g.mu.Lock()
	defer g.mu.Unlock()
	files := g.shops[shop]
	switch {
	case files == nil: // the shop's first
		files = &shopFiles{turn: semaphore.NewWeighted(1)}
		g.shops[shop] = files
	case files.bytes+bytes > maxOfShop, g.bytes+bytes > maxOfAll:
		return nil
	}
	files.bytes, g.bytes = files.bytes+bytes, g.bytes+bytes
	return files.turn
}

func (g *gate) remove(shop string, bytes int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	files := g.shops[shop]
	files.bytes, g.bytes = files.bytes-bytes, g.bytes-bytes
	if files.bytes == 0 {
		delete(g.shops, shop)
	}
}
