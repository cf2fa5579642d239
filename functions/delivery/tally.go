package delivery

import (
	"time"

	"eshop/shared/remember"
	"eshop/shared/webhook"
)

// tally counts attempts that succeeded and are not in their receivers' health yet: a success seldom writes it.
type tally struct {
	of remember.Last[string, successes] // by receiver
}

// successes are those of one receiver.
type successes struct {
	n     int64
	since time.Time // when the first of them ended
}

func newTally() tally { return tally{remember.NewLast[string, successes](maxRemembered)} }

// count counts one.
func (t tally) count(receiver string, at time.Time) {
	t.of.Update(receiver, func(w successes, _ bool) successes {
		if at.Sub(w.since) > webhook.Window { // of one that is not there, too
			w = successes{since: at}
		}
		w.n++
		return w
	})
}

// collect forgets those of the receiver, and says how many there were within the window of the breaker.
func (t tally) collect(receiver string, at time.Time) int64 {
	w, _ := t.of.Forget(receiver)
	if at.Sub(w.since) > webhook.Window {
		return 0
	}
	return w.n
}
