package delivery_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/delivery"
	"eshop/functions/webhooks"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/store"
)

// pass lets time go by with all that happens in it: messages when they are due, and the sweeper each period.
func (w *world) pass(d time.Duration) { w.passing(d, 5*time.Second) }

func (w *world) passing(d, period time.Duration) {
	w.t.Helper()
	for end := w.clock.Now().Add(d); ; {
		w.run()
		now := w.clock.Now()
		if !now.Before(end) {
			return
		}
		step := min(end.Sub(now), now.Truncate(period).Add(period).Sub(now))
		for _, q := range []*post{w.fresh, w.retry} {
			if next, there := q.next(); there {
				step = min(step, max(next, time.Millisecond))
			}
		}
		w.clock.pass(step)
		if w.clock.Now().Equal(w.clock.Now().Truncate(period)) {
			require.NoError(w.t, w.sweep(w.t.Context()))
		}
	}
}

// states are how many deliveries of the access are in each state.
func (w *world) states(a access.Access) map[delivery.State]int {
	w.t.Helper()
	n := map[delivery.State]int{}
	for _, i := range w.rows(a) {
		n[delivery.Of(&i).State]++
	}
	return n
}

// enable is what the operation does: the receiver as its owner wants it, whatever was.
func (w *world) enable(r webhooks.Receiver) {
	w.t.Helper()
	_, err := webhooks.Move(w.t.Context(), w.p, w.read(r), webhooks.Enabled, 0)
	require.NoError(w.t, err)
}

// times are when the shop was called, by the simulated clock.
func (w *world) times(s *shop, answer func(http.ResponseWriter, hit)) *[]time.Time {
	var at []time.Time
	s.answer(func(rw http.ResponseWriter, h hit) {
		s.mu.Lock()
		at = append(at, w.clock.Now())
		s.mu.Unlock()
		answer(rw, h)
	})
	return &at
}

// opened is a receiver whose breaker is open since now, with so many deliveries parked.
func (w *world) opened(url string, parked int) (access.Access, webhooks.Receiver) {
	w.t.Helper()
	a := w.install("shop", api.ReadCustomers)
	r := w.receiver(a, url)
	now, err := webhooks.Move(w.t.Context(), w.p, r, webhooks.Failing, 0)
	require.NoError(w.t, err)
	for i := range parked {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	return a, now
}

func TestABreakerOpensAfterFiveFailuresInARowOfTwoDeliveriesOverHalfAMinute(t *testing.T) {
	for name, c := range map[string]struct {
		deliveries int
		for_       time.Duration
		opens      bool
	}{
		"two deliveries, for two minutes":  {2, 2 * time.Minute, true},
		"nine deliveries, at once":         {9, 0, false},
		"nine deliveries, for two minutes": {9, 2 * time.Minute, true},
		"one delivery, for four days":      {1, 96 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newWorld(t), serve(t, status(500))
			a := w.install("shop", api.ReadCustomers)
			r := w.receiver(a, s.URL)
			for i := range c.deliveries {
				w.tell(w.change("shop", customer(fmt.Sprint(i))))
			}
			if c.for_ < time.Hour {
				w.pass(c.for_)
			} else {
				w.passing(c.for_, time.Minute)
			}
			now := w.read(r)
			if !c.opens {
				require.Equal(t, webhooks.Enabled, now.State)
				require.Equal(t, r.Version, now.Version, "traffic moves no version")
				return
			}
			require.Equal(t, webhooks.Failing, now.State)
			require.NotEqual(t, r.Version, now.Version, "what is shown has changed")
			require.Greater(t, now.Entered().Sub(start), 29*time.Second)
		})
	}
}

func TestABreakerOpensWhenHalfOfTwentyAttemptsInFiveMinutesFail(t *testing.T) {
	for name, c := range map[string]struct {
		each  int // every so manieth fails
		n     int
		apart time.Duration
		opens bool
	}{
		"ten of twenty":                         {2, 20, 10 * time.Second, true},
		"nine of eighteen":                      {2, 18, 10 * time.Second, false},
		"a third of sixty":                      {3, 60, 4 * time.Second, false},
		"ten of twenty, in more than 5 minutes": {2, 20, 40 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			seen := map[string]bool{}
			s := serve(t, func(rw http.ResponseWriter, h hit) {
				if len(seen)%c.each == 0 && !seen[h.Get("X-Webhook-Id")] {
					rw.Header().Set("Retry-After", "3600") // it does not come again meanwhile
					rw.WriteHeader(503)
				}
				seen[h.Get("X-Webhook-Id")] = true
			})
			r := w.receiver(w.install("shop", api.ReadCustomers), s.URL)
			for i := range c.n {
				w.tell(w.change("shop", customer(fmt.Sprint(i))))
				w.run()
				w.clock.pass(c.apart)
			}
			require.Equal(t, c.opens, w.read(r).State == webhooks.Failing)
		})
	}
}

func TestPingsAndProbesCountInNothing(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	_, r := w.opened(s.URL, 3)
	before := w.health(r)
	w.pass(61 * time.Minute)
	require.Len(t, s.got(), 5)
	require.Equal(t, before.Failures, w.health(r).Failures)
	won, lost := w.health(r).Counted(w.clock.Now())
	require.Zero(t, won+lost)
	require.Equal(t, "status 500", w.health(r).LastFailure)
}

func TestAnOpenBreakerSendsItsProbesOnly(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	at := w.times(s, status(500))
	a, r := w.opened(s.URL, 3)
	opened := w.read(r).Entered()
	w.pass(4*time.Hour + time.Minute)
	planned := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour}
	require.Len(t, *at, len(planned))
	for i, p := range planned {
		late := (*at)[i].Sub(opened.Add(p))
		require.GreaterOrEqual(t, late, time.Duration(0), "probe %d is never early", i)
		require.LessOrEqual(t, late, 10*time.Second, "probe %d", i)
	}
	ids := map[string]int{}
	for _, h := range s.got() {
		ids[h.Get("X-Webhook-Id")]++
	}
	require.Len(t, ids, 3, "another one each time")
	require.Equal(t, map[delivery.State]int{delivery.Parked: 3}, w.states(a))
	require.Equal(t, "3", s.got()[7].Get("X-Webhook-Attempt"), "probes count on")
}

func TestProbesDoNotCountTowardTheTen(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a, r := w.opened(s.URL, 1)
	w.passing(12*time.Hour, time.Minute)
	row, attempts := w.row(a)
	require.Equal(t, delivery.Parked, row.State)
	require.Greater(t, len(attempts), 10)
	probes := len(attempts)
	w.enable(r)
	w.passing(4*24*time.Hour, time.Minute)
	row, attempts = w.row(a)
	require.Equal(t, delivery.Exhausted, row.State)
	require.Len(t, attempts, probes+10)
}

func TestAProbeThatSucceedsClosesTheBreakerAndWhatIsParkedDrains(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a, r := w.opened(s.URL, 40)
	at := w.times(s, status(200))
	w.pass(90 * time.Second)
	now := w.read(r)
	require.Equal(t, webhooks.Enabled, now.State)
	require.NotEqual(t, r.Version, now.Version)
	require.Equal(t, map[delivery.State]int{delivery.Delivered: 40}, w.states(a))
	require.NotZero(t, w.health(r).LastSuccess)
	var seconds []int
	for i, hit := range *at {
		if i == 0 || hit.Sub((*at)[i-1]) > 500*time.Millisecond {
			seconds = append(seconds, 0)
		}
		seconds[len(seconds)-1]++
	}
	require.Equal(t, []int{2, 2, 4, 8, 16, 8}, seconds, "the probe, and 1, 2, 4 … a second")
	items, err := w.p.Main.Get(t.Context(), webhooks.DrainKey(r.ID))
	require.NoError(t, err)
	require.Nil(t, items[0], "nothing is left to do")
	page, err := w.p.Pipeline.Query(t.Context(), store.Query{Index: store.Index2, PK: delivery.EndedAs(r.ID, delivery.Parked)})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}
