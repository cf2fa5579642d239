// Package indexer keeps the index by which customers, products and orders are found (contract, "Search") behind the
// stream of changes: it hands each batch to search.Index.Update. What the index is, and what it promises, is said
// there. What packages keep beside records it takes away behind those that were deleted, in the same way: what leads to
// a record and what hangs on it go with it, whoever deletes it.
package indexer

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/record/addondata"
	"eshop/shared/search"
)

// Function is the indexer: the main table's feed triggers it.
var Function = host.Function{
	Name: search.Follower,
	Doc: "Keeps the index of words by which searches find customers, products and orders, and deletes what add-ons " +
		"keep beside those that were deleted.",
	Feed: &host.Feed{
		Batch: 500, Window: time.Second, Parallel: 1, Retries: 1000, MaxAge: 23 * time.Hour,
		Handler: func(p *host.Platform) func(context.Context, []events.Change) (int, error) {
			return indexer{p.Search(), p.Main}.handle
		},
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
	},
	Timeout: 60 * time.Second,
	Memory:  512,
	// A maximum as the batcher's, and a low one: a call indexes 600 new products a second, each with 20 write units of
	// the pipeline's table, which webhooks need, too. After a large import, what is new is found some minutes later.
	ReservedConcurrency: 5,
}

// indexer is the indexer of one process.
type indexer struct {
	words search.Index
	main  store.Table
}

// handle indexes what a batch of changes is about, each record once. After an error it indexes change by change, so
// that it can say which of them cannot be indexed: done are those before it.
func (x indexer) handle(ctx context.Context, changes []events.Change) (done int, err error) {
	if err = x.update(ctx, changes); err == nil {
		return len(changes), nil
	}
	for ctx.Err() == nil && done < len(changes) {
		if err = x.update(ctx, changes[done:done+1]); err != nil {
			return done, err
		}
		done++
	}
	return done, err
}

// update does what changes ask for.
func (x indexer) update(ctx context.Context, changes []events.Change) error {
	if err := x.words.Update(ctx, changes); err != nil {
		return err
	}
	return addondata.Follow(ctx, x.main, changes)
}
