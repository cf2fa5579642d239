package webhook

import (
	"context"
	"encoding/json"
	"maps"
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

// Concluded is what an outcome has made of a delivery.
type Concluded struct {
	Lost bool          // nothing: the claim's lease had ended, and somebody else goes on with it
	Was  Row           // as it was concluded: with redeliveries that were asked for meanwhile
	Now  DeliveryState // what it is now
	Wait time.Duration // until its next attempt; 0: none waits
}

// Conclude writes the outcome into the delivery's row, which the claim is for, and ends the claim. It may be tried again:
// where the answer of a try that was done got lost, the next finds what it would write.
func (p Pipeline) Conclude(ctx context.Context, r Row, claim string, o Outcome, now time.Time) (Concluded, error) {
	key := RowKey(r.Access, r.ID)
	for {
		set, wait := r.result(o)
		if r.Asked > 0 || r.Ended != "" {
			set, wait = r.redelivered(o, set, wait, now)
		}
		set.Drop = append(set.Drop, claimText, leaseNum, rungNum)
		_, err := p.Rows.Write(ctx, events.Nothing, store.Update(key, set, store.TextIs(claimText, claim),
			store.AtMost(askedNum, int64(r.Asked))))
		f, refused := store.Failed(err, key)
		done := Concluded{Was: r, Now: DeliveryState(set.Text[stateText]), Wait: wait}
		switch {
		case !refused:
			return done, err
		case f.Item != nil && ClaimOf(f.Item) == "" && bears(f.Item, set):
			return done, nil // by an earlier try
		case f.Item == nil || ClaimOf(f.Item) != claim:
			return Concluded{Lost: true}, nil
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

// result is what the outcome makes of the row, and how long until the next attempt; 0: none.
func (r Row) result(o Outcome) (set store.Set, wait time.Duration) {
	switch {
	case o.Cancelled != "":
		set = atRest(r, Cancelled)
		set.Text[reasonText] = o.Cancelled
		return set, 0
	case o.Withheld != "":
		return atRest(r, o.Withheld), 0
	case o.Proof != "":
		return r.unproven(o)
	case r.Proof != "":
		set = delivered()
		set.Drop = []string{proofText, triedNum}
		return set, 0
	}
	made, extra := r.Made+1, r.Extra
	if o.Probed {
		extra++
	}
	due, more := next(r.ID, made-extra, o.End, retryAfter(o.Answer))
	more = more && r.Redeliverable()
	switch {
	case o.Failure == "":
		set = delivered()
	case o.Probed, more && o.Parks: // a probe is none of the ten attempts, so there always is one more
		set = atRest(r, Parked)
		set.Num[dueNum] = o.End.Add(min(retryAfter(o.Answer), longestAsked)).UnixMilli()
	case more && r.LetGo && TooMuch(o.Answer.Status, o.Failure): // the drain lets it go again, at its pace
		set = atRest(r, Parked)
		set.Num[dueNum] = due.UnixMilli()
	case more:
		set, wait = waitingUntil(r, due, o.End)
	default:
		set = atRest(r, Exhausted)
	}
	if r.State == Parked && set.Index2 == nil {
		set.Index2 = &store.Key{}
	}
	r.log(&set, o)
	if extra > 0 {
		set.Num[extraNum] = int64(extra)
	}
	return set, wait
}

// unproven is a ping that proved an address, which could not be written down. That is tried again, as attempts are,
// and the ping is not sent again.
func (r Row) unproven(o Outcome) (set store.Set, wait time.Duration) {
	tried := r.Tried + 1
	if due, more := next(r.ID, tried, o.End, 0); more {
		set, wait = waitingUntil(r, due, o.End)
		set.Text[proofText] = o.Proof
	} else {
		set = atRest(r, Exhausted)
	}
	set.Num[triedNum] = int64(tried)
	if o.Sent() {
		r.log(&set, o)
	}
	return set, wait
}

// keptAnswers is how many attempts of a delivery keep their answers: probes may be many, and an item is bounded.
const keptAnswers = 30

// log adds the attempt to the row's.
func (r Row) log(set *store.Set, o Outcome) {
	made := r.Made + 1
	a := DeliveryAttempt{Number: made, At: field.At(o.At), Status: o.Answer.Status,
		DurationMs: o.Answer.Duration.Milliseconds(), Error: o.Failure}
	if made <= keptAnswers {
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

// redelivered is the result of a delivery that was asked for once more: it stays at least what it was, and goes out
// again as often as it was asked for. What could not be sent is not asked for any more.
func (r Row) redelivered(o Outcome, set store.Set, wait time.Duration, now time.Time) (store.Set, time.Duration) {
	end := DeliveryState(set.Text[stateText])
	if r.Ended != "" && end != Delivered {
		end, wait = r.Ended, 0
		set = onto(set, was(r, end))
		delete(set.Text, reasonText)
	}
	set.Drop = append(set.Drop, wasText, askedNum)
	left := r.Asked - o.Used // others may have asked while this one was made
	if o.Used > 0 && !o.Sent() {
		left = 0
	}
	if left > 0 {
		r.State = end
		set = onto(set, requeueSet(r, now))
		set.Num[askedNum], wait = int64(left), time.Millisecond
	}
	return set, wait
}

// was is the row as it was before it went out again.
func was(r Row, s DeliveryState) store.Set {
	if s == Delivered {
		set := delivered()
		set.Index2 = &store.Key{}
		return set
	}
	return atRest(r, s)
}

// onto is the set with another one's attributes and places instead of its own.
func onto(set, with store.Set) store.Set {
	maps.Copy(set.Text, with.Text)
	maps.Copy(set.Num, with.Num)
	set.Drop = append(set.Drop, with.Drop...)
	set.Index1, set.Index2 = with.Index1, with.Index2
	return set
}

// delivered is the row of one that was answered 2xx: no index leads to it.
func delivered() store.Set {
	return store.Set{Text: map[string]string{stateText: string(Delivered)}, Num: map[string]int64{}, Index1: &store.Key{}}
}

// atRest is the row among its receiver's that ended so.
func atRest(r Row, s DeliveryState) store.Set {
	return store.Set{Text: map[string]string{stateText: string(s)}, Num: map[string]int64{}, Index1: &store.Key{},
		Index2: new(stateEntry(r.Receiver, r.ID, s))}
}
