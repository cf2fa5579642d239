package delivery

import (
	"cmp"
	"context"
	"slices"

	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// replayStep sends the next deliveries of a replay again, as many as it allows in a second. The replay stops when the
// breaker of its receiver is open, or nothing may be sent any more. The step is taken before anything is sent, so that
// no delivery is sent by two steps; what it has reached is written down behind it.
func (c *courier) replayStep(ctx context.Context, item *store.Item) error {
	r, err := webhook.ReplayingOf(item)
	if err != nil {
		return err
	}
	if early, err := c.putOffStep(ctx, r.Release); early {
		return err
	}
	of := webhook.Row{Shop: r.Shop, Access: r.Access, Package: r.Package, Receiver: r.Receiver}
	now, _, err := c.standings.judge(ctx, of, webhook.Bell{})
	if err != nil {
		return err
	}
	if !now.Replays() {
		return c.endReplay(ctx, r, webhook.ReplayStopped)
	}
	r.Wait(c.Now().Add(webhook.StepInterval))
	if taken, err := c.take(ctx, &r); !taken {
		return err
	}
	more, failed := c.replayNext(ctx, &r)
	if failed == nil && !more {
		return c.endReplay(ctx, r, webhook.ReplayDone)
	}
	if failed == nil {
		_, failed = c.take(ctx, &r)
	}
	if failed != nil { // what it has sent again bears its id, and the next step passes over that
		c.Log.Warn("a replay is held up", "receiver", r.Receiver, "error", failed)
	}
	return c.Webhooks().SendStep(ctx, r.Release, c.Now())
}

// endReplay writes down that the replay is done, or stopped. One whose step somebody else has taken is left to them.
func (c *courier) endReplay(ctx context.Context, r webhook.Replaying, as webhook.ReplayState) error {
	r.Touch(c.Now())
	r.State = as
	r.End()
	_, err := c.take(ctx, &r)
	return err
}

// mostSeen bounds how many deliveries one step of a replay reads. A step reads those of all receivers of an access, so
// few may be for the replay's own. The next step goes on behind them.
const mostSeen = 2000

// replayNext sends the next deliveries of the replay again, as many as its rate allows in a second, and says whether
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

// letGo sends the delivery again, if the replay selects it, and counts it. A delivery that the replay has sent before
// counts, too: a step that sent it could not write that down.
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

// nextRows reads the next rows of the replay's access behind the last one that was looked at, in the order of their
// creation, and says whether there are more. It merges the pages of all partitions: rows that lie behind the end of the
// shortest page wait for the next call, since that partition may have earlier ones.
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
	if horizon != "" {
		rows = slices.DeleteFunc(rows, func(i *store.Item) bool { return i.SK > horizon })
	}
	slices.SortFunc(rows, func(a, b *store.Item) int { return cmp.Compare(a.SK, b.SK) })
	return rows, horizon != "", nil
}
