package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// poisons are what may be wrong with one of several deliveries: each poison at the first, one between and the last.
func poisons(t *testing.T, of int, work func(t *testing.T, poison hosttest.Poison, bad int)) {
	for _, poison := range hosttest.Poisons {
		for _, bad := range []int{0, of / 2, of - 1} {
			t.Run(fmt.Sprintf("of %d the one at %d %s", of, bad, poison), func(t *testing.T) { work(t, poison, bad) })
		}
	}
}

// poison makes something wrong with the access's nth delivery, and returns the others.
func (w *world) poison(a addon.Access, bad int, p hosttest.Poison) (others []store.Key) {
	rows := w.rows(a)
	w.p.Pipeline = hosttest.Poisoned{Table: w.p.Pipeline, Key: rows[bad].Key, Poison: p}
	for n, i := range rows {
		if n != bad {
			others = append(others, i.Key)
		}
	}
	return others
}

// are wants deliveries to be in a state.
func (w *world) are(state webhook.DeliveryState, keys []store.Key) {
	w.t.Helper()
	items, err := w.p.Pipeline.Get(w.t.Context(), keys...)
	require.NoError(w.t, err)
	for _, i := range items {
		require.Equal(w.t, state, webhook.RowOf(i).State)
	}
}

func TestAPoisonedDeliveryHoldsUpNoOtherAtTheStart(t *testing.T) {
	poisons(t, 40, func(t *testing.T, poison hosttest.Poison, bad int) {
		w, s := newWorld(t), serve(t, nil)
		a := w.install("shop", permission.ReadCustomers)
		w.receiver(a, s.URL)
		for n := range 40 {
			w.tell(w.change("shop", customer(fmt.Sprint(n))))
		}
		others := w.poison(a, bad, poison)
		for n := range webhook.DueRows.Shards { // and a replay before all of them that is none
			_, err := w.p.Pipeline.Write(t.Context(), events.Nothing,
				store.Put(store.Item{Key: store.Key{PK: "REPLAY#r", SK: fmt.Sprint(n)},
					Doc: []byte("not JSON"), Index1: store.Key{PK: webhook.DueRows.Partition(n), SK: "0"}}))
			require.NoError(t, err)
		}
		w.fresh.lose()
		w.restart()
		require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
		w.careless(&mortal{}, time.Second)
		w.are(webhook.Delivered, others)
	})
}

func TestAPoisonedDeliveryHoldsUpNoOtherThatIsParked(t *testing.T) {
	for name, c := range map[string]struct {
		goes func(*world, webhook.Receiver)
		to   webhook.DeliveryState
	}{
		"when its receiver is well again": {(*world).enable, webhook.Delivered},
		"when its receiver is deleted": {func(w *world, r webhook.Receiver) {
			_, err := w.p.Main.Write(w.t.Context(), events.Nothing,
				store.Delete(webhook.ReceiverKey(r.Shop, r.Access, r.ID)))
			require.NoError(w.t, err)
		}, webhook.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			poisons(t, 9, func(t *testing.T, poison hosttest.Poison, bad int) {
				w, s := newWorld(t), serve(t, nil)
				a, r := w.opened(s.URL, 9)
				others := w.poison(a, bad, poison)
				c.goes(w, r)
				w.careless(&mortal{}, 2*time.Minute)
				w.are(c.to, others)
			})
		})
	}
}

func TestAPoisonedDeliveryHoldsUpNoOtherOfAReplay(t *testing.T) {
	poisons(t, 10, func(t *testing.T, poison hosttest.Poison, bad int) {
		w, s, a, r := history(t, 10)
		// Both receivers have each of the ten: it is one of this receiver's that is poisoned.
		var own []store.Item
		for _, i := range w.rows(a) {
			if webhook.RowOf(&i).Receiver == r.ID {
				own = append(own, i)
			}
		}
		w.p.Pipeline = hosttest.Poisoned{Table: w.p.Pipeline, Key: own[bad].Key, Poison: poison}
		w.replay(a, r, webhook.Replay{From: from(0), PerSecond: 100})
		w.careless(&mortal{}, time.Minute)
		again := s.since(10)
		for n, i := range own {
			if n != bad {
				require.Contains(t, again, i.SK)
			}
		}
	})
}

// What an attempt says of its receiver may startle who notes it: the attempt has its result all the same, and is not
// made again.
func TestAnAttemptHasItsResultThoughItsReceiversHealthIsPoisoned(t *testing.T) {
	for _, answer := range []int{200, 500} {
		t.Run(fmt.Sprint(answer), func(t *testing.T) {
			w, s := newWorld(t), serve(t, status(answer))
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, s.URL)
			w.tell(w.change("shop", customer("c")))
			w.p.Main = hosttest.Poisoned{Table: w.p.Main, Key: webhook.HealthKey(r.ID), Poison: hosttest.PanicsOnWrite}
			w.careless(&mortal{}, 5*time.Second)
			require.Len(t, s.got(), 1)
			_, attempts := w.row(a)
			require.Len(t, attempts, 1)
			require.Equal(t, answer, attempts[0].Status)
		})
	}
}
