package delivery

import (
	"context"
	"errors"
	"slices"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// A drain lets parked deliveries go (contract, "Breaker"): one in the first second, twice as many in each next one
// while the answers are 2xx, half as many after a 429, a 503 or a timeout.
//
// This file is one step of a drain. drainStep chooses by the receiver's state: an enabled receiver gets some of its
// deliveries (releaseParked), a deleted or given-up one has some ended (endParked), a failing one is probed (probe.go).
// A step writes down the next one before it rings or probes, on condition that nobody else has done so: however many
// messages ask for a step, one of them takes it.

const (
	emptySteps = 3   // steps in a row that find nothing end a drain: an index may be late
	mostEnded  = 500 // deliveries ended by one step: each is a write, and the function's time is bounded
	lookahead  = 100 // deliveries that are not due yet, which a step looks past for others that are
)

// drainStep takes the step that the receiver's state asks for. receiver is nil when it was deleted.
func (c *courier) drainStep(ctx, attemptCtx context.Context, item, receiver *store.Item, health webhook.Health) error {
	drain, err := webhook.DrainOf(item)
	if err != nil {
		return err
	}
	if early, err := c.putOffStep(ctx, drain.Release); early {
		return err
	}
	if receiver == nil {
		return c.endParked(ctx, drain, webhook.Cancelled, webhook.ReceiverDeleted)
	}
	r, err := webhook.ReceiverOf(receiver)
	if err != nil {
		return err
	}
	now := c.Now()
	switch {
	case r.State == webhook.Enabled:
		return c.releaseParked(ctx, drain, health)
	case r.GivenUp(now):
		return c.endParked(ctx, drain, webhook.Exhausted, "")
	case r.State != webhook.Disabled && !now.Before(r.StateEnds()): // failing or unverified for too long
		_, err := webhook.EnterState(ctx, c.Unit(), c.Webhooks(), r, webhook.Disabled, 0)
		return err
	case r.State == webhook.Failing:
		return c.probe(ctx, attemptCtx, drain, r)
	}
	next := drain.Next(r, now)
	_, err = c.take(ctx, &next) // nothing is to be done before the receiver's state ends
	return err
}

// releaseParked lets the next of a receiver's parked deliveries go, as many as the rate allows. They stay parked until
// their attempts, so that the next round of the drain finds a delivery whose bell was lost.
func (c *courier) releaseParked(ctx context.Context, was webhook.Drain, health webhook.Health) error {
	rate, err := c.nextRate(ctx, was)
	if err != nil {
		return err
	}
	keys, err := c.parkedKeys(ctx, was.Receiver, was.After, rate+lookahead)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return c.nextStep(ctx, was.NextRound())
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, keys)
	if err != nil {
		return err
	}
	// The step is taken before its bells ring: of two that take it at once, one rings for nothing.
	next, bells := was.LetGo(rate, keys, rows, health.Suspect(c.Now()), c.Now())
	if err := c.nextStep(ctx, next); err != nil {
		return err
	}
	return c.Webhooks().Ring(ctx, bells...)
}

// nextRate returns how many deliveries this step lets go. The results of the last step's deliveries decide it.
func (c *courier) nextRate(ctx context.Context, d webhook.Drain) (int, error) {
	if len(d.Rung) == 0 {
		return max(1, d.Rate), nil
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, d.RungKeys())
	if err != nil {
		return 0, err
	}
	return webhook.NextRate(d.Rate, rows, id.Time(d.Version)), nil
}

// endParked ends deliveries that are parked for a receiver which takes nothing any more: mostEnded of them in a step,
// until none is left and the drain ends. If one cannot be ended, the others are, and that one is tried again.
func (c *courier) endParked(ctx context.Context, drain webhook.Drain, as webhook.DeliveryState, why string) error {
	rows, err := c.parkedRows(ctx, drain.Receiver, "", mostEnded)
	if err != nil {
		return err
	}
	var errs []error
	for _, i := range rows {
		errs = append(errs, guard.Do(ctx, func() error { return c.endOne(ctx, i, as, why) }, "webhook", i.SK))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	next := drain
	if next.Empty++; len(rows) > 0 {
		next.Empty = 0
	}
	return c.nextStep(ctx, next)
}

// endOne ends a parked delivery without an attempt, and counts it. A delivery that is parked no more is left alone.
func (c *courier) endOne(ctx context.Context, i *store.Item, as webhook.DeliveryState, why string) error {
	did, err := c.Webhooks().EndParked(ctx, i, as, why, c.Now())
	if did {
		c.CountDelivery(as)
	}
	return err
}

// nextStep writes down the next step of a drain, due in a second or when the drain says, and sends its message. The
// drain ends after emptySteps in a row that found nothing parked: the index by which that is found may be late.
func (c *courier) nextStep(ctx context.Context, next webhook.Drain) error {
	if next.Empty >= emptySteps {
		_, err := c.Main.Write(ctx, events.Nothing, store.Delete(webhook.DrainKey(next.Receiver),
			store.VersionIs(next.Version)))
		if store.IsCondition(err) { // somebody else has taken its step
			return nil
		}
		return err
	}
	if soon := c.Now().Add(webhook.StepInterval); next.Due.Before(soon) {
		next.Due = soon
	}
	if taken, err := c.take(ctx, &next); !taken {
		return err
	}
	return c.Webhooks().SendStep(ctx, next.Release, c.Now())
}

// parkedRows reads up to most deliveries that are parked for the receiver, the oldest first. after is the id behind
// which they begin.
func (c *courier) parkedRows(ctx context.Context, receiver, after string, most int) ([]*store.Item, error) {
	keys, err := c.parkedKeys(ctx, receiver, after, most)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, keys)
	return slices.DeleteFunc(rows, func(i *store.Item) bool { return i == nil }), err
}

// parkedKeys reads their keys from the index, which may be late: some may be parked no more.
func (c *courier) parkedKeys(ctx context.Context, receiver, after string, most int) (keys []store.Key, err error) {
	partition := webhook.StatePartition(receiver, webhook.Parked)
	q := store.Query{Index: store.Index2, PK: partition, After: after, Limit: most}
	for page, err := range store.Pages(ctx, c.Pipeline, q) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, keysOf(page.Items)...)
		if len(keys) >= most {
			break
		}
	}
	return keys[:min(len(keys), most)], nil
}
