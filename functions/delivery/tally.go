package delivery

import (
	"time"

	"eshop/shared/remember"
	"eshop/shared/webhook"
)

// tally counts attempts that succeeded and are not in their receivers' health yet: a success seldom writes it.
type tally struct {
	of remember.Last[string, wins] // by receiver
}

type wins struct {
	n     int64
	since time.Time
}

func newTally() tally { return tally{remember.NewLast[string, wins](mostKnown)} }

// won counts one.
func (t tally) won(receiver string, at time.Time) {
	t.of.Update(receiver, func(w wins, _ bool) wins {
		if at.Sub(w.since) > webhook.Window { // of one that is not there, too
			w = wins{since: at}
		}
		w.n++
		return w
	})
}

// taken forgets those of the receiver, and says how many there were within the window of the breaker.
func (t tally) taken(receiver string, at time.Time) int64 {
	w, _ := t.of.Forget(receiver)
	if at.Sub(w.since) > webhook.Window {
		return 0
	}
	return w.n
}
