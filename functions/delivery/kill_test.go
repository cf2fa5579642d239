package delivery_test

import (
	"context"
	"errors"
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
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/webhook"
)

// mortal is a process that is killed at its nth write or message: before it, or after it and before anybody hears of
// it.
type mortal struct {
	mu    sync.Mutex
	left  int // steps to live; 0: for ever
	after bool
	dead  bool
}

var errDead = errors.New("killed")

func (m *mortal) step(do func() error) error {
	m.mu.Lock()
	last := m.left == 1 && !m.dead
	if m.left > 0 {
		m.left--
	}
	m.dead = m.dead || last
	dead := m.dead
	m.mu.Unlock()
	if last && m.after {
		_ = do()
	}
	if dead {
		return errDead
	}
	return do()
}

func (m *mortal) killed() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.dead }

func (m *mortal) revive() { m.mu.Lock(); defer m.mu.Unlock(); m.left, m.dead = 0, false }

func (m *mortal) table(t store.Table) store.Table {
	return storetest.Faulty{Table: t, Around: func(c storetest.Call, do func() error) error {
		if c.Ops == nil {
			return do()
		}
		return m.step(do)
	}}
}

type mortalQueue struct {
	*post
	*mortal
}

func (q mortalQueue) Send(ctx context.Context, messages ...queue.Message) error {
	return q.step(func() error { return q.post.Send(ctx, messages...) })
}

// careless lets time go by as passing does, until the process is killed.
func (w *world) careless(m *mortal, d time.Duration) {
	for end := w.clock.Now().Add(d); w.clock.Now().Before(end) && !m.killed(); w.clock.Pass(time.Second) {
		for _, q := range []*post{w.fresh, w.retry, w.fresh} {
			for got, _ := q.Receive(w.t.Context(), 100, 0); len(got) > 0 &&
				!m.killed(); got, _ = q.Receive(w.t.Context(), 100, 0) {
				failed := w.deliver(w.t.Context(), got)
				if m.killed() {
					failed = got
				}
				q.comeAgain(failed)
			}
		}
		if w.clock.Now().Second()%5 == 0 {
			_ = w.sweep(w.t.Context())
		}
	}
}

func TestKilledAtAnyStepAWebhookComesUnderItsIDAtMostOnceMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failing bool
		live    time.Duration
	}{
		"at first attempts":                      {false, 20 * time.Second},
		"at the probe that closes and the drain": {true, 75 * time.Second},
	} {
		for _, after := range []bool{false, true} {
			for _, oneProcess := range []bool{false, true} {
				if c.failing && !oneProcess { // what has failed has an entry there, too
					continue
				}
				t.Run(fmt.Sprintf("%s, after the step %t, in one process %t", name, after, oneProcess),
					func(t *testing.T) {
						for step := 1; ; step++ {
							if !killedAt(t, step, after, c.failing, oneProcess, c.live) {
								require.Greater(t, step, 5)
								return
							}
						}
					})
			}
		}
	}
}

// killedAt lives through one life that ends at a step and the next one, and says whether the first came to that step.
// The one process forgets its queues with it, and finds what waits by its entries. On AWS queues and stream remember,
// and the deliveries that wait for their first attempts have no entries.
func killedAt(t *testing.T, step int, after, failing, oneProcess bool, live time.Duration) bool {
	m := &mortal{after: after}
	w := newWorld(t, func(p *host.Parts) {
		p.Traits = hosttest.Traits(oneProcess)
		p.Main, p.Pipeline = m.table(p.Main), m.table(p.Pipeline)
	})
	w.p.Fresh, w.p.Retry = mortalQueue{w.fresh, m}, mortalQueue{w.retry, m}
	w.restart()
	s := serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	if failing {
		_, err := webhook.EnterState(t.Context(), w.p.Unit(), w.p.Webhooks(), r, webhook.Failing, 0)
		require.NoError(t, err)
	}
	changes := []events.Change{w.change("shop", customer("a")), w.change("shop", customer("b")),
		w.change("shop", customer("c"))}
	m.left = step
	done, _ := w.batch(t.Context(), changes)
	w.careless(m, live)
	killed := m.killed()

	m.revive()
	if oneProcess {
		done = 0 // its feed brings what was not handled, or more
		w.fresh.lose()
		w.retry.lose()
	}
	w.restart()
	w.tell(changes[done:]...)
	if oneProcess {
		require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
	}
	w.passing(2*time.Hour, 30*time.Second)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 3}, w.states(a), "step %d", step)
	seen := map[string]int{}
	for _, h := range s.got() {
		seen[h.Get("X-Webhook-Id")]++
	}
	require.Len(t, seen, 3)
	for id, n := range seen {
		require.LessOrEqual(t, n, 2, "step %d, %s", step, id)
	}
	return killed
}

// TestNothingButItsBellFindsAFirstAttemptOnAWS: the bell comes again while nobody handles it, for half a day at least,
// and is put off by a process whose clock is behind.
func TestNothingButItsBellFindsAFirstAttemptOnAWS(t *testing.T) {
	bells := delivery.Function.Messages.From[0]
	require.Greater(t, time.Duration(bells.MaxReceives)*bells.Visibility, 12*time.Hour)
	w, s := newWorld(t, func(p *host.Parts) { p.Traits = host.Traits{} }), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	began := w.clock.Now()
	w.tell(w.change("shop", customer("a")))
	for w.clock.Now().Before(began.Add(12 * time.Hour)) {
		got, err := w.fresh.Receive(t.Context(), 10, 0)
		require.NoError(t, err)
		require.Len(t, got, 1)
		w.fresh.comeAgain(got) // as when the function is not run, or dies before it does anything
		w.clock.Pass(bells.Visibility)
		require.NoError(t, w.sweep(t.Context()))
	}
	w.run()
	require.Len(t, s.got(), 1)

	w.tell(w.change("shop", customer("b")))
	w.clock.Pass(-time.Minute)
	w.run()
	require.Len(t, s.got(), 1, "it is early")
	w.pass(time.Minute)
	require.Len(t, s.got(), 2)
}

func TestEverythingArrivesAfterAPurgedQueueASleepingSweeperAndAClockThatJumps(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"back": -10 * time.Minute, "forward": 10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			w, s, dead := newWorld(t), serve(t, nil), serve(t, status(500))
			a, b := w.install("shop", permission.ReadCustomers), w.install("shop", permission.ReadCustomers)
			w.receiver(a, s.URL)
			r := w.receiver(b, dead.URL)
			some := func() {
				for i := range 20 {
					w.tell(w.change("shop", customer(fmt.Sprint(i))))
				}
			}
			purge := func() { w.fresh.lose(); w.retry.lose() }
			some()
			purge()
			w.passing(5*time.Minute, time.Minute)
			some()
			w.passing(30*time.Second, time.Minute)
			purge()
			w.clock.Pass(jump)
			w.passing(time.Hour, 100*time.Hour) // no sweep
			some()
			purge()
			require.NotEqual(t, map[webhook.DeliveryState]int{webhook.Delivered: 60}, w.states(a))
			w.passing(2*time.Hour, time.Minute)
			require.Equal(t, webhook.Failing, w.read(r).State)
			dead.answer(nil)
			w.passing(62*time.Minute, time.Minute)
			w.clock.Pass(-jump)
			purge()
			w.passing(3*time.Hour, time.Minute)
			for _, acc := range []addon.Access{a, b} {
				require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 60}, w.states(acc))
			}
			require.Len(t, s.got(), 60)
		})
	}
}

func TestADrainsBrokenChainIsMended(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a, r := w.opened(s.URL, 30)
	w.enable(r)
	for range 12 {
		w.pass(7 * time.Second)
		w.fresh.lose()
		w.retry.lose()
	}
	w.pass(time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 30}, w.states(a))
	require.Len(t, s.got(), 30)
}

func TestNoStepIsTakenOnceTheHostStops(t *testing.T) {
	w, s, a, r := history(t, 3)
	w.replay(a, r, webhook.Replay{From: from(0)})
	steps, err := w.retry.Receive(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.Equal(t, steps, w.deliver(stopped, steps))
	w.run()
	require.Equal(t, 3, s.count())
	require.Empty(t, w.deliver(t.Context(), steps))
	w.run()
	require.Equal(t, 6, s.count())
}

func TestAStepThatComesTwiceIsTakenOnce(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	_, _ = w.opened(s.URL, 5)
	w.clock.Pass(61 * time.Second)
	for range 3 {
		require.NoError(t, w.sweep(t.Context()))
	}
	w.run()
	require.Len(t, s.got(), 1, "one probe")
}

func TestWhatIsParkedAsItsReceiverComesBackIsLetGoAllTheSame(t *testing.T) {
	var w *world
	var r webhook.Receiver
	b := &broken{}
	once := sync.Once{}
	b.fails = func(ops []store.Op) bool { // between the batcher's look at the receiver and its row
		if len(ops) == 1 && ops[0].Item.Text["state"] == string(webhook.Parked) {
			once.Do(func() {
				w.enable(r)
				w.pass(20 * time.Second) // the drain finds nothing and ends
			})
		}
		return false
	}
	w = newWorld(t, func(p *host.Parts) { b.Table = p.Pipeline; p.Pipeline = b })
	s := serve(t, func(http.ResponseWriter, hit) {})
	var a addon.Access
	a, r = w.opened(s.URL, 0)
	w.tell(w.change("shop", customer("late")))
	w.pass(20 * time.Second)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(a))
}
