package webhook

import (
	"context"
	"encoding/json"
	"time"

	"eshop/events"
	"eshop/shared/egress"
	"eshop/shared/field"
	"eshop/shared/store"
)

// Outcome is what became of a claimed delivery: nothing was sent and never will be (Cancelled), or not now (Withheld),
// or an attempt was made, and failed unless Failure is empty.
type Outcome struct {
	Cancelled string        // why
	Withheld  DeliveryState // what becomes of one whose receiver takes none now: Parked, or Exhausted
	Used      int           // of the attempts that were asked for: one or none
	Probed    bool          // it was let through an open breaker
	Parks     bool          // it failed and the breaker is open: what is left of it is parked
	Failure   string        // one of the texts of lastFailure
	Proof     string        // the address that a ping proved, where that could not be written down: it is tried again
	Answer    egress.Answer
	At, End   time.Time
}

// Sent says whether an attempt was made.
func (o Outcome) Sent() bool { return !o.At.IsZero() }

// after is the delivery as the outcome leaves it, and how long until its next attempt; 0: none waits.
func (r Row) after(o Outcome, now time.Time) (after Row, wait time.Duration) {
	after = r
	switch {
	case o.Cancelled != "":
		after.State, after.Reason = Cancelled, o.Cancelled
	case o.Withheld != "":
		after.State = o.Withheld
	case o.Proof != "":
		after, wait = r.afterLostProof(o)
	case r.Proof != "": // an earlier attempt's, which is written down now
		after.State, after.Proof, after.Tried = Delivered, "", 0
	default:
		after, wait = r.afterAttempt(o)
	}
	if r.Asked > 0 || r.Ended != "" {
		after, wait = r.afterRedelivery(o, after, wait, now)
	}
	after.Lease = 0 // the claim ends with it
	return after, wait
}

// afterAttempt is the delivery after an attempt at it.
func (r Row) afterAttempt(o Outcome) (after Row, wait time.Duration) {
	after = r
	after.Made++
	if o.Probed {
		after.Extra++
	}
	asked := retryAfter(o.Answer)
	due, more := next(r.ID, after.Made-after.Extra, o.End, asked)
	more = more && r.Redeliverable()
	switch {
	case o.Failure == "":
		after.State = Delivered
	case o.Probed, more && o.Parks: // a probe is none of the ten attempts, so there always is one more
		after.State, after.Due = Parked, o.End.Add(min(asked, longestAsked)).UnixMilli()
	case more && r.LetGo && TooMuch(o.Answer.Status, o.Failure): // the drain lets it go again, at its pace
		after.State, after.Due = Parked, due.UnixMilli()
	case more:
		return after.waitUntil(due, o.End)
	default:
		after.State = Exhausted
	}
	return after, 0
}

// afterLostProof is the delivery of a ping that proved an address, which could not be written down. That is tried
// again, as attempts are, and the ping is not sent again.
func (r Row) afterLostProof(o Outcome) (after Row, wait time.Duration) {
	after = r
	after.Tried++
	if o.Sent() {
		after.Made++
	}
	due, more := next(r.ID, after.Tried, o.End, 0)
	if !more {
		after.State = Exhausted
		return after, 0
	}
	after.Proof = o.Proof
	return after.waitUntil(due, o.End)
}

// afterRedelivery is a delivery that was asked for once more, or that a replay let go, which the outcome alone would
// leave as after, waiting so long: it stays at least what it was, and goes out again as often as it was asked for. What
// could not be sent is not asked for any more.
func (r Row) afterRedelivery(o Outcome, after Row, wait time.Duration, now time.Time) (Row, time.Duration) {
	if r.Ended != "" && after.State != Delivered {
		after.State, after.Reason, wait = r.Ended, r.Reason, 0
	}
	after.Ended = ""
	after.Asked = max(0, r.Asked-o.Used) // others may have asked while this one was made
	if o.Used > 0 && !o.Sent() {
		after.Asked = 0
	}
	if after.Asked > 0 {
		return after.requeue(now)
	}
	return after, wait
}

// Conclusion is what an outcome has made of a delivery.
type Conclusion struct {
	LeaseLost bool          // nothing: the claim's lease had ended, and somebody else goes on with it
	Before    Row           // as it was concluded: with redeliveries that were asked for meanwhile
	After     Row           // as it is now
	Wait      time.Duration // until its next attempt; 0: none waits
}

// Conclude writes the outcome into the delivery's row, which the claim is for, and ends the claim. It may be tried
// again: where the answer of a try that was done got lost, the next finds what it would write.
func (p Pipeline) Conclude(ctx context.Context, r Row, claim string, o Outcome, now time.Time) (Conclusion, error) {
	key := RowKey(r.Access, r.ID)
	for {
		after, wait := r.after(o, now)
		set := r.setTo(after, wait)
		if after.Made > r.Made {
			r.log(&set, o)
		}
		set.Drop = append(set.Drop, claimText, leaseNum, rungNum)
		_, err := p.Rows.Write(ctx, events.Nothing, store.Update(key, set, store.TextIs(claimText, claim),
			store.AtMost(askedNum, int64(r.Asked))))
		f, refused := store.Failed(err, key)
		done := Conclusion{Before: r, After: after, Wait: wait}
		switch {
		case !refused:
			return done, err
		case f.Item != nil && ClaimOf(f.Item) == "" && bears(f.Item, set):
			return done, nil // by an earlier try
		case f.Item == nil || ClaimOf(f.Item) != claim:
			return Conclusion{LeaseLost: true}, nil
		}
		r = RowOf(f.Item) // a redelivery was asked for meanwhile
	}
}

// bears says whether the row has all texts of the set: of an attempt they tell it from any other.
func bears(row *store.Item, set store.Set) bool {
	for name, text := range set.Text {
		if row.Text[name] != text {
			return false
		}
	}
	return true
}

// mostAnswers is how many attempts of a delivery keep their answers: probes may be many, and an item is bounded.
const mostAnswers = 30

// log adds the attempt to the row's.
func (r Row) log(set *store.Set, o Outcome) {
	made := r.Made + 1
	a := DeliveryAttempt{Number: made, At: field.At(o.At), Status: o.Answer.Status,
		DurationMs: o.Answer.Duration.Milliseconds(), Error: o.Failure}
	if made <= mostAnswers {
		a.Answer = o.Answer.Excerpt()
	}
	b, err := json.Marshal(a)
	if err != nil {
		panic("webhook: an attempt always encodes: " + err.Error())
	}
	set.Text[attemptText(made)], set.Num[madeNum] = string(b), int64(made)
	if made > MostLogged {
		set.Drop = append(set.Drop, attemptText(made-MostLogged))
	}
}
