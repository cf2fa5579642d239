package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/store"
)

// Table is one table of a file.
type Table struct {
	db    *DB
	name  string
	feed  *Feed // nil: changes are dropped
	items []byte
	index [2][]byte // the buckets of the two indexes
}

func newTable(d *DB, name string) *Table {
	bucket := func(of string) []byte { return []byte(name + "/" + of) }
	return &Table{
		db: d, name: name, feed: d.feeds[name],
		items: bucket("items"), index: [2][]byte{bucket("index1"), bucket("index2")},
	}
}

var (
	_ store.Table    = (*Table)(nil)
	_ store.Followed = (*Table)(nil)
	_ store.Watched  = (*Table)(nil)
)

// Lag is store.Followed's.
func (t *Table) Lag() func(context.Context) error {
	if t.feed == nil {
		return nil
	}
	last := t.feed.newest()
	if t.feed.handled.Load() >= last {
		return nil
	}
	return func(ctx context.Context) error { return t.feed.reach(ctx, last) }
}

// pageBytes is how much DynamoDB reads for a page.
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
		t.reads(ctx, t.items, appendPartition(space[:0], key.PK))
	}
	err := t.read(t.items, func(b *bbolt.Bucket) (err error) {
		for i, key := range keys {
			row := b.Get(appendKey(space[:0], key))
			if row != nil {
				if found[i], err = decode(key, bytes.Clone(row)); err != nil {
					return err
				}
			}
			units += store.ReadUnits(len(row))
		}
		return nil
	})
	return found, err
}

// read calls the function with a bucket, unless nothing was ever written to it. Its bytes are the file's: what the
// function keeps of them it must copy.
func (t *Table) read(bucket []byte, with func(*bbolt.Bucket) error) error {
	tx, err := t.db.file.Begin(false)
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = tx.Rollback() }()
	if b := tx.Bucket(bucket); b != nil {
		return with(b)
	}
	return nil
}

// Query is store.Table's.
func (t *Table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if err := q.CheckKeys(); err != nil {
		return store.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Page{}, err
	}
	var size int
	count := store.MeterOf(ctx).Begin()
	defer func() {
		if q.Index == store.Primary {
			count(store.ReadUnits(size), 0)
		} else {
			count(store.ReadUnits(size)/2, 0)
		}
	}()
	var page store.Page
	bucket := t.items
	if q.Index != store.Primary {
		bucket = t.index[q.Index-1]
	}
	t.reads(ctx, bucket, appendPartition(nil, q.PK))
	err := t.read(bucket, func(b *bbolt.Bucket) (err error) { page, size, err = walk(b.Cursor(), q); return err })
	return page, err
}

// walk reads a page, and one row more to know whether it is the last page. The size is that of the page's rows, in
// bytes.
func walk(c *bbolt.Cursor, q store.Query) (page store.Page, size int, err error) {
	prefix := appendPartition(nil, q.PK)
	last := ""
	for k, v := start(c, q, prefix); bytes.HasPrefix(k, prefix); k, v = step(c, q) {
		item, sk := shown(q, k[len(prefix):], v)
		if over(q, sk) {
			break
		}
		if before(q, sk) {
			continue
		}
		if q.Limit > 0 && len(page.Items) == q.Limit || size+len(k)+len(v) > pageBytes && len(page.Items) > 0 {
			page.Next = last
			break
		}
		if q.Index == store.Primary && !q.Keys {
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

// start seeks the first row of the query, or one a few before it, which walk passes over. Descending it seeks what is
// behind the bound, and goes one row back: behind the bound is, in the table, the bound followed by 0; in an index,
// where 0 1 ends a sort key, the bound followed by 0 2.
func start(c *bbolt.Cursor, q store.Query, prefix []byte) (k, v []byte) {
	escape := func(b []byte, sk string) []byte { return append(b, sk...) }
	if q.Index != store.Primary {
		escape = appendEscaped
	}
	if !q.Descending {
		return c.Seek(escape(bytes.Clone(prefix), max(q.From, q.After)))
	}
	edge := behind(prefix)
	switch bound := least(q.To, q.After); {
	case bound != "" && q.Index == store.Primary:
		edge = append(escape(bytes.Clone(prefix), bound), 0)
	case bound != "":
		edge = append(escape(bytes.Clone(prefix), bound), 0, 2)
	}
	if edge == nil {
		return c.Last()
	}
	if k, _ := c.Seek(edge); k == nil {
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

// least is the lesser of two upper bounds, of which "" is none.
func least(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// shown is what a query shows of a row without decoding it, and the sort key by which the query goes. rest is the row's
// key behind the partition: of the table itself only the item's key is shown, of an index its place and Parts as well.
func shown(q store.Query, rest, v []byte) (store.Item, string) {
	if q.Index == store.Primary {
		sk := string(rest)
		return store.Item{Key: store.Key{PK: q.PK, SK: sk}}, sk
	}
	sk, key := splitPlace(rest)
	item := store.Item{Key: key}
	parts, _ := binary.Varint(v)
	item.Parts = int(parts)
	if q.Index == store.Index1 {
		item.Index1 = store.Key{PK: q.PK, SK: sk}
	} else {
		item.Index2 = store.Key{PK: q.PK, SK: sk}
	}
	return item, sk
}

// over says that this sort key and all that follow are past the query's end.
func over(q store.Query, sk string) bool {
	if q.Descending {
		return sk < q.From
	}
	return q.To != "" && sk > q.To
}

// before says that the sort key comes before the query's start.
func before(q store.Query, sk string) bool {
	if q.Descending {
		return q.After != "" && sk >= q.After || q.To != "" && sk > q.To
	}
	return q.After != "" && sk <= q.After || sk < q.From
}

// Write is store.Table's. A context that ends before the committer has taken the write ends it undone.
func (t *Table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	merged, err := store.Merge(ops)
	if err != nil {
		return store.Item{}, err
	}
	w := &write{ctx: ctx, table: t, edits: make([]edit, len(merged)), done: make(chan struct{})}
	for i, o := range merged {
		w.edits[i].op = o
		if o.Kind == store.Putting {
			w.edits[i].bytes = encode(&o.Item)
		}
	}
	if err := w.carry(change); err != nil {
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

// carry takes the change along, unless the table has no feed. It is an error when DynamoDB would have no place for the
// change: neither on an item that is written nor, as items of its own, in the same transaction.
func (w *write) carry(change events.Change) error {
	if w.table.feed == nil {
		return nil
	}
	w.change = change.Encode()
	apart := w.change != "" && !slices.ContainsFunc(w.edits, func(e edit) bool { return e.puts() })
	room := store.MaxOperations - len(w.edits)
	if len(w.change) > store.MaxCarrier && len(change.Parts(store.MaxCarrier)) > room || apart && room == 0 {
		return fmt.Errorf("bolt: no place for a change of %d bytes in a write of %d keys", len(w.change), len(w.edits))
	}
	return nil
}
