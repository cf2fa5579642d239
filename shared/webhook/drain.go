package webhook

import (
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/store"
)

// Drain is what is to be done next about a receiver's parked deliveries: a probe, letting some of them go, or their
// end.
type Drain struct {
	Release
	Rate    int      `json:"rate,omitempty"`    // deliveries let go by the last step, at most
	Rung    []string `json:"rung,omitempty"`    // those let go last, at most MaxRung, each as its keys
	Busy    int      `json:"busy,omitempty"`    // deliveries let go, or found at their attempt, in this round
	Soonest int64    `json:"soonest,omitempty"` // when the first not due yet is, in unix milliseconds; 0: none
	Empty   int      `json:"empty,omitempty"`   // steps in a row that found none
}

// MaxRung is how many of the deliveries that a step let go the next one looks at: as many as one read takes.
const MaxRung = store.MaxKeys

// RungKeys are the rows of the deliveries that were let go last.
func (d Drain) RungKeys() []store.Key {
	keys := make([]store.Key, len(d.Rung))
	for i, r := range d.Rung {
		keys[i].PK, keys[i].SK, _ = strings.Cut(r, " ")
	}
	return keys
}

// DrainKey is the receiver's drain, if one is under way or to come.
func DrainKey(receiver string) store.Key { return releaseKey(receiver, drainName) }

// Item is the drain as it is stored.
func (d Drain) Item() store.Item {
	d.Name = drainName
	return d.item(d)
}

// DrainOf reads a drain's item.
func DrainOf(i *store.Item) (d Drain, err error) {
	err = i.Into(&d)
	d.Name, d.Version = i.SK, i.Version
	return d, err
}

// drainDue is the receiver's drain, whose first step is due then.
func (r Receiver) drainDue(due time.Time, version string) Drain {
	return Drain{Release: Release{Receiver: r.ID, Shop: r.Shop, Access: r.Access, Due: due, Name: drainName,
		Version: version}}
}

// newDrain is the first step about what is parked for the receiver in its state.
func (r Receiver) newDrain(now time.Time, version string) Drain {
	return r.drainDue(now, version).Next(r, now)
}

// lastDrain is what follows from the receiver's deletion: what is parked for it is cancelled, from now on.
func (r Receiver) lastDrain(now time.Time, version string) Drain { return r.drainDue(now, version) }

// Next is the drain with the moment of its next step: of a failing receiver the next probe, of one that parks for
// another reason the end of that, and of any other now.
func (d Drain) Next(r Receiver, now time.Time) Drain {
	end := r.StateEnds()
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

// LetGo is the drain after a step at this rate, and the bells of the deliveries that the step lets go. These are its
// next parked ones by their keys, with their rows, nil of one that is gone; retry says that the bells are the retry
// queue's.
func (d Drain) LetGo(rate int, keys []store.Key, rows []*store.Item, retry bool, now time.Time) (Drain, []Bell) {
	d.Rate, d.Rung, d.Due = rate, nil, time.Time{}
	var bells []Bell
	for n, i := range rows {
		if len(bells) == rate {
			break
		}
		d.After = keys[n].SK
		if i == nil {
			continue
		}
		switch row := RowOf(i); {
		case row.State != Parked:
		case row.Lease > now.UnixMilli(): // its attempt is under way
			d.Busy++
		case row.Due > now.UnixMilli():
			if d.Soonest == 0 || row.Due < d.Soonest {
				d.Soonest = row.Due
			}
		default:
			b := BellOf(i, retry)
			b.Parked = true
			bells = append(bells, b)
			d.Busy++
			d.Rung = append(d.Rung, i.PK+" "+i.SK)
		}
	}
	d.Rung = d.Rung[max(0, len(d.Rung)-MaxRung):]
	return d, bells
}

// NextRound is the drain once a round has come past the last parked delivery: the next round begins at once, or when
// the first of those is due that are all that is left.
func (d Drain) NextRound() Drain {
	due := time.Time{}
	if d.Busy == 0 && d.Soonest > 0 {
		due = time.UnixMilli(d.Soonest)
	}
	d.After, d.Rung, d.Busy, d.Soonest, d.Due = "", nil, 0, 0, due
	return d
}

// MaxRate is the most deliveries that a step of a drain lets go, after ten doublings: it bounds what a step reads.
const MaxRate = 1024

// NextRate is the rate after a step at this rate that let these deliveries go at a time.
func NextRate(rate int, rows []*store.Item, at time.Time) int {
	good := true
	for _, i := range rows {
		if i == nil {
			continue
		}
		switch state := RowOf(i).State; {
		case state == Delivered, state == Cancelled:
		case askedForLess(i, at):
			return max(1, rate/2)
		default:
			good = false // another failure, or none yet
		}
	}
	if good {
		return min(2*rate, MaxRate)
	}
	return rate
}

// askedForLess says whether an attempt of the delivery since then says that it was too much.
func askedForLess(i *store.Item, since time.Time) bool {
	all, err := AttemptsOf(i)
	if err != nil || len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.At >= field.At(since) && TooMuch(last.Status, last.Error)
}

// EnsureDrain makes sure that what was parked for a receiver that does not park now is let go soon. A drain under way
// goes on.
func EnsureDrain(ctx context.Context, u *change.Unit, p Pipeline, r Receiver) error {
	return retryConflicts(ctx, func() error {
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
		if soon := u.Now().Add(StepInterval); drain.Due.After(soon) {
			drain.Due = soon
		}
		if _, err = u.Write(ctx, nil, events.Nothing, store.Put(drain.Item(), unchanged)); err != nil {
			return err
		}
		p.start(ctx, drain.Release, u.Now())
		return nil
	})
}

// DrainIfChanged is called after a delivery was parked for a receiver as it was read before: if that has changed
// meanwhile, what is parked is let go, or ended.
func DrainIfChanged(ctx context.Context, u *change.Unit, p Pipeline, was Receiver) error {
	items, err := u.Table.Get(ctx, ReceiverKey(was.Shop, was.Access, was.ID))
	if err != nil {
		return err
	}
	r := was
	if items[0] != nil {
		if r, err = ReceiverOf(items[0]); err != nil || r.State != Enabled && !r.GivenUp(u.Now()) {
			return err
		}
	}
	return EnsureDrain(ctx, u, p, r)
}

// EndParked ends a parked delivery without an attempt, and says whether it did: as Cancelled for a reason, or as
// Exhausted.
func (p Pipeline) EndParked(ctx context.Context, i *store.Item, as DeliveryState, reason string) (bool, error) {
	row := RowOf(i)
	after := row
	after.State = as
	if reason != "" {
		after.Reason = reason
	}
	set := row.setTo(after, 0)
	_, err := p.Rows.Write(ctx, events.Nothing, store.Update(i.Key, set, store.TextIs(stateText, string(Parked))))
	if store.IsCondition(err) {
		return false, nil
	}
	return err == nil, err
}
