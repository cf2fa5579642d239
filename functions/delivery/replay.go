package delivery

import (
	"cmp"
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// A replay lets a receiver's deliveries of a range go out again, at a rate: a chain of ticks, one message each second, of
// which each lets go its number and rings for the next (contract, section 4, "Webhooks"). The item of the replay is the
// truth: a message that comes twice or late does nothing, and for one that is lost the sweeper rings.

// tick does one tick of a replay, unless somebody did, and says whether its message is done with.
func (c *courier) tick(ctx context.Context, at store.Key, tick int64) (done bool) {
	due := c.Now().Add(time.Second)
	place := webhook.DuePlace(at.SK, due.Add(webhook.Grace))
	item, err := c.Pipeline.Write(ctx, events.Nothing, store.Update(at, store.Set{Add: map[string]int64{webhook.TickNum: 1},
		Num: map[string]int64{webhook.DueNum: due.UnixMilli()}, Drop: []string{webhook.RungNum}, Index1: &place}, store.NumIs(webhook.TickNum, tick)))
	if err != nil {
		return store.IsCondition(err)
	}
	r, err := webhook.ReplayRunOf(&item)
	if err == nil {
		err = c.replay(ctx, &r)
	}
	if err != nil { // what it let go it does not let go again
		c.Log.Warn("a replay is held up", "receiver", r.Receiver, "error", err)
	}
	if r.Tick != webhook.ReplayOver {
		err = c.Retry.Send(ctx, r.Message(due.Sub(c.Now())))
	}
	if err != nil {
		c.Log.Warn("the sweeper will ring for a replay", "receiver", r.Receiver, "error", err)
	}
	return true
}

// replay lets the next deliveries go; it ends where its receiver's breaker is open or nothing may be sent any more.
func (c *courier) replay(ctx context.Context, r *webhook.ReplayRun) error {
	s, err := c.known.standing(ctx, webhook.Row{Shop: r.Shop, Access: r.Access, Package: r.Package, Receiver: r.Receiver})
	if err != nil {
		return err
	}
	more := false
	if s.replays() {
		if more, err = c.replayNext(ctx, r); err != nil {
			return err
		}
	}
	set, tick := store.Set{Text: map[string]string{webhook.AfterText: r.After}}, r.Tick
	if !more {
		r.Tick, set = webhook.ReplayOver, store.Set{Num: map[string]int64{webhook.TickNum: webhook.ReplayOver}, Index1: &store.Key{}}
	}
	_, err = c.Pipeline.Write(ctx, events.Nothing, store.Update(webhook.ReplayKey(r.Receiver, r.ID), set, store.NumIs(webhook.TickNum, tick)))
	return err
}

// looked is how many deliveries of an access a tick looks at, at most, for those of its receiver.
const looked = 2000

// replayNext lets the next deliveries of the replay go out, as many as its rate allows in a second, and says whether there may
// be more.
func (c *courier) replayNext(ctx context.Context, r *webhook.ReplayRun) (more bool, err error) {
	for went, seen := 0, 0; seen < looked; {
		rows, more, err := c.following(ctx, *r)
		if err != nil {
			return false, err
		}
		for _, i := range rows {
			if went == r.PerSecond {
				return true, nil
			}
			did := false
			err := guard.Do(ctx, func() (err error) { did, err = c.once(ctx, *r, i); return err }, "webhook", i.SK)
			if err != nil && !store.Poisoned(err) { // one that is poisoned is passed over
				return false, err
			}
			if r.After = i.SK; did {
				went++
			}
		}
		if seen += len(rows); !more {
			return false, nil
		}
	}
	return true, nil
}

// once lets the delivery go out again, if the replay is of it and it did not by this replay already.
func (c *courier) once(ctx context.Context, r webhook.ReplayRun, i *store.Item) (bool, error) {
	row := webhook.RowOf(i)
	if row.Receiver != r.Receiver || !row.Redeliverable() || row.Was != "" || row.Replay == r.ID ||
		!slices.Contains(r.States, string(row.State)) || i.Expired(c.Now().Unix()) {
		return false, nil
	}
	after, err := webhook.Requeue(ctx, c.Unit(), c.Webhooks(), i, func(set *store.Set) { set.Text[webhook.ReplayText] = r.ID },
		store.TextIs(webhook.StateText, string(row.State)), store.TextIsNot(webhook.ReplayText, r.ID))
	if err != nil || after == nil {
		return false, err
	}
	return true, c.Webhooks().RingAll(ctx, []*store.Item{after}, c.Now())
}

// following are the deliveries of the replay's access behind the last one looked at, in the order of their ids, and
// whether there are more.
func (c *courier) following(ctx context.Context, r webhook.ReplayRun) (rows []*store.Item, more bool, err error) {
	const most = 100
	horizon := ""
	for n := range webhook.RowShards {
		page, err := store.QueryReadable(ctx, c.Pipeline, store.Query{PK: webhook.RowPartition(r.Access, n), After: r.After,
			From: id.Stamp(time.UnixMilli(r.From)), To: id.Stamp(time.UnixMilli(r.To)) + "~", Limit: most})
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

// replays says whether a replay goes on: not at an open breaker, nor where nothing may be sent.
func (s standing) replays() bool {
	return s.receiver != nil && s.access != nil && s.receiver.Open() && s.forbids(events.Ping) == ""
}
