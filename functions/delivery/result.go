package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"eshop/events"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/queue"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// noted is how old the last success noted of a receiver may be: so seldom does a healthy one's traffic write its health.
const noted = time.Minute

// note writes down what the attempt says of its receiver, if that can be written: what was answered 2xx is never sent again.
func (c *courier) note(ctx context.Context, r webhook.Row, did *outcome) {
	err := guard.Do(ctx, func() error {
		switch {
		case did.proof != "":
			return c.noteProof(ctx, r, did)
		case !did.sent() || r.Test:
		case r.Event == events.Ping:
			c.health(ctx, r, webhook.PingFailed(r.Receiver, did.failure))
		default:
			return c.noteAttempt(ctx, r, did)
		}
		return nil
	}, "webhook", r.ID)
	if err != nil {
		c.Log.Warn("what an attempt says of its receiver was not noted", "webhook", r.ID, "receiver", r.Receiver, "error", err)
	}
}

// noteAttempt writes the receiver's health, and opens the breaker or closes it.
func (c *courier) noteAttempt(ctx context.Context, r webhook.Row, did *outcome) error {
	switch {
	case did.failure == "" && did.probe:
		return c.move(ctx, r, did, webhook.Enabled)
	case did.failure == "":
		return c.noteSuccess(ctx, r, did)
	}
	return c.noteFailure(ctx, r, did)
}

// noteProof writes down that the address was proven, if it is the receiver's still.
func (c *courier) noteProof(ctx context.Context, r webhook.Row, did *outcome) error {
	was := *did.receiver
	was.URL = did.proof
	if err := webhook.Verified(ctx, c.Unit(), c.Webhooks(), was); err != nil {
		return err
	}
	c.health(ctx, r, webhook.PingSucceeded(r.Receiver, field.At(did.end)))
	did.proof = ""
	return nil
}

// noteSuccess counts it, and writes it down when it says something new or nothing was written for a while. The breaker opens
// by it when it makes the attempts enough of which half failed.
func (c *courier) noteSuccess(ctx context.Context, r webhook.Row, did *outcome) error {
	if did.receiver.State != webhook.Enabled { // it went past the breaker: it counts in nothing
		c.health(ctx, r, webhook.PingSucceeded(r.Receiver, field.At(did.end)))
		return nil
	}
	if !did.health.Run() && did.end.Sub(did.health.LastSuccess.Go()) < noted {
		c.tally.won(r.Receiver, did.end)
		return nil
	}
	return c.judge(ctx, r, did, c.health(ctx, r, c.noteOf(r, *did, 1).Succeeded()))
}

// judge opens the breaker of an enabled receiver when its health says so.
func (c *courier) judge(ctx context.Context, r webhook.Row, did *outcome, health *store.Item) error {
	if health == nil || did.receiver.State != webhook.Enabled || !webhook.HealthOf(health).Trips(did.end) {
		return nil
	}
	return c.park(ctx, r, did, webhook.Failing)
}

// park brings the receiver into a state in which what is left of its deliveries is parked.
func (c *courier) park(ctx context.Context, r webhook.Row, did *outcome, to webhook.ReceiverState) error {
	err := c.move(ctx, r, did, to)
	did.parks = did.parks || err == nil
	return err
}

// noteFailure counts it, and opens the breaker or disables the receiver when it is too much.
func (c *courier) noteFailure(ctx context.Context, r webhook.Row, did *outcome) error {
	n := c.noteOf(r, *did, 0)
	op := n.Failed()
	if did.parks = did.receiver.State != webhook.Enabled; did.parks {
		op = n.FailedProbe()
	}
	health := c.health(ctx, r, op)
	if n.Disables() {
		return c.park(ctx, r, did, webhook.Disabled)
	}
	return c.judge(ctx, r, did, health)
}

func (c *courier) noteOf(r webhook.Row, did outcome, won int64) webhook.Note {
	return webhook.Note{Receiver: r.Receiver, Health: did.health, Webhook: r.ID, At: did.end, Failure: did.failure,
		Gone: did.answer.Status == http.StatusGone, Won: won + c.tally.taken(r.Receiver, did.end)}
}

// health writes into the receiver's health; nil when that did not succeed, which costs a count at most.
func (c *courier) health(ctx context.Context, r webhook.Row, op store.Op) *store.Item {
	c.known.forget(r)
	item, err := c.Main.Write(ctx, events.Nothing, op)
	if err == nil {
		return &item
	}
	if !store.IsCondition(err) { // refused: the receiver was deleted meanwhile
		c.Log.Warn("a receiver's health was not noted", "receiver", r.Receiver, "error", err)
	}
	return nil
}

// move brings the attempt's receiver into another state.
func (c *courier) move(ctx context.Context, r webhook.Row, did *outcome, to webhook.ReceiverState) error {
	success := field.Time(0)
	if to == webhook.Enabled {
		success = field.At(did.end)
	}
	now, err := webhook.Move(ctx, c.Unit(), c.Webhooks(), *did.receiver, to, success)
	c.known.forget(r)
	if err == nil && now.State != did.receiver.State {
		c.Log.Info("a receiver is "+string(now.State), "receiver", now.ID, "access", now.Access)
	}
	return err
}

// conclude writes the outcome into the row, and rings for the next attempt.
func (c *courier) conclude(ctx context.Context, b webhook.Bell, r webhook.Row, claim string, did outcome) error {
	set, wait := c.result(r, did)
	set.Drop = append(set.Drop, webhook.ClaimText, webhook.LeaseNum, webhook.RungNum)
	key := webhook.RowKey(r.Access, r.ID)
	err := c.insist(ctx, store.Update(key, set, store.TextIs(webhook.ClaimText, claim), store.AtMost(webhook.AskedNum, int64(r.Asked))))
	if f, refused := store.Failed(err, key); refused {
		if f.Item != nil && f.Item.Text[webhook.ClaimText] == claim {
			return c.conclude(ctx, b, webhook.RowOf(f.Item), claim, did) // a redelivery was asked for meanwhile
		}
		return nil // the lease had ended and somebody else goes on with it
	}
	if err == nil {
		c.reserved.forget(key)
		c.figures(r, did, webhook.DeliveryState(set.Text[webhook.StateText]))
	}
	if err == nil && wait > 0 && wait <= queue.MaxDelay {
		b.Retry, b.Parked, b.Probe, b.Claim = true, false, false, ""
		if err := c.ring(ctx, b, wait); err != nil {
			c.Log.Warn("the sweeper will ring for a retry", "webhook", r.ID, "error", err)
		}
	}
	if err == nil && set.Text[webhook.StateText] == string(webhook.Parked) && r.State != webhook.Parked {
		return webhook.Settle(ctx, c.Unit(), c.Webhooks(), *did.receiver)
	}
	return err
}

// result is what the outcome makes of the row, and how long until the next attempt; 0: none.
func (c *courier) result(r webhook.Row, did outcome) (store.Set, time.Duration) {
	set, wait := c.first(r, did)
	return c.settled(r, did, set, wait)
}

// first is the result for a delivery that nobody asked for once more.
func (c *courier) first(r webhook.Row, did outcome) (set store.Set, wait time.Duration) {
	switch {
	case did.cancelled != "":
		set = webhook.Ended(r, webhook.Cancelled)
		set.Text[webhook.ReasonText] = did.cancelled
		return set, 0
	case did.held:
		return held(r, did, c.Now()), 0
	case did.proof != "":
		return unproven(r, did)
	case r.Proof != "":
		return store.Set{Text: map[string]string{webhook.StateText: string(webhook.Delivered)}, Index1: &store.Key{}, Drop: []string{webhook.ProofText, webhook.TriedNum}}, 0
	}
	made, extra := r.Made+1, r.Extra
	if did.probe {
		extra++
	}
	due, more := next(r.ID, made-extra, did.end, asked(did.answer))
	more = more && r.Redeliverable()
	switch {
	case did.failure == "":
		set = store.Set{Text: map[string]string{webhook.StateText: string(webhook.Delivered)}, Index1: &store.Key{}}
	case more && did.parks || did.probe:
		set = webhook.Ended(r, webhook.Parked)
		set.Num = map[string]int64{webhook.DueNum: did.end.Add(min(asked(did.answer), longestAsked)).UnixMilli()}
	case more && r.Drained && tooMuch(did.answer.Status, did.failure): // the drain lets it go again, at its pace
		set = webhook.Ended(r, webhook.Parked)
		set.Num = map[string]int64{webhook.DueNum: due.UnixMilli()}
	case more:
		set, wait = webhook.WaitingUntil(r, due, did.end)
	default:
		set = webhook.Ended(r, webhook.Exhausted)
	}
	if r.State == webhook.Parked && set.Index2 == nil {
		set.Index2 = &store.Key{}
	}
	set.Text[webhook.AttemptText(made)] = logged(made, did)
	if set.Num == nil {
		set.Num = map[string]int64{}
	}
	set.Num[webhook.MadeNum] = int64(made)
	if extra > 0 {
		set.Num[webhook.ExtraNum] = int64(extra)
	}
	return set, wait
}

// unproven is a ping that proved an address, which could not be written down. That is tried again, as attempts are, and the
// ping is not sent again.
func unproven(r webhook.Row, did outcome) (set store.Set, wait time.Duration) {
	tried := r.Tried + 1
	if due, more := next(r.ID, tried, did.end, 0); more {
		set, wait = webhook.WaitingUntil(r, due, did.end)
		set.Text[webhook.ProofText] = did.proof
	} else {
		set, set.Num = webhook.Ended(r, webhook.Exhausted), map[string]int64{}
	}
	set.Num[webhook.TriedNum] = int64(tried)
	if did.sent() {
		set.Text[webhook.AttemptText(r.Made+1)], set.Num[webhook.MadeNum] = logged(r.Made+1, did), int64(r.Made+1)
	}
	return set, wait
}

// held is a delivery whose receiver takes none now.
func held(r webhook.Row, did outcome, now time.Time) store.Set {
	if did.receiver.Hopeless(now) {
		return webhook.Ended(r, webhook.Exhausted)
	}
	return webhook.Ended(r, webhook.Parked)
}

// answered is how many attempts of a delivery keep their answers: probes may be many, and an item is bounded.
const answered = 30

func logged(number int, did outcome) string {
	a := webhook.DeliveryAttempt{Number: number, At: field.At(did.at), Status: did.answer.Status, DurationMs: did.answer.Duration.Milliseconds(),
		Error: did.failure}
	if number <= answered {
		a.Answer = did.answer.Excerpt()
	}
	b, err := json.Marshal(a)
	if err != nil {
		panic("delivery: an attempt always encodes: " + err.Error())
	}
	return string(b)
}

// release gives a claim back without an attempt, and says whether it did.
func (c *courier) release(ctx context.Context, b webhook.Bell, claim string) bool {
	err := c.insist(ctx, store.Update(webhook.RowKey(b.Access, b.ID), store.Set{Drop: []string{webhook.ClaimText, webhook.LeaseNum}}, store.TextIs(webhook.ClaimText, claim)))
	return err == nil || store.IsCondition(err)
}

// insist writes until the store serves or ctx has ended.
func (c *courier) insist(ctx context.Context, op store.Op) error {
	const pause = 50 * time.Millisecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		_, err := c.Pipeline.Write(ctx, events.Nothing, op)
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
