package delivery

import (
	"time"

	"eshop/shared/base/remember"
	"eshop/shared/webhook"
)

// tally counts attempts that succeeded and are not in the health of their receivers yet. A healthy receiver's successes
// are written once a minute, or with its next failure: so a webhook costs no write of health, and the breaker still
// knows how many of its attempts succeeded. What a process had not written when it ended is lost, which makes the
// breaker of a receiver that fails open a little sooner.
type tally struct {
	of remember.Last[string, successes] // by receiver
}

// successes are the counted ones of one receiver.
type successes struct {
	n     int64
	since time.Time // when the first of them ended
}

func newTally() tally { return tally{remember.NewLast[string, successes](maxRemembered)} }

// count adds one. It begins anew when the first of those counted has left the window of the breaker.
func (t tally) count(receiver string, at time.Time) {
	t.of.Update(receiver, func(w successes, _ bool) successes {
		if at.Sub(w.since) > webhook.Window { // true of a receiver without any, too
			w = successes{since: at}
		}
		w.n++
		return w
	})
}

// collect returns how many of the receiver's successes are not written yet and still in the window, and forgets them:
// the caller writes them.
func (t tally) collect(receiver string, at time.Time) int64 {
	w, _ := t.of.Forget(receiver)
	if at.Sub(w.since) > webhook.Window {
		return 0
	}
	return w.n
}
