package main

import (
	"strconv"
	"time"

	"eshop/shared/field"
	"eshop/shared/queue"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// receiver is a receiver of webhooks. What its attempts said of it is kept once one took long or failed.
type receiver struct {
	answers time.Duration
	in      bool // it is part of the event
	sick    *sick
}

// sick is what the tables have of a receiver.
type sick struct {
	webhook.Receiver
	health    store.Item
	successes int64
	parked    fifo[bell]
	rate      int
}

// epoch is when simulated time begins.
var epoch = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)

func (w *world) time() time.Time { return epoch.Add(w.now) }

// sickOf is what is kept of the receiver from now on.
func (w *world) sickOf(r *receiver) *sick {
	if r.sick == nil {
		r.sick = &sick{health: store.Item{Text: map[string]string{}, Num: map[string]int64{}}}
		r.sick.State, r.sick.Active, r.sick.Verified = webhook.Enabled, true, true
	}
	return r.sick
}

// apply does to the receiver's health what the operation says.
func (s *sick) apply(op store.Op) {
	for _, name := range op.Set.Drop {
		delete(s.health.Text, name)
		delete(s.health.Num, name)
	}
	for name, v := range op.Set.Text {
		s.health.Text[name] = v
	}
	for name, n := range op.Set.Num {
		s.health.Num[name] = n
	}
	for name, n := range op.Set.Add {
		s.health.Num[name] += n
	}
}

// ring puts a bell into the queue that the batcher and drains choose, or parks the delivery.
func (w *world) ring(b bell) {
	r := &w.receivers[b.receiver]
	switch {
	case r.sick == nil:
		w.fresh.put(b)
	case r.sick.FirstState(w.time()) == webhook.Parked:
		w.park(r.sick, b)
	case webhook.HealthOf(&r.sick.health).Suspect(w.time()):
		w.retry.put(b)
	default:
		w.fresh.put(b)
	}
}

func (w *world) park(s *sick, b bell) {
	s.parked.push(b)
	w.parked++
}

// noteSlow writes down that an attempt takes long, while it is under way.
func (w *world) noteSlow(r *receiver) {
	s := w.sickOf(r)
	if webhook.HealthOf(&s.health).SlowNoteDue(w.time()) {
		s.apply(webhook.MarkSlow("", field.At(w.time())))
	}
}

// conclude is what becomes of a delivery by an attempt: functions/delivery's health.go and webhook's Row.after, of what
// happens here.
func (w *world) conclude(b bell) {
	r := &w.receivers[b.receiver]
	if r.sick == nil && !b.fails {
		w.delivered++
		return
	}
	s := w.sickOf(r)
	health := webhook.HealthOf(&s.health)
	note := webhook.Note{Health: health, Webhook: strconv.Itoa(int(b.born)), At: w.time(), Failure: webhook.TimedOut}
	switch {
	case !b.fails && b.kind == probe:
		w.delivered++
		s.State, s.Since, s.rate = webhook.Enabled, field.At(w.time()), 1
		clear(s.health.Num)
		w.send(bell{receiver: b.receiver, kind: step}, webhook.StepInterval)
		return
	case !b.fails:
		w.delivered++
		if s.successes++; health.InRun() {
			note.Successes, s.successes = s.successes, 0
			s.apply(note.CountSuccess())
		}
		return
	case b.kind == probe:
		b.kind = attempt
		w.park(s, b)
		w.nextProbe(b.receiver)
		return
	}
	b.made++
	if s.State == webhook.Enabled {
		note.Successes, s.successes = s.successes, 0
		s.apply(note.CountFailure())
		if webhook.HealthOf(&s.health).Trips(w.time()) {
			s.State, s.Since = webhook.Failing, field.At(w.time())
			w.nextProbe(b.receiver)
		}
	}
	switch {
	case int(b.made) >= len(webhook.Waits):
		w.exhausted++
	case s.State != webhook.Enabled:
		w.park(s, b)
	default:
		w.send(b, time.Duration((0.8+float64(0.4*w.rand.Float64()))*float64(webhook.Waits[b.made])))
	}
}

// send puts a bell into the retry queue later. For what is later than a message can wait the sweeper rings, at one of
// its runs.
func (w *world) send(b bell, wait time.Duration) {
	if wait > queue.MaxDelay {
		wait += w.upTo(time.Minute)
		wait += w.sweeper.take(w.now+wait, 1)
	}
	if b.kind == attempt {
		w.delayed++
	}
	w.after(wait, func() {
		if b.kind == attempt {
			w.delayed--
		}
		w.retry.put(b)
		w.dispatch(w.retry)
	})
}

// nextProbe sends the message of the next probe of a failing receiver.
func (w *world) nextProbe(id int32) {
	at := w.receivers[id].sick.NextProbe(w.time())
	w.send(bell{receiver: id, kind: probe}, min(at.Go().Sub(w.time()), queue.MaxDelay))
}

// letGo is a step of a drain: so many deliveries ring, and the next step comes in a second.
func (w *world) letGo(b bell) {
	s := w.receivers[b.receiver].sick
	if s.State != webhook.Enabled || s.parked.len() == 0 {
		return
	}
	for range min(s.rate, s.parked.len()) {
		w.parked--
		w.ring(s.parked.pop())
	}
	s.rate = min(2*s.rate, webhook.MaxRate)
	w.send(b, webhook.StepInterval)
}
