package delivery

import (
	"context"
	"errors"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/egress"
	"eshop/shared/guard"
	"eshop/shared/inflight"
	"eshop/shared/queue"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// This file is an attempt's life, from its bell to its written result: it enters, claims its delivery, has its turn,
// asks once more whether it may be made, gets a place at its receiver's host, is made, says how its receiver does, and
// is concluded.

// bell does what the bell asks for, and says whether it is done with: if not, it must ring again. No attempt begins
// once ctx has ended.
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
	row, claim, later, err := c.claim(ctx, b)
	if err != nil {
		c.resend(ctx, slot.Leave(inflight.Attempt{}))
		c.Log.Warn("a delivery could not be claimed", "webhook", b.ID, "error", err)
		return c.again(ctx, b, err)
	}
	if row == nil {
		c.resend(ctx, slot.Leave(inflight.Attempt{}))
		return later == 0 || c.putOff(ctx, b, later)
	}
	if !slot.Start(ctx) {
		c.resend(ctx, slot.Leave(inflight.Attempt{}))
		writes, end := writeContext(attemptCtx)
		defer end()
		return c.giveBack(writes, b, claim) && ctx.Err() == nil && c.putOff(ctx, b, soon)
	}
	r := webhook.RowOf(row)
	r.Probe, r.LetGo = b.Probe, b.Parked && !b.Probe
	return c.attempt(attemptCtx, slot, b, r, claim)
}

// withoutSlot does with a bell that has no slot what the verdict says, and says whether it is done with.
func (c *courier) withoutSlot(ctx context.Context, b webhook.Bell, v inflight.Verdict) (done bool) {
	switch {
	case v.UnderWay:
		// It may be the bell of the attempt after this one, so it rings again when this one is over: not sooner, for
		// where messages come twice each time, each would bring another one. For what is parked the drain rings
		// again.
		return b.Parked || c.putOff(ctx, b, webhook.Lease)
	case v.InBacklog:
		return true
	}
	b.Retry = true
	return c.putOff(ctx, b, v.Later)
}

// resend brings woken bells, which waited for a slot, through their queues once more. Where they cannot be sent, since
// the host stops, the sweeper or the next process finds their rows.
func (c *courier) resend(ctx context.Context, woken []webhook.Bell) {
	if err := c.Webhooks().Ring(ctx, woken...); err != nil {
		c.Log.Warn("the sweeper will ring for what waited for a slot", "bells", len(woken), "error", err)
	}
}

// putOff lets the bell ring later.
func (c *courier) putOff(ctx context.Context, b webhook.Bell, later time.Duration) bool {
	b.Delay = later
	return c.Webhooks().Ring(ctx, b) == nil
}

// again lets the bell ring again after an error, and says whether it is done with. While the store is away nothing is
// wrong with the delivery: a new bell rings soon, as often as it takes. After any other error the queue brings the bell
// back a few times, and then it is a dead letter.
func (c *courier) again(ctx context.Context, b webhook.Bell, err error) (done bool) {
	return errors.Is(err, store.ErrUnavailable) && c.putOff(ctx, b, awayFor)
}

// claim takes the delivery for one attempt: by the reservation that its bell brought, or by a write. Without a row
// there is nothing to do, now or at all: later is when there may be.
func (c *courier) claim(ctx context.Context, b webhook.Bell) (row *store.Item, claim string,
	later time.Duration, err error) {
	defer guard.Caught(ctx, &err, "webhook", b.ID)
	key := webhook.RowKey(b.Access, b.ID)
	if c.Process.UseReservation(key, b.Claim) {
		if row, err = c.Webhooks().Reserved(ctx, b, c.Now()); row != nil {
			return row, b.Claim, 0, nil
		}
		c.Process.ForgetReservation(key)
		if err != nil {
			return nil, "", 0, err
		}
	}
	claim = c.Process.Claim()
	row, later, err = c.Webhooks().Claim(ctx, b, claim, c.Now(), c.Process.Abandoned)
	return row, claim, later, err
}

// giveBack ends a claim without an attempt, and says whether that is written.
func (c *courier) giveBack(ctx context.Context, b webhook.Bell, claim string) bool {
	return insist(ctx, func() error { return c.Webhooks().GiveBack(ctx, b, claim) }) == nil
}

// attempt makes the attempt that the claim is for, leaves its slot, writes down what became of it, and says whether
// the bell is done with.
func (c *courier) attempt(ctx context.Context, slot inflight.Slot, b webhook.Bell, r webhook.Row,
	claim string) (done bool) {
	did, err := c.try(ctx, r)
	c.resend(ctx, slot.Leave(inflight.Attempt{Made: did.Sent(), Took: did.Answer.Duration, Failed: did.Failure != ""}))
	ctx, end := writeContext(ctx)
	defer end()
	if errors.Is(err, errCrowded) {
		return c.giveBack(ctx, b, claim) && c.putOff(ctx, b, soon)
	}
	if err != nil {
		c.Log.Warn("a delivery is given back", "webhook", r.ID, "receiver", r.Receiver, "error", err)
		c.giveBack(ctx, b, claim)
		return c.again(ctx, b, err)
	}
	c.note(ctx, r, &did)
	if err := c.conclude(ctx, b, r, claim, did); err != nil {
		c.Log.Error("an attempt has no result", "webhook", r.ID, "receiver", r.Receiver, "error", err)
		return c.again(ctx, b, err)
	}
	return true
}

// outcome is what became of an attempt, and what it depended on.
type outcome struct {
	webhook.Outcome
	webhook.Standing
}

// Attempts that count as not made.
var (
	errCut  = errors.New("delivery: the attempt was cut by the host's stop")
	errLate = errors.New("delivery: too little of the function's time is left for an attempt")
	// errCrowded: others' calls at the receiver's host do not end. That is no fault of this receiver.
	errCrowded = errors.New("delivery: no place at the receiver's host became free in time")
)

// try makes the attempt if it still may be made. An error is no receiver's fault: nothing is known, the host stops, or
// the receiver's host has no place.
func (c *courier) try(ctx context.Context, r webhook.Row) (did outcome, err error) {
	defer guard.Caught(ctx, &err, "webhook", r.ID)
	did, goes, err := c.judgeAttempt(ctx, r)
	if !goes {
		return did, err
	}
	leave, waited, err := c.waitForPlace(ctx, did.Receiver.URL, r.Access)
	if err != nil {
		return outcome{}, err
	}
	defer leave()
	if waited { // what counted then may not count any more
		if did, goes, err = c.judgeAttempt(ctx, r); !goes {
			return did, err
		}
	}
	call, err := c.request(ctx, r)
	if err != nil {
		return outcome{}, err
	}
	if tooLate(ctx) {
		return outcome{}, errLate
	}
	defer c.noteWhenSlow(ctx, r, did.Standing)()
	did.At = c.Now()
	answer, err := c.Egress.Post(ctx, did.Receiver.URL, headers(r, did.At, call), call.body)
	if ctx.Err() != nil && err != nil {
		return outcome{}, errCut
	}
	answer.Body = call.withoutCode(answer.Body)
	did.Answer, did.End = answer, c.Now()
	did.Failure = failureOf(answer, err)
	if did.Failure == "" && r.Event == events.Ping {
		did.Proof, did.Failure = proof(did.Receiver.URL, call.body, answer.Body)
	}
	return did, nil
}

// judgeAttempt says whether an attempt goes out by what it depends on now. If none does, the outcome says what becomes
// of the delivery.
func (c *courier) judgeAttempt(ctx context.Context, r webhook.Row) (did outcome, goes bool, err error) {
	if did.Standing, err = c.standings.of(ctx, r); err != nil {
		return did, false, err
	}
	did.Used = min(r.Asked, 1)
	did.Cancelled = did.Refuses(r.Event, r.Test)
	switch {
	case did.Cancelled != "":
		return did, false, nil
	case did.Withholds(r) && did.Receiver.GivenUp(c.Now()):
		did.Withheld = webhook.Exhausted
		return did, false, nil
	case did.Withholds(r):
		did.Withheld = webhook.Parked
		return did, false, nil
	case r.Proof != "": // it was answered, and only that has to be written down
		did.Proof, did.End = r.Proof, c.Now()
		return did, false, nil
	}
	did.Probed = did.Probes(r)
	return did, true, nil
}

// waitForPlace waits for a place at the receiver's host, which is shared by all tenants; errCrowded: none came in time.
func (c *courier) waitForPlace(ctx context.Context, url, tenant string) (leave func(), waited bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	leave, waited, err = c.Egress.WaitForPlace(bounded, url, tenant)
	switch {
	case err == nil:
		return leave, waited, nil
	case ctx.Err() != nil:
		return nil, waited, errCut
	}
	return nil, waited, errCrowded
}

// tooLate says whether too little time is left for an attempt.
func tooLate(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return limited && time.Until(end) < wholeAttempt
}

// conclude writes the outcome into the row, and rings for the next attempt.
func (c *courier) conclude(ctx context.Context, b webhook.Bell, r webhook.Row, claim string, did outcome) error {
	var end webhook.Conclusion
	err := insist(ctx, func() (err error) {
		end, err = c.Webhooks().Conclude(ctx, r, claim, did.Outcome, c.Now())
		return err
	})
	if err != nil || end.LeaseLost {
		return err
	}
	c.Process.ForgetReservation(webhook.RowKey(r.Access, r.ID))
	c.countOutcome(end, did)
	c.logAttempt(ctx, end, did)
	if end.Wait > 0 && end.Wait <= queue.MaxDelay {
		b.Retry, b.Parked, b.Probe, b.Claim, b.Delay = true, false, false, "", end.Wait
		if err := c.Webhooks().Ring(ctx, b); err != nil {
			c.Log.Warn("the sweeper will ring for a retry", "webhook", r.ID, "error", err)
		}
	}
	if end.After.State == webhook.Parked && end.Before.State != webhook.Parked {
		c.drainIfChanged(ctx, r, *did.Receiver)
	}
	return nil
}

// drainIfChanged looks once more at the receiver that a delivery was parked for. The bell that came again would find a
// result, and nothing to do: so it is insisted on here.
func (c *courier) drainIfChanged(ctx context.Context, r webhook.Row, was webhook.Receiver) {
	err := insist(ctx, func() error { return webhook.DrainIfChanged(ctx, c.Unit(), c.Webhooks(), was) })
	if err != nil {
		c.Log.Error("what was parked may wait until its receiver's state changes again", "webhook", r.ID,
			"receiver", r.Receiver, "error", err)
	}
}

// insist writes until the store serves or ctx has ended.
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

// failureOf is why an attempt failed, "" when it did not: 2xx is success, nothing else (contract, section 5,
// "Success").
func failureOf(a egress.Answer, err error) string {
	kind := egress.KindOf(err)
	switch {
	case err == nil && a.OK():
		return ""
	case err == nil:
		return "status " + strconv.Itoa(a.Status)
	case kind == "":
		return webhook.BadAnswer
	}
	return string(kind)
}
