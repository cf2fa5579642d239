package delivery

import (
	"context"
	"errors"
	"slices"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// A drain lets go what is parked (contract, section 5, "Breaker"): one a second first, twice as many each second
// while the answers are 2xx, half as many on 429, 503 or a timeout.
//
// This file is one step of it: drainStep asks the receiver's state what the step is, which is to release some of what
// is parked, to end some of it, or to probe (probe.go). Each leads to the next step by nextStep, which also ends the
// drain.

const (
	emptySteps = 3   // steps in a row that find nothing end a drain: an index may be late
	mostEnded  = 500 // deliveries ended by one step: each is a write, and the function's time is bounded
	lookahead  = 100 // deliveries that are not due yet, which a step looks past for others that are
)

// drainStep takes the step that the receiver's state asks for. receiver is nil of one that was deleted.
func (c *courier) drainStep(ctx, attemptCtx context.Context, item, receiver *store.Item, h webhook.Health) error {
	d, err := webhook.DrainOf(item)
	if err != nil {
		return err
	}
	if early, err := c.putOffStep(ctx, d.Release); early {
		return err
	}
	if receiver == nil {
		return c.endParked(ctx, d, webhook.Cancelled, webhook.ReceiverDeleted)
	}
	r, err := webhook.ReceiverOf(receiver)
	if err != nil {
		return err
	}
	now := c.Now()
	switch {
	case r.State == webhook.Enabled:
		return c.releaseParked(ctx, d, h)
	case r.GivenUp(now):
		return c.endParked(ctx, d, webhook.Exhausted, "")
	case r.State != webhook.Disabled && !now.Before(r.StateEnds()): // failing or unverified for too long
		_, err := webhook.EnterState(ctx, c.Unit(), c.Webhooks(), r, webhook.Disabled, 0)
		return err
	case r.State == webhook.Failing:
		return c.probe(ctx, attemptCtx, d, r)
	}
	_, err = c.takeStep(ctx, d, d.Next(r, now)) // nothing is to be done before the receiver's state ends
	return err
}

// releaseParked lets go the next of a receiver's parked deliveries, those that are due, round after round. They stay
// parked until their attempt, so one whose bell is lost is rung for by the next round.
func (c *courier) releaseParked(ctx context.Context, was webhook.Drain, h webhook.Health) error {
	rate, err := c.nextRate(ctx, was)
	if err != nil {
		return err
	}
	keys, err := c.parkedKeys(ctx, was.Receiver, was.After, rate+lookahead)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return c.nextStep(ctx, was, was.NextRound(), was.After != "")
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, keys)
	if err != nil {
		return err
	}
	next, bells := was.LetGo(rate, keys, rows, h.Suspect(c.Now()), c.Now())
	if err := c.nextStep(ctx, was, next, true); err != nil {
		return err
	}
	return c.Webhooks().Ring(ctx, bells...)
}

// nextRate is how many deliveries the next step lets go, by what became of the last one's.
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

// endParked ends what is parked for a receiver that takes nothing any more, so many in a step, and then the drain.
func (c *courier) endParked(ctx context.Context, d webhook.Drain, as webhook.DeliveryState, why string) error {
	rows, err := c.parkedRows(ctx, d.Receiver, "", mostEnded)
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
	return c.nextStep(ctx, d, d, len(rows) > 0)
}

// endOne ends a parked delivery without an attempt.
func (c *courier) endOne(ctx context.Context, i *store.Item, as webhook.DeliveryState, why string) error {
	did, err := c.Webhooks().EndParked(ctx, i, as, why, c.Now())
	if did {
		c.CountDelivery(as)
	}
	return err
}

// nextStep leads from a step of a drain to the next: it is written down, due in a second or when the drain says, and
// its message is sent. found says whether the step found anything parked: after several in a row that did not, the
// drain ends.
func (c *courier) nextStep(ctx context.Context, was, next webhook.Drain, found bool) error {
	next.Empty = 0
	if !found {
		next.Empty = was.Empty + 1
	}
	if next.Empty >= emptySteps {
		return c.endDrain(ctx, was)
	}
	if soon := c.Now().Add(webhook.StepInterval); next.Due.Before(soon) {
		next.Due = soon
	}
	taken, err := c.takeStep(ctx, was, next)
	if err != nil || taken == nil {
		return err
	}
	return c.Webhooks().SendStep(ctx, taken.Release, c.Now())
}

// takeStep writes down the next step in the place of was, and returns it as it is then; nil: somebody else has taken
// the step was.
func (c *courier) takeStep(ctx context.Context, was, next webhook.Drain) (taken *webhook.Drain, err error) {
	next.Version = c.NewID()
	if replaced, err := c.replace(ctx, next.Item(), was.Version); !replaced {
		return nil, err
	}
	return &next, nil
}

// endDrain ends the drain, unless somebody else has taken its step.
func (c *courier) endDrain(ctx context.Context, d webhook.Drain) error {
	_, err := c.Main.Write(ctx, events.Nothing, store.Delete(webhook.DrainKey(d.Receiver), store.VersionIs(d.Version)))
	if store.IsCondition(err) {
		return nil
	}
	return err
}

// parkedRows are up to most deliveries parked for the receiver, the oldest first, behind that with the id after.
func (c *courier) parkedRows(ctx context.Context, receiver, after string, most int) ([]*store.Item, error) {
	keys, err := c.parkedKeys(ctx, receiver, after, most)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, keys)
	return slices.DeleteFunc(rows, func(i *store.Item) bool { return i == nil }), err
}

// parkedKeys are the keys of parkedRows, as the index has them: some may be parked no more.
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
