package memory

// ready holds the messages that may be received: a line for each group, and the groups in a ring. Taking a message
// passes the turn to the next group. So of a thousand messages of one group and one of another, the one comes second at
// the latest.
type ready struct {
	n       int
	groups  map[string]*line
	turn    *line // whose turn it is; nil when there are none
	largest *line // a group that is, or lately was, the longest
}

// line is one group's messages, the oldest first, and its place in the ring.
type line struct {
	name           string
	n              int
	oldest, newest *entry
	before, behind *line
}

func newReady() ready { return ready{groups: map[string]*line{}} }

// add puts the message at the end of its group's line. If there are more than bound then, it drops the newest message
// of the longest line, and returns false.
func (r *ready) add(e *entry, bound int) bool {
	l := r.groups[e.group]
	if l == nil {
		l = r.join(e.group)
	}
	l.push(e)
	r.n++
	if r.largest == nil || l.n > r.largest.n {
		r.largest = l
	}
	if r.n <= bound {
		return true
	}
	longest := r.longest()
	longest.dropNewest()
	r.shrunk(longest)
	return false
}

// take takes the oldest message of the group whose turn it is. There must be one.
func (r *ready) take() *entry {
	l := r.turn
	r.turn = l.behind
	e := l.takeOldest()
	r.shrunk(l)
	return e
}

// join puts a new group into the ring, where its turn comes last.
func (r *ready) join(name string) *line {
	l := &line{name: name}
	r.groups[name] = l
	if r.turn == nil {
		l.before, l.behind, r.turn = l, l, l
		return l
	}
	l.before, l.behind = r.turn.before, r.turn
	l.before.behind, l.behind.before = l, l
	return l
}

// shrunk counts a message that left the line, and takes the group out of the ring with its last message.
func (r *ready) shrunk(l *line) {
	r.n--
	if l.n > 0 {
		return
	}
	delete(r.groups, l.name)
	l.before.behind, l.behind.before = l.behind, l.before
	if r.largest == l {
		r.largest = nil
	}
	if r.turn == l {
		r.turn = l.behind
	}
	if r.n == 0 {
		r.turn = nil
	}
}

// longest is the group with the most messages, or nearly. The remembered group is good enough as long as it is longer
// than the average; else all are looked at.
func (r *ready) longest() *line {
	if r.largest != nil && r.largest.n*len(r.groups) > r.n {
		return r.largest
	}
	for _, l := range r.groups {
		if r.largest == nil || l.n > r.largest.n {
			r.largest = l
		}
	}
	return r.largest
}

// push puts a message at the end of the line.
func (l *line) push(e *entry) {
	e.older, e.newer = l.newest, nil
	if l.newest == nil {
		l.oldest = e
	} else {
		l.newest.newer = e
	}
	l.newest = e
	l.n++
}

// takeOldest takes the message at the front of the line.
func (l *line) takeOldest() *entry {
	e := l.oldest
	l.oldest = e.newer
	if l.oldest == nil {
		l.newest = nil
	} else {
		l.oldest.older = nil
	}
	e.newer = nil
	l.n--
	return e
}

// dropNewest drops the message at the end of the line.
func (l *line) dropNewest() {
	e := l.newest
	l.newest = e.older
	if l.newest == nil {
		l.oldest = nil
	} else {
		l.newest.newer = nil
	}
	l.n--
}
