package local

import (
	"context"
	"path"
	"slices"
	"sync"

	"eshop/shared/turns"
)

// inbox is the uploaded files that wait for a slot to be worked on. Slots go round by shop, so no shop's second file
// comes before another's first. Files of one shop take turns among themselves.
type inbox struct {
	mu   sync.Mutex
	line turns.Line[string] // keys of files, one for each import
	wake chan struct{}      // holds one when a shop may have got its turn
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// A key is <the function's prefix>/<shop>/<import>/<object>.
func importOf(key string) string { return path.Dir(key) }
func shopOf(key string) string   { return path.Dir(importOf(key)) }

// put lets a file wait, unless one of the same import does already.
func (i *inbox) put(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shop := shopOf(key)
	if slices.ContainsFunc(i.line.Waiting(shop), func(k string) bool { return importOf(k) == importOf(key) }) {
		return
	}
	i.line.Put(shop, key)
	i.moved()
}

// moved wakes who waits for a file, for it may be a shop's turn. The lock is held.
func (i *inbox) moved() {
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

func (i *inbox) next() (key string, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.line.Next()
}

// done gives the slot of a file's shop back.
func (i *inbox) done(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.line.Done(shopOf(key))
	i.moved()
}
