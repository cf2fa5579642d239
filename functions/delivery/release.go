package delivery

import (
	"cmp"
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Deliveries that wait for their receiver, or that have ended, are let go at a pace, by steps of a second each
// (webhook.Release): a drain lets go what is parked, a replay what is to go out once more. A redelivery is one that
// is let go at once.

// pace is how long after a step the next one is due.
const pace = webhook.Soon

// step takes the next step of a release, on condition that nobody took it, and says whether the message is done with.
func (c *courier) step(ctx, attemptCtx context.Context, s webhook.Step) (done bool) {
	if ctx.Err() != nil {
		return false
	}
	receiver := webhook.ReceiverKey(s.Shop, s.Access, s.Receiver)
	items, err := c.Main.Get(ctx, s.Key(), receiver, webhook.HealthKey(s.Receiver))
	if err != nil || items[0] == nil || items[0].Version != s.Version {
		return err == nil
	}
	if s.IsDrain() {
		err = c.stepOfDrain(ctx, attemptCtx, items[0], items[1], webhook.HealthOf(items[2]))
	} else {
		err = c.stepOfReplay(ctx, items[0])
	}
	if err != nil {
		c.Log.Warn("what is to be let go waits longer", "receiver", s.Receiver, "error", err)
	}
	return err == nil
}

// tooEarly sends the step's message again if it is not due yet.
func (c *courier) tooEarly(ctx context.Context, r webhook.Release) (early bool, err error) {
	wait := r.Due.Sub(c.Now())
	if wait <= 0 {
		return false, nil
	}
	return true, c.Retry.Send(ctx, r.Step().Message(wait))
}

// stepOfReplay lets the next deliveries of a replay go out again. It ends where its receiver's breaker is open or
// nothing may be sent any more.
func (c *courier) stepOfReplay(ctx context.Context, item *store.Item) error {
	r, err := webhook.ReplayingOf(item)
	if err != nil {
		return err
	}
	if early, err := c.tooEarly(ctx, r.Release); early {
		return err
	}
	s, err := c.standings.of(ctx, webhook.Row{Shop: r.Shop, Access: r.Access, Package: r.Package, Receiver: r.Receiver})
	if err != nil {
		return err
	}
	if !s.Replays() {
		return c.endReplay(ctx, r, webhook.ReplayStopped)
	}
	was := r.Version
	r.Version, r.Due = c.NewID(), c.Now().Add(pace)
	if taken, err := c.write(ctx, r.Item(), was); !taken {
		return err
	}
	more, failed := c.replayNext(ctx, &r)
	if failed == nil && !more {
		return c.endReplay(ctx, r, webhook.ReplayDone)
	}
	if failed == nil {
		_, failed = c.write(ctx, r.Item(), r.Version)
	}
	if failed != nil { // what it let go bears its mark, and the next step passes over it
		c.Log.Warn("a replay is held up", "receiver", r.Receiver, "error", failed)
	}
	return c.Webhooks().Follow(ctx, r.Release, c.Now())
}

// write writes a release that was read with a version; false: somebody else has taken the step, or there was an error.
func (c *courier) write(ctx context.Context, item store.Item, was string) (bool, error) {
	_, err := c.Main.Write(ctx, events.Nothing, store.Put(item, store.VersionIs(was)))
	if store.IsCondition(err) {
		return false, nil
	}
	return err == nil, err
}

func (c *courier) endReplay(ctx context.Context, r webhook.Replaying, as webhook.ReplayState) error {
	was := r.Version
	r.State, r.Changed, r.Version = as, field.At(c.Now()), c.NewID()
	_, err := c.write(ctx, r.Item(), was)
	return err
}

// mostSeen is how many deliveries of an access a step of a replay looks at, at most, for those of its receiver.
const mostSeen = 2000

// replayNext lets the next deliveries of the replay go out, as many as its rate allows in a second, and says whether
// there may be more.
func (c *courier) replayNext(ctx context.Context, r *webhook.Replaying) (more bool, err error) {
	for went, seen := 0, 0; seen < mostSeen; {
		rows, more, err := c.following(ctx, *r)
		if err != nil {
			return false, err
		}
		for _, i := range rows {
			if went == r.PerSecond {
				return true, nil
			}
			let := false
			err := guard.Do(ctx, func() (err error) { let, err = c.letGo(ctx, r, i); return err }, "webhook", i.SK)
			if err != nil && !store.Poisoned(err) { // one that is poisoned is passed over
				return false, err
			}
			if r.After = i.SK; let {
				went++
			}
		}
		if seen += len(rows); !more {
			return false, nil
		}
	}
	return true, nil
}

// letGo lets the delivery go out again, if the replay is of it, and counts it. One that it has let go before was let
// go by a step that could not write that down, so it counts by now.
func (c *courier) letGo(ctx context.Context, r *webhook.Replaying, i *store.Item) (let bool, err error) {
	lets, did := r.Lets(webhook.RowOf(i), i, c.Now())
	if lets {
		let, err = r.LetGo(ctx, c.Unit(), c.Webhooks(), i)
	}
	if let || did {
		r.Sent++
		r.Changed = field.At(c.Now())
	}
	return let, err
}

// following are the next rows of a replay's access behind the last one that was looked at, in the order of their
// creation, and whether there are more behind them.
func (c *courier) following(ctx context.Context, r webhook.Replaying) (rows []*store.Item, more bool, err error) {
	const most = 100 // of each partition
	horizon := ""
	for _, partition := range webhook.RowPartitions(r.Access) {
		page, err := store.QueryReadable(ctx, c.Pipeline, store.Query{PK: partition, After: r.After,
			From: id.Stamp(r.From.Go()), To: id.Stamp(r.To.Go()) + "~", Limit: most})
		if err != nil {
			return nil, false, err
		}
		for k := range page.Items {
			rows = append(rows, &page.Items[k])
		}
		if page.Next != "" && (horizon == "" || page.Next < horizon) {
			horizon = page.Next
		}
	}
	if horizon != "" { // what lies behind it in its partition comes before the others' rest
		rows = slices.DeleteFunc(rows, func(i *store.Item) bool { return i.SK > horizon })
	}
	slices.SortFunc(rows, func(a, b *store.Item) int { return cmp.Compare(a.SK, b.SK) })
	return rows, horizon != "", nil
}
