package webhook

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/record"
	"eshop/shared/store"
)

// How long a receiver may be failing, or keep a new address unverified, before it is disabled, and how long webhooks
// are parked for it then (contract, section 5, "Breaker").
const (
	disabledAfter = 5 * 24 * time.Hour
	ParkedFor     = 7 * 24 * time.Hour
)

// probes are when an open breaker lets a probe through, after it opened; then every hour.
var probes = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// probeAfter is the first moment after now at which a breaker that opened then lets a probe through.
func probeAfter(opened, now time.Time) time.Time {
	for _, p := range probes {
		if at := opened.Add(p); at.After(now) {
			return at
		}
	}
	return opened.Add(now.Sub(opened).Truncate(time.Hour) + time.Hour)
}

// Entered is when the receiver came into its state.
func (r Receiver) Entered() time.Time {
	if r.Since == 0 {
		return record.ChangedAt(r.Version).Go()
	}
	return r.Since.Go()
}

// NextProbe is the next moment at which the open breaker of a failing receiver lets a probe through; 0 where there is
// none: of one in another state, and of one that is disabled before.
func (r Receiver) NextProbe(now time.Time) field.Time {
	if r.State != Failing {
		return 0
	}
	at := probeAfter(r.Entered(), now)
	if !at.Before(r.StateEnds()) {
		return 0
	}
	return field.At(at)
}

// StateEnds is when the receiver's state ends by itself: when a failing one, or one with a new address that never
// answers, is disabled, and when a disabled one keeps nothing parked any more. The zero time where it does not.
func (r Receiver) StateEnds() time.Time {
	switch {
	case r.State == Failing, r.State == Unverified && r.Proven:
		return r.Entered().Add(disabledAfter)
	case r.State == Disabled:
		return r.Entered().Add(ParkedFor)
	}
	return time.Time{}
}

// GivenUp says whether what is queued for the receiver is exhausted at once: it was disabled too long ago.
func (r Receiver) GivenUp(now time.Time) bool {
	return r.State == Disabled && !now.Before(r.StateEnds())
}

// FirstState is the state in which deliveries to the receiver begin: Waiting for their first attempt, or Parked or
// Exhausted at once.
func (r Receiver) FirstState(now time.Time) DeliveryState {
	switch {
	case r.GivenUp(now):
		return Exhausted
	case r.State != Enabled || !r.Verified:
		return Parked
	}
	return Waiting
}

// enter is the receiver as it comes into a state now. Its version is still the one before.
func (r Receiver) enter(s ReceiverState, now time.Time) Receiver {
	r.State, r.Since = s, field.At(now)
	return r
}

// EnterState brings the receiver, as it was read, into another state, and what is parked for it follows. success is
// when the probe that closes the breaker was answered, 0: no probe did. It returns the receiver as it is now; one that
// meanwhile is gone, in another state or at another address is left as it is, and so is one that is in that state
// already: the state's end is counted from when it came into it first.
func EnterState(ctx context.Context, u *change.Unit, p Pipeline, was Receiver, to ReceiverState,
	success field.Time) (now Receiver, err error) {
	err = retryConflicts(ctx, func() error {
		now = was
		items, err := u.Table.Get(ctx, ReceiverKey(was.Shop, was.Access, was.ID), HealthKey(was.ID))
		if err != nil || items[0] == nil {
			return err
		}
		now, err = ReceiverOf(items[0])
		if err != nil || now.State != was.State || now.State == to || now.URL != was.URL {
			return err
		}
		read := now.Version
		now = now.enter(to, u.Now())
		now.Version = u.NextVersion(read)
		drain := now.newDrain(u.Now(), u.NewID())
		ops := []store.Op{store.Put(now.Item(), store.VersionIs(read)), store.Put(drain.Item())}
		if to == Enabled {
			ops = append(ops, resetCounts(now.ID, HealthOf(items[1]), success))
		}
		if _, err := u.Write(ctx, nil, events.Nothing, ops...); err != nil {
			return err
		}
		p.start(ctx, drain.Release, u.Now())
		return nil
	})
	return now, err
}

// MarkVerified writes down that the receiver, as it was read before the ping, answered 2xx with the nonce in its body:
// it is enabled, the success shows, and what was parked for a new address drains. Nothing happens when the receiver is
// gone, has another address by now, or is verified already.
func MarkVerified(ctx context.Context, u *change.Unit, p Pipeline, was Receiver) error {
	return retryConflicts(ctx, func() error {
		items, err := u.Table.Get(ctx, ReceiverKey(was.Shop, was.Access, was.ID), HealthKey(was.ID))
		if err != nil || items[0] == nil {
			return err
		}
		r, err := ReceiverOf(items[0])
		if err != nil || r.URL != was.URL || r.Verified {
			return err
		}
		waited := r.Proven // nothing is parked for one that never was
		r = r.enter(Enabled, u.Now())
		r.Verified, r.Proven, r.Version = true, true, u.NextVersion(r.Version)
		ops := []store.Op{store.Put(r.Item(), store.VersionIs(items[0].Version)),
			resetCounts(r.ID, HealthOf(items[1]), r.Since)}
		drain := r.newDrain(u.Now(), u.NewID())
		if waited {
			ops = append(ops, store.Put(drain.Item()))
		}
		if _, err := u.Write(ctx, nil, events.Nothing, ops...); err != nil {
			return err
		}
		if waited {
			p.start(ctx, drain.Release, u.Now())
		}
		return nil
	})
}

// retryConflicts reads and writes once more each time another write came between: see record.Retry.
func retryConflicts(ctx context.Context, once func() error) error {
	_, err := record.Retry(ctx, func() (struct{}, error) { return struct{}{}, once() })
	return err
}
