package delivery

import (
	"sync"
	"time"

	"eshop/shared/webhook"
)

// tally counts attempts that succeeded and are not in their receivers' health yet: a success seldom writes it.
type tally struct {
	mu sync.Mutex
	of map[string]wins // by receiver
}

type wins struct {
	n     int64
	since time.Time
}

// won counts one.
func (t *tally) won(receiver string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.of[receiver]
	if at.Sub(w.since) > webhook.Window { // of one that is not there, too
		w = wins{since: at}
	}
	if t.of == nil || len(t.of) >= mostKnown {
		t.of = map[string]wins{}
	}
	w.n++
	t.of[receiver] = w
}

// taken forgets those of the receiver, and says how many there were within the window of the breaker.
func (t *tally) taken(receiver string, at time.Time) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.of[receiver]
	delete(t.of, receiver)
	if at.Sub(w.since) > webhook.Window {
		return 0
	}
	return w.n
}
