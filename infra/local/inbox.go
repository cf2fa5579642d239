package local

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/host"
)

// inboxes are those of all functions that are handed files, by the prefix of their keys: no two have the same.
type inboxes map[string]*inbox

// newInboxes are the empty inboxes of a list of functions.
func newInboxes(list []host.Function) inboxes {
	all := inboxes{}
	for _, f := range list {
		if f.Upload != nil {
			all[f.Upload.Prefix] = newInbox()
		}
	}
	return all
}

// put lets a file wait for the function that it is for. Most files, such as pictures, are for none.
func (all inboxes) put(key string) {
	for prefix, i := range all {
		if strings.HasPrefix(key, prefix) {
			i.put(key)
		}
	}
}

// inbox is the files of one function that wait for a slot. Slots go round by shop, so that none holds up the others: a
// shop has one slot at a time, and after its turn it is behind all other shops that wait. Files of one shop take turns
// among themselves.
type inbox struct {
	mu      sync.Mutex
	waiting map[string][]string // by shop, keys of files, one for each job; the one that came first is first
	busy    map[string]bool     // shops that have a slot
	order   []string            // shops of which files wait and that have no slot, whose turn is next first
	again   map[string]bool     // jobs whose file failed, and is put on again in a while
	wake    chan struct{}       // holds one when a shop may have got its turn; one pump takes
}

// newInbox is an empty inbox.
func newInbox() *inbox {
	return &inbox{waiting: map[string][]string{}, busy: map[string]bool{}, again: map[string]bool{},
		wake: make(chan struct{}, 1)}
}

// jobOf is the part of a key that names an import or an export, shopOf the part that names its shop. A key is the
// function's prefix and <shop>/<job>/<object>.
func jobOf(key string) string  { return path.Dir(key) }
func shopOf(key string) string { return path.Dir(jobOf(key)) }

// put lets a file wait, unless one of the same job does already, or will again.
func (i *inbox) put(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.again[jobOf(key)] {
		i.lineUp(key)
	}
}

// putAgain lets a file that failed wait once more after some time, unless ctx ends first, or a file of its job waits
// for that already.
func (i *inbox) putAgain(ctx context.Context, key string, after time.Duration) {
	i.mu.Lock()
	already := i.again[jobOf(key)]
	i.again[jobOf(key)] = true
	i.mu.Unlock()
	if already || !guard.Wait(ctx, after) {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.again, jobOf(key))
	i.lineUp(key)
}

// lineUp lets a file wait, unless one of the same job does already. Its caller holds the lock.
func (i *inbox) lineUp(key string) {
	shop := shopOf(key)
	// One file of a job is enough to go on with it.
	if slices.ContainsFunc(i.waiting[shop], func(k string) bool { return jobOf(k) == jobOf(key) }) {
		return
	}
	i.waiting[shop] = append(i.waiting[shop], key)
	if len(i.waiting[shop]) == 1 && !i.busy[shop] {
		i.order = append(i.order, shop)
	}
	i.moved()
}

// moved wakes whoever waits for a file, because it may be another shop's turn now. Its caller holds the lock.
func (i *inbox) moved() {
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// take waits for a file. The file's shop has a slot until done is called. ok is false if ctx ended first.
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

// next takes out the first file of the shop whose turn it is, if there is one.
func (i *inbox) next() (key string, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.order) == 0 {
		return "", false
	}
	shop := i.order[0]
	key = i.waiting[shop][0]
	i.order, i.busy[shop] = i.order[1:], true
	if i.waiting[shop] = i.waiting[shop][1:]; len(i.waiting[shop]) == 0 {
		delete(i.waiting, shop)
	}
	return key, true
}

// done gives the slot of a file's shop back.
func (i *inbox) done(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shop := shopOf(key)
	delete(i.busy, shop)
	if len(i.waiting[shop]) > 0 {
		i.order = append(i.order, shop)
	}
	i.moved()
}
