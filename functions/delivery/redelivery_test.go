package delivery_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// redeliver asks for one more attempt at the only delivery of an access.
func (w *world) redeliver(a addon.Access) webhook.Row {
	w.t.Helper()
	all := w.rows(a)
	require.Len(w.t, all, 1)
	after, err := webhook.AskRedelivery(w.t.Context(), w.p.Unit(), w.p.Webhooks(), &all[0], "")
	require.NoError(w.t, err)
	require.NotNil(w.t, after)
	return webhook.RowOf(after)
}

// one is a world with one receiver that answers as told, and one delivery to it.
func one(t *testing.T, say func(http.ResponseWriter, hit)) (*world, *shop, addon.Access, webhook.Receiver) {
	w, s := newWorld(t), serve(t, say)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	w.run()
	return w, s, a, r
}

// attempts are the numbers of the attempts that a receiver saw, of one delivery.
func (s *shop) attempts(t *testing.T) (numbers []string) {
	ids := map[string]bool{}
	for _, h := range s.got() {
		numbers = append(numbers, h.Get("X-Webhook-Attempt"))
		ids[h.Get("X-Webhook-Id")] = true
	}
	require.Len(t, ids, 1, "the id stays")
	return numbers
}

func TestAskingsBeforeAnAttemptAreOneAndSoAreDoubledMessages(t *testing.T) {
	w, s, a, _ := one(t, nil)
	w.redeliver(a)
	w.redeliver(a)
	for range 3 {
		b := webhook.BellOf(&w.rows(a)[0]).Again()
		require.NoError(t, w.retry.Send(t.Context(), b.Message(0), b.Message(0)))
	}
	w.run()
	w.clock.Pass(time.Minute)
	w.run()
	require.Equal(t, []string{"1", "2"}, s.attempts(t))
	row, attempts := w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Len(t, attempts, 2)
	require.False(t, row.Asked)
	w.redeliver(a)
	w.run()
	require.Equal(t, []string{"1", "2", "3"}, s.attempts(t))
}

func TestOneKeyAsksOnceForADayHoweverManyCome(t *testing.T) {
	w, s, a, _ := one(t, nil)
	stale := w.rows(a)[0] // as parallel requests read it
	ask := func(by string) {
		after, err := webhook.AskRedelivery(t.Context(), w.p.Unit(), w.p.Webhooks(), &stale, by)
		require.NoError(t, err)
		require.NotNil(t, after)
	}
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() { ask("key") })
	}
	work.Wait()
	ask("key")
	w.run()
	ask("key")
	w.run()
	require.Equal(t, []string{"1", "2"}, s.attempts(t))
	ask("another")
	w.run()
	w.clock.Pass(24 * time.Hour)
	ask("another")
	w.run()
	require.Equal(t, []string{"1", "2", "3", "4"}, s.attempts(t))
}

func TestAKeyThatTheReleaseBeforeHasNotedIsKnown(t *testing.T) {
	w, s, a, _ := one(t, nil)
	i := w.rows(a)[0]
	i.Text["by"] = fmt.Sprintf("%d:%s %d:%s", start.UnixMilli(), "0011", start.UnixMilli(),
		"2c70e12b7a0646f92279f427") // the beginning of the SHA-256 of "key"
	_, err := w.p.Pipeline.Write(t.Context(), events.Nothing, store.Put(i))
	require.NoError(t, err)
	for _, by := range []string{"key", "other"} {
		_, err := webhook.AskRedelivery(t.Context(), w.p.Unit(), w.p.Webhooks(), &i, by)
		require.NoError(t, err)
		w.run()
	}
	require.Equal(t, []string{"1", "2"}, s.attempts(t))
}

func TestARedeliveryAskedForWhileAnAttemptIsMadeGoesOutBehindIt(t *testing.T) {
	w := newWorld(t)
	a := w.install("shop", permission.ReadCustomers)
	asked := 0
	s := serve(t, func(http.ResponseWriter, hit) {
		if asked < 2 {
			asked++
			w.clock.Pass(time.Millisecond)
			w.redeliver(a)
		}
	})
	w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	for range 4 {
		w.run()
		w.clock.Pass(time.Minute)
	}
	require.Equal(t, []string{"1", "2", "3"}, s.attempts(t), "also behind an attempt that was asked for")
}

func TestWhatMustNotBeSentIsCancelledThoughItIsAskedForMeanwhile(t *testing.T) {
	w := newWorld(t)
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, serve(t, nil).URL)
	w.tell(w.change("shop", customer("c")))
	p, now := w.p.Webhooks(), w.p.Now()
	taken, _, err := p.Take(t.Context(), webhook.BellOf(&w.rows(a)[0]), "taker", now, nil)
	require.NoError(t, err)
	w.clock.Pass(time.Millisecond)
	w.redeliver(a)
	_, err = p.Conclude(t.Context(), *taken, webhook.Outcome{Cancelled: webhook.Unsubscribed, End: w.p.Now()})
	require.NoError(t, err)
	row, _ := w.row(a)
	require.Equal(t, []any{webhook.Cancelled, webhook.Unsubscribed}, []any{row.State, row.Reason})
}

func TestADrainEndsNothingThatIsBeingAttempted(t *testing.T) {
	w := newWorld(t)
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, serve(t, nil).URL)
	w.tell(w.change("shop", customer("c")))
	i := w.rows(a)[0]
	i.Text["state"], i.Text["claim"] = string(webhook.Parked), "taker"
	i.Num["lease"] = w.p.Now().Add(time.Second).UnixMilli()
	_, err := w.p.Pipeline.Write(t.Context(), events.Nothing, store.Put(i))
	require.NoError(t, err)
	ends := func() bool {
		did, err := w.p.Webhooks().EndParked(t.Context(), &i, webhook.Exhausted, "", w.p.Now())
		require.NoError(t, err)
		return did
	}
	require.False(t, ends())
	w.clock.Pass(2 * time.Second)
	require.True(t, ends(), "nobody has it")
}

func TestADeliveredOneStaysDeliveredWhenItsRedeliveryFails(t *testing.T) {
	w, s, a, _ := one(t, nil)
	s.answer(status(500))
	asked := w.redeliver(a)
	require.Equal(t, webhook.Delivered, asked.Shown(), "also while it goes out")
	w.run()
	row, attempts := w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Equal(t, "status 500", attempts[1].Error)
	w.clock.Pass(time.Hour)
	w.run()
	require.NoError(t, w.sweep(t.Context()))
	w.run()
	require.Equal(t, []string{"1", "2"}, s.attempts(t), "one further attempt")
}

// exhaust brings the only delivery to its end, without its schedule.
func (w *world) exhaust(a addon.Access) {
	i := w.rows(a)[0]
	i.Text["state"], i.Index1 = string(webhook.Exhausted), store.Key{}
	i.Index2 = store.Key{PK: webhook.StatePartition(i.Text["receiver"], webhook.Exhausted), SK: i.SK}
	_, err := w.p.Pipeline.Write(w.t.Context(), events.Nothing, store.Put(i))
	require.NoError(w.t, err)
	w.retry.lose()
}

// ended counts a receiver's deliveries that ended so.
func (w *world) ended(r webhook.Receiver, s webhook.DeliveryState) int {
	page, err := w.p.Pipeline.Query(w.t.Context(),
		store.Query{Index: store.Index2, PK: webhook.StatePartition(r.ID, s)})
	require.NoError(w.t, err)
	return len(page.Items)
}

func TestAnExhaustedOneHasOneFurtherAttempt(t *testing.T) {
	w, s, a, r := one(t, status(500))
	w.exhaust(a)
	require.Equal(t, webhook.Waiting, w.redeliver(a).Shown())
	require.Zero(t, w.ended(r, webhook.Exhausted))
	w.run()
	row, _ := w.row(a)
	require.Equal(t, webhook.Exhausted, row.State)
	require.Equal(t, 1, w.ended(r, webhook.Exhausted))
	w.clock.Pass(time.Hour)
	w.run()
	require.Len(t, s.got(), 2)
	s.answer(nil)
	w.redeliver(a)
	w.run()
	row, _ = w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Zero(t, w.ended(r, webhook.Exhausted))
	require.Equal(t, []string{"1", "2", "3"}, s.attempts(t))
}

func TestAWaitingOneHasItsNextAttemptNow(t *testing.T) {
	w, s, a, _ := one(t, status(500))
	w.redeliver(a)
	w.run()
	require.Equal(t, []string{"1", "2"}, s.attempts(t))
	row, _ := w.row(a)
	require.Equal(t, webhook.Waiting, row.State, "its schedule goes on")
	wait := time.UnixMilli(row.Due).Sub(w.clock.Now())
	require.GreaterOrEqual(t, wait, 48*time.Second, "with the wait behind the second attempt")
	require.LessOrEqual(t, wait, 72*time.Second)
}

func TestARedeliveryGoesPastAnOpenBreaker(t *testing.T) {
	for _, state := range []webhook.ReceiverState{webhook.Failing, webhook.Disabled} {
		t.Run(string(state), func(t *testing.T) {
			w, s, a, r := one(t, nil)
			r.State, r.Version = state, w.id()
			w.put(r.Item())
			w.redeliver(a)
			s.answer(status(500))
			w.run()
			require.Equal(t, []string{"1", "2"}, s.attempts(t))
			row, _ := w.row(a)
			require.Equal(t, webhook.Delivered, row.State)
			require.Equal(t, state, w.read(r).State)
		})
	}
}

func TestAParkedOneGoesOutWhenItIsAskedFor(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL, func(r *webhook.Receiver) { r.State = webhook.Failing })
	w.tell(w.change("shop", customer("c")))
	w.run()
	row, _ := w.row(a)
	require.Equal(t, webhook.Parked, row.State)
	w.redeliver(a)
	w.run()
	row, _ = w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Zero(t, w.ended(r, webhook.Parked))
	require.Equal(t, []string{"1"}, s.attempts(t))
}

func TestARedeliveryThatIsForbiddenByThenChangesNothing(t *testing.T) {
	w, s, a, r := one(t, nil)
	w.redeliver(a)
	r.Active, r.Version = false, w.id()
	w.put(r.Item())
	w.run()
	row, _ := w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Empty(t, row.Reason)
	require.False(t, row.Asked)
	require.Len(t, s.got(), 1)
}

func TestARedeliveryOutlivesACrash(t *testing.T) {
	w, s, a, r := one(t, nil)
	row := w.redeliver(a)
	w.retry.lose()
	taken, err := delivery.TakeAndDie(t.Context(), w.p, webhook.Bell{Access: a.ID, ID: row.ID, Receiver: r.ID})
	require.NoError(t, err)
	require.True(t, taken)
	w.restart()
	require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
	w.run()
	require.Equal(t, []string{"1", "2"}, s.attempts(t))
}

func TestACancelledOneIsNotDeliveredAgain(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	r.Active = false
	w.put(r.Item())
	w.run()
	all := w.rows(a)
	after, err := webhook.AskRedelivery(t.Context(), w.p.Unit(), w.p.Webhooks(), &all[0], "")
	require.NoError(t, err)
	require.Nil(t, after)
}

func TestTheLatestHundredAttemptsAreKept(t *testing.T) {
	w, s, a, _ := one(t, nil)
	for range 104 {
		w.redeliver(a)
		w.run()
		w.clock.Pass(time.Second)
	}
	require.Len(t, s.got(), 105)
	_, attempts := w.row(a)
	require.Len(t, attempts, 100)
	require.Equal(t, 105, attempts[99].Number)
	require.NotContains(t, w.rows(a)[0].Text, "attempt5")
}

// try is a test of a receiver.
func (w *world) try(a addon.Access, r webhook.Receiver, e events.Name) {
	c := w.change("shop")
	c.Notices = []events.Notice{{Event: e, Access: a.ID, Package: a.Package, Receiver: r.ID, Test: true}}
	w.tell(c, c)
	w.run()
}

func TestATestIsOneAttemptWhateverTheReceiverTakesAndCountsNowhere(t *testing.T) {
	for i, e := range events.Names {
		t.Run(string(e), func(t *testing.T) {
			code := []int{200, 500}[i%2]
			w, s, other := newWorld(t), serve(t, status(code)), serve(t, nil)
			a := w.install("shop")
			r := w.receiver(a, s.URL, func(r *webhook.Receiver) { r.Events = nil })
			w.receiver(a, other.URL)
			w.receiver(w.install("shop", permission.All...), other.URL)
			w.try(a, r, e)
			w.clock.Pass(time.Hour)
			w.run()
			require.NoError(t, w.sweep(t.Context()))
			w.run()
			require.Empty(t, other.got())
			hits := s.got()
			require.Len(t, hits, 1)
			require.Equal(t, string(e), hits[0].event())
			require.Contains(t, string(hits[0].body), `"data":`+string(events.Sample(e).Data)+`,"test":true}`)
			require.Equal(t, e.Grouped(), hits[0].Get("X-Webhook-Changed") != "")
			row, attempts := w.row(a)
			require.Equal(t, map[int]webhook.DeliveryState{200: webhook.Delivered,
				500: webhook.Exhausted}[code], row.State)
			require.Len(t, attempts, 1)
			require.False(t, row.Redeliverable())
			require.Equal(t, webhook.HealthOf(&store.Item{}), w.health(r))
		})
	}
}

func TestATestGoesPastAnOpenBreakerButNotToAnInactiveAccessOrReceiver(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world, addon.Access, webhook.Receiver)
		reason string
	}{
		"failing": {func(w *world, _ addon.Access, r webhook.Receiver) {
			r.State = webhook.Failing
			w.put(r.Item())
		}, ""},
		"inactive receiver": {func(w *world, _ addon.Access, r webhook.Receiver) { r.Active = false; w.put(r.Item()) },
			webhook.ReceiverInactive},
		"inactive package": {func(w *world, a addon.Access, _ webhook.Receiver) {
			a.State = addon.Deactivated
			w.put(a.Item())
		},
			webhook.PackageInactive},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newWorld(t), serve(t, nil)
			a := w.install("shop")
			r := w.receiver(a, s.URL)
			notice := events.Notice{Event: events.PackageDeactivate, Access: a.ID, Receiver: r.ID, Test: true}
			queued := w.change("shop")
			queued.Notices = []events.Notice{notice}
			w.tell(queued)
			c.change(w, a, r)
			w.run()
			row, _ := w.row(a)
			require.Equal(t, c.reason, row.Reason, fmt.Sprint(row.State))
			require.Equal(t, c.reason == "", len(s.got()) == 1)
		})
	}
}

func TestWhatIsForbiddenBetweenAttemptsIsNotSent(t *testing.T) {
	for reason, change := range map[string]func(w *world, a addon.Access, r webhook.Receiver){
		webhook.PermissionGone: func(w *world, a addon.Access, _ webhook.Receiver) {
			a.Permissions, a.Version = nil, w.id()
			w.put(a.Item())
		},
		webhook.PackageInactive: func(w *world, a addon.Access, _ webhook.Receiver) {
			a.State, a.Version = addon.Deactivated, w.id()
			w.put(a.Item())
		},
		webhook.ReceiverDeleted: func(w *world, _ addon.Access, r webhook.Receiver) {
			_, err := w.p.Main.Write(w.t.Context(), events.Nothing,
				store.Delete(webhook.ReceiverKey(r.Shop, r.Access, r.ID)))
			require.NoError(w.t, err)
		},
	} {
		t.Run(reason, func(t *testing.T) {
			w, s, a, r := one(t, status(500))
			change(w, a, r)
			w.clock.Pass(time.Minute)
			w.run()
			require.Len(t, s.got(), 1)
			row, attempts := w.row(a)
			require.Equal(t, webhook.Cancelled, row.State)
			require.Equal(t, reason, row.Reason)
			require.Len(t, attempts, 1)
			after, err := webhook.AskRedelivery(t.Context(), w.p.Unit(), w.p.Webhooks(), &w.rows(a)[0], "")
			require.NoError(t, err)
			require.Nil(t, after)
		})
	}
}

func TestTheEndOfAPackageIsToldThoughItsAccessIsInactiveBetweenAttemptsToo(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a := w.install("shop")
	w.receiver(a, s.URL)
	a.State, a.Version = addon.Deactivated, w.id()
	w.put(a.Item())
	c := w.change("shop")
	c.Notices = []events.Notice{{Event: events.PackageDeactivate, Access: a.ID, Package: a.Package,
		Data: events.Sample(events.PackageDeactivate).Data}}
	w.tell(c)
	w.run()
	s.answer(nil)
	w.clock.Pass(time.Minute)
	w.run()
	require.Equal(t, []string{"1", "2"}, s.attempts(t))
	row, _ := w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
}
