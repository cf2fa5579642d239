// Package turns says who is next where many shops wait for few slots. Turns go round by shop, so that none holds up the
// others: a shop has one slot at a time, and after its turn it is behind all other shops that wait. Uploads of imports
// take their turns so (infra/local).
package turns

import "slices"

// Line is those that wait for a slot, by shop, and the shops that have one. The zero value is ready. It is not safe for
// concurrent use: whoever has one has a lock, too.
type Line[T comparable] struct {
	waiting map[string][]T  // by shop, who came first is first
	busy    map[string]bool // shops that have a slot
	turns   []string        // shops of which somebody waits and that have no slot, whose turn is next first
}

// Put lets v wait behind all others of its shop.
func (l *Line[T]) Put(shop string, v T) {
	if l.waiting == nil {
		l.waiting, l.busy = map[string][]T{}, map[string]bool{}
	}
	l.waiting[shop] = append(l.waiting[shop], v)
	if len(l.waiting[shop]) == 1 && !l.busy[shop] {
		l.turns = append(l.turns, shop)
	}
}

// Waiting is those of a shop that wait, who came first first.
func (l *Line[T]) Waiting(shop string) []T { return l.waiting[shop] }

// Next takes out who came first of the shop whose turn it is. The shop has a slot from now on, until Done; false when
// no shop waits for one.
func (l *Line[T]) Next() (v T, ok bool) {
	if len(l.turns) == 0 {
		return v, false
	}
	shop := l.turns[0]
	l.turns, l.busy[shop] = l.turns[1:], true
	v = l.waiting[shop][0]
	l.take(shop, 0)
	return v, true
}

// Done gives the slot of a shop back.
func (l *Line[T]) Done(shop string) {
	delete(l.busy, shop)
	if len(l.waiting[shop]) > 0 {
		l.turns = append(l.turns, shop)
	}
}

// Leave takes out one that waits no longer; false when it did not wait, because it had its turn.
func (l *Line[T]) Leave(shop string, v T) bool {
	i := slices.Index(l.waiting[shop], v)
	if i < 0 {
		return false
	}
	l.take(shop, i)
	if len(l.waiting[shop]) == 0 {
		l.turns = slices.DeleteFunc(l.turns, func(s string) bool { return s == shop })
	}
	return true
}

func (l *Line[T]) take(shop string, i int) {
	if l.waiting[shop] = slices.Delete(l.waiting[shop], i, i+1); len(l.waiting[shop]) == 0 {
		delete(l.waiting, shop)
	}
}
