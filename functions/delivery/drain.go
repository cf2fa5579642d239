package delivery

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// A drain lets go what is parked (contract, section 5, "Breaker"): one a second first, twice as many each second
// while the answers are 2xx, half as many on 429, 503 or a timeout.
const (
	spent = 3   // steps that find nothing in a row end a drain: an index may be late
	bulk  = 500 // deliveries ended by one step
)

// stepOfDrain takes the step that the receiver's state asks for.
func (c *courier) stepOfDrain(ctx, attemptCtx context.Context, item, receiver *store.Item, h webhook.Health) error {
	d, err := webhook.DrainOf(item)
	if err != nil {
		return err
	}
	if early, err := c.tooEarly(ctx, d.Release); early {
		return err
	}
	if receiver == nil {
		return c.endAll(ctx, d, webhook.Cancelled, webhook.ReceiverDeleted)
	}
	r, err := webhook.ReceiverOf(receiver)
	if err != nil {
		return err
	}
	now := c.Now()
	switch {
	case r.State == webhook.Enabled:
		return c.drain(ctx, d, h)
	case r.Hopeless(now):
		return c.endAll(ctx, d, webhook.Exhausted, "")
	case r.State != webhook.Disabled && !now.Before(r.Ends()):
		_, err := webhook.Move(ctx, c.Unit(), c.Webhooks(), r, webhook.Disabled, 0)
		return err
	case r.State == webhook.Failing:
		return c.probe(ctx, attemptCtx, d, r)
	}
	_, err = c.lease(ctx, d, d.Next(r, now))
	return err
}

// lease is the right to take the step from was: whoever writes the next one first has it.
func (c *courier) lease(ctx context.Context, was, d webhook.Drain) (got *webhook.Drain, err error) {
	d.Version = c.NewID()
	if taken, err := c.write(ctx, d.Item(), was.Version); !taken {
		return nil, err
	}
	return &d, nil
}

// probe makes one attempt of a parked delivery, another one than the last time when there are several.
func (c *courier) probe(ctx, attemptCtx context.Context, d webhook.Drain, r webhook.Receiver) error {
	row, cancelled, err := c.candidate(ctx, d, r)
	if err != nil {
		return err
	}
	next := d.Next(r, c.Now())
	if row == nil && cancelled > 0 {
		next.Due = c.Now().Add(pace) // there may be more behind them
	}
	if row != nil {
		next.After = row.SK
	}
	got, err := c.lease(ctx, d, next)
	if err != nil || got == nil {
		return err
	}
	if row == nil {
		return c.Webhooks().Follow(ctx, got.Release, c.Now())
	}
	b := webhook.BellOf(row, true)
	b.Parked, b.Probe = true, true
	c.bell(ctx, attemptCtx, b) // one that fails has its next time
	return nil
}

// candidate is the parked delivery to probe with; on the way those that may not be sent any more are cancelled.
func (c *courier) candidate(ctx context.Context, d webhook.Drain, r webhook.Receiver) (row *store.Item,
	cancelled int, err error) {
	rows, err := c.parkedRows(ctx, r.ID, d.After, store.MaxKeys)
	if err == nil && d.After != "" {
		var first []*store.Item
		first, err = c.parkedRows(ctx, r.ID, "", store.MaxKeys)
		rows = append(rows, first...)
	}
	for _, i := range rows {
		if err != nil {
			break
		}
		row := webhook.RowOf(i)
		if row.State != webhook.Parked || row.Due > c.Now().UnixMilli() {
			continue
		}
		var s webhook.Standing
		if s, err = c.standings.of(ctx, row); err != nil {
			break
		}
		why := s.Refuses(row.Event, row.Test)
		if why == "" {
			return i, cancelled, nil
		}
		cancelled++
		err = c.end(ctx, i, webhook.Cancelled, why)
	}
	return nil, cancelled, err
}

// parkedRows are deliveries parked for the receiver behind one of them, the oldest first, of the next most places.
func (c *courier) parkedRows(ctx context.Context, receiver, after string, most int) ([]*store.Item, error) {
	keys, err := c.parkedKeys(ctx, receiver, after, most)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, keys)
	return slices.DeleteFunc(rows, func(i *store.Item) bool { return i == nil }), err
}

func (c *courier) parkedKeys(ctx context.Context, receiver, after string, most int) (keys []store.Key, err error) {
	q := store.Query{Index: store.Index2, PK: webhook.StatePartition(receiver, webhook.Parked), After: after, Limit: most}
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

// end ends a parked delivery without an attempt.
func (c *courier) end(ctx context.Context, i *store.Item, as webhook.DeliveryState, why string) error {
	did, err := c.Webhooks().EndParked(ctx, i, as, why)
	if did {
		c.CountDelivery(as)
	}
	return err
}

// endAll ends what is parked for a receiver that takes nothing any more, so many in a step, and then the drain.
func (c *courier) endAll(ctx context.Context, d webhook.Drain, s webhook.DeliveryState, why string) error {
	rows, err := c.parkedRows(ctx, d.Receiver, "", bulk)
	if err != nil {
		return err
	}
	var errs []error
	for _, i := range rows {
		errs = append(errs, guard.Do(ctx, func() error { return c.end(ctx, i, s, why) }, "webhook", i.SK))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(rows) == 0 {
		return c.foundNone(ctx, d, d)
	}
	return c.goOn(ctx, d, d)
}

// foundNone is goOn of a step that found nothing to let go: after several in a row the drain ends.
func (c *courier) foundNone(ctx context.Context, was, d webhook.Drain) error {
	if d.Empty = was.Empty + 1; d.Empty < spent {
		return c.follow(ctx, was, d)
	}
	_, err := c.Main.Write(ctx, events.Nothing, store.Delete(webhook.DrainKey(d.Receiver), store.VersionIs(was.Version)))
	if store.IsCondition(err) {
		return nil
	}
	return err
}

// goOn leads to the next step of a drain that has found something.
func (c *courier) goOn(ctx context.Context, was, d webhook.Drain) error {
	d.Empty = 0
	return c.follow(ctx, was, d)
}

// follow writes down the next step, a second from now or when the drain says, and sends its message.
func (c *courier) follow(ctx context.Context, was, d webhook.Drain) error {
	if soon := c.Now().Add(pace); d.Due.Before(soon) {
		d.Due = soon
	}
	got, err := c.lease(ctx, was, d)
	if err != nil || got == nil {
		return err
	}
	return c.Webhooks().Follow(ctx, got.Release, c.Now())
}

// drain lets go the next of a receiver's parked deliveries, those that are due, round after round. They stay parked
// until their attempt, so a bell that is lost is rung by the next round.
func (c *courier) drain(ctx context.Context, was webhook.Drain, h webhook.Health) error {
	rate, err := c.rate(ctx, was)
	if err != nil {
		return err
	}
	keys, err := c.parkedKeys(ctx, was.Receiver, was.After, rate+ahead)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return c.round(ctx, was)
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, keys)
	if err != nil {
		return err
	}
	d, bells := c.pick(was, rate, keys, rows, h.Suspect(c.Now()))
	if err := c.goOn(ctx, was, d); err != nil {
		return err
	}
	return c.Webhooks().Ring(ctx, bells...)
}

// ahead is how many deliveries that are not due a step looks past.
const ahead = 100

// pick is the drain after a step that lets go so many of the deliveries, and their bells.
func (c *courier) pick(d webhook.Drain, rate int, keys []store.Key, rows []*store.Item,
	retry bool) (webhook.Drain, []webhook.Bell) {
	now := c.Now().UnixMilli()
	d.Rate, d.Rung, d.Due = rate, nil, time.Time{}
	var bells []webhook.Bell
	for n, i := range rows {
		if len(bells) == rate {
			break
		}
		d.After = keys[n].SK
		if i == nil {
			continue
		}
		switch row := webhook.RowOf(i); {
		case row.State != webhook.Parked:
		case row.Lease > now:
			d.Busy++
		case row.Due > now:
			d.Soonest = earlier(d.Soonest, row.Due)
		default:
			b := webhook.BellOf(i, retry)
			b.Parked = true
			bells = append(bells, b)
			d.Busy++
			d.Rung = append(d.Rung, i.PK+" "+i.SK)
		}
	}
	d.Rung = d.Rung[max(0, len(d.Rung)-webhook.Looked):]
	return d, bells
}

// earlier of two moments of which 0 is none.
func earlier(a, b int64) int64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// round ends a round: the next begins at once, or when the first is due of those that are all that is left.
func (c *courier) round(ctx context.Context, was webhook.Drain) error {
	d := was
	d.After, d.Rung, d.Busy, d.Soonest, d.Due = "", nil, 0, 0, time.Time{}
	if was.Busy == 0 && was.Soonest > 0 {
		d.Due = time.UnixMilli(was.Soonest)
	}
	if was.After == "" {
		return c.foundNone(ctx, was, d)
	}
	return c.goOn(ctx, was, d)
}

// rate is how many deliveries the next step lets go, by what became of the last one's.
func (c *courier) rate(ctx context.Context, d webhook.Drain) (int, error) {
	if len(d.Rung) == 0 {
		return max(1, d.Rate), nil
	}
	rows, err := store.GetReadable(ctx, c.Pipeline, rungKeys(d))
	if err != nil {
		return 0, err
	}
	return webhook.Paced(d.Rate, rows, id.Time(d.Version)), nil
}

func rungKeys(d webhook.Drain) []store.Key {
	keys := make([]store.Key, len(d.Rung))
	for i, r := range d.Rung {
		keys[i].PK, keys[i].SK, _ = strings.Cut(r, " ")
	}
	return keys
}
