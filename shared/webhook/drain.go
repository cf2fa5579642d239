package webhook

import (
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/id"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// Drain is what is to be done next about a receiver's parked deliveries: a probe, a tick of letting them go, or their
// end. It is also the lease on that: each step is taken on condition of its Version.
type Drain struct {
	Receiver string    `json:"receiverId"`
	Shop     string    `json:"shopId"`
	Access   string    `json:"accessId"`
	Due      time.Time `json:"due"`
	Rate     int       `json:"rate,omitempty"`    // deliveries let go by the last tick, at most
	After    string    `json:"after,omitempty"`   // the last one that was probed or let go
	Rung     []string  `json:"rung,omitempty"`    // those let go last, at most Looked
	Busy     int       `json:"busy,omitempty"`    // deliveries let go, or found at their attempt, in this round
	Soonest  int64     `json:"soonest,omitempty"` // when the first not due yet is, in unix milliseconds; 0: none
	Empty    int       `json:"empty,omitempty"`   // ticks in a row that found none
	Version  string    `json:"-"`
}

// Looked is how many of the deliveries that a tick let go the next one looks at.
const Looked = store.MaxOperations

// newDrain is the first step about what is parked for the receiver in its state.
func (r Receiver) newDrain(now time.Time, version string) Drain {
	return Drain{Receiver: r.ID, Shop: r.Shop, Access: r.Access, Version: version}.Next(r, now)
}

// lastDrain is what follows from the receiver's deletion: what is parked for it is cancelled, from now on.
func (r Receiver) lastDrain(now time.Time, version string) Drain {
	return Drain{Receiver: r.ID, Shop: r.Shop, Access: r.Access, Due: now, Version: version}
}

// Next is the drain with the moment of its next step: of a failing receiver the next probe, of one that parks for
// another reason the end of that, and of any other now.
func (d Drain) Next(r Receiver, now time.Time) Drain {
	end := r.Ends()
	switch {
	case r.State == Failing:
		d.Due = probeAfter(r.Entered(), now)
		if end.Before(d.Due) {
			d.Due = end
		}
	case !end.IsZero():
		d.Due = end
	default:
		d.Due = now
	}
	return d
}

// Drained makes sure that what was parked for a receiver that does not park now is let go soon. A drain under way goes
// on.
func Drained(ctx context.Context, u *change.Unit, p Pipeline, r Receiver) error {
	return again(func() error {
		items, err := u.Table.Get(ctx, DrainKey(r.ID))
		if err != nil {
			return err
		}
		drain, unchanged := r.newDrain(u.Now(), u.NewID()), store.Absent()
		if items[0] != nil {
			if drain, err = DrainOf(items[0]); err != nil {
				return err
			}
			unchanged = store.VersionIs(drain.Version)
			drain.Empty, drain.Version = 0, u.NewID()
		}
		// A later step waits for what is not due yet, which this may be, or for a receiver that is gone.
		if soon := u.Now().Add(Soon); drain.Due.After(soon) {
			drain.Due = soon
		}
		if _, err = u.Write(ctx, nil, events.Nothing, store.Put(drain.Item(), unchanged)); err != nil {
			return err
		}
		p.begin(ctx, drain, u.Now())
		return nil
	})
}

// Soon is how soon a step is due, when it is written down, that has a message. The sweeper has the later ones.
const Soon = time.Second

// Follow sends the message of the drain's next step, if it is due soon. Whoever has written a drain down calls it then:
// so drains begin at once, and the sweeper has only what was lost in between.
func (p Pipeline) Follow(ctx context.Context, d Drain, now time.Time) error {
	if wait := d.Due.Sub(now); wait <= Soon {
		return p.Retry.Send(ctx, d.Step().Message(wait))
	}
	return nil
}

// begin is Follow for those who have done what they were to do, whether the message goes out or not.
func (p Pipeline) begin(ctx context.Context, d Drain, now time.Time) {
	if err := p.Follow(ctx, d, now); err != nil {
		p.Log.Warn("the sweeper will begin with what is parked", "receiver", d.Receiver, "error", err)
	}
}

// Step is a message of the queues: take the next step about what is parked for this receiver, unless somebody did. Of
// those with one version, however many there are, one is taken.
type Step struct{ Shop, Access, Receiver, Version string }

// StepWord begins the messages of steps, and no other message.
const StepWord = "step"

// Step is the drain's next one.
func (d Drain) Step() Step { return Step{d.Shop, d.Access, d.Receiver, d.Version} }

// Message is the step as a queue takes it, to be taken after the delay.
func (s Step) Message(delay time.Duration) queue.Message {
	return queue.Message{Body: strings.Join([]string{StepWord, s.Shop, s.Access, s.Receiver, s.Version}, " "),
		Group: s.Receiver, Delay: min(max(delay, 0), queue.MaxDelay)}
}

// StepOf reads the body that Message wrote.
func StepOf(body string) (Step, bool) {
	f := strings.Split(body, " ")
	if len(f) != 5 || f[0] != StepWord {
		return Step{}, false
	}
	return Step{f[1], f[2], f[3], f[4]}, true
}

// Settle is called after a delivery was parked for a receiver as it was read before: if that has changed meanwhile,
// what is parked is let go, or ended.
func Settle(ctx context.Context, u *change.Unit, p Pipeline, was Receiver) error {
	items, err := u.Table.Get(ctx, ReceiverKey(was.Shop, was.Access, was.ID))
	if err != nil {
		return err
	}
	r := was
	if items[0] != nil {
		if r, err = ReceiverOf(items[0]); err != nil || r.State != Enabled && !r.Hopeless(u.Now()) {
			return err
		}
	}
	return Drained(ctx, u, p, r)
}

// Held is what becomes at once of the deliveries to a receiver: Parked, Exhausted, or "" when they wait for their
// attempt.
func Held(r Receiver, now time.Time) DeliveryState {
	switch {
	case r.Hopeless(now):
		return Exhausted
	case r.State != Enabled || !r.Verified:
		return Parked
	}
	return ""
}

// mended is how long after its time the sweeper sees that a tick was lost.
const mended = 10 * time.Second

// RingStep sends the message of a drain's step that is due, unless it should have one.
func RingStep(ctx context.Context, u *change.Unit, p Pipeline, i *store.Item) error {
	d, err := DrainOf(i)
	if err != nil {
		return err
	}
	chained := d.Due.Sub(id.Time(d.Version)) <= Soon && d.Due.After(id.Time(d.Version))
	if chained && u.Now().Sub(d.Due) < mended {
		return nil
	}
	return p.Retry.Send(ctx, d.Step().Message(0))
}
