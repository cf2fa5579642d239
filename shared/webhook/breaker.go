package webhook

import (
	"context"
	"encoding/json"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// A receiver is disabled when it was failing for disabledAfter, or kept a new address unverified for so long. Webhooks
// are parked for a disabled receiver until ParkedFor is over (contract, "Breaker").
const (
	disabledAfter = 5 * 24 * time.Hour
	ParkedFor     = 7 * 24 * time.Hour
)

// probes are the times after its opening at which a breaker lets a probe through. After the last it is every hour.
var probes = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// probeAfter is the first moment after now at which a breaker lets a probe through. opened is when it opened.
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

// NextProbe is the next moment at which the open breaker of a failing receiver lets a probe through. It is 0 for a
// receiver in another state, and for one that is disabled before that moment.
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

// StateEnds is when the receiver's state ends by itself. A failing receiver, and one whose new address never answers,
// is then disabled; a disabled one keeps nothing parked any more. It is the zero time for all other states.
func (r Receiver) StateEnds() time.Time {
	switch {
	case r.State == Failing, r.State == Unverified && r.Proven:
		return r.Entered().Add(disabledAfter)
	case r.State == Disabled:
		return r.Entered().Add(ParkedFor)
	}
	return time.Time{}
}

// GivenUp says whether the receiver was disabled so long ago that its deliveries are exhausted at once.
func (r Receiver) GivenUp(now time.Time) bool {
	return r.State == Disabled && !now.Before(r.StateEnds())
}

// FirstState is the state in which new deliveries to the receiver begin: they wait for their first attempt, unless the
// receiver takes none now, or has no address (Unsent).
func (r Receiver) FirstState(now time.Time) DeliveryState {
	switch {
	case r.System() && r.URL == "":
		return Cancelled
	case r.GivenUp(now):
		return Exhausted
	case r.State != Enabled || !r.Verified:
		return Parked
	}
	return Waiting
}

// failed says whether its package's systemUrl was told that the receiver fails or is disabled, and not yet that it has
// recovered.
func (r Receiver) failed() bool { return r.State == Failing || r.State == Disabled || r.Unrecovered }

// enter returns the receiver in another state, which it enters now. The caller sets its version.
func (r Receiver) enter(s ReceiverState, now time.Time) Receiver {
	r.Unrecovered = s == Unverified && r.failed()
	r.State, r.Since = s, field.At(now)
	return r
}

// EnterState brings a receiver into another state, tells its package's systemUrl, begins the drain that follows, and
// returns the receiver as it is then. success is when a probe was answered that closes the breaker, 0 when none was. It
// does nothing if the receiver was deleted, changed its state or moved to another address since it was read, or is in
// the state already: the end of a state counts from its beginning.
func EnterState(ctx context.Context, u *change.Unit, pipeline Pipeline, was Receiver, to ReceiverState,
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
		if _, err := u.Write(ctx, nil, now.stateNotice(HealthOf(items[1])), ops...); err != nil {
			return err
		}
		pipeline.start(ctx, drain.Release, u.Now())
		return nil
	})
	return now, err
}

// stateEvents are the events of the states that a receiver comes into (contract, "System webhooks").
var stateEvents = map[ReceiverState]events.Name{Failing: events.ReceiverFailing, Disabled: events.ReceiverDisabled,
	Enabled: events.ReceiverRecovered}

// stateNotice is the change that tells the package's systemUrl that a receiver has entered its state. It tells nobody
// of the systemUrl's own states, because there is no other address to tell.
func (r Receiver) stateNotice(health Health) events.Change {
	if r.System() {
		return events.Nothing
	}
	data, err := json.Marshal(struct {
		Access      string     `json:"accessId"`
		Receiver    string     `json:"receiverId"`
		URL         string     `json:"url"`
		Since       field.Time `json:"since"`
		LastFailure string     `json:"lastFailure"`
	}{r.Access, r.ID, r.URL, r.Since, health.LastFailure})
	if err != nil {
		panic("webhook: " + err.Error()) // it holds nothing that JSON cannot
	}
	// The version stands for the request: no other change of the receiver has it.
	return events.Change{Request: r.Version, Shop: r.Shop, At: r.Since.Go().UnixMilli(), Notices: []events.Notice{
		{Event: stateEvents[r.State], Access: r.Access, Data: data}}}
}

// MarkVerified enables a receiver whose address answered a ping with its nonce, and lets go what is parked for that
// address. was is the receiver as it was read before the ping. It does nothing if the receiver was deleted, has another
// address by now, or is verified already.
func MarkVerified(ctx context.Context, u *change.Unit, pipeline Pipeline, was Receiver) error {
	return retryConflicts(ctx, func() error {
		items, err := u.Table.Get(ctx, ReceiverKey(was.Shop, was.Access, was.ID), HealthKey(was.ID))
		if err != nil || items[0] == nil {
			return err
		}
		r, err := ReceiverOf(items[0])
		if err != nil || r.URL != was.URL || r.Verified {
			return err
		}
		waited := r.Proven // nothing is parked for a receiver that never was
		told, failed := events.Nothing, r.failed()
		r = r.enter(Enabled, u.Now())
		r.Verified, r.Proven, r.Version = true, true, u.NextVersion(r.Version)
		ops := []store.Op{store.Put(r.Item(), store.VersionIs(items[0].Version)),
			resetCounts(r.ID, HealthOf(items[1]), r.Since)}
		if failed {
			told = r.stateNotice(HealthOf(items[1]))
		}
		drain := r.newDrain(u.Now(), u.NewID())
		if waited {
			ops = append(ops, store.Put(drain.Item()))
		}
		if _, err := u.Write(ctx, nil, told, ops...); err != nil {
			return err
		}
		if waited {
			pipeline.start(ctx, drain.Release, u.Now())
		}
		return nil
	})
}

// retryConflicts calls once again whenever another write came between its read and its write: see record.Retry.
func retryConflicts(ctx context.Context, once func() error) error {
	_, err := record.Retry(ctx, func() (struct{}, error) { return struct{}{}, once() })
	return err
}
