package delivery_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// history is a world whose receiver got n deliveries, a second apart.
func history(t *testing.T, n int, also ...func(*host.Parts)) (*world, *shop, addon.Access, webhook.Receiver) {
	w, s := newWorld(t, also...), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.receiver(a, serve(t, nil).URL)
	for i := range n {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
		w.run()
		w.clock.Pass(time.Second)
	}
	require.Equal(t, n, s.count())
	return w, s, a, r
}

// count is how many attempts a receiver saw.
func (s *shop) count() int { return len(s.got()) }

// replay lets the receiver's deliveries go out again, as its owner asks.
func (w *world) replay(a addon.Access, r webhook.Receiver, what webhook.Replay) {
	w.t.Helper()
	if what.To == nil {
		what.To = until(time.Hour)
	}
	owner := webhook.Owner{Shop: a.Shop, Access: a.ID, Package: a.Package}
	_, err := webhook.BeginReplay(w.t.Context(), w.p.Unit(), w.p.Webhooks(), owner, r.ID, what)
	require.NoError(w.t, err)
}

// since are the ids that a receiver got after the first n.
func (s *shop) since(n int) (ids []string) {
	for _, h := range s.got()[n:] {
		ids = append(ids, h.Get("X-Webhook-Id"))
	}
	return ids
}

func from(d time.Duration) field.Time { return field.At(start.Add(d)) }

func until(d time.Duration) *field.Time { return new(from(d)) }

func TestAReplayIsOfARangeBothEndsOfIt(t *testing.T) {
	w, s, a, r := history(t, 10)
	first := s.since(0)
	w.replay(a, r, webhook.Replay{From: from(2 * time.Second), To: until(5 * time.Second), PerSecond: 100})
	w.run()
	w.clock.Pass(time.Hour)
	w.run()
	require.ElementsMatch(t, first[2:6], s.since(10))
	for _, h := range s.got()[10:] {
		require.Equal(t, "2", h.Get("X-Webhook-Attempt"))
	}
}

func TestAReplayGoesAtItsRate(t *testing.T) {
	w, s, a, r := history(t, 10)
	first := s.since(0)
	w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 3})
	for _, want := range []int{13, 16, 19, 20, 20} {
		w.run()
		w.run()
		require.Equal(t, want, s.count())
		w.clock.Pass(time.Second - time.Millisecond)
		w.run()
		require.Equal(t, want, s.count(), "not before a second is over")
		w.clock.Pass(time.Millisecond)
	}
	require.ElementsMatch(t, first, s.since(10))
}

func TestAReplayShowsWhenItChanged(t *testing.T) {
	w, _, a, r := history(t, 10)
	w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 4})
	began := field.At(w.clock.Now())
	for step, want := range []struct {
		sent    int
		state   webhook.ReplayState
		changed time.Duration
	}{{4, webhook.ReplayRunning, 0}, {8, webhook.ReplayRunning, time.Second}, {10, webhook.ReplayDone, 2 * time.Second},
		{10, webhook.ReplayDone, 2 * time.Second}} {
		w.run()
		replay, err := webhook.LastReplay(t.Context(), w.p.Main, webhook.Owner{Shop: a.Shop, Access: a.ID}, r.ID,
			w.clock.Now())
		require.NoError(t, err)
		require.Equal(t, []any{want.sent, want.state, began, field.At(began.Go().Add(want.changed))},
			[]any{replay.Sent, replay.State, replay.Created, replay.Changed}, "step %d", step)
		w.clock.Pass(time.Second)
	}
}

func TestAReplayIsOfTheStatesAskedFor(t *testing.T) {
	for _, c := range []struct {
		states []string
		which  []int
	}{{[]string{"delivered"}, []int{0, 2}}, {[]string{"exhausted"}, []int{1}}, {nil, []int{0, 1, 2}}} {
		w, s, a, r := history(t, 3)
		first := s.since(0)
		for _, i := range w.rows(a) {
			if i.SK == first[1] {
				i.Text["state"] = string(webhook.Exhausted)
				_, err := w.p.Pipeline.Write(t.Context(), events.Nothing, store.Put(i))
				require.NoError(t, err)
			}
		}
		w.try(a, r, events.ProductChange)
		w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 10, States: c.states})
		w.run()
		w.clock.Pass(2 * time.Second)
		w.run()
		var want []string
		for _, n := range c.which {
			want = append(want, first[n])
		}
		require.ElementsMatch(t, want, s.since(4), "and never a test or ping")
	}
}

func TestAReplayFromBeforeAnyIdIsOfAllDeliveries(t *testing.T) {
	w, s, a, r := history(t, 3)
	w.replay(a, r, webhook.Replay{From: field.At(time.Time{}), PerSecond: 10})
	w.run()
	require.Equal(t, 6, s.count())
	w.replay(a, r, webhook.Replay{From: field.At(time.Time{}), To: until(-time.Hour), PerSecond: 10})
	w.run()
	require.Equal(t, 6, s.count())
}

func TestADoubledStepLetsNothingGoTwice(t *testing.T) {
	w, s, a, r := history(t, 9)
	w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 3})
	for range 5 {
		bells, err := w.retry.Receive(t.Context(), 100, 0)
		require.NoError(t, err)
		require.Empty(t, w.deliver(t.Context(), append(bells, bells...)))
		require.Empty(t, w.deliver(t.Context(), bells))
		w.run()
		w.clock.Pass(time.Second)
	}
	require.Equal(t, 18, s.count())
}

func TestAReplayGoesOnAfterACrashWithNoneTwice(t *testing.T) {
	b := &broken{}
	w, s, a, r := history(t, 9, func(p *host.Parts) { b.Table = p.Pipeline; p.Pipeline = b })
	first := s.since(0)
	w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 4})
	let := 0
	b.fails = func(ops []store.Op) bool { // it dies with two of the second step gone
		if ops[0].Item.Text["replay"] != "" && !writesResult(ops) {
			let++
		}
		return let > 6
	}
	w.run()
	w.clock.Pass(time.Second)
	bells, err := w.retry.Receive(t.Context(), 100, 0)
	require.NoError(t, err)
	w.deliver(t.Context(), bells)
	require.Equal(t, 7, let)
	w.fresh.lose()
	w.retry.lose()
	b.fails = nil
	w.restart()
	require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
	w.clock.Pass(15 * time.Second)
	require.NoError(t, w.sweep(t.Context()))
	for range 5 {
		w.run()
		w.clock.Pass(time.Second)
	}
	require.ElementsMatch(t, first, s.since(9))
	owner := webhook.Owner{Shop: a.Shop, Access: a.ID}
	replay, err := webhook.LastReplay(t.Context(), w.p.Main, owner, r.ID, w.clock.Now())
	require.NoError(t, err)
	require.Equal(t, []any{9, webhook.ReplayDone}, []any{replay.Sent, replay.State})
}

func TestTheSweeperMendsABrokenReplay(t *testing.T) {
	w, s, a, r := history(t, 9)
	w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 4})
	w.run()
	w.retry.lose()
	w.clock.Pass(10 * time.Second)
	require.NoError(t, w.sweep(t.Context()))
	w.run()
	require.Equal(t, 13, s.count())
	w.clock.Pass(2 * time.Second)
	require.NoError(t, w.sweep(t.Context()))
	require.NoError(t, w.sweep(t.Context()))
	for range 4 {
		w.run()
		w.clock.Pass(time.Second)
	}
	require.Equal(t, 18, s.count())
}

func TestAReplayStopsForAnOpenBreaker(t *testing.T) {
	w, s, a, r := history(t, 9)
	w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 4})
	w.run()
	require.Equal(t, 13, s.count())
	w.clock.Pass(time.Second)
	for _, q := range []*post{w.retry} { // the step lets four go, and the breaker opens before they go out
		bells, err := q.Receive(context.Background(), 100, 0)
		require.NoError(t, err)
		require.Empty(t, w.deliver(t.Context(), bells))
	}
	r = w.read(r)
	r.State, r.Version = webhook.Failing, w.id()
	w.put(r.Item())
	for range 5 {
		w.run()
		w.clock.Pass(time.Second)
	}
	require.Equal(t, 13, s.count())
	for _, i := range w.rows(a) {
		require.Equal(t, webhook.Delivered, webhook.RowOf(&i).State, "they are what they were")
	}
	r.State, r.Version = webhook.Enabled, w.id()
	w.put(r.Item())
	w.clock.Pass(time.Hour)
	require.NoError(t, w.sweep(t.Context()))
	w.run()
	require.Equal(t, 13, s.count(), "it does not go on by itself")
}
