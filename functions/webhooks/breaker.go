package webhooks

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

// How long a receiver may be failing, or keep a new address unproven, before it is disabled, and how long webhooks are
// parked for it then (contract, section 5, "Breaker").
const (
	disabledAfter = 5 * 24 * time.Hour
	ParkedFor     = 7 * 24 * time.Hour
)

// probes are when an open breaker lets a probe through, after it opened; then every hour.
var probes = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// probeAfter is the first moment behind now at which a breaker that opened then lets a probe through.
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
		return access.Changed(r.Version).Go()
	}
	return r.Since.Go()
}

// Ends is when a receiver in its state is disabled, or when one that is keeps nothing parked any more; the zero time when
// its state does not end by itself.
func (r Receiver) Ends() time.Time {
	switch {
	case r.State == Failing, r.State == Unverified && r.Proven:
		return r.Entered().Add(disabledAfter)
	case r.State == Disabled:
		return r.Entered().Add(ParkedFor)
	}
	return time.Time{}
}

// Hopeless says whether what is queued for the receiver is exhausted at once: it was disabled long ago.
func (r Receiver) Hopeless(now time.Time) bool { return r.State == Disabled && !now.Before(r.Ends()) }

// in is the receiver as it is from now on in another state.
func (r Receiver) in(s State, now time.Time) Receiver {
	r.State, r.Since = s, api.At(now)
	return r
}

// Drain is what is to be done next about a receiver's parked deliveries: a probe, a tick of draining, an end. It is also
// the lease on that: each step is on condition of its Version.
type Drain struct {
	Receiver string    `json:"receiverId"`
	Shop     string    `json:"shopId"`
	Access   string    `json:"accessId"`
	Due      time.Time `json:"due"`
	Rate     int       `json:"rate,omitempty"`    // deliveries let go by the last tick, at most
	After    string    `json:"after,omitempty"`   // the last one that was probed or let go
	Rung     []string  `json:"rung,omitempty"`    // those let go last, at most Looked
	Busy     int       `json:"busy,omitempty"`    // deliveries let go, or found at their attempt, in this round
	Soonest  int64     `json:"soonest,omitempty"` // unix milliseconds: when the first of those not due in this round is; 0: none
	Empty    int       `json:"empty,omitempty"`   // ticks in a row that found none
	Version  string    `json:"-"`
}

// Looked is how many of the deliveries that a tick let go the next one looks at.
const Looked = store.MaxOperations

// Next is the drain with the moment of its next step behind now: of an enabled receiver at once.
func (d Drain) Next(r Receiver, now time.Time) Drain {
	d.Due = now
	if r.State == Failing {
		d.Due = probeAfter(r.Entered(), now)
	}
	if end := r.Ends(); !end.IsZero() && (r.State != Failing || end.Before(d.Due)) {
		d.Due = end
	}
	return d
}

// drain is the first step about what is parked for the receiver in its state.
func (r Receiver) drain(now time.Time, version string) Drain {
	return Drain{Receiver: r.ID, Shop: r.Shop, Access: r.Access, Version: version}.Next(r, now)
}

// parking is what follows from a new address: the receiver is disabled when it never proves itself. One that never did
// has nothing parked.
func (r Receiver) parking(now time.Time, version string) []store.Op {
	if !r.Proven {
		return nil
	}
	return []store.Op{store.Put(r.drain(now, version).Item())}
}

// left is what follows from the receiver's deletion: what is parked for it is cancelled.
func (r Receiver) left(now time.Time, version string) Drain {
	return Drain{Receiver: r.ID, Shop: r.Shop, Access: r.Access, Due: now, Version: version}
}

// Move brings the receiver, as it was read, into another state; what is parked for it follows. success is that of the probe
// that closes the breaker, 0: none. It says what the receiver is now, and does nothing when it is no more what it was.
func Move(ctx context.Context, p *host.Platform, was Receiver, to State, success api.Time) (Receiver, error) {
	for range tries {
		items, err := p.Main.Get(ctx, ReceiverKey(was.Shop, was.Access, was.ID), HealthKey(was.ID))
		if err != nil || items[0] == nil {
			return was, err
		}
		r, err := Of(items[0])
		if err != nil || r.State != was.State || r.URL != was.URL {
			return r, err
		}
		r = r.in(to, p.Now())
		r.Version = next(p, r.Version)
		d := r.drain(p.Now(), p.NewID())
		ops := []store.Op{store.Put(r.Item(), store.VersionIs(items[0].Version)), store.Put(d.Item())}
		if to == Enabled {
			ops = append(ops, cleared(r.ID, HealthOf(items[1]), success))
		}
		if _, err = p.Main.Write(ctx, events.Nothing, ops...); err == nil {
			d.begin(ctx, p)
		}
		if !store.IsCondition(err) {
			return r, err
		}
	}
	return was, store.ErrUnavailable
}

// Drained makes sure that what was parked for a receiver that does not park now is let go soon. One under way goes on.
func Drained(ctx context.Context, p *host.Platform, r Receiver) error {
	for range tries {
		items, err := p.Main.Get(ctx, DrainKey(r.ID))
		if err != nil {
			return err
		}
		d, free := r.drain(p.Now(), p.NewID()), store.Absent()
		if items[0] != nil {
			if d, err = DrainOf(items[0]); err != nil {
				return err
			}
			free = store.VersionIs(d.Version)
			d.Empty, d.Version = 0, p.NewID()
		}
		if soon := p.Now().Add(Soon); d.Due.After(soon) {
			d.Due = soon // it waits for what is not due yet: this may be; or the receiver that it waited for is gone
		}
		if _, err = p.Main.Write(ctx, events.Nothing, store.Put(d.Item(), free)); err == nil {
			d.begin(ctx, p)
		}
		if !store.IsCondition(err) {
			return err
		}
	}
	return store.ErrUnavailable
}
