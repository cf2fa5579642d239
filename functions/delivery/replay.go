package delivery

import (
	"cmp"
	"context"
	"slices"

	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// replayStep lets the next deliveries of a replay go out again. It ends where its receiver's breaker is open or
// nothing may be sent any more.
func (c *courier) replayStep(ctx context.Context, item *store.Item) error {
	r, err := webhook.ReplayingOf(item)
	if err != nil {
		return err
	}
	if early, err := c.putOffStep(ctx, r.Release); early {
		return err
	}
	of := webhook.Row{Shop: r.Shop, Access: r.Access, Package: r.Package, Receiver: r.Receiver}
	s, err := c.standings.of(ctx, of, webhook.Bell{})
	if err != nil {
		return err
	}
	if !s.Replays() {
		return c.endReplay(ctx, r, webhook.ReplayStopped)
	}
	was := r.Version
	r.Version, r.Due = c.NewID(), c.Now().Add(webhook.StepInterval)
	if taken, err := c.replace(ctx, r.Item(), was); !taken {
		return err
	}
	more, failed := c.replayNext(ctx, &r)
	if failed == nil && !more {
		return c.endReplay(ctx, r, webhook.ReplayDone)
	}
	if failed == nil {
		_, failed = c.replace(ctx, r.Item(), r.Version)
	}
	if failed != nil { // what it let go bears its mark, and the next step passes over it
		c.Log.Warn("a replay is held up", "receiver", r.Receiver, "error", failed)
	}
	return c.Webhooks().SendStep(ctx, r.Release, c.Now())
}

// endReplay ends the replay as done or stopped.
func (c *courier) endReplay(ctx context.Context, r webhook.Replaying, as webhook.ReplayState) error {
	was := r.Version
	r.Touch(c.Now())
	r.State, r.Version = as, c.NewID()
	_, err := c.replace(ctx, r.Item(), was)
	return err
}

// mostSeen is how many deliveries of an access a step of a replay looks at, at most, for those of its receiver: they
// may be few among others', and the next step goes on behind those.
const mostSeen = 2000

// replayNext lets the next deliveries of the replay go out, as many as its rate allows in a second, and says whether
// there may be more.
func (c *courier) replayNext(ctx context.Context, r *webhook.Replaying) (more bool, err error) {
	for went, seen := 0, 0; seen < mostSeen; {
		rows, more, err := c.nextRows(ctx, *r)
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
	selected, did := r.Selects(webhook.RowOf(i), i, c.Now())
	if selected {
		let, err = r.LetGo(ctx, c.Unit(), c.Webhooks(), i)
	}
	if let || did {
		r.Sent++
		r.Touch(c.Now())
	}
	return let, err
}

// nextRows are the next rows of a replay's access behind the last one that was looked at, in the order of their
// creation, and whether there are more behind them.
func (c *courier) nextRows(ctx context.Context, r webhook.Replaying) (rows []*store.Item, more bool, err error) {
	const most = 100 // rows of each partition, by one read
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
