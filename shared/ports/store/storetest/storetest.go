// Package storetest proves every promise of package store on any implementation: one suite, so that code written
// against Table means the same wherever it runs.
package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Opened is a store under test.
type Opened struct {
	Table store.Table
	// Feed is the feed of the table; nil when it has none, and then a feed's promises are not asked of it.
	Feed store.Feed
	// Crash ends the store without a word and opens it again; nil when the implementation has no such thing. The store
	// it was called on is not used again.
	Crash func(t *testing.T) Opened
	// Lag is how far an index may be behind the table; 0 when it never is.
	Lag time.Duration
}

// patience bounds every wait for a feed: past it the test fails.
const patience = 30 * time.Second

// Run asks everything of the stores that open makes. It may return the same store every time: each test keeps to
// partition keys and changes of its own.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	for _, part := range []struct {
		name string
		run  func(*testing.T, func(*testing.T) corner)
	}{
		{"Get", getting}, {"Conditions", conditions}, {"Write", writing}, {"Query", querying}, {"Feed", following},
		{"Together", together}, {"Model", modelled},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.run(t, func(t *testing.T) corner { return newCorner(t, open(t)) })
		})
	}
}

// corner is a part of a store that no other test uses.
type corner struct {
	Opened
	name string // begins every partition key, and is the shop of every change
}

var (
	run     = rand.Text()[:8]
	corners atomic.Int64
)

func newCorner(t *testing.T, o Opened) corner {
	return corner{Opened: o, name: fmt.Sprintf("%s.%d.%s", run, corners.Add(1), strings.ReplaceAll(t.Name(), "/", "."))}
}

// at is the key of an item in the corner's own partition.
func (c corner) at(sk string) store.Key { return c.in("", sk) }

// in is a key in one of the corner's partitions.
func (c corner) in(pk, sk string) store.Key { return store.Key{PK: c.name + "#" + pk, SK: sk} }

// change is one that can be told from all others of the corner by its request.
func (c corner) change(request string) events.Change {
	return events.Change{Request: request, Shop: c.name, At: 1, Records: []events.Record{
		{Kind: events.Products, ID: request, Did: events.Changed},
	}}
}

// write does the operations and publishes nothing.
func (c corner) write(t *testing.T, ops ...store.Op) store.Item {
	t.Helper()
	return c.publish(t, events.Nothing, ops...)
}

// publish does the operations with a change.
func (c corner) publish(t *testing.T, change events.Change, ops ...store.Op) store.Item {
	t.Helper()
	item, err := insist(t.Context(), c.Table, change, ops...)
	require.NoError(t, err)
	return plain(item)
}

// refuse wants the operations to be refused by the conditions at these keys, and returns the failures in their order.
func (c corner) refuse(t *testing.T, keys []store.Key, ops ...store.Op) []store.Failure {
	t.Helper()
	_, err := insist(t.Context(), c.Table, c.change("refused"), ops...)
	require.True(t, store.IsCondition(err), "%v", err)
	failures := make([]store.Failure, 0, len(keys))
	for _, k := range keys {
		f, ok := store.Failed(err, k)
		require.True(t, ok, "no failure at %v", k)
		if f.Item != nil {
			item := plain(*f.Item)
			f.Item = &item
		}
		failures = append(failures, f)
	}
	var all *store.ConditionError
	require.ErrorAs(t, err, &all)
	require.Len(t, all.Failures, len(keys))
	return failures
}

// get is the item at a key, nil when there is none.
func (c corner) get(t *testing.T, key store.Key) *store.Item {
	t.Helper()
	items, err := c.Table.Get(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, items, 1)
	if items[0] == nil {
		return nil
	}
	item := plain(*items[0])
	return &item
}

// all reads a query to its end, page by page.
func (c corner) all(ctx context.Context, t require.TestingT, q store.Query) []store.Item {
	items := []store.Item{}
	after := q.After
	for page, err := range store.Pages(ctx, c.Table, q) {
		require.NoError(t, err)
		for _, i := range page.Items {
			items = append(items, plain(i))
		}
		if q.Limit > 0 {
			require.LessOrEqual(t, len(page.Items), q.Limit)
		}
		if page.Next != "" {
			require.NotEqual(t, after, page.Next, "a page that does not go on")
		}
		after = page.Next
	}
	return items
}

// same wants a query to find just these items, after the lag of the index.
func (c corner) same(ctx context.Context, t require.TestingT, want []store.Item, q store.Query) {
	if q.Index == store.Primary || c.Lag == 0 {
		requireItems(t, want, c.all(ctx, t, q), q)
		return
	}
	require.EventuallyWithT(t, func(t *assert.CollectT) { requireItems(t, want, c.all(ctx, t, q), q) }, c.Lag,
		50*time.Millisecond)
}

// requireItems compares the keys first: most failures are told in one line.
func requireItems(t require.TestingT, want, got []store.Item, q store.Query) {
	keys := func(items []store.Item) (keys []string) {
		for _, i := range items {
			keys = append(keys, sortKey(i, q.Index))
		}
		return keys
	}
	require.Equal(t, keys(want), keys(got), "%+v", q)
	require.Equal(t, want, got, "%+v", q)
}

// insist writes until the store can serve: one that lost too many races may say so.
func insist(ctx context.Context, table store.Table, change events.Change, ops ...store.Op) (store.Item, error) {
	for {
		item, err := table.Write(ctx, change, ops...)
		if ctx.Err() != nil || !errors.Is(err, store.ErrUnavailable) {
			return item, err
		}
	}
}

// plain is the item with empty maps and documents as nil: stores need not tell them apart.
func plain(i store.Item) store.Item {
	if len(i.Doc) == 0 {
		i.Doc = nil
	}
	if len(i.Text) == 0 {
		i.Text = nil
	}
	if len(i.Num) == 0 {
		i.Num = nil
	}
	return i
}

func ptr[T any](v T) *T { return &v }
