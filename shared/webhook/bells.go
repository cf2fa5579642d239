package webhook

import (
	"cmp"
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Bell is a message that says: look at this delivery. It holds no secret and no body, and the row is the truth: a bell
// that comes twice or late does no harm.
type Bell struct {
	Access, ID, Receiver string
	Shop                 string        // whose turn its message takes; "": the receiver's. No message keeps it
	Retry                bool          // it goes into the retry queue
	Parked               bool          // it lets a parked delivery go
	Probe                bool          // it lets one delivery through an open breaker
	Woken                bool          // it waited in the one process for a slot (inflight), and has one now
	Delay                time.Duration // how much later it shall ring; of no use once it rings
}

// The words behind a bell's names.
const (
	retryWord  = "retry"
	parkedWord = "parked"
	probeWord  = "probe"
	wokenWord  = "woken"
)

// BellOf is the bell of a row, for the fresh queue.
func BellOf(i *store.Item) Bell {
	return Bell{Access: accessOf(i.Key), ID: i.SK, Receiver: i.Text[receiverText], Shop: i.Text[shopText]}
}

// Again is the bell for the retry queue.
func (b Bell) Again() Bell {
	b.Retry = true
	return b
}

// Message is the bell as a queue takes it. Its receiver hears it after the delay. Messages of a shop take turns with
// those of other shops: SQS lets others pass a group that has a tenth of all messages under way, and no receiver of a
// shop in a flash sale has so many alone.
func (b Bell) Message(delay time.Duration) queue.Message {
	body := b.Access + " " + b.ID + " " + b.Receiver
	if b.Retry {
		body += " " + retryWord
	}
	if b.Parked {
		body += " " + parkedWord
	}
	if b.Probe {
		body += " " + probeWord
	}
	if b.Woken {
		body += " " + wokenWord
	}
	return queue.Message{Body: body, Group: cmp.Or(b.Shop, b.Receiver), Delay: min(max(delay, 0), queue.MaxDelay)}
}

// ParseBell reads the body that Message wrote.
func ParseBell(body string) (Bell, bool) {
	f := strings.Split(body, " ")
	if len(f) < 3 || f[0] == StepWord {
		return Bell{}, false
	}
	b := Bell{Access: f[0], ID: f[1], Receiver: f[2]}
	for _, word := range f[3:] {
		switch word {
		case retryWord:
			b.Retry = true
		case parkedWord:
			b.Parked = true
		case probeWord:
			b.Probe = true
		case wokenWord:
			b.Woken = true
		default:
			return Bell{}, false
		}
	}
	return b, true
}

// RingAll rings for the rows that wait, each at its due time. It passes over others, and over nil.
func (p Pipeline) RingAll(ctx context.Context, rows []*store.Item, now time.Time) error {
	var bells []Bell
	for _, i := range rows {
		if i != nil && i.Text[stateText] == string(Waiting) {
			b := BellOf(i)
			b.Retry = i.Num[madeNum] > 0
			b.Delay = time.UnixMilli(i.Num[dueNum]).Sub(now)
			bells = append(bells, b)
		}
	}
	return p.Ring(ctx, bells...)
}

// Ring sends the bells, each into its queue.
func (p Pipeline) Ring(ctx context.Context, bells ...Bell) error {
	var fresh, retry []queue.Message
	for _, b := range bells {
		if b.Retry {
			retry = append(retry, b.Message(b.Delay))
		} else {
			fresh = append(fresh, b.Message(b.Delay))
		}
	}
	if len(fresh) > 0 { // most attempts ring for nothing, and a queue's lock is everybody's
		if err := p.Fresh.Send(ctx, fresh...); err != nil {
			return err
		}
	}
	if len(retry) > 0 {
		return p.Retry.Send(ctx, retry...)
	}
	return nil
}

// Grace is how long after its due time the sweeper rings for a delivery that has a message already. It doubles with
// each ring, up to LongestGrace, so that the sweeper does not fill a queue that is hours behind.
const (
	Grace        = 5 * time.Minute
	doublings    = 4
	LongestGrace = Grace << doublings
)

// ringAfter is how long the sweeper waits before it rings again, when it has rung so many times.
func ringAfter(rung int64) time.Duration { return Grace << min(rung, doublings) }

// RingDue rings for a delivery that the sweeper found by its entry in DueRows. It moves the entry on first, so
// that the bell has time before the next one. When an attempt has changed the row in the meantime, it does not ring.
func RingDue(ctx context.Context, u *change.Unit, pipeline Pipeline, i *store.Item) error {
	now := u.Now()
	if i.Text[stateText] != string(Waiting) {
		return nil
	}
	entry := DueRows.Entry(i.SK, now.Add(ringAfter(i.Num[rungNum])))
	moved := store.Set{Add: map[string]int64{rungNum: 1}, Index1: &entry}
	_, err := pipeline.Rows.Write(ctx, events.Nothing, store.Update(i.Key, moved,
		store.TextIs(stateText, i.Text[stateText]), store.NumIs(dueNum, i.Num[dueNum])))
	if err != nil {
		return err
	}
	return pipeline.RingAll(ctx, []*store.Item{i}, now)
}
