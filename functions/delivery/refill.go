package delivery

import (
	"context"
	"slices"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// Refill rings for all deliveries that wait and are due within the longest delay of a queue, those that wait longest
// first. It is for the queues of the one process, which forget: it runs when the process starts, and whenever a queue
// has dropped messages. It puts no more than most messages into a queue at a time and waits for room in between, so it
// takes as long as the backlog does. It may ring for a delivery that has a message already, which does no harm.
func Refill(ctx context.Context, p *host.Platform, most int) error {
	walks := webhook.DueRows.Due(p.Now().Add(webhook.LongestGrace)) // so far the sweeper may have moved what is due
	for n := range walks {
		walks[n].Limit = max(1, min(most/len(walks)/2, store.MaxKeys))
	}
	for len(walks) > 0 {
		now, on := p.Now(), walks[:0]
		for _, query := range walks {
			page, err := p.Pipeline.Query(ctx, query)
			if err == nil {
				err = ringEntries(ctx, p, page.Items, now)
			}
			if err != nil {
				return err
			}
			if query.After = page.Next; query.After != "" {
				on = append(on, query)
			}
		}
		if walks = on; len(walks) > 0 && !waitForRoom(ctx, p, most/2) {
			return ctx.Err()
		}
	}
	return nil
}

// waitForRoom waits until no more than most messages are ready in either queue, if the queues can tell; false when ctx
// ended.
func waitForRoom(ctx context.Context, p *host.Platform, most int) bool {
	const look = 5 * time.Millisecond
	for {
		full := false
		for _, q := range []queue.Sender{p.Fresh, p.Retry} {
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
		if !guard.Wait(ctx, look) {
			return false
		}
	}
}

// ringEntries rings for the deliveries that entries of an index stand for, if they wait still. Those with a longer wait
// than a message's the sweeper rings for, at its end.
func ringEntries(ctx context.Context, p *host.Platform, entries []store.Item, now time.Time) error {
	if len(entries) == 0 {
		return nil
	}
	rows, err := store.GetReadable(ctx, p.Pipeline, keysOf(entries))
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(i *store.Item) bool {
		return i != nil && time.UnixMilli(webhook.RowOf(i).Due).Sub(now) > queue.MaxDelay
	})
	return p.Webhooks().RingAll(ctx, rows, now)
}

// keysOf are the keys of the items that entries of an index stand for.
func keysOf(entries []store.Item) []store.Key {
	keys := make([]store.Key, len(entries))
	for i := range entries {
		keys[i] = entries[i].Key
	}
	return keys
}
