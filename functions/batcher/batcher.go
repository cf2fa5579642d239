// Package batcher turns changes into deliveries. For each change it decides which receivers hear of it, writes one
// delivery for each call to each of them, and keeps the change for the change feed.
//
// # A tour
//
// What comes in are batches of changes, from the main table's stream or feed, at handle (batcher.go). It reads who
// listens in the shops of the batch (listeners.go), cuts each change into the calls that its listeners take, writes
// their rows to the pipeline table, and rings for those that wait. What goes out are rows, bells, and rows of the
// change feed.
//
// # Promises
//
//   - A change that comes twice, in another batch or in another order makes the same deliveries, with the same ids. So
//     a batch may always be handled again.
//   - One request, event and receiver make one call, cut at 500 ids only (contract, "Body").
//   - Who hears of a change is what its access may read, and its package's state, at the moment when the change is
//     handled; the delivery function asks once more before each attempt.
//   - A shop whose accesses or receivers cannot be read holds up its own changes, and no other shop's.
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
	"maps"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
	"eshop/shared/webhook/changefeed"
)

// Function is the batcher: the main table's feed triggers it.
var Function = host.Function{
	Name: "batcher",
	Doc:  "Turns changes into deliveries, one for each call to each receiver, and rings for them.",
	Feed: &host.Feed{
		// A batch has a second's changes.
		Batch: 500, Window: time.Second, Parallel: 4,
		// So many retries outlast a table that is away for hours: the stream hands over all of it afterwards. They end
		// an hour before the stream forgets, so that what is given up can still be kept whole. A change that can never
		// be handled holds up a quarter of its shard as long.
		Retries: 1000, MaxAge: 23 * time.Hour,
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
	// A big table has dozens of shards with four batches each, and the mapping of a stream knows no maximum of its own:
	// without this one an import could take the account's concurrency from requests. What Lambda turns away stays in
	// the stream, and counts as no retry. So many calls cut 30,000 webhooks a second, four times what the busiest
	// seconds of a large platform bring.
	ReservedConcurrency: 20,
}

// batcher is the batcher of one process.
type batcher struct {
	*host.Platform
	feed   *changefeed.Writer
	writes chan struct{} // holds one for each write under way
}

// How many writes are under way at once. A near store commits writes that come together, so many of them (sharedCommit)
// are cheap. To another store each write takes a connection. At most `connections` reads of listeners run in parallel,
// too.
const sharedCommit, connections = 512, 48

// newBatcher makes a batcher, whose writes to rows and to the change feed share one bound.
func newBatcher(p *host.Platform) *batcher {
	b := &batcher{Platform: p, writes: make(chan struct{}, connections)}
	if p.Near {
		b.writes = make(chan struct{}, sharedCommit)
	}
	b.feed = &changefeed.Writer{Rows: p.Pipeline, Turn: b.turn, Now: p.Now, Alone: p.Alone}
	return b
}

// turn waits until one more write may be under way; over ends it.
func (b *batcher) turn(ctx context.Context) (over func(), err error) {
	select {
	case b.writes <- struct{}{}:
		return func() { <-b.writes }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write writes to the pipeline table in its turn.
func (b *batcher) write(ctx context.Context, ops ...store.Op) error {
	over, err := b.turn(ctx)
	if err != nil {
		return err
	}
	defer over()
	_, err = b.Pipeline.Write(ctx, events.Nothing, ops...)
	return err
}

// handle handles a batch of changes. It returns how many are done, from the first on, and the error of the next one:
// the host hands that one and all behind it over again.
func (b *batcher) handle(ctx context.Context, changes []events.Change) (done int, err error) {
	listening, err := b.listen(ctx, changes)
	if err != nil {
		return 0, err
	}
	var fed []error
	var feeding guard.Group
	feeding.Go(ctx, func() error { fed = b.feed.Write(ctx, changes); return nil })
	followUps := make([]followUp, len(changes))
	errs := guard.Each(ctx, len(changes), func(i int) (err error) {
		followUps[i], err = b.queue(ctx, changes[i], listening)
		return err
	})
	fedErr := feeding.Wait()
	var bells []webhook.Bell
	for _, f := range followUps {
		bells = append(bells, f.bells...)
	}
	// Bells of a change that failed ring, too: if it fails each time, nobody else will ring them. When all of it is
	// handled again, it makes the same rows and rings for those that wait.
	if err := errors.Join(fedErr, b.Webhooks().Ring(ctx, bells...)); err != nil {
		return 0, err
	}
	drained := b.drain(ctx, followUps)
	for i, f := range followUps {
		for _, r := range f.parked {
			errs[i] = errors.Join(errs[i], drained[r.ID])
		}
	}
	for done < len(changes) && fed[done] == nil && errs[done] == nil {
		done++
	}
	if done < len(changes) {
		err = errors.Join(fed[done], errs[done])
	}
	return done, err
}

// followUp is what is left to do once a change's deliveries are stored.
type followUp struct {
	bells  []webhook.Bell     // of the deliveries that wait
	parked []webhook.Receiver // those that have parked deliveries
}

// drain makes sure that parked deliveries of a receiver that is well by now are let go. It asks once for each receiver,
// however many changes have parked for it, and returns errors by the receivers' ids.
func (b *batcher) drain(ctx context.Context, all []followUp) map[string]error {
	parked := map[string]webhook.Receiver{}
	for _, f := range all {
		for _, r := range f.parked {
			parked[r.ID] = r
		}
	}
	receivers := slices.Collect(maps.Values(parked))
	drained := make(map[string]error, len(receivers))
	for i, err := range guard.Each(ctx, len(receivers), func(i int) error {
		return webhook.DrainIfChanged(ctx, b.Unit(), b.Webhooks(), receivers[i])
	}) {
		drained[receivers[i].ID] = err
	}
	return drained
}

// call is one call of a change to one listener.
type call struct {
	events.Call
	to *listener
}

// callsOf are all calls that a change becomes (contract, "Body"): one for each event and listener, and for each 500
// ids. Listeners with the same groups share one cut of the change, so that a hundred listeners do not cut it a hundred
// times. That a receiver leaves out what it did itself counts for records: notices are meant for whom they go to.
func callsOf(change events.Change, listeners []listener) []call {
	var calls []call
	tells := change.Events()
	cuts := map[string][]events.Call{} // by event and the groups that the listener wants
	for i := range listeners {
		listener := &listeners[i]
		own := change.By.To(listener.Access.Package) == events.Self
		for _, e := range tells {
			if !listener.Queues(e) || own && listener.Receiver.NotOwn {
				continue
			}
			key := webhook.ListKey("", e, 0, listener.Receiver.Groups).SK + string(e)
			cut, done := cuts[key]
			if !done {
				cut = change.Calls(e, listener.Receiver.Groups)
				cuts[key] = cut
			}
			for _, one := range cut {
				calls = append(calls, call{one, listener})
			}
		}
		calls = append(calls, noticesTo(listener, change.Notices)...)
	}
	return calls
}

// noticesTo are the notices that go to the listener. Several of one event in one change are told apart by a chunk of
// their own, because the webhook's id is a hash of event and chunk: with the same one the second would count as a
// repetition.
func noticesTo(listener *listener, notices []events.Notice) (calls []call) {
	for i, notice := range notices {
		if !listener.addressed(notice) || !listener.QueuesNotice(notice) {
			continue
		}
		chunk := 0
		for _, before := range notices[:i] {
			if before.Event == notice.Event && before.Access == notice.Access && before.Receiver == notice.Receiver {
				chunk++
			}
		}
		one := notice.Call(chunk)
		if listener.Receiver.System() && notice.Event == events.PackageActivate {
			one.Data = webhook.Activation(one.Data, notice.Access)
		}
		calls = append(calls, call{one, listener})
	}
	return calls
}

// queue writes the deliveries of a change to its listeners that are not there yet, and returns what is left to do for
// all of them. Those that were there count, too, because whoever wrote them may have stopped before ringing. The stored
// state decides, not the one just computed: the receiver may have changed since.
func (b *batcher) queue(ctx context.Context, c events.Change, all audience) (left followUp, err error) {
	listeners, err := all.of(c)
	if err != nil || len(listeners) == 0 {
		return left, err
	}
	calls := callsOf(c, listeners)
	rows, lists := rowsOf(c, calls, b.Now())
	if b.Alone { // whose queues forget
		for i := range rows {
			webhook.AddDueEntry(&rows[i])
		}
	}
	for _, list := range lists { // before the rows that need them
		if err := b.write(ctx, store.Put(list)); err != nil {
			return left, err
		}
	}
	stored := make([]*store.Item, len(rows)) // nil where that is not known
	errs := guard.Each(ctx, len(rows), func(i int) (err error) {
		stored[i], err = b.put(ctx, rows[i])
		return err
	})
	b.readUnanswered(ctx, rows, stored, errs)
	for i, row := range stored {
		if row == nil {
			continue
		}
		switch webhook.RowOf(row).State {
		case webhook.Parked:
			left.parked = append(left.parked, *calls[i].to.Receiver)
		case webhook.Waiting:
			bell := webhook.BellOf(row)
			bell.Retry = calls[i].to.suspect
			left.bells = append(left.bells, bell)
		}
	}
	return left, errors.Join(errs...)
}

// readUnanswered reads the rows whose writes failed, in one read and only where some did: a write whose answer was lost
// may have been done. Such a row needs its bell now. When the change comes again its receiver may be switched off: then
// it is no listener any more, and nobody would ring for the row, of which nothing but its bell knows.
func (b *batcher) readUnanswered(ctx context.Context, rows []store.Item, stored []*store.Item, errs []error) {
	var of []int
	var keys []store.Key
	for i, err := range errs {
		if err != nil {
			of, keys = append(of, i), append(keys, rows[i].Key)
		}
	}
	if len(of) == 0 {
		return
	}
	found, err := store.GetReadable(ctx, b.Pipeline, keys)
	if err != nil {
		return // the change fails, and comes again
	}
	for k, i := range of {
		if found[k] != nil {
			stored[i], errs[i] = found[k], nil
		}
	}
}

// rowsOf are the deliveries of the calls, and the long lists that they share.
func rowsOf(c events.Change, calls []call, now time.Time) (rows []store.Item, lists map[store.Key]store.Item) {
	rows, lists = make([]store.Item, len(calls)), map[store.Key]store.Item{}
	for i, one := range calls {
		to := one.to.address()
		to.State = one.to.Receiver.FirstState(now)
		row, list := webhook.NewRow(c, one.Call, to, now)
		rows[i] = row
		if list != nil {
			lists[list.Key] = *list
		}
	}
	return rows, lists
}

// put writes the row unless it is there already, and returns the one that is stored.
func (b *batcher) put(ctx context.Context, row store.Item) (stored *store.Item, err error) {
	err = b.write(ctx, store.Put(row, store.Absent()))
	f, there := store.Failed(err, row.Key)
	switch {
	case there && f.Item != nil:
		return f.Item, nil
	case there: // what is there cannot be read, so it is taken for the one in hand
		return &row, nil
	case err != nil:
		return nil, err
	}
	b.CountDelivery(webhook.RowOf(&row).State) // parked or exhausted without an attempt; one that waits is not counted
	return &row, nil
}
