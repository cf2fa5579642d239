package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnOrderlyStopAtAnyMomentDoublesAndLosesNoWebhook wants three things of a stop. What was answered 2xx before it,
// or while it let attempts go on, is never sent again. What was cut is sent once more, as the same attempt. Nothing is
// lost. The stop meets changes and attempts that began a millisecond apart, each at another moment of its life; each
// time it comes a bit of that millisecond later.
func TestAnOrderlyStopAtAnyMomentDoublesAndLosesNoWebhook(t *testing.T) {
	const bits = 4
	for bit := range bits {
		t.Run(fmt.Sprintf("%d of %d parts of a millisecond later", bit, bits), func(t *testing.T) {
			s := &stop{calls: map[hearing][]received{}}
			within(t, 1, 0, func(t testing.TB) Host { return newProcess(t) }, func(w *Sim) {
				s.before(w, time.Duration(bit)*apart/bits)
				w.leave()
				w.host.Stop()
				w.begin()
				time.Sleep(time.Minute)
				w.working.Wait()
			})
			s.check(t)
		})
	}
}

// The numbers of the stop.
const (
	apart    = time.Millisecond
	changing = 300 // changes before the stop
)

// distance is how far away a receiver is, and how long it takes before the stop for an answer.
type distance struct{ way, takes time.Duration }

// distances are those of the receivers. The last one takes as many attempts at once as a receiver may have, those of
// the first changes, and answers one after the other: the first a little before the stop cuts what is under way, the
// others later.
var distances = []distance{{time.Millisecond, 0}, {way, 0}, {way, 100 * time.Millisecond},
	{way, grace + (changing-10)*apart - 2*way}}

// stop is what was changed before a stop, and what was heard of it before and after.
type stop struct {
	mu      sync.Mutex
	at      time.Time // zero before it
	changed []string  // customers whose change was acknowledged
	calls   map[hearing][]received
}

// hearing is what one receiver is told of one customer.
type hearing struct {
	receiver int
	customer string
}

// received is a call: when it went out, and when its answer is back, if somebody waits for it that long.
type received struct {
	attempt   string
	out, back time.Time
}

// before makes the changes, and returns as the host is to stop.
func (s *stop) before(w *Sim, later time.Duration) {
	x := w.newShop("customers:read", "customers:write")
	for n, d := range distances {
		x.partner.registers(w.receives(far(d.way, func(header http.Header, body []byte) int {
			return s.hear(n, d, header, body)
		})))
	}
	for n := range changing {
		w.working.Go(func() {
			if a := x.partner.ask("POST", customersPath, jana(n)); a.Status == 201 {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.changed = append(s.changed, a.text("id"))
			}
		})
		time.Sleep(apart)
	}
	time.Sleep(later)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = time.Now()
}

// hear notes when a call went out and when its answer came back, and takes as long as its distance says.
func (s *stop) hear(receiver int, d distance, header http.Header, body []byte) int {
	s.mu.Lock()
	if !s.at.IsZero() {
		d.takes = 0
	}
	now := time.Now()
	for _, customer := range toldOf(body, "customerIds") {
		of := hearing{receiver, customer}
		s.calls[of] = append(s.calls[of], received{header.Get("X-Webhook-Attempt"), now.Add(-d.way),
			now.Add(d.takes + d.way)})
	}
	s.mu.Unlock()
	time.Sleep(d.takes)
	return 200
}

// check holds the calls against what a stop promises (contract, "How a delivery ends"): no call is lost, and a call is
// made twice only if it was cut, with the same attempt number.
func (s *stop) check(t *testing.T) {
	cut, inFlight, later := 0, 0, 0
	for of, calls := range s.calls {
		first := calls[0]
		switch {
		case first.out.After(s.at):
			later++
		case first.back.After(s.at):
			inFlight++
		}
		want := 1
		if !first.out.After(s.at) && first.back.After(s.at.Add(grace)) {
			cut, want = cut+1, 2
		}
		require.Len(t, calls, want, "receiver %d: called %s after the stop, answered %s after it", of.receiver,
			first.out.Sub(s.at), first.back.Sub(s.at))
		for _, c := range calls {
			require.Equal(t, "1", c.attempt, "what was cut counts as not made, and nothing failed")
		}
	}
	for _, customer := range s.changed {
		for receiver := range distances {
			require.NotEmpty(t, s.calls[hearing{receiver, customer}], "lost: receiver %d", receiver)
		}
	}
	t.Logf("of %d changes and %d calls: %d in flight at the stop, %d of them cut, %d made after it", len(s.changed),
		len(s.calls), inFlight, cut, later)
	require.NotEmpty(t, cut)
	require.Greater(t, inFlight, cut)
	require.NotEmpty(t, later)
}
