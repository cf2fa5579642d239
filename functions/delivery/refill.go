package delivery

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// Refill rings for the deliveries that wait and are due within the longest delay of a queue, those that wait longest first:
// for queues that forget, at the start of the one process and whenever they have dropped some. It puts no more than most
// into a queue at a time and waits for room between, so it takes as long as the backlog does. It may ring for a delivery
// that has a message already, which does no harm.
func Refill(ctx context.Context, p *host.Platform, most int) error {
	walks := make([]store.Query, DueShards)
	for n := range walks {
		walks[n] = store.Query{Index: store.Index1, PK: Due(n), Limit: max(1, min(most/DueShards/2, store.MaxOperations))}
	}
	for len(walks) > 0 {
		now, on := p.Now(), walks[:0]
		for _, q := range walks {
			q.To = DueUntil(now.Add(queue.MaxDelay + Grace))
			page, err := p.Pipeline.Query(ctx, q)
			if err == nil {
				err = ringPlaces(ctx, p, page.Items, now)
			}
			if err != nil {
				return err
			}
			if q.After = page.Next; q.After != "" {
				on = append(on, q)
			}
		}
		if walks = on; len(walks) > 0 && !room(ctx, p, most/2) {
			return ctx.Err()
		}
	}
	return nil
}

// room waits until no more than most messages are ready in either queue, where queues can say; false when ctx ended.
func room(ctx context.Context, p *host.Platform, most int) bool {
	const look = 5 * time.Millisecond
	for {
		full := false
		for _, q := range []queue.Queue{p.Fresh, p.Retry} {
			if d, can := q.(interface {
				Depth() (ready, delayed, onLoan int)
			}); can {
				ready, _, _ := d.Depth()
				full = full || ready > most
			}
		}
		if !full {
			return ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(look):
		}
	}
}

func ringPlaces(ctx context.Context, p *host.Platform, places []store.Item, now time.Time) error {
	if len(places) == 0 {
		return nil
	}
	rows, err := store.GetReadable(ctx, p.Pipeline, keysOf(places))
	if err != nil {
		return err
	}
	return ringAll(ctx, p, rows, now)
}

// ringAll rings for those of the rows that wait, and for replays. One that cannot be rung for does not hold up the others.
func ringAll(ctx context.Context, p *host.Platform, rows []*store.Item, now time.Time) error {
	var fresh, retry []queue.Message
	for _, i := range rows {
		if i == nil || i.Text[stateText] != string(Waiting) && !isReplay(i) {
			continue
		}
		err := guard.Do(ctx, func() error {
			m, again, err := messageOf(i, now)
			switch {
			case err != nil:
			case again:
				retry = append(retry, m)
			default:
				fresh = append(fresh, m)
			}
			return err
		})
		if err != nil {
			p.Log.Error("a delivery or replay cannot be rung for", "partition", i.PK, "item", i.SK, "error", err)
		}
	}
	return send(ctx, p, fresh, retry)
}

// messageOf rings for what waits, or for a replay, when it is due, and says whether it belongs into the retry queue.
func messageOf(i *store.Item, now time.Time) (m queue.Message, retry bool, err error) {
	wait := time.UnixMilli(i.Num[dueNum]).Sub(now)
	if isReplay(i) {
		r, err := replayOf(i)
		return r.message(wait), true, err
	}
	b := BellOf(i, i.Num[madeNum] > 0)
	return b.Message(wait), b.Retry, nil
}

func keysOf(places []store.Item) []store.Key {
	keys := make([]store.Key, len(places))
	for i := range places {
		keys[i] = places[i].Key
	}
	return keys
}

func send(ctx context.Context, p *host.Platform, fresh, retry []queue.Message) error {
	if len(fresh) > 0 {
		if err := p.Fresh.Send(ctx, fresh...); err != nil {
			return err
		}
	}
	if len(retry) > 0 {
		return p.Retry.Send(ctx, retry...)
	}
	return nil
}

// Ring rings for a delivery that a place of Due led to. First it moves the place on, so that the bell has its time before
// the next; when the row has moved itself meanwhile, there is nothing to ring for.
func Ring(ctx context.Context, p *host.Platform, i *store.Item) error {
	now := p.Now()
	if i.Text[stateText] != string(Waiting) && !isReplay(i) || i.Index1.SK > DueUntil(now) {
		return nil
	}
	place := duePlace(i.SK, now.Add(rings(i.Num[rungNum])))
	_, err := p.Pipeline.Write(ctx, events.Nothing, store.Update(i.Key, store.Set{Add: map[string]int64{rungNum: 1}, Index1: &place},
		store.TextIs(stateText, i.Text[stateText]), store.NumIs(dueNum, i.Num[dueNum])))
	if store.IsCondition(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return ringAll(ctx, p, []*store.Item{i}, now)
}
