package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"eshop/shared/guard"
	"eshop/shared/store"
)

// write is a Write on its way through the committer.
type write struct {
	ctx    context.Context
	table  *Table
	edits  []edit
	change string // encoded; "" for nothing to tell
	units  float64
	err    error
	done   chan struct{} // closed when err and units are set
}

// edit is one operation of a write.
type edit struct {
	op    store.Op
	item  *pending    // what it works on
	is    *store.Item // the item afterwards; nil: none
	bytes []byte      // the item afterwards as a row; that of a Put is made before the committer has the write
}

// puts says whether the operation leaves an item that it wrote.
func (e *edit) puts() bool { return e.op.Kind == store.Putting || e.op.Kind == store.Updating }

// result is what Write returns.
func (w *write) result() (store.Item, error) {
	if len(w.edits) != 1 || !w.edits[0].puts() {
		return store.Item{}, nil
	}
	item, err := decode(w.edits[0].op.Key, w.edits[0].bytes)
	if err != nil {
		return store.Item{}, err
	}
	return *item, nil
}

// pending is an item as the writes of a group leave it, one after the other.
type pending struct {
	table   *Table
	key     []byte
	was, is *store.Item // on disk, and now; nil: none
	bytes   []byte      // is, as a row
	err     error       // the row on disk cannot be read: it can be replaced or deleted, without any condition
	stray   bool        // the row on disk cannot be read, and so not where it lies in the indexes
	written bool        // by a write of this group
}

// address names an item in all of the file.
type address struct {
	table *Table
	key   store.Key
}

// group is what the writes of one commit leave, until it is brought into the commit's transaction.
type group struct {
	db    *DB
	tx    *bbolt.Tx
	items map[address]*pending
	order []*pending         // in the order in which the group met them
	told  map[*Feed][]string // changes for the feeds, encoded
	over  []change           // expiries that are over
	wrote []change           // what apply has changed
}

func newGroup(d *DB, tx *bbolt.Tx) *group {
	return &group{db: d, tx: tx, items: map[address]*pending{}, told: map[*Feed][]string{}}
}

// do holds the write's conditions against what the writes before it left, and then does all its operations or none.
func (g *group) do(w *write) {
	// A panic is the error of this one write, which has left nothing by then. The others of the group go on.
	defer guard.Caught(w.ctx, &w.err)
	if w.err = w.ctx.Err(); w.err != nil {
		return
	}
	failures, err := g.hold(w)
	if w.err = err; err != nil {
		return
	}
	if failures != nil {
		w.err, w.units = &store.ConditionError{Failures: failures}, cost(w.edits, 0, true)
		return
	}
	for i := range w.edits {
		w.edits[i].apply()
		if n := len(w.edits[i].bytes); n > maxItem {
			w.err = fmt.Errorf("bolt: an item of %d bytes, more than %d", n, maxItem)
			return
		}
	}
	w.units = cost(w.edits, len(w.change), false)
	for _, e := range w.edits {
		e.item.is, e.item.bytes, e.item.err = e.is, e.bytes, nil
		e.item.written = e.item.written || e.op.Kind != store.Checking
	}
	if w.change != "" {
		g.told[w.table.feed] = append(g.told[w.table.feed], w.change)
	}
}

// hold finds the item of each operation and returns the failures of their conditions.
func (g *group) hold(w *write) (failures []store.Failure, err error) {
	for i := range w.edits {
		e := &w.edits[i]
		e.item = g.item(w.table, e.op.Key)
		if e.item.err != nil && (len(e.op.Conds) > 0 || e.op.Kind != store.Putting && e.op.Kind != store.Deleting) {
			return nil, e.item.err
		}
		if !slices.ContainsFunc(e.op.Conds, func(c store.Condition) bool { return !c.Holds(e.item.is) }) {
			continue
		}
		failure := store.Failure{Key: e.op.Key}
		if e.item.is != nil {
			if failure.Item, err = decode(e.op.Key, bytes.Clone(e.item.bytes)); err != nil {
				return nil, err
			}
		}
		failures = append(failures, failure)
	}
	return failures, nil
}

// item is the item of the key as the writes before have left it, or as it is on disk.
func (g *group) item(t *Table, key store.Key) *pending {
	at := address{t, key}
	r, known := g.items[at]
	if known {
		return r
	}
	r = &pending{table: t, key: appendKey(make([]byte, 0, 2+len(key.PK)+len(key.SK)), key)}
	if b := g.tx.Bucket(t.items); b != nil {
		if stored := b.Get(r.key); stored != nil {
			r.bytes = bytes.Clone(stored)
			if r.was, r.err = decode(key, r.bytes); r.err != nil {
				r.was, r.stray = &store.Item{Key: key}, true
			}
			r.is = r.was
		}
	}
	g.items[at], g.order = r, append(g.order, r)
	return r
}

// apply makes the item that the operation leaves. A Put needs no copy of its item: it is encoded already, and no item
// of a group is changed in place.
func (e *edit) apply() {
	switch e.op.Kind {
	case store.Checking:
		e.is, e.bytes = e.item.is, e.item.bytes
	case store.Putting:
		e.is = &e.op.Item
	case store.Deleting:
		e.is, e.bytes = nil, nil
	default:
		e.is = e.op.Apply(e.item.is)
		e.bytes = encode(e.is)
	}
}

// maxPurged is how many expired items go away with one commit at most.
const maxPurged = 32

// purge takes away some of the items that have expired, and says whether there may be more. An expiry that is over goes
// away whatever it leads to, so that none is met again: to an item that expires later or is gone, which stays as it is,
// or to a row that cannot be read, which goes away as the item would have.
func (g *group) purge(now int64) (more bool) {
	b := g.tx.Bucket(expires)
	if b == nil {
		return false
	}
	c := b.Cursor()
	k, _ := c.First()
	for range maxPurged {
		if k == nil {
			return false
		}
		second, name, key, readable := splitExpiry(k)
		if second > now {
			return false
		}
		g.over = append(g.over, change{expires, bytes.Clone(k), nil})
		if readable {
			if r := g.item(g.db.Table(name), key); r.is.Expired(now) || r.err != nil {
				r.is, r.bytes, r.err, r.written = nil, nil, nil, true
			}
		}
		k, _ = c.Next()
	}
	return true
}

// change is a row of a bucket that is put, or taken away when its value is nil.
type change struct{ bucket, key, value []byte }

var (
	expires   = []byte("expires")
	positions = []byte("positions")
)

// changes are all rows of all buckets that the group changes, sorted by bucket and key: neighbours share a page, which
// is then found and written once.
func (g *group) changes() []change {
	all := append(make([]change, 0, 3*len(g.order)+len(g.over)), g.over...)
	for _, r := range g.order {
		if !r.written || r.was == nil && r.is == nil {
			continue
		}
		all = append(all, change{r.table.items, r.key, r.bytes})
		all = r.places(all)
		if r.stray {
			all = g.strays(r, all)
		}
	}
	slices.SortFunc(all, func(a, b change) int {
		return cmp.Or(bytes.Compare(a.bucket, b.bucket), bytes.Compare(a.key, b.key))
	})
	return all
}

// places adds what changes of the item's entries in the indexes and among the expiries. An entry that stays as it is
// must not be among them: a key is either put or deleted.
func (r *pending) places(all []change) []change {
	var none store.Item
	was, is, key := r.was, r.is, store.Key{}
	if was == nil {
		was = &none
	} else {
		key = was.Key
	}
	if is == nil {
		is = &none
	} else {
		key = is.Key
	}
	for n, at := range [2][2]store.Key{{was.Index1, is.Index1}, {was.Index2, is.Index2}} {
		same := at[0] == at[1]
		if at[0].PK != "" && !same {
			all = append(all, change{r.table.index[n], appendPlace(nil, at[0], key), nil})
		}
		if at[1].PK != "" && (!same || was.Parts != is.Parts) {
			all = append(all, change{r.table.index[n], appendPlace(nil, at[1], key), binary.AppendVarint(nil, int64(is.Parts))})
		}
	}
	if was.Expires == is.Expires {
		return all
	}
	if was.Expires != 0 {
		all = append(all, change{expires, appendExpiry(nil, was.Expires, r.table.name, key), nil})
	}
	if is.Expires != 0 {
		all = append(all, change{expires, appendExpiry(nil, is.Expires, r.table.name, key), []byte{}})
	}
	return all
}

// strays adds the entries in the indexes of a row that could not be read and is replaced or deleted. Nothing but the
// indexes themselves tells where those are, so they are read from end to end, which is slow, and as rare as such rows.
func (g *group) strays(r *pending, all []change) []change {
	var is [2]store.Key
	if r.is != nil {
		is = [2]store.Key{r.is.Index1, r.is.Index2}
	}
	for n, bucket := range r.table.index {
		b := g.tx.Bucket(bucket)
		if b == nil {
			continue
		}
		stays := appendPlace(nil, is[n], splitKey(r.key))
		c := b.Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if bytes.Equal(itemAt(k), r.key) && !bytes.Equal(k, stays) {
				all = append(all, change{bucket, bytes.Clone(k), nil})
			}
		}
	}
	return all
}

// apply makes the changes in the transaction, and says whether there were any.
func (g *group) apply() (any bool, err error) {
	g.wrote = g.changes()
	for _, c := range g.wrote {
		b := g.tx.Bucket(c.bucket)
		if b == nil {
			if b, err = g.tx.CreateBucket(c.bucket); err != nil {
				return false, err
			}
		}
		if c.value == nil {
			err = b.Delete(c.key)
		} else {
			err = b.Put(c.key, c.value)
		}
		if err != nil {
			return false, err
		}
	}
	for feed, told := range g.told {
		if err := feed.append(g.tx, told); err != nil {
			return false, err
		}
	}
	return len(g.wrote)+len(g.told) > 0, nil
}

// count counts the group's commit for each partition of a table or an index that it has written to.
func (g *group) count() {
	for _, c := range g.wrote {
		if !bytes.Equal(c.bucket, expires) {
			g.db.writes.of(c.bucket, c.key).Add(1)
		}
	}
}
