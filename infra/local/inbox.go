package local

import (
	"context"
	"path"
	"slices"
	"sync"
)

// inbox is the uploaded files that wait for a slot to be worked on. Slots go round by shop: a shop has one at a time,
// and after its turn it is behind all other shops that wait. So no shop's second file comes before another's first.
// Files of one shop take turns among themselves.
type inbox struct {
	mu      sync.Mutex
	waiting map[string][]string // keys of files by shop, oldest first, one for each import
	busy    map[string]bool     // shops that have a slot
	turns   []string            // shops with files that wait and no slot, whose turn is next first
	wake    chan struct{}       // holds one when a shop may have got its turn
}

func newInbox() *inbox {
	return &inbox{waiting: map[string][]string{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// A key is <the function's prefix>/<shop>/<import>/<object>.
func importOf(key string) string { return path.Dir(key) }
func shopOf(key string) string   { return path.Dir(importOf(key)) }

// put lets a file wait, unless one of the same import does already.
func (i *inbox) put(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shop := shopOf(key)
	if slices.ContainsFunc(i.waiting[shop], func(k string) bool { return importOf(k) == importOf(key) }) {
		return
	}
	i.waiting[shop] = append(i.waiting[shop], key)
	if len(i.waiting[shop]) == 1 && !i.busy[shop] {
		i.queue(shop)
	}
}

// queue puts a shop behind all that wait for their turn. The lock is held.
func (i *inbox) queue(shop string) {
	i.turns = append(i.turns, shop)
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// take waits for a file, whose shop has a slot until done; false when ctx ended before.
func (i *inbox) take(ctx context.Context) (key string, ok bool) {
	for {
		if key, ok = i.next(); ok {
			return key, true
		}
		select {
		case <-i.wake:
		case <-ctx.Done():
			return "", false
		}
	}
}

// next is the oldest file of the shop whose turn it is, which has a slot from now on; false when no shop waits.
func (i *inbox) next() (key string, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.turns) == 0 {
		return "", false
	}
	shop := i.turns[0]
	i.turns, i.busy[shop] = i.turns[1:], true
	key, i.waiting[shop] = i.waiting[shop][0], i.waiting[shop][1:]
	return key, true
}

// done gives the slot of a file's shop back.
func (i *inbox) done(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shop := shopOf(key)
	delete(i.busy, shop)
	if len(i.waiting[shop]) == 0 {
		delete(i.waiting, shop)
		return
	}
	i.queue(shop)
}
