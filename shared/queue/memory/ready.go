package memory

import "slices"

// ready holds the messages that may be received: a line for each group, and the groups in the order of their turns.
// Taking a message passes the turn to the next group. So of a thousand messages of one group and one of another, the
// one comes second at the latest.
type ready struct {
	n     int
	lines map[string][]*entry // the oldest message first
	turns []string            // groups that have messages; the first is next
	most  string              // a group that has, or lately had, the longest line
}

func newReady() ready { return ready{lines: map[string][]*entry{}} }

// add puts the message at the end of its group's line. If there are more than bound then, it drops the newest message
// of the longest line, and returns false.
func (r *ready) add(e *entry, bound int) bool {
	line := append(r.lines[e.group], e)
	if len(line) == 1 {
		r.turns = append(r.turns, e.group)
	}
	r.lines[e.group] = line
	r.n++
	if len(line) > len(r.lines[r.most]) {
		r.most = e.group
	}
	if r.n <= bound {
		return true
	}
	longest := r.longest()
	line = r.lines[longest]
	if len(line) == 1 {
		r.turns = slices.DeleteFunc(r.turns, func(group string) bool { return group == longest })
	}
	r.keep(longest, line[:len(line)-1])
	return false
}

// take takes the oldest message of the group whose turn it is. There must be one.
func (r *ready) take() *entry {
	group := r.turns[0]
	line := r.lines[group]
	if r.turns = r.turns[1:]; len(line) > 1 {
		r.turns = append(r.turns, group)
	}
	r.keep(group, line[1:])
	return line[0]
}

// keep is the line of a group that one message has left.
func (r *ready) keep(group string, line []*entry) {
	r.n--
	if r.lines[group] = line; len(line) == 0 {
		delete(r.lines, group)
	}
}

// longest is the group with the most messages, or nearly. The remembered group is good enough as long as it is longer
// than the average; else all are looked at.
func (r *ready) longest() string {
	if len(r.lines[r.most])*len(r.lines) <= r.n {
		for group, line := range r.lines {
			if len(line) > len(r.lines[r.most]) {
				r.most = group
			}
		}
	}
	return r.most
}
