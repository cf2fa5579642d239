package webhook

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/id"
	"eshop/shared/queue"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Release is deliveries of a receiver that are let go at a pace: a Drain of what was parked, or a Replaying of what has
// ended. It is one item, which says what the next step is and when it is due, and which is the lease on that: a step is
// taken on condition of the item's version. A message asks for a step that is due soon; for one whose message was lost,
// and for what is due later, the sweeper asks.
type Release struct {
	Receiver string    `json:"receiverId"`
	Shop     string    `json:"shopId"`
	Access   string    `json:"accessId"`
	Due      time.Time `json:"due"`             // when the next step is
	After    string    `json:"after,omitempty"` // the last delivery that was looked at
	Name     string    `json:"-"`               // drainName, or of a replay replayName and its id
	Version  string    `json:"-"`
}

// The names of releases.
const (
	drainName  = "DRAIN"
	replayName = "REPLAY#" // begins them
)

// Soon is how soon a step is due, when it is written down, that has a message. The sweeper has the later ones.
const Soon = time.Second

// ReleaseShards is how many partitions of Index2 hold the releases.
const ReleaseShards = 4

// ReleasePartition is the nth one of Index2 with releases, by when their next steps are due.
func ReleasePartition(n int) string { return "DRAIN#" + strconv.Itoa(n) }

// releaseKey is the item of a receiver's release.
func releaseKey(receiver, name string) store.Key {
	return store.Key{PK: healthPartition(receiver), SK: name}
}

// item is the release as it is stored, with all that doc says of it.
func (r Release) item(doc any) store.Item {
	h := fnv.New32a()
	h.Write([]byte(r.Receiver))
	return store.Item{Key: releaseKey(r.Receiver, r.Name), Version: r.Version, Doc: record.Document(doc),
		Index2: store.Key{PK: ReleasePartition(int(h.Sum32() % ReleaseShards)), SK: id.Stamp(r.Due) + "#" + r.Receiver + "#" + r.Name}}
}

// releaseOf reads what all releases have of an item.
func releaseOf(i *store.Item) (r Release, err error) {
	err = i.Into(&r)
	r.Name, r.Version = i.SK, i.Version
	return r, err
}

// Step is a message of the queues: take the next step of this release, unless somebody did. Of those with one version,
// however many there are, one is taken.
type Step struct{ Shop, Access, Receiver, Name, Version string }

// StepWord begins the messages of steps, and no other message.
const StepWord = "step"

// Step is the release's next one.
func (r Release) Step() Step { return Step{r.Shop, r.Access, r.Receiver, r.Name, r.Version} }

// IsDrain says whether the release is the receiver's drain.
func (s Step) IsDrain() bool { return s.Name == drainName }

// Key is the key of the item that the step is of.
func (s Step) Key() store.Key { return releaseKey(s.Receiver, s.Name) }

// Message is the step as a queue takes it, to be taken after the delay.
func (s Step) Message(delay time.Duration) queue.Message {
	return queue.Message{Body: strings.Join([]string{StepWord, s.Shop, s.Access, s.Receiver, s.Name, s.Version}, " "),
		Group: s.Receiver, Delay: min(max(delay, 0), queue.MaxDelay)}
}

// ParseStep reads the body that Message wrote.
func ParseStep(body string) (Step, bool) {
	f := strings.Split(body, " ")
	if len(f) != 6 || f[0] != StepWord {
		return Step{}, false
	}
	return Step{f[1], f[2], f[3], f[4], f[5]}, true
}

// Follow sends the message of the release's next step, if it is due soon. Whoever has written a release down calls it
// then: so releases begin at once, and the sweeper has only what was lost in between.
func (p Pipeline) Follow(ctx context.Context, r Release, now time.Time) error {
	if wait := r.Due.Sub(now); wait <= Soon {
		return p.Retry.Send(ctx, r.Step().Message(wait))
	}
	return nil
}

// begin is Follow for those who have done what they were to do, whether the message goes out or not.
func (p Pipeline) begin(ctx context.Context, r Release, now time.Time) {
	if err := p.Follow(ctx, r, now); err != nil {
		p.Log.Warn("the sweeper will begin with what is to be let go", "receiver", r.Receiver, "error", err)
	}
}

// mended is how long after its time the sweeper sees that a step's message was lost.
const mended = 10 * time.Second

// RingStep sends the message of a release's step that is due, unless it should have one.
func RingStep(ctx context.Context, u *change.Unit, p Pipeline, i *store.Item) error {
	r, err := releaseOf(i)
	if err != nil {
		return err
	}
	made := id.Time(r.Version)
	hasMessage := r.Due.Sub(made) <= Soon && r.Due.After(made)
	if hasMessage && u.Now().Sub(r.Due) < mended {
		return nil
	}
	return p.Retry.Send(ctx, r.Step().Message(0))
}

// Drain is what is to be done next about a receiver's parked deliveries: a probe, letting some of them go, or their
// end.
type Drain struct {
	Release
	Rate    int      `json:"rate,omitempty"`    // deliveries let go by the last step, at most
	Rung    []string `json:"rung,omitempty"`    // those let go last, at most Looked
	Busy    int      `json:"busy,omitempty"`    // deliveries let go, or found at their attempt, in this round
	Soonest int64    `json:"soonest,omitempty"` // when the first not due yet is, in unix milliseconds; 0: none
	Empty   int      `json:"empty,omitempty"`   // steps in a row that found none
}

// Looked is how many of the deliveries that a step let go the next one looks at.
const Looked = store.MaxKeys

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
		if soon := u.Now().Add(Soon); drain.Due.After(soon) {
			drain.Due = soon
		}
		if _, err = u.Write(ctx, nil, events.Nothing, store.Put(drain.Item(), unchanged)); err != nil {
			return err
		}
		p.begin(ctx, drain.Release, u.Now())
		return nil
	})
}

// DrainIfChanged is called after a delivery was parked for a receiver as it was read before: if that has changed meanwhile,
// what is parked is let go, or ended.
func DrainIfChanged(ctx context.Context, u *change.Unit, p Pipeline, was Receiver) error {
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

// Fastest is the most deliveries that a step of a drain lets go.
const Fastest = 1024

// Paced is the rate after a step at this rate that let these deliveries go at a time.
func Paced(rate int, rows []*store.Item, at time.Time) int {
	good := true
	for _, i := range rows {
		if i == nil {
			continue
		}
		switch state := RowOf(i).State; {
		case state == Delivered, state == Cancelled:
		case pressed(i, at):
			return max(1, rate/2)
		default:
			good = false // another failure, or none yet
		}
	}
	if good {
		return min(2*rate, Fastest)
	}
	return rate
}

// pressed says whether an attempt of the delivery since then says that it was too much.
func pressed(i *store.Item, since time.Time) bool {
	all, err := AttemptsOf(i)
	if err != nil || len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.At >= field.At(since) && TooMuch(last.Status, last.Error)
}
