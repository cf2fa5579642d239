package delivery

import (
	"context"
	"net/http"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// successNotedEvery is how often the successes of a healthy receiver are written into its health (tally.go).
const successNotedEvery = time.Minute

// note writes down what the attempt says of its receiver: tests say nothing, pings prove the address, probes close the
// breaker, and all others are counted, which may open it. When that cannot be written the attempt counts all the same,
// because what was answered 2xx is never sent again. Only a ping that proved its address is an error then: nothing but
// another ping could prove it.
func (c *courier) note(ctx context.Context, r webhook.Row, did *outcome) error {
	proves := r.Event == events.Ping && did.Sent() && did.Failure == ""
	err := guard.Do(ctx, func() error {
		switch {
		case !did.Sent() || r.Test:
			return nil
		case proves:
			if err := webhook.MarkVerified(ctx, c.Unit(), c.Webhooks(), *did.Receiver); err != nil {
				return err // it is noted only if the address is the receiver's still
			}
			c.writeHealth(ctx, r, webhook.ShowSuccess(r.Receiver, field.At(did.End)))
			return nil
		case r.Event == events.Ping:
			c.writeHealth(ctx, r, webhook.ShowPingFailure(r.Receiver, did.Failure, did.End))
			return nil
		case did.Failure == "" && did.Probed:
			return c.enterState(ctx, r, did, webhook.Enabled)
		case did.Failure == "":
			return c.noteSuccess(ctx, r, did)
		}
		return c.noteFailure(ctx, r, did)
	}, "webhook", r.ID)
	if err != nil && !proves {
		c.Log.Warn("what an attempt says of its receiver was not noted", "webhook", r.ID, "receiver", r.Receiver,
			"error", err)
		return nil
	}
	return err
}

// noteSuccess counts a success. It writes it down when it ends a run of failures, when the receiver's last failure is
// younger than the last success that was written (that of a ping is in no run), or when nothing was written for
// successNotedEvery: so nobody is shown a failure that is over. Even a success may open the breaker: if half of the
// attempts in the window failed, and with this one they are enough.
func (c *courier) noteSuccess(ctx context.Context, r webhook.Row, did *outcome) error {
	if did.Receiver.State != webhook.Enabled { // it was sent past an open breaker, which counts in nothing
		c.writeHealth(ctx, r, webhook.ShowSuccess(r.Receiver, field.At(did.End)))
		return nil
	}
	failed := did.Health.InRun() || did.Health.FailedAt > did.Health.LastSuccess
	if !failed && did.End.Sub(did.Health.LastSuccess.Go()) < successNotedEvery {
		c.tally.count(r.Receiver, did.End)
		return nil
	}
	return c.noteInHealth(ctx, r, did, c.noteOf(r, *did, 1).CountSuccess())
}

// noteFailure counts a failure, unless the breaker is open already. It opens the breaker when the counts say so, and
// disables the receiver after its second 410. What is left of the delivery is parked then.
func (c *courier) noteFailure(ctx context.Context, r webhook.Row, did *outcome) error {
	n := c.noteOf(r, *did, 0)
	op := n.CountFailure()
	if did.Parks = did.Receiver.State != webhook.Enabled; did.Parks {
		op = n.ShowFailure()
	}
	if n.Disables() {
		c.writeHealth(ctx, r, op)
		return c.enterState(ctx, r, did, webhook.Disabled)
	}
	return c.noteInHealth(ctx, r, did, op)
}

// noteOf is the note of an attempt, with the successes that this process has not written yet.
func (c *courier) noteOf(r webhook.Row, did outcome, successes int64) webhook.Note {
	return webhook.Note{Receiver: r.Receiver, Health: did.Health, Webhook: r.ID, At: did.End, Failure: did.Failure,
		Gone: did.Answer.Status == http.StatusGone, Successes: successes + c.tally.collect(r.Receiver, did.End)}
}

// noteInHealth writes the attempt into its receiver's health, and opens the breaker of an enabled receiver when its
// health says so then.
func (c *courier) noteInHealth(ctx context.Context, r webhook.Row, did *outcome, op store.Op) error {
	health := c.writeHealth(ctx, r, op)
	if health == nil || did.Receiver.State != webhook.Enabled || !webhook.HealthOf(health).Trips(did.End) {
		return nil
	}
	return c.enterState(ctx, r, did, webhook.Failing)
}

// enterState brings the attempt's receiver into another state. A probe that closes the breaker is shown as a success.
// In any other state deliveries are parked, this attempt's among them.
func (c *courier) enterState(ctx context.Context, r webhook.Row, did *outcome, to webhook.ReceiverState) error {
	success := field.Time(0)
	if to == webhook.Enabled {
		success = field.At(did.End)
	}
	now, err := webhook.EnterState(ctx, c.Unit(), c.Webhooks(), *did.Receiver, to, success)
	c.standings.forget(r)
	did.Parks = did.Parks || err == nil && to != webhook.Enabled
	if err == nil && now.State != did.Receiver.State {
		c.Log.Info("a receiver is "+string(now.State), "receiver", now.ID, "access", now.Access)
	}
	return err
}

// writeHealth writes into the receiver's health, and returns it as it is then; nil when it could not be written. That
// costs no more than a count.
func (c *courier) writeHealth(ctx context.Context, r webhook.Row, op store.Op) *store.Item {
	c.standings.forget(r)
	item, err := c.Main.Write(ctx, events.Nothing, op)
	if err == nil {
		return &item
	}
	if !store.IsCondition(err) { // refused: the receiver was deleted meanwhile
		c.Log.Warn("a receiver's health was not noted", "receiver", r.Receiver, "error", err)
	}
	return nil
}
