package delivery

import (
	"context"
	"errors"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/base/egress"
	"eshop/shared/base/guard"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
	"eshop/shared/webhook/inflight"
)

// This file is an attempt's life, in the order in which it goes. bell gets a slot, takes the delivery and waits for
// the attempt's turn. attempt tries it, leaves the slot, and writes down what became of it: what it says of the
// receiver (health.go), then the row. try asks once more whether the attempt may be made, waits for a slot at the
// receiver's host, and posts. Each of them can end the life early; the bell then rings again, or was the last one.

// bell does what the bell asks for, and says whether the bell is done with: if not, the queue must bring it again. No
// attempt begins once ctx has ended; attemptCtx is for an attempt that has begun, and for the bells that it wakes.
func (c *courier) bell(ctx, attemptCtx context.Context, b webhook.Bell) (done bool) {
	if ctx.Err() != nil {
		return false
	}
	slot, verdict := c.Process.Enter(b)
	c.resend(ctx, verdict.Woken)
	b.Woken = false
	if slot == nil {
		return c.withoutSlot(ctx, b, verdict)
	}
	defer c.Process.End(b)
	leaveSlot := func(did inflight.Attempt) { c.resend(attemptCtx, slot.Leave(did)) }
	leaseEnds := time.Now().Add(webhook.Lease) // by this process's own time: the platform's clock may jump
	// While the store refuses writes no attempt begins: what became of it could not be written down, and it would be
	// sent again.
	var row *webhook.Row    // nil: there is nothing to do now
	var later time.Duration // when to look again then; 0: never
	err := guard.Do(ctx, func() (err error) {
		row, later, err = c.Webhooks().Take(ctx, b, c.Process.NewTaker(), c.Now(), c.Process.Abandoned)
		return err
	}, "webhook", b.ID)
	if row != nil && slot.Start(ctx) {
		return c.attempt(attemptCtx, leaseEnds, leaveSlot, b, *row)
	}
	leaveSlot(inflight.Attempt{})
	switch {
	case err != nil:
		c.Log.Warn("a delivery could not be taken", "webhook", b.ID, "error", err)
		return c.again(ctx, b, err)
	case row == nil:
		return later == 0 || c.putOff(ctx, b, later)
	}
	// No turn came in time: the delivery is given back, so that its next attempt need not wait until the lease
	// ends.
	writes, end := writeContext(attemptCtx, leaseEnds)
	defer end()
	return c.giveBack(writes, *row) && ctx.Err() == nil && c.putOff(ctx, b, soon)
}

// outcome is what became of an attempt, and what the attempt depended on: to note it takes the receiver as it was
// before.
type outcome struct {
	webhook.Outcome
	webhook.Standing
}

// attempt makes the attempt that the row was taken for, leaves its slot, writes down what became of it before the
// lease ends, and says whether the bell is done with.
func (c *courier) attempt(ctx context.Context, leaseEnds time.Time, leaveSlot func(inflight.Attempt),
	b webhook.Bell, r webhook.Row) (done bool) {
	did, err := c.try(ctx, leaseEnds, b, r)
	// The slot is free before anything is written, so that the receiver's next attempt does not wait for the store.
	leaveSlot(inflight.Attempt{Made: did.Sent(), Took: did.Answer.Duration, Failed: did.Failure != ""})
	ctx, end := writeContext(ctx, leaseEnds)
	defer end()
	if err == nil {
		// The receiver first: what the attempt makes of its breaker says whether a failed delivery is parked.
		err = c.note(ctx, r, &did)
	}
	switch {
	case errors.Is(err, errCrowded), errors.Is(err, errLate):
		return c.giveBack(ctx, r) && c.putOff(ctx, b, soon)
	case err != nil:
		c.Log.Warn("a delivery is given back", "webhook", r.ID, "receiver", r.Receiver, "error", err)
		c.giveBack(ctx, r)
		return c.again(ctx, b, err)
	}
	c.setUp(ctx, r, did)
	if err := c.conclude(ctx, b, r, did); err != nil {
		// It stays taken, and the delivery is sent again, with the same number: on AWS when its lease is over, in the
		// one process with the next bell. Nobody can tell whether the result was written.
		c.Log.Error("an attempt has no result", "webhook", r.ID, "receiver", r.Receiver, "error", err)
		return c.again(ctx, b, err)
	}
	return true
}

// Attempts that count as not made.
var (
	errCut  = errors.New("delivery: the attempt was cut by the host's stop")
	errLate = errors.New("delivery: too little of the lease's or the function's time is left for an attempt")
	// errCrowded: others' calls at the receiver's host do not end. That is no fault of this receiver.
	errCrowded = errors.New("delivery: no slot at the receiver's host became free in time")
)

// try makes the attempt if it may still be made, and says what became of it. An error is no receiver's fault, and the
// attempt counts as not made: nothing is known, the host stops, or the receiver's host has no slot.
func (c *courier) try(
	ctx context.Context, leaseEnds time.Time, b webhook.Bell, r webhook.Row,
) (did outcome, err error) {
	defer guard.Caught(ctx, &err, "webhook", r.ID)
	did, goes, err := c.standings.judge(ctx, r, b)
	if !goes {
		return did, err
	}
	// All tenants share the slots at the receiver's host.
	bounded, cancel := context.WithTimeout(ctx, longestWait)
	leave, waited, err := c.Egress.WaitForSlot(bounded, did.Receiver.URL, r.Access)
	cancel()
	switch {
	case err != nil && ctx.Err() != nil:
		return outcome{}, errCut
	case err != nil:
		return outcome{}, errCrowded
	}
	defer leave()
	if waited { // a change of access or receiver in the meantime counts
		if did, goes, err = c.standings.judge(ctx, r, b); !goes {
			return did, err
		}
	}
	call, err := c.request(ctx, r)
	if err != nil {
		return outcome{}, err
	}
	if tooLate(ctx, leaseEnds) {
		return outcome{}, errLate
	}
	defer c.noteWhenSlow(ctx, r, did.Standing)()
	did.At, call.stamp = c.Now(), c.Wall().Unix()
	// From here on the attempt counts, unless the host's stop cuts it.
	answer, err := c.Egress.Post(ctx, did.Receiver.URL, headers(r, call), call.body)
	if ctx.Err() != nil && err != nil {
		return outcome{}, errCut
	}
	answer.Body = call.withoutCode(answer.Body)
	did.Answer, did.End, did.Failure = answer, c.Now(), failureOf(r, call, answer, err)
	did.Signed = call.signed(answer.Status)
	return did, nil
}

// conclude writes the outcome into the row, and rings for the next attempt when that is soon enough for a message. For
// a later one the sweeper rings.
func (c *courier) conclude(ctx context.Context, b webhook.Bell, r webhook.Row, did outcome) error {
	var end webhook.Conclusion
	err := insist(ctx, func() (err error) {
		end, err = c.Webhooks().Conclude(ctx, r, did.Outcome)
		return err
	})
	if err != nil || end.LeaseLost {
		return err // whoever has the lease by now goes on with the delivery
	}
	c.countOutcome(end, did)
	c.logAttempt(ctx, end, did)
	if end.Wait > 0 && end.Wait <= queue.MaxDelay {
		next := webhook.Bell{Access: b.Access, ID: b.ID, Receiver: b.Receiver, Retry: true, Delay: end.Wait}
		if err := c.Webhooks().Ring(ctx, next); err != nil {
			c.Log.Warn("the sweeper will ring for a retry", "webhook", r.ID, "error", err)
		}
	}
	if end.After.State != webhook.Parked || end.Before.State == webhook.Parked {
		return nil
	}
	// The drain of a receiver that became well since it was read may have ended before this delivery was parked, and
	// nobody else would let it go. A bell that came again would find a written result and do nothing: so it insists.
	err = insist(ctx, func() error { return webhook.DrainIfChanged(ctx, c.Unit(), c.Webhooks(), *did.Receiver) })
	if err != nil {
		c.Log.Error("what was parked may wait until its receiver's state changes again", "webhook", r.ID,
			"receiver", r.Receiver, "error", err)
	}
	return nil
}

// withoutSlot does with a bell what the verdict says when there is no slot, and says whether the bell is done with.
func (c *courier) withoutSlot(ctx context.Context, b webhook.Bell, v inflight.Verdict) (done bool) {
	switch {
	case v.UnderWay:
		// This may be the bell of the next attempt, so it rings again when the one under way is over. It does not ring
		// sooner: where each message comes twice, each ring would bring one more. For a parked delivery the drain rings
		// again.
		return b.Parked || c.putOff(ctx, b, webhook.Lease)
	case v.InBacklog:
		return true // the slot that becomes free wakes it
	}
	b.Retry = true // a receiver that is suspect, or has too much waiting, takes no place in the fresh queue
	return c.putOff(ctx, b, v.Later)
}

// resend sends woken bells, which waited for a slot, through their queues once more. When they cannot be sent, because
// the host stops, the sweeper or the next process finds their rows.
func (c *courier) resend(ctx context.Context, woken []webhook.Bell) {
	if err := c.Webhooks().Ring(ctx, woken...); err != nil {
		c.Log.Warn("the sweeper will ring for what waited for a slot", "bells", len(woken), "error", err)
	}
}

// putOff lets the bell ring later, and says whether its message could be sent.
func (c *courier) putOff(ctx context.Context, b webhook.Bell, later time.Duration) bool {
	b.Delay = later
	return c.Webhooks().Ring(ctx, b) == nil
}

// again lets the bell ring again after an error, and says whether the bell is done with. While the store is away
// nothing is wrong with the delivery, so a new bell rings soon, as often as it takes. After any other error the queue
// brings the bell back, until it is a dead letter.
func (c *courier) again(ctx context.Context, b webhook.Bell, err error) (done bool) {
	return errors.Is(err, store.ErrUnavailable) && c.putOff(ctx, b, awayFor)
}

// giveBack gives back a delivery without an attempt, and says whether that is written.
func (c *courier) giveBack(ctx context.Context, taken webhook.Row) bool {
	return insist(ctx, func() error { return c.Webhooks().GiveBack(ctx, taken) }) == nil
}

// insist repeats a write until the store is available or ctx ends. It is for the results of attempts: given up, an
// answer of 2xx would be sent again.
func insist(ctx context.Context, write func() error) error {
	const pause = 50 * time.Millisecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		err := write()
		if !errors.Is(err, store.ErrUnavailable) {
			return err
		}
		timer.Reset(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return err
		}
	}
}

// tooLate says whether less time is left than an attempt may take, and what is written of it while the lease lasts.
func tooLate(ctx context.Context, leaseEnds time.Time) bool {
	end, limited := ctx.Deadline()
	return limited && time.Until(end) < wholeAttempt || time.Until(leaseEnds) < wholeAttempt+slowWrites
}

// failureOf is why an attempt failed, "" when it did not: 2xx is success, nothing else (contract, "Success and
// retries"), and of a ping only with its nonce.
func failureOf(r webhook.Row, call request, a egress.Answer, err error) string {
	kind := egress.KindOf(err)
	switch {
	case err == nil && a.OK() && r.Event == events.Ping && !repeatsNonce(call.body, a.Body):
		return webhook.NonceMissing
	case err == nil && a.OK():
		return ""
	case err == nil:
		return "status " + strconv.Itoa(a.Status)
	case kind == "":
		return webhook.BadAnswer
	}
	return string(kind)
}
