package local

import "slices"

// turns are those that wait for a slot, by shop, and the shops that have one. They go round by shop, so that none holds
// up the others: a shop has one slot at a time, and after its turn it is behind all other shops that wait. The zero
// value is ready. It is not safe for concurrent use: whoever has one has a lock, too.
type turns struct {
	waiting map[string][]string // by shop, who came first is first
	busy    map[string]bool     // shops that have a slot
	order   []string            // shops of which somebody waits and that have no slot, whose turn is next first
}

// put lets v wait behind all others of its shop.
func (l *turns) put(shop string, v string) {
	if l.waiting == nil {
		l.waiting, l.busy = map[string][]string{}, map[string]bool{}
	}
	l.waiting[shop] = append(l.waiting[shop], v)
	if len(l.waiting[shop]) == 1 && !l.busy[shop] {
		l.order = append(l.order, shop)
	}
}

// ofShop is those of a shop that wait, who came first first.
func (l *turns) ofShop(shop string) []string { return l.waiting[shop] }

// next takes out who came first of the shop whose turn it is. The shop has a slot from now on, until done; false when
// no shop waits for one.
func (l *turns) next() (v string, ok bool) {
	if len(l.order) == 0 {
		return v, false
	}
	shop := l.order[0]
	l.order, l.busy[shop] = l.order[1:], true
	v = l.waiting[shop][0]
	l.take(shop, 0)
	return v, true
}

// done gives the slot of a shop back.
func (l *turns) done(shop string) {
	delete(l.busy, shop)
	if len(l.waiting[shop]) > 0 {
		l.order = append(l.order, shop)
	}
}

// leave takes out one that waits no longer; false when it did not wait, because it had its turn.
func (l *turns) leave(shop string, v string) bool {
	i := slices.Index(l.waiting[shop], v)
	if i < 0 {
		return false
	}
	l.take(shop, i)
	if len(l.waiting[shop]) == 0 {
		l.order = slices.DeleteFunc(l.order, func(s string) bool { return s == shop })
	}
	return true
}

func (l *turns) take(shop string, i int) {
	if l.waiting[shop] = slices.Delete(l.waiting[shop], i, i+1); len(l.waiting[shop]) == 0 {
		delete(l.waiting, shop)
	}
}
