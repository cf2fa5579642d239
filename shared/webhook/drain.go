package webhook

import (
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// Drain is the next step about a receiver's parked deliveries: to probe with one of them, to let some of them go, or to
// end them. The receiver's state says which. There is at most one drain of a receiver.
type Drain struct {
	Release
	Rate    int      `json:"rate,omitempty"`    // how many deliveries the last step could let go
	Rung    []string `json:"rung,omitempty"`    // the last that were let go, at most MaxRung, each as "PK SK"
	Busy    int      `json:"busy,omitempty"`    // deliveries of this round that were let go, or found while an attempt is made
	Soonest int64    `json:"soonest,omitempty"` // when the first that is not due yet will be, in unix milliseconds; 0: none
	Empty   int      `json:"empty,omitempty"`   // steps in a row that found nothing parked
}

// MaxRung is how many of the deliveries that a step let go the next step looks at: as many as one read takes.
const MaxRung = store.MaxKeys

// RungKeys are the keys of the deliveries that were let go last.
func (d Drain) RungKeys() []store.Key {
	keys := make([]store.Key, len(d.Rung))
	for i, r := range d.Rung {
		keys[i].PK, keys[i].SK, _ = strings.Cut(r, " ")
	}
	return keys
}

// DrainKey is the key of the receiver's drain.
func DrainKey(receiver string) store.Key { return releaseKey(receiver, drainName) }

// Item is the drain as it is stored.
func (d Drain) Item() store.Item {
	d.Name = drainName
	return d.item(d)
}

// DrainOf reads a drain's item.
func DrainOf(i *store.Item) (d Drain, err error) {
	err = i.Into(&d)
	d.Name, d.Head = i.SK, Releases.Head(i)
	return d, err
}

// drainDue makes a drain of the receiver, whose first step is due then.
func (r Receiver) drainDue(due time.Time, version string) Drain {
	return Drain{Release: Release{Receiver: r.ID, Shop: r.Shop, Access: r.Access, Name: drainName,
		Head: job.Head{Version: version, Due: due}}}
}

// newDrain makes the drain that follows from the receiver's present state.
func (r Receiver) newDrain(now time.Time, version string) Drain {
	return r.drainDue(now, version).Next(r, now)
}

// lastDrain makes the drain that follows from the receiver's deletion: it cancels what is parked, from now on.
func (r Receiver) lastDrain(now time.Time, version string) Drain { return r.drainDue(now, version) }

// Next returns the drain with the moment of its next step. For a failing receiver that is the next probe, or the
// end of its state if that is sooner; for one that parks for another reason the end of its state; for any other now.
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

// LetGo returns the drain after a step at this rate, and the bells of the deliveries that the step lets go. keys are
// the next parked deliveries, rows what they are now, nil when one is gone. retry sends the bells to the retry queue.
func (d Drain) LetGo(rate int, keys []store.Key, rows []*store.Item, retry bool, now time.Time) (Drain, []Bell) {
	d.Rate, d.Rung, d.Empty, d.Due = rate, nil, 0, time.Time{}
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
			b := BellOf(i)
			b.Parked, b.Retry = true, retry
			bells = append(bells, b)
			d.Busy++
			d.Rung = append(d.Rung, i.PK+" "+i.SK)
		}
	}
	d.Rung = d.Rung[max(0, len(d.Rung)-MaxRung):]
	return d, bells
}

// NextRound returns the drain when a round is past the last parked delivery. The next round begins with the
// next step or, if all that is left is not due yet, when the first of it is.
func (d Drain) NextRound() Drain {
	due := time.Time{}
	if d.Busy == 0 && d.Soonest > 0 {
		due = time.UnixMilli(d.Soonest)
	}
	if d.Empty++; d.After != "" { // this round had found something
		d.Empty = 0
	}
	d.After, d.Rung, d.Busy, d.Soonest, d.Due = "", nil, 0, 0, due
	return d
}

// MaxRate is how many deliveries a step of a drain lets go at most, which it reaches after ten doublings. It bounds
// what a step reads.
const MaxRate = 1024

// NextRate returns the rate of the next step by what became of the deliveries that a step at this rate let go. It
// doubles when all were delivered, halves when one asked for less, and else stays.
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

// askedForLess says whether the last attempt of the delivery, if it was made since then, says that it was too much.
func askedForLess(i *store.Item, since time.Time) bool {
	all, err := AttemptsOf(i)
	if err != nil || len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.At >= field.At(since) && TooMuch(last.Status, last.Error)
}

// EnsureDrain makes sure that a drain looks soon at what is parked for a receiver that parks nothing any more. A drain
// under way goes on.
func EnsureDrain(ctx context.Context, u *change.Unit, pipeline Pipeline, r Receiver) error {
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
		// The drain may wait for a delivery that is due later: the new one may be due before that.
		if soon := u.Now().Add(StepInterval); drain.Due.After(soon) {
			drain.Due = soon
		}
		if _, err = u.Write(ctx, nil, events.Nothing, store.Put(drain.Item(), unchanged)); err != nil {
			return err
		}
		pipeline.start(ctx, drain.Release, u.Now())
		return nil
	})
}

// DrainIfChanged is for those who have parked a delivery for a receiver that they read before. If the receiver parks
// nothing any more, its drain may have ended before the delivery was parked: then one is made, which lets the delivery
// go or ends it.
func DrainIfChanged(ctx context.Context, u *change.Unit, pipeline Pipeline, was Receiver) error {
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
	return EnsureDrain(ctx, u, pipeline, r)
}

// EndParked ends a parked delivery without an attempt, and says whether it did: as Cancelled for a reason, or as
// Exhausted.
func (p Pipeline) EndParked(ctx context.Context, i *store.Item, as DeliveryState, reason string,
	now time.Time) (bool, error) {
	parked := RowOf(i)
	if parked.State != Parked || parked.Lease > now.UnixMilli() { // or an attempt is under way: the drain comes again
		return false, nil
	}
	ended := parked
	ended.State, ended.Reason = as, reason
	_, err := p.replace(ctx, parked, ended, now)
	if store.IsCondition(err) {
		return false, nil
	}
	return err == nil, err
}
