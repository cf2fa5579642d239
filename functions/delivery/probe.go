package delivery

import (
	"context"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// probe is the step of a drain whose receiver is failing: it makes one attempt at a parked delivery, to see whether the
// receiver is back. When several are parked it takes another one than last time, since one delivery may be what the
// receiver stumbles over. If the attempt succeeds, health.go closes the breaker.
func (c *courier) probe(ctx, attemptCtx context.Context, d webhook.Drain, r webhook.Receiver) error {
	row, cancelled, err := c.probeCandidate(ctx, d, r)
	if err != nil {
		return err
	}
	next := d.Next(r, c.Now())
	switch {
	case row != nil:
		next.After = row.SK
	case cancelled > 0: // there may be one to probe with behind those that were cancelled
		next.Due = c.Now().Add(webhook.StepInterval)
	}
	if taken, err := c.take(ctx, &next); !taken {
		return err
	}
	if row == nil {
		return c.Webhooks().SendStep(ctx, next.Release, c.Now())
	}
	b := webhook.BellOf(row).Again()
	b.Parked, b.Probe = true, true
	c.bell(ctx, attemptCtx, b) // whatever comes of it: the next probe is written down
	return nil
}

// probeCandidate finds the parked delivery to probe with; nil if there is none. It looks behind the last one that was
// tried, and then from the start. On its way it cancels deliveries that may not be sent any more, and returns how many.
func (c *courier) probeCandidate(ctx context.Context, d webhook.Drain, r webhook.Receiver) (row *store.Item,
	cancelled int, err error) {
	rows, err := c.parkedRows(ctx, r.ID, d.After, store.MaxKeys)
	if err == nil && d.After != "" {
		var first []*store.Item
		first, err = c.parkedRows(ctx, r.ID, "", store.MaxKeys)
		rows = append(rows, first...)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, i := range rows {
		row := webhook.RowOf(i)
		if row.State != webhook.Parked || row.Due > c.Now().UnixMilli() {
			continue // the index is late, or the receiver has asked for more time (Retry-After)
		}
		did, _, err := c.standings.judge(ctx, row, webhook.Bell{})
		if err != nil {
			return nil, cancelled, err
		}
		if did.Cancelled == "" {
			return i, cancelled, nil
		}
		cancelled++
		if err := c.endOne(ctx, i, webhook.Cancelled, did.Cancelled); err != nil {
			return nil, cancelled, err
		}
	}
	return nil, cancelled, nil
}
