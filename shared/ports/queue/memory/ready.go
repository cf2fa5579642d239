package memory

import "slices"

// ready holds the messages that may be received: a line for each group, and the groups in the order of their turns.
// Taking a message passes the turn to the next group. So a group with one message waits for at most one message of each
// other group.
type ready struct {
	n     int
	lines map[string][]*entry // the oldest message first
	turns []string            // groups that have messages; the first is next
	most  string              // a group that has, or lately had, the longest line
}

func newReady() ready { return ready{lines: map[string][]*entry{}} }

// add puts the message at the end of its group's line. If there are more than bound then, it drops the newest message
// of a long line (longest), which may be this one, and returns false.
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
	r.removed(longest, line[:len(line)-1])
	return false
}

// take takes the oldest message of the group whose turn it is. There must be one.
func (r *ready) take() *entry {
	group := r.turns[0]
	line := r.lines[group]
	if r.turns = r.turns[1:]; len(line) > 1 {
		r.turns = append(r.turns, group)
	}
	r.removed(group, line[1:])
	return line[0]
}

// removed stores the rest of a group's line and counts one message less. Callers keep turns up to date.
func (r *ready) removed(group string, line []*entry) {
	r.n--
	if r.lines[group] = line; len(line) == 0 {
		delete(r.lines, group)
	}
}

// longest is a group with a long line: the remembered one while that is longer than the average, else the longest of
// all.
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
