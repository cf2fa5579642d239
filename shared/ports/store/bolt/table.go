package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"slices"

	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
)

// Table is one table of a file.
type Table struct {
	db    *DB
	name  string
	feed  *Feed     // nil: changes are dropped
	items []byte    // the bucket of the items
	index [2][]byte // the buckets of index 1 and index 2
}

// What the names of the buckets of a table end with. The expiries and the positions have a bucket for all tables.
const (
	itemsOf  = "/items"
	index1Of = "/index1"
	index2Of = "/index2"
	feedOf   = "/feed"
)

// newTable is the table of a name: a bucket of items and one of each index.
func newTable(d *DB, name string) *Table {
	bucket := func(of string) []byte { return []byte(name + of) }
	return &Table{
		db: d, name: name, feed: d.feeds[name],
		items: bucket(itemsOf), index: [2][]byte{bucket(index1Of), bucket(index2Of)},
	}
}

// What a table of this store can do beyond a store.Table: it knows its follower, and sees every write.
var (
	_ store.Table    = (*Table)(nil)
	_ store.Followed = (*Table)(nil)
	_ store.Watched  = (*Table)(nil)
)

// Lag is store.Followed's.
func (t *Table) Lag(follower string) func(context.Context) error {
	if f := t.db.Follower(t.name, follower); f != nil {
		return f.lag()
	}
	return nil
}

// pageBytes is how many bytes DynamoDB reads for a page of a query.
const pageBytes = 1 << 20

// Get is store.Table's.
func (t *Table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if len(keys) > store.MaxKeys {
		return nil, fmt.Errorf("bolt: a get of %d keys, not of up to %d", len(keys), store.MaxKeys)
	}
	if err := store.CheckKeys(keys...); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil || len(keys) == 0 {
		return nil, err
	}
	var units float64
	count := store.MeterOf(ctx).Begin()
	defer func() { count(units, 0) }()
	found := make([]*store.Item, len(keys))
	var space [128]byte
	for _, key := range keys {
		t.watchPartition(ctx, t.items, appendPartition(space[:0], key.PK))
	}
	err := t.read(ctx, t.items, func(b *bbolt.Bucket, may func(int) bool) (size int, err error) {
		units = 0
		for i, key := range keys {
			row := b.Get(appendKey(space[:0], key))
			if size += len(row); !may(size) {
				return size, nil
			}
			if row != nil {
				if found[i], err = decode(key, bytes.Clone(row)); err != nil {
					return size, err
				}
			}
			units += store.ReadUnits(len(row))
		}
		return size, nil
	})
	return found, err
}

// read calls use with a bucket, as view does. Before use copies items, it asks whether it may copy so many bytes in
// all. If it may not, it ends, and read waits for one of the request's slots (store.Slots) outside any transaction.
// Then it calls use anew.
func (t *Table) read(
	ctx context.Context, bucket []byte, use func(b *bbolt.Bucket, may func(size int) bool) (size int, err error),
) error {
	reader, refused := store.ReaderOf(ctx), false
	once := func(b *bbolt.Bucket) error {
		refused = false
		size, err := use(b, func(size int) bool { refused = !reader.May(size); return !refused })
		if !refused {
			reader.Add(size)
		}
		return err
	}
	err := t.view(bucket, once)
	if err != nil || !refused {
		return err
	}
	if err := reader.Wait(ctx); err != nil {
		return err
	}
	return t.view(bucket, once)
}

// view calls use with a bucket, unless nothing was ever written to it. The bucket's bytes are the file's: use must copy
// those that it hands on.
func (t *Table) view(bucket []byte, use func(*bbolt.Bucket) error) error {
	tx, err := t.db.file.Begin(false)
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = tx.Rollback() }()
	return guarded(func() error {
		if b := tx.Bucket(bucket); b != nil {
			return use(b)
		}
		return nil
	})
}

// guarded is f's error. If a page that f reads is damaged, or the disk does not give it back, bbolt panics or looks at
// memory that is not there: that is an error, too, and does not end the process.
func guarded(f func() error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return guard.Do(context.Background(), f)
}

// Query is store.Table's.
func (t *Table) Query(ctx context.Context, query store.Query) (store.Page, error) {
	if err := query.CheckKeys(); err != nil {
		return store.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Page{}, err
	}
	var size int
	count := store.MeterOf(ctx).Begin()
	defer func() {
		if query.Index == store.Primary {
			count(store.ReadUnits(size), 0)
		} else {
			count(store.ReadUnits(size)/2, 0)
		}
	}()
	var page store.Page
	bucket := t.items
	if query.Index != store.Primary {
		bucket = t.index[query.Index-1]
	}
	t.watchPartition(ctx, bucket, appendPartition(nil, query.PK))
	err := t.read(ctx, bucket, func(b *bbolt.Bucket, may func(int) bool) (_ int, err error) {
		page, size, err = readPage(b.Cursor(), query, may)
		return size, err
	})
	return page, err
}

// readPage reads a page, and one row more to know whether it is the last page. The size is that of the page's rows, in
// bytes. It ends when it may not copy them.
func readPage(
	c *bbolt.Cursor, query store.Query, may func(size int) bool,
) (page store.Page, size int, err error) {
	prefix := appendPartition(nil, query.PK)
	last := ""
	for k, v := seekStart(c, query, prefix); bytes.HasPrefix(k, prefix); k, v = step(c, query) {
		item, sk := splitRow(query, k[len(prefix):], v)
		if pastEnd(query, sk) {
			break
		}
		if beforeStart(query, sk) {
			continue
		}
		if query.Limit > 0 && len(page.Items) == query.Limit || size+len(k)+len(v) > pageBytes && len(page.Items) > 0 {
			page.Next = last
			break
		}
		if query.Index == store.Primary && !query.Keys {
			if !may(size + len(k) + len(v)) {
				return store.Page{}, size, nil
			}
			whole, err := decode(item.Key, bytes.Clone(v))
			if err != nil {
				return store.Page{}, size, err
			}
			item = *whole
		}
		page.Items = append(page.Items, item)
		last, size = sk, size+len(k)+len(v)
	}
	return page, size, nil
}

// seekStart seeks the first row of the query, or one a few rows before it, which readPage passes over. In descending
// order it seeks what is behind the bound and goes one row back. Behind the bound is, in the table, the bound followed
// by 0; in an index, where 0 1 ends a sort key, the bound followed by 0 2.
func seekStart(c *bbolt.Cursor, query store.Query, prefix []byte) (k, v []byte) {
	escape := func(b []byte, sk string) []byte { return append(b, sk...) }
	if query.Index != store.Primary {
		escape = appendEscaped
	}
	if !query.Descending {
		return c.Seek(escape(bytes.Clone(prefix), max(query.From, query.After)))
	}
	behind := prefixEnd(prefix)
	switch bound := lesserBound(query.To, query.After); {
	case bound != "" && query.Index == store.Primary:
		behind = append(escape(bytes.Clone(prefix), bound), 0)
	case bound != "":
		behind = append(escape(bytes.Clone(prefix), bound), 0, 2)
	}
	if behind == nil {
		return c.Last()
	}
	if k, _ := c.Seek(behind); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// step is the next row in the query's direction.
func step(c *bbolt.Cursor, q store.Query) (k, v []byte) {
	if q.Descending {
		return c.Prev()
	}
	return c.Next()
}

// lesserBound is the lesser of two upper bounds; "" is no bound.
func lesserBound(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// splitRow is what a query shows of a row without decoding its item, and the sort key by which the query goes. key is
// the row's key behind the partition. A row of the table shows the item's key only; an index entry shows its index key
// and Parts as well.
func splitRow(query store.Query, key, value []byte) (store.Item, string) {
	if query.Index == store.Primary {
		sk := string(key)
		return store.Item{Key: store.Key{PK: query.PK, SK: sk}}, sk
	}
	sk, itemKey := splitEntry(key)
	item := store.Item{Key: itemKey}
	parts, _ := binary.Varint(value)
	item.Parts = int(parts)
	if query.Index == store.Index1 {
		item.Index1 = store.Key{PK: query.PK, SK: sk}
	} else {
		item.Index2 = store.Key{PK: query.PK, SK: sk}
	}
	return item, sk
}

// pastEnd says that this sort key and all that follow are past the query's end.
func pastEnd(q store.Query, sk string) bool {
	if q.Descending {
		return sk < q.From
	}
	return q.To != "" && sk > q.To
}

// beforeStart says that the sort key comes before the query's start.
func beforeStart(q store.Query, sk string) bool {
	if q.Descending {
		return q.After != "" && sk >= q.After || q.To != "" && sk > q.To
	}
	return q.After != "" && sk <= q.After || sk < q.From
}

// Write is store.Table's. A context that ends before the committer has begun with the write ends it undone.
func (t *Table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	merged, err := store.Merge(ops)
	if err != nil {
		return store.Item{}, err
	}
	w := &write{ctx: ctx, table: t, edits: make([]edit, len(merged)), done: make(chan struct{})}
	for i, o := range merged {
		w.edits[i].op = o
		if o.Kind == store.Putting {
			w.edits[i].row = encode(&o.Item)
		}
	}
	if err := w.attach(change); err != nil {
		return store.Item{}, err
	}
	count := store.MeterOf(ctx).Begin()
	defer func() { count(0, w.units) }()
	t.db.enqueue(w)
	<-w.done
	if w.err != nil {
		return store.Item{}, w.err
	}
	return w.result()
}

// attach adds the change to the write, if the table has a feed. It refuses a change for which DynamoDB would have no
// room, neither on an item that is written nor, as items of its own, in the same transaction: what works here must work
// there.
func (w *write) attach(change events.Change) error {
	if w.table.feed == nil {
		return nil
	}
	w.told, w.change = change, change.Encode()
	apart := w.change != "" && !slices.ContainsFunc(w.edits, func(e edit) bool { return e.puts() })
	room := store.MaxOperations - len(w.edits)
	if len(w.change) > store.MaxCarrier && len(change.Parts(store.MaxCarrier)) > room || apart && room == 0 {
		return fmt.Errorf("bolt: no place for a change of %d bytes in a write of %d keys", len(w.change), len(w.edits))
	}
	return nil
}
