package delivery

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// Refill rings for the deliveries that wait and are due within the longest delay of a queue, the longest waiting first, at
// most about so many: for queues that forget, at the start of the one process and whenever they have dropped some. It may
// ring for one that has a message already, which does no harm.
func Refill(ctx context.Context, p *host.Platform, most int) error {
	now := p.Now()
	for n := range DueShards {
		if err := refillFrom(ctx, p, n, most/DueShards+1, now); err != nil {
			return err
		}
	}
	return nil
}

func refillFrom(ctx context.Context, p *host.Platform, shard, most int, now time.Time) error {
	q := store.Query{Index: store.Index1, PK: Due(shard), To: DueUntil(now.Add(queue.MaxDelay + Grace))}
	for most > 0 {
		q.Limit = min(most, store.MaxOperations)
		page, err := p.Pipeline.Query(ctx, q)
		if err != nil {
			return err
		}
		if len(page.Items) > 0 {
			rows, err := p.Pipeline.Get(ctx, keysOf(page.Items)...)
			if err != nil {
				return err
			}
			if err := ringAll(ctx, p, rows, now); err != nil {
				return err
			}
		}
		most -= len(page.Items)
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
	return nil
}

// ringAll rings for those of the rows that wait.
func ringAll(ctx context.Context, p *host.Platform, rows []*store.Item, now time.Time) error {
	var fresh, retry []queue.Message
	for _, i := range rows {
		if i == nil || i.Text[stateText] != string(Waiting) {
			continue
		}
		b := BellOf(i, i.Num[madeNum] > 0)
		m := b.Message(time.UnixMilli(i.Num[dueNum]).Sub(now))
		if b.Retry {
			retry = append(retry, m)
		} else {
			fresh = append(fresh, m)
		}
	}
	return send(ctx, p, fresh, retry)
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
	if i.Text[stateText] != string(Waiting) || i.Index1.SK > DueUntil(now) {
		return nil
	}
	place := duePlace(i.SK, now.Add(rings(i.Num[rungNum])))
	_, err := p.Pipeline.Write(ctx, events.Nothing, store.Update(i.Key, store.Set{Add: map[string]int64{rungNum: 1}, Index1: &place},
		store.TextIs(stateText, string(Waiting)), store.NumIs(dueNum, i.Num[dueNum])))
	if store.IsCondition(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return ringAll(ctx, p, []*store.Item{i}, now)
}
