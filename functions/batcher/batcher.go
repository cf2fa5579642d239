// Package batcher turns changes into deliveries: for each change it decides which receivers hear of it, writes one
// delivery for each call to each of them, and keeps the change for the change feed (architecture, "The webhook
// pipeline"). A change that comes twice, in another batch or in another order makes the same deliveries, so that a
// batch may always be handled again.
//
// # A tour
//
// What comes in are batches of changes, from the main table's stream or feed, at handle (batcher.go). It reads who
// listens in the shops of the batch (listeners.go), cuts each change into the calls that its listeners take, writes
// their rows to the pipeline table, and rings for those that wait. What goes out are rows, bells, and rows of the
// change feed.
//
// # Glossary
//
//   - listener: a receiver of an access, or a package's systemUrl, with all that decides what it hears of.
//   - call: what one webhook tells one receiver: a change may become several calls of an event, each with a part of its
//     records.
//   - notice: an event that a write asked for by name, like a ping, and not for the records that it changed.
//   - row, bell: a delivery as it is stored, and the message that says which row to look at (package webhook).
package batcher

import (
	"context"
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/changefeed"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Function is the batcher's place in THE list.
var Function = host.Function{
	Name: "batcher",
	Doc:  "Turns changes into deliveries, one for each call to each receiver, and rings for them.",
	Feed: &host.Feed{
		Batch: 500, Window: time.Second, Parallel: 10, // a second's changes in one batch
		Handler: func(p *host.Platform) func(context.Context, []events.Change) (int, error) {
			return newBatcher(p).handle
		},
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}}, // a drain of what it parked too late
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
	},
	Timeout: 60 * time.Second,
	Memory:  512,
}

type batcher struct {
	*host.Platform
	feed   *changefeed.Writer
	writes chan struct{} // holds one for each write under way
}

// How many writes are under way at once. A near store commits those that come together, so that many are cheap; to
// another store each takes a connection.
const sharedCommit, connections = 512, 48

func newBatcher(p *host.Platform) *batcher {
	b := &batcher{Platform: p, writes: make(chan struct{}, connections)}
	if p.Near {
		b.writes = make(chan struct{}, sharedCommit)
	}
	b.feed = &changefeed.Writer{Rows: p.Pipeline, Put: b.write, Now: p.Now, Alone: p.Alone}
	return b
}

// write writes to the pipeline table, once fewer writes than the bound are under way.
func (b *batcher) write(ctx context.Context, ops ...store.Op) error {
	b.writes <- struct{}{}
	defer func() { <-b.writes }()
	_, err := b.Pipeline.Write(ctx, events.Nothing, ops...)
	return err
}

// handle handles the changes, and says how many are done from the first on. Its error is that of the next one.
func (b *batcher) handle(ctx context.Context, changes []events.Change) (done int, err error) {
	listening, err := listen(ctx, b.Platform, changes)
	if err != nil {
		return 0, err
	}
	var kept []error
	var keeping guard.Group
	keeping.Go(ctx, func() error { kept = b.feed.Keep(ctx, changes); return nil })
	rung := make([]bells, len(changes))
	queued := guard.Each(ctx, len(changes), func(i int) (err error) {
		rung[i], err = b.tell(ctx, changes[i], listening)
		return err
	})
	if err := keeping.Wait(); err != nil {
		return 0, err
	}
	for ; done < len(changes) && err == nil; done++ {
		err = errors.Join(kept[done], queued[done])
	}
	if err != nil {
		done--
	}
	if failed := b.ring(ctx, rung[:done]); failed != nil {
		return 0, failed // handled again, they make the same rows, and those that wait are rung for
	}
	return done, err
}

// tell writes the deliveries of the change to its listeners.
func (b *batcher) tell(ctx context.Context, c events.Change, listening audience) (rung bells, err error) {
	listeners, err := listening.of(c)
	if err != nil || len(listeners) == 0 {
		return rung, err
	}
	return b.queue(ctx, c, listeners)
}

// call is one call of a change to one listener.
type call struct {
	events.Call
	to *listener
}

// callsOf are all calls that the change becomes.
func callsOf(c events.Change, listeners []listener) []call {
	var calls []call
	told := c.Told()
	cuts := map[string][]events.Call{} // by event and the groups that the listener wants
	for i := range listeners {
		l := &listeners[i]
		for _, e := range told {
			if !l.takes(e) {
				continue
			}
			key := webhook.ListKey("", e, 0, l.Groups).SK + string(e)
			cut, known := cuts[key]
			if !known {
				cut = c.Calls(e, l.Groups)
				cuts[key] = cut
			}
			for _, one := range cut {
				calls = append(calls, call{one, l})
			}
		}
		calls = append(calls, noticesTo(l, c.Notices)...)
	}
	return calls
}

// noticesTo are the notices that go to the listener. Several of one event are told apart as chunks are.
func noticesTo(l *listener, notices []events.Notice) (calls []call) {
	for i, n := range notices {
		if !l.noticed(n) {
			continue
		}
		chunk := 0
		for _, before := range notices[:i] {
			if before.Event == n.Event && before.Access == n.Access && before.Receiver == n.Receiver {
				chunk++
			}
		}
		one := n.Call(chunk)
		if l.System() && n.Event == events.PackageActivate {
			one.Data = webhook.Activation(one.Data, n.Access)
		}
		calls = append(calls, call{one, l})
	}
	return calls
}

// bells are what to ring, by queue.
type bells struct{ fresh, retry []queue.Message }

// queue writes the deliveries of a change, those that are not there yet, and returns the bells of all that wait.
func (b *batcher) queue(ctx context.Context, c events.Change, to []listener) (rung bells, err error) {
	calls := callsOf(c, to)
	rows, lists := rowsOf(c, calls, b.Now())
	for i := range rows {
		b.Attempts.Reserve(&rows[i], b.Now())
	}
	for _, list := range lists { // before the rows that need them
		if err := b.write(ctx, store.Put(list)); err != nil {
			return rung, err
		}
	}
	waits := make([]bool, len(rows))
	errs := guard.Each(ctx, len(rows), func(i int) (err error) {
		waits[i], err = b.put(ctx, rows[i])
		return err
	})
	for i := range rows {
		switch {
		case webhook.RowOf(&rows[i]).State == webhook.Parked:
			errs = append(errs, webhook.Settle(ctx, b.Unit(), b.Webhooks(), calls[i].to.Receiver))
		case waits[i] && webhook.RowOf(&rows[i]).State == webhook.Waiting:
			rung.add(webhook.BellOf(&rows[i], calls[i].to.suspect))
		}
	}
	return rung, errors.Join(errs...)
}

// rowsOf are the deliveries of the calls, and the long lists that they share.
func rowsOf(c events.Change, calls []call, now time.Time) (rows []store.Item, lists map[store.Key]store.Item) {
	rows, lists = make([]store.Item, len(calls)), map[store.Key]store.Item{}
	for i, one := range calls {
		to := one.to.address()
		to.Held = webhook.Held(one.to.Receiver, now)
		row, list := webhook.NewRow(c, one.Call, to, now)
		rows[i] = row
		if list != nil {
			lists[list.Key] = *list
		}
	}
	return rows, lists
}

func (b *bells) add(bell webhook.Bell) {
	if bell.Retry {
		b.retry = append(b.retry, bell.Message(0))
	} else {
		b.fresh = append(b.fresh, bell.Message(0))
	}
}

// put writes the row unless it is there already, and says whether the delivery waits.
func (b *batcher) put(ctx context.Context, row store.Item) (waits bool, err error) {
	err = b.write(ctx, store.Put(row, store.Absent()))
	if f, there := store.Failed(err, row.Key); there {
		return f.Item == nil || webhook.RowOf(f.Item).State == webhook.Waiting, nil
	}
	if err == nil {
		b.count(webhook.RowOf(&row).State)
	}
	return err == nil, err
}

// count counts a delivery that is parked or exhausted as soon as it is written, without an attempt.
func (b *batcher) count(as webhook.DeliveryState) {
	if name := webhook.FigureOf(as); name != "" {
		b.Figure(name, host.Count, 1)
	}
}

// ring sends the bells of all changes together.
func (b *batcher) ring(ctx context.Context, rung []bells) error {
	var all bells
	for _, r := range rung {
		all.fresh, all.retry = append(all.fresh, r.fresh...), append(all.retry, r.retry...)
	}
	return b.Webhooks().Send(ctx, all.fresh, all.retry)
}
