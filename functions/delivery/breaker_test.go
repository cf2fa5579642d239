package delivery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
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
		w.clock.Pass(step)
		if w.clock.Now().Equal(w.clock.Now().Truncate(period)) {
			require.NoError(w.t, w.sweep(w.t.Context()))
		}
	}
}

// states are how many deliveries of the access are in each state.
func (w *world) states(a addon.Access) map[webhook.DeliveryState]int {
	w.t.Helper()
	n := map[webhook.DeliveryState]int{}
	for _, i := range w.rows(a) {
		n[webhook.RowOf(&i).State]++
	}
	return n
}

// enable is what the operation does: the receiver as its owner wants it, whatever was.
func (w *world) enable(r webhook.Receiver) {
	w.t.Helper()
	_, err := webhook.EnterState(w.t.Context(), w.p.Unit(), w.p.Webhooks(), w.read(r), webhook.Enabled, 0)
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
func (w *world) opened(url string, parked int) (addon.Access, webhook.Receiver) {
	w.t.Helper()
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, url)
	now, err := webhook.EnterState(w.t.Context(), w.p.Unit(), w.p.Webhooks(), r, webhook.Failing, 0)
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
			a := w.install("shop", permission.ReadCustomers)
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
				require.Equal(t, webhook.Enabled, now.State)
				require.Equal(t, r.Version, now.Version, "traffic moves no version")
				return
			}
			require.Equal(t, webhook.Failing, now.State)
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
			r := w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
			for i := range c.n {
				w.tell(w.change("shop", customer(fmt.Sprint(i))))
				w.run()
				w.clock.Pass(c.apart)
			}
			require.Equal(t, c.opens, w.read(r).State == webhook.Failing)
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
	won, lost := w.health(r).InWindow(w.clock.Now())
	require.Zero(t, won+lost)
	require.Equal(t, "status 500", w.health(r).LastFailure)
	require.Equal(t, time.Hour, w.health(r).FailedAt.Go().Sub(w.read(r).Entered()).Truncate(time.Minute),
		"the last probe")
}

func TestAnOpenBreakerSendsItsProbesOnly(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	at := w.times(s, status(500))
	a, r := w.opened(s.URL, 3)
	opened := w.read(r).Entered()
	w.pass(4*time.Hour + time.Minute)
	planned := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour,
		2 * time.Hour, 3 * time.Hour, 4 * time.Hour}
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
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 3}, w.states(a))
	require.Equal(t, "3", s.got()[7].Get("X-Webhook-Attempt"), "probes count on")
}

func TestProbesDoNotCountTowardTheTen(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), serve(t, status(500))
	a, r := w.opened(s.URL, 1)
	w.passing(12*time.Hour, time.Minute)
	row, attempts := w.row(a)
	require.Equal(t, webhook.Parked, row.State)
	require.Greater(t, len(attempts), 10)
	probes := len(attempts)
	w.enable(r)
	w.passing(4*24*time.Hour, time.Minute)
	row, attempts = w.row(a)
	require.Equal(t, webhook.Exhausted, row.State)
	require.Len(t, attempts, probes+10)
}

func TestAProbeThatSucceedsClosesTheBreakerAndWhatIsParkedDrains(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a, r := w.opened(s.URL, 40)
	at := w.times(s, status(200))
	w.pass(90 * time.Second)
	now := w.read(r)
	require.Equal(t, webhook.Enabled, now.State)
	require.NotEqual(t, r.Version, now.Version)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 40}, w.states(a))
	require.NotZero(t, w.health(r).LastSuccess)
	require.Equal(t, []int{2, 2, 4, 8, 16, 8}, bySecond(*at), "the probe, and 1, 2, 4 … a second")
	items, err := w.p.Main.Get(t.Context(), webhook.DrainKey(r.ID))
	require.NoError(t, err)
	require.Nil(t, items[0], "nothing is left to do")
	page, err := w.p.Pipeline.Query(t.Context(),
		store.Query{Index: store.Index2, PK: webhook.StatePartition(r.ID, webhook.Parked)})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}

// bySecond are how many calls came in each second in which some did.
func bySecond(calls []time.Time) (seconds []int) {
	for i, at := range calls {
		if i == 0 || at.Sub(calls[i-1]) > 500*time.Millisecond {
			seconds = append(seconds, 0)
		}
		seconds[len(seconds)-1]++
	}
	return seconds
}

// limited answers 429 to more than so many calls in a second, and keeps the most there were.
func (w *world) limited(s *shop, most int) (worst func() int) {
	counts := map[int64]int{}
	s.answer(func(rw http.ResponseWriter, _ hit) {
		s.mu.Lock()
		defer s.mu.Unlock()
		second := w.clock.Now().Unix()
		if counts[second]++; counts[second] > most {
			rw.WriteHeader(http.StatusTooManyRequests)
		}
	})
	return func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range counts {
			n = max(n, c)
		}
		return n
	}
}

func TestAReceiverThatWasDownForADayGetsItAllAtItsOwnPaceAndNobodyElseNotices(t *testing.T) {
	t.Parallel()
	w, down, well := newWorld(t), serve(t, status(500)), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, down.URL)
	others := w.install("shop", permission.ReadCustomers)
	late := time.Duration(0)
	told := map[string]time.Time{}
	well.answer(func(_ http.ResponseWriter, h hit) {
		well.mu.Lock()
		defer well.mu.Unlock()
		late = max(late, w.clock.Now().Sub(told[fmt.Sprint(h.data(t)["customerIds"])]))
	})
	for range 2 {
		w.receiver(others, well.URL)
	}
	events := 0
	day := func(d, period time.Duration) {
		for end := w.clock.Now().Add(d); w.clock.Now().Before(end); {
			name := fmt.Sprint("c", events)
			told["["+name+"]"] = w.clock.Now()
			w.tell(w.change("shop", customer(name)))
			events++
			w.passing(2*time.Minute, period)
		}
	}
	day(24*time.Hour, time.Minute)
	require.Equal(t, webhook.Failing, w.read(r).State)
	require.Less(t, len(down.got()), 60, "probes, and what came before it opened")

	worst := w.limited(down, 20)
	day(90*time.Minute, 15*time.Second)
	require.Equal(t, webhook.Enabled, w.read(r).State)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: events}, w.states(a), "nothing is lost")
	require.Greater(t, worst(), 20)
	require.LessOrEqual(t, worst(), 40, "its limit is exceeded by no more than one doubling")
	require.Len(t, well.got(), 2*events)
	require.Zero(t, late, "the others get theirs at once")
}

func TestADrainHalvesWhileItsReceiverSaysThatItIsTooMuch(t *testing.T) {
	for name, answer := range map[string]int{"429": 429, "503": 503} {
		t.Run(name, func(t *testing.T) {
			w, s := newWorld(t), serve(t, nil)
			a, r := w.opened(s.URL, 60)
			most := 0
			counts := map[int64]int{}
			s.answer(func(rw http.ResponseWriter, _ hit) {
				s.mu.Lock()
				defer s.mu.Unlock()
				second := w.clock.Now().Unix()
				counts[second]++
				most = max(most, counts[second])
				if counts[second] > 4 {
					rw.WriteHeader(answer)
				}
			})
			w.enable(r)
			w.pass(3 * time.Minute)
			require.Equal(t, 8, most)
			require.Equal(t, webhook.Enabled, w.read(r).State)
			w.passing(time.Hour, time.Minute)
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 60}, w.states(a))
		})
	}
}

func TestAReceiverThatFailsForFiveDaysIsDisabledAndSevenDaysLaterWhatIsParkedIsExhausted(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), serve(t, status(500))
	a, r := w.opened(s.URL, 3)
	w.passing(5*24*time.Hour-time.Minute, time.Minute)
	require.Equal(t, webhook.Failing, w.read(r).State)
	w.passing(2*time.Minute, time.Minute)
	require.Equal(t, webhook.Disabled, w.read(r).State)
	calls := len(s.got())
	require.Equal(t, 5+5*24-2, calls, "each its probe")

	w.tell(w.change("shop", customer("parked")))
	w.passing(7*24*time.Hour-3*time.Minute, time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 4}, w.states(a))
	w.passing(5*time.Minute, time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Exhausted: 4}, w.states(a))
	w.tell(w.change("shop", customer("at once")))
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Exhausted: 5}, w.states(a))
	require.Len(t, s.got(), calls, "no socket is opened for a disabled one")

	s.answer(nil)
	w.enable(r)
	w.tell(w.change("shop", customer("again")))
	w.pass(time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Exhausted: 5, webhook.Delivered: 1}, w.states(a))
}

func TestDisabledAThousandEventsEnabledAThousandDelivered(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	_, err := webhook.EnterState(t.Context(), w.p.Unit(), w.p.Webhooks(), r, webhook.Disabled, 0)
	require.NoError(t, err)
	for i := range 1000 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	w.passing(2*24*time.Hour, time.Hour)
	require.Empty(t, s.got())
	at := w.times(s, status(200))
	w.clock.Pass(time.Second)
	enabled := w.clock.Now()
	w.enable(r)
	w.pass(time.Minute)
	require.Len(t, s.got(), 1000)
	require.Equal(t, []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 489}, bySecond(*at))
	require.Equal(t, enabled, (*at)[0], "at once")
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1000}, w.states(a))
}

func TestAReceiverThatIsGoneTwiceInTenMinutesIsDisabled(t *testing.T) {
	for name, c := range map[string]struct {
		apart    time.Duration
		between  func(http.ResponseWriter, hit)
		disabled bool
	}{
		"ten minutes apart":       {10 * time.Minute, nil, true},
		"nine minutes apart":      {9 * time.Minute, nil, false},
		"with a success between":  {10 * time.Minute, status(200), false},
		"another failure between": {10 * time.Minute, status(500), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			gone := func(rw http.ResponseWriter, _ hit) {
				rw.Header().Set("Retry-After", "86400")
				rw.WriteHeader(http.StatusGone)
			}
			s := serve(t, gone)
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, s.URL)
			send := func() { w.fresh.lose(); w.retry.lose(); w.tell(w.change("shop", customer("c"))); w.run() }
			send()
			w.clock.Pass(c.apart / 2)
			if c.between != nil {
				s.answer(c.between)
				send()
				s.answer(gone)
			}
			w.clock.Pass(c.apart - c.apart/2)
			send()
			require.Equal(t, c.disabled, w.read(r).State == webhook.Disabled)
			require.Equal(t, c.disabled, w.states(a)[webhook.Parked] > 0, "what it was is parked")
		})
	}
}

func TestADisabledReceiverThatIsGoneOnceMoreIsDisabledSinceItWas(t *testing.T) {
	w := newWorld(t)
	s := serve(t, status(http.StatusGone))
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	for range 2 {
		w.fresh.lose()
		w.retry.lose()
		w.tell(w.change("shop", customer("c")))
		w.run()
		w.clock.Pass(10 * time.Minute)
	}
	disabled := w.read(r)
	require.Equal(t, webhook.Disabled, disabled.State)
	w.clock.Pass(6 * 24 * time.Hour)
	row := w.rows(a)[1]
	after, err := webhook.AskRedelivery(t.Context(), w.p.Unit(), w.p.Webhooks(), &row, "")
	require.NoError(t, err)
	require.NotNil(t, after)
	w.run()
	require.Len(t, s.got(), 3, "a redelivery goes past the breaker")
	require.Equal(t, disabled, w.read(r), "its parking ends when it would have, and its ETag stays")
}

func TestOneEventThatIsAlwaysRefusedDisablesNobody(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]int{"among others": 1, "as the only one": 0} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := serve(t, func(rw http.ResponseWriter, h hit) {
				if fmt.Sprint(h.data(t)["customerIds"]) == "[poison]" {
					rw.WriteHeader(http.StatusUnprocessableEntity)
				}
			})
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, s.URL)
			w.tell(w.change("shop", customer("poison")))
			for i := range 60 {
				for range others {
					w.tell(w.change("shop", customer(fmt.Sprint(i))))
				}
				w.pass(time.Minute)
				require.Equal(t, webhook.Enabled, w.read(r).State)
			}
			w.passing(96*time.Hour, time.Minute)
			require.Equal(t, webhook.Enabled, w.read(r).State)
			require.Equal(t, 1, w.states(a)[webhook.Exhausted])
			require.Equal(t, 60*others, w.states(a)[webhook.Delivered])
		})
	}
}

func TestADeadReceiverWithOneEventAnHourIsNoticedWithinADay(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	r := w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	for hour := range 24 {
		w.tell(w.change("shop", customer(fmt.Sprint(hour))))
		w.passing(time.Hour, time.Minute)
		if w.read(r).State == webhook.Failing {
			return
		}
	}
	t.Fatal("it still counts as enabled")
}

func TestEnableBeginsTheCountsAnew(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	for i := range 9 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	w.pass(2 * time.Minute)
	require.Equal(t, webhook.Failing, w.read(r).State)
	w.enable(r)
	h := w.health(r)
	won, lost := h.InWindow(w.clock.Now())
	require.Equal(t, []any{int64(0), field.Time(0), false, int64(0)}, []any{h.Failures, h.Since, h.Several, won + lost})
	require.Equal(t, "status 500", h.LastFailure, "which is shown until the next")
	w.pass(20 * time.Second)
	require.Equal(t, webhook.Enabled, w.read(r).State, "twenty seconds of failures are not enough again")
}

func TestAReceiverThatTakesWebhooksAgainIsShownSoAtOnce(t *testing.T) {
	for name, fails := range map[string]func(*world, *shop, addon.Access, webhook.Receiver){
		"its breaker opened and was closed by hand": func(w *world, s *shop, _ addon.Access, r webhook.Receiver) {
			s.answer(status(503))
			for i := range 24 {
				w.tell(w.change("shop", customer(fmt.Sprint(i))))
			}
			w.run()
			require.Equal(w.t, webhook.Failing, w.read(r).State)
			s.answer(nil)
			w.enable(r)
			require.Equal(w.t, webhook.HealthFailures, w.health(r).Level(w.read(r), w.clock.Now()))
			w.pass(9 * time.Second)
		},
		"a ping failed": func(w *world, s *shop, a addon.Access, r webhook.Receiver) {
			s.answer(status(503))
			ping := w.change("shop")
			ping.Notices = []events.Notice{{Event: events.Ping, Access: a.ID, Receiver: r.ID,
				Data: json.RawMessage(`{"nonce":"n0nce"}`)}}
			w.tell(ping)
			w.run()
			require.Equal(w.t, webhook.HealthFailures, w.health(r).Level(w.read(r), w.clock.Now()))
			s.answer(nil)
			w.pass(2 * time.Second)
			w.tell(w.change("shop", customer("c")))
			w.run()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, s, a, r := one(t, nil)
			require.Equal(t, field.At(start), w.health(r).LastSuccess)
			w.pass(3 * time.Second)
			fails(w, s, a, r)
			h := w.health(r)
			require.Greater(t, h.LastSuccess, h.FailedAt, "though the success before is less than a minute ago")
			require.Equal(t, webhook.HealthOK, h.Level(w.read(r), w.clock.Now()))
			require.NotContains(t, w.states(a), webhook.Parked)
		})
	}
}

func TestWhatIsParkedForADeletedReceiverIsCancelled(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a, r := w.opened(s.URL, 7)
	_, err := w.p.Main.Write(t.Context(), events.Nothing, store.Delete(webhook.ReceiverKey(r.Shop, r.Access, r.ID)))
	require.NoError(t, err)
	w.passing(2*time.Minute, time.Minute)
	require.Empty(t, s.got())
	for _, i := range w.rows(a) {
		require.Equal(t, []any{webhook.Cancelled, webhook.ReceiverDeleted},
			[]any{webhook.RowOf(&i).State, webhook.RowOf(&i).Reason})
	}
}

func TestWhatIsParkedAndForbiddenMeanwhileIsCancelledByTheNextProbeWithoutASocket(t *testing.T) {
	for reason, change := range map[string]func(w *world, a addon.Access, r webhook.Receiver){
		webhook.ReceiverInactive: func(w *world, _ addon.Access, r webhook.Receiver) {
			r.Active = false
			r.Version = w.id()
			w.put(r.Item())
		},
		webhook.PermissionGone: func(w *world, a addon.Access, _ webhook.Receiver) {
			a.Permissions, a.Version = nil, w.id()
			w.put(a.Item())
		},
		webhook.PackageInactive: func(w *world, a addon.Access, _ webhook.Receiver) {
			a.State, a.Version = addon.Deactivated, w.id()
			w.put(a.Item())
		},
	} {
		t.Run(reason, func(t *testing.T) {
			w, s := newWorld(t), serve(t, nil)
			a, r := w.opened(s.URL, 150)
			change(w, a, w.read(r))
			w.pass(70 * time.Second)
			require.Empty(t, s.got())
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Cancelled: 150}, w.states(a))
			require.Equal(t, reason, webhook.RowOf(&w.rows(a)[0]).Reason)
		})
	}
}

func TestANewAddressThatNeverProvesItselfEndsDisabled(t *testing.T) {
	t.Parallel()
	w, s, moved := newWorld(t), serve(t, nil), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	_, err := webhook.EnterState(t.Context(), w.p.Unit(), w.p.Webhooks(), r, webhook.Unverified, 0)
	require.NoError(t, err)
	r = w.read(r)
	r.URL, r.Verified, r.Version = moved.URL, false, w.id()
	w.put(r.Item())
	w.tell(w.change("shop", customer("c")))
	w.passing(5*24*time.Hour-2*time.Minute, time.Minute)
	require.Equal(t, webhook.Unverified, w.read(r).State)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 1}, w.states(a))
	w.passing(4*time.Minute, time.Minute)
	require.Equal(t, webhook.Disabled, w.read(r).State)
	require.Empty(t, append(s.got(), moved.got()...))
	w.passing(7*24*time.Hour, time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Exhausted: 1}, w.states(a))
}

func TestAProbeAndADrainWaitForWhatRetryAfterAsked(t *testing.T) {
	w := newWorld(t)
	busy := func(rw http.ResponseWriter, _ hit) {
		rw.Header().Set("Retry-After", "7200")
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
	s := serve(t, busy)
	a, _ := w.opened(s.URL, 1)
	at := w.times(s, busy)
	w.passing(2*time.Hour+30*time.Minute, time.Minute)
	require.Len(t, *at, 1)
	s.answer(nil)
	w.passing(time.Hour, time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(a))

	w = newWorld(t)
	s = serve(t, busy)
	a, r := w.opened(s.URL, 1)
	w.pass(70 * time.Second)
	require.Len(t, s.got(), 1)
	w.enable(r)
	s.answer(nil)
	w.pass(time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 1}, w.states(a))
	require.Len(t, s.got(), 1)
	w.passing(2*time.Hour, time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(a))
}

func TestInTheOneProcessNoAttemptIsEarlyNorMoreThanTenSecondsLate(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	due := start
	var late []time.Duration
	s.answer(func(rw http.ResponseWriter, _ hit) {
		late = append(late, w.clock.Now().Sub(due))
		rw.WriteHeader(500)
	})
	w.tell(w.change("shop", customer("c")))
	for end := start.Add(4 * time.Hour); w.clock.Now().Before(end); w.pass(5 * time.Second) {
		row, _ := w.row(a)
		due = time.UnixMilli(row.Due)
	}
	require.Len(t, late, 6, "the waits of 10 s to 2 h")
	for _, l := range late {
		require.GreaterOrEqual(t, l, time.Duration(0))
		require.LessOrEqual(t, l, 10*time.Second)
	}
}

func TestWhateverHappensAnOpenBreakerSendsOnlyItsProbesAndNothingIsLost(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			lot := rand.New(rand.NewPCG(seed, 1))
			w, s := newWorld(t), serve(t, nil)
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, s.URL)
			looked := w.watched(r)
			code := 200
			probes := map[time.Time]int{}
			s.answer(func(rw http.ResponseWriter, h hit) {
				s.mu.Lock()
				defer s.mu.Unlock()
				if seen := looked.at(t, h.Get("X-Webhook-Id")); seen.State != webhook.Enabled {
					slot := slotOf(seen.Entered(), w.clock.Now())
					probes[slot]++
					if late := w.clock.Now().Sub(slot); seen.State != webhook.Failing || late > time.Minute ||
						probes[slot] > 1 {
						t.Errorf("an attempt at a %s one, %s behind the time of a probe", seen.State, late)
					}
				}
				if lot.IntN(2) == 0 {
					rw.Header().Set("Retry-After", "100")
				}
				rw.WriteHeader(code)
			})
			for range 120 {
				switch lot.IntN(3) {
				case 0:
					for i := range lot.IntN(12) {
						w.tell(w.change("shop", customer(fmt.Sprint(i))))
					}
				case 1:
					code = []int{200, 200, 500, 500, 429, 422}[lot.IntN(6)]
				}
				w.passing(time.Duration(lot.IntN(600))*time.Second, time.Minute)
			}
			code = 200
			over := func() bool {
				states := w.states(a)
				return states[webhook.Delivered]+states[webhook.Exhausted] == len(w.rows(a))
			}
			for hour := 0; hour < 80 && !over(); hour++ {
				w.passing(time.Hour, time.Minute)
			}
			require.True(t, over(), "%v", w.states(a))
			w.passing(80*time.Hour, time.Hour) // nothing is sent again behind it
			require.True(t, over(), "%v", w.states(a))
			ids := map[string]bool{}
			for _, h := range s.got() {
				ids[h.Get("X-Webhook-Id")] = true
			}
			require.Len(t, ids, len(w.rows(a)))
		})
	}
}

// immovable makes the receiver stay what it is, until the table is mended.
func (w *world) immovable(r webhook.Receiver) *broken {
	b := &broken{Table: w.p.Main, fails: func(ops []store.Op) bool {
		return slices.ContainsFunc(ops, func(o store.Op) bool {
			return o.Key == webhook.ReceiverKey(r.Shop, r.Access, r.ID)
		})
	}}
	w.p.Main = b
	return b
}

func (b *broken) mend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails = nil
}

func TestAProbeThatSucceedsIsNotSentAgainThoughTheBreakerCouldNotBeClosed(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a, r := w.opened(s.URL, 1)
	main := w.immovable(r)
	w.pass(70 * time.Second)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(a))
	require.Equal(t, webhook.Failing, w.read(r).State)
	main.mend()
	w.tell(w.change("shop", customer("next")))
	w.pass(5 * time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 2}, w.states(a))
	require.Equal(t, webhook.Enabled, w.read(r).State)
	require.Len(t, s.got(), 2)
}

func TestAFailureWaitsItsTurnThoughTheBreakerCouldNotBeOpened(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	main := w.immovable(r)
	for i := range 6 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
	}
	w.pass(2 * time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Waiting: 6}, w.states(a))
	require.Len(t, s.got(), 3*6, "at once, and by the schedule twice")
	main.mend()
	w.pass(10 * time.Minute)
	require.Equal(t, webhook.Failing, w.read(r).State)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 6}, w.states(a))
}

func TestABreakerThatOpensBehindATakingHoldsItsAttempt(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	w.p.Pipeline = takings{w.p.Pipeline, func(context.Context, string) {
		_, err := webhook.EnterState(t.Context(), w.p.Unit(), w.p.Webhooks(), w.read(r), webhook.Failing, 0)
		require.NoError(t, err)
	}}
	w.run()
	require.Empty(t, s.got())
	row, attempts := w.row(a)
	require.Equal(t, webhook.Parked, row.State)
	require.Empty(t, attempts)
}

// takings is the pipeline's table, which says when a delivery is taken.
type takings struct {
	store.Table
	taken func(ctx context.Context, webhook string)
}

func (t takings) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	item, err := t.Table.Write(ctx, c, ops...)
	if err == nil && ops[0].Kind == store.Updating && ops[0].Set.Text["claim"] != "" {
		t.taken(ctx, ops[0].Key.SK)
	}
	return item, err
}

// look is the last one that an attempt took at its receiver before it went out.
type look struct{ seen *webhook.Receiver }

// watch notes what each attempt saw of a receiver: an attempt that takes no look of its own has seen nothing.
type watch struct {
	mu sync.Mutex
	by map[string]*look // the latest attempt's, by webhook
}

type lookKey struct{}

// watched notes what attempts see of the receiver from now on. Each message is handled by itself, as the one process
// does.
func (w *world) watched(r webhook.Receiver) *watch {
	n, deliver := &watch{by: map[string]*look{}}, w.deliver
	w.p.Main, w.p.Pipeline = watchedMain{w.p.Main, n, r}, takings{w.p.Pipeline, n.began}
	w.deliver = func(ctx context.Context, messages []queue.Received) (failed []queue.Received) {
		again := make([][]queue.Received, len(messages))
		var work sync.WaitGroup
		for i, m := range messages {
			work.Go(func() {
				again[i] = deliver(context.WithValue(ctx, lookKey{}, &look{}), []queue.Received{m})
			})
		}
		work.Wait()
		return slices.Concat(again...)
	}
	return n
}

// began forgets what was seen before the delivery was taken.
func (n *watch) began(ctx context.Context, webhook string) {
	if l, attempt := ctx.Value(lookKey{}).(*look); attempt {
		n.mu.Lock()
		defer n.mu.Unlock()
		l.seen, n.by[webhook] = nil, l
	}
}

// at is what the latest attempt at the delivery saw.
func (n *watch) at(t *testing.T, id string) webhook.Receiver {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l := n.by[id]; l != nil && l.seen != nil {
		return *l.seen
	}
	t.Errorf("an attempt at %s went out without a look at its receiver", id)
	return webhook.Receiver{State: webhook.Enabled}
}

// watchedMain notes the looks: reads of a receiver with its health.
type watchedMain struct {
	store.Table
	*watch
	receiver webhook.Receiver
}

func (m watchedMain) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	items, err := m.Table.Get(ctx, keys...)
	l, attempt := ctx.Value(lookKey{}).(*look)
	r := m.receiver
	if err != nil || !attempt || keys[0] != webhook.ReceiverKey(r.Shop, r.Access, r.ID) ||
		keys[len(keys)-1] != webhook.HealthKey(r.ID) {
		return items, err
	}
	seen, err := webhook.ReceiverOf(items[0])
	m.mu.Lock()
	defer m.mu.Unlock()
	l.seen = &seen
	return items, err
}

// slotOf is the last time for a probe by now, of a breaker that opened then.
func slotOf(opened, now time.Time) (slot time.Time) {
	for _, p := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute} {
		if at := opened.Add(p); !at.After(now) {
			slot = at
		}
	}
	if hours := now.Sub(opened).Truncate(time.Hour); hours > 0 {
		slot = opened.Add(hours)
	}
	return slot
}
