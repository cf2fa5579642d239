package webhook

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"eshop/shared/base/egress"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// Outcome is what became of a taken delivery: nothing was sent and never will be (Cancelled), or not now (Withheld),
// or an attempt was made (At), which failed unless Failure is empty.
type Outcome struct {
	Cancelled string        // why
	Withheld  DeliveryState // where a delivery goes whose receiver takes none now: Parked, or Exhausted
	Probed    bool          // the attempt went through an open breaker
	LetGo     bool          // a drain let the delivery go
	Parks     bool          // the breaker is open by now: what is left of a failed delivery is parked
	Failure   string        // one of the texts of lastFailure
	Answer    egress.Answer
	Signed    *Signed   // what was signed, of an attempt that was answered 401; else nil
	At        time.Time // when the attempt began; zero: nothing was sent
	End       time.Time // when it ended, or when it was known that nothing is sent
}

// Sent says whether an attempt was made.
func (o Outcome) Sent() bool { return !o.At.IsZero() }

// after is the row as an outcome leaves it: the life of a delivery, in one table (contract, "Deliveries" and "Success
// and retries"). It depends on whether the delivery is sent for the first time or had ended before (Ended): sending it
// again never makes things worse.
//
//	outcome                                            first time              had ended
//	answered 2xx                                       delivered               delivered
//	must not be sent (Cancelled)                       cancelled               as it had ended
//	cannot be sent now (Withheld)                      parked or exhausted     as it had ended
//	failed: a probe                                    parked                  as it had ended
//	failed: a ping, a test, or the tenth attempt       exhausted               as it had ended
//	failed, and the breaker is open by now             parked                  as it had ended
//	failed: asked a drain for less (429, 503, timeout) parked till it is due   as it had ended
//	failed otherwise                                   waiting till it is due  as it had ended
func (r Row) after(outcome Outcome) Row {
	ended := r.Ended
	r.Taker, r.Lease, r.Asked, r.Ended, r.Reason = "", 0, false, "", ""
	if outcome.Sent() {
		r = r.with(outcome)
	}
	wait := min(retryAfter(outcome.Answer), longestAsked)
	due, more := next(r.ID, r.Made-r.Extra, outcome.End, wait)
	more = more && r.Redeliverable()
	switch {
	case outcome.Sent() && outcome.Failure == "":
		r.State = Delivered
	case ended != "":
		r.State = ended
	case outcome.Cancelled != "":
		r.State, r.Reason = Cancelled, outcome.Cancelled
	case outcome.Withheld != "":
		r.State = outcome.Withheld
	case outcome.Probed, more && outcome.Parks: // a probe is none of the ten attempts, so there always is one more
		r.State, r.Due = Parked, outcome.End.Add(wait).UnixMilli()
	case !more:
		r.State = Exhausted
	case outcome.LetGo && TooMuch(outcome.Answer.Status, outcome.Failure): // the drain lets it go again, at its pace
		r.State, r.Due = Parked, due.UnixMilli()
	default:
		r.State, r.Due = Waiting, due.UnixMilli()
	}
	return r
}

// again is the row of a delivery that is sent once more, now. One that had ended remembers how.
func (r Row) again(now time.Time) Row {
	if r.State == Delivered || r.State == Exhausted {
		r.Ended = r.State
	}
	r.State, r.Due = Waiting, now.UnixMilli()
	return r
}

// mostAnswers is how many attempts of a delivery keep their answers: probes may be many, and an item is bounded.
const mostAnswers = 30

// with is the row with one more attempt.
func (r Row) with(o Outcome) Row {
	r.Made++
	if o.Probed {
		r.Extra++
	}
	a := DeliveryAttempt{Number: r.Made, At: field.At(o.At), Status: o.Answer.Status,
		DurationMs: o.Answer.Duration.Milliseconds(), Error: o.Failure}
	if r.Made <= mostAnswers {
		a.Answer, a.Signed = o.Answer.Excerpt(), o.Signed
	}
	b, err := json.Marshal(a)
	if err != nil {
		panic("webhook: an attempt always encodes: " + err.Error())
	}
	all := append(slices.Clone(r.Attempts), string(b))
	r.Attempts = all[max(0, len(all)-MostLogged):]
	return r
}

// Conclusion is what an outcome has made of a delivery.
type Conclusion struct {
	LeaseLost bool          // nothing: the lease had ended, and somebody else goes on with the delivery
	Before    Row           // as it was until now
	After     Row           // as it is now
	Wait      time.Duration // until its next attempt; 0: it waits for none
}

// Conclude writes what the outcome makes of a taken row, and gives it free. If an answer of the store was lost it
// may be called again: it finds what it has written. If somebody asked for the delivery, or a replay let it go, while
// the attempt was made, the delivery goes out once more.
func (p Pipeline) Conclude(ctx context.Context, taken Row, outcome Outcome) (Conclusion, error) {
	before, after := taken, taken.after(outcome)
	for {
		_, err := p.replace(ctx, before, after, outcome.End)
		failure, refused := store.Failed(err, RowKey(taken.Access, taken.ID))
		switch {
		case !refused, failure.Item != nil && maps.Equal(failure.Item.Text, after.item().Text):
			if refused { // by what an earlier call has written
				err = nil
			}
			done := Conclusion{Before: before, After: after}
			if after.State == Waiting {
				done.Wait = max(time.UnixMilli(after.Due).Sub(outcome.End), time.Millisecond)
			}
			return done, err
		case failure.Item == nil || TakerOf(failure.Item) != taken.Taker:
			return Conclusion{LeaseLost: true}, nil
		}
		before = RowOf(failure.Item)
		after = before.after(outcome)
		if after.State != Cancelled && (before.Due != taken.Due || before.Asked && !taken.Asked) {
			after = after.again(outcome.End)
			after.Asked = before.Asked
		}
	}
}
