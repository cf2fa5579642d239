package memory

import (
	"container/heap"
	"time"
)

// due is the messages that are to be seen later: the soonest first, and of several at one moment the one sent first.
type due []*entry

func (d *due) push(e *entry)   { heap.Push((*entries)(d), e) }
func (d *due) remove(e *entry) { heap.Remove((*entries)(d), e.index) }

// next is when the soonest message is due; no if there is none.
func (d due) next(no time.Duration) time.Duration {
	if len(d) == 0 {
		return no
	}
	return d[0].at
}

// popUntil takes out the soonest message if it is due by now, and returns nil otherwise.
func (d *due) popUntil(now time.Duration) *entry {
	if len(*d) == 0 || (*d)[0].at > now {
		return nil
	}
	return heap.Pop((*entries)(d)).(*entry)
}

// entries is due as container/heap wants it. Each entry knows its index, so that it can be removed when it is deleted.
type entries []*entry

func (h entries) Len() int { return len(h) }

func (h entries) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].id < h[j].id
}

func (h entries) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *entries) Push(x any) {
	e := x.(*entry)
	e.index = len(*h)
	*h = append(*h, e)
}

func (h *entries) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return e
}
