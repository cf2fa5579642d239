package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
)

// write is a Write on its way through the committer.
type write struct {
	ctx    context.Context
	table  *Table
	edits  []edit
	told   events.Change // for the table's feed; Nothing: none
	change string        // told, encoded: before the committer has the write, and again if told has risen
	units  float64
	err    error
	done   chan struct{} // closed when err and units are set
}

// edit is one operation of a write.
type edit struct {
	op    store.Op
	item  *stagedItem // what it works on
	after *store.Item // the item as the operation leaves it; nil: none
	row   []byte      // after, encoded; that of a Put is encoded before the committer has the write
}

// puts says whether the operation leaves an item that it wrote.
func (e *edit) puts() bool { return e.op.Kind == store.Putting || e.op.Kind == store.Updating }

// result is what Write returns.
func (w *write) result() (store.Item, error) {
	if len(w.edits) != 1 || !w.edits[0].puts() {
		return store.Item{}, nil
	}
	item, err := decode(w.edits[0].op.Key, w.edits[0].row)
	if err != nil {
		return store.Item{}, err
	}
	return *item, nil
}

// stagedItem is an item as the writes of a group leave it, one after the other, before they are on disk.
type stagedItem struct {
	table   *Table
	key     []byte      // of its row
	stored  *store.Item // on disk; nil: none
	current *store.Item // as the writes so far leave it; nil: none
	row     []byte      // current, encoded
	err     error       // the row on disk cannot be read: it can be replaced or deleted, without any condition
	written bool        // by a write of this group
	// The row on disk cannot be read, so nobody knows the keys of its entries in the indexes: they must be searched
	// for.
	entriesUnknown bool
}

// address names an item in all of the file.
type address struct {
	table *Table
	key   store.Key
}

// group is what the writes of one commit leave, until apply brings it into the commit's transaction.
type group struct {
	db       *DB
	tx       *bbolt.Tx
	items    map[address]*stagedItem
	order    []*stagedItem      // items, in the order in which the group met them
	changes  map[*Feed][]string // the changes of its writes, encoded, by the feed that gets them
	expiries []rowWrite         // deletions of expiries whose time is over
	applied  []rowWrite         // what apply has done
}

// stage holds the write's conditions against what the writes before it left, and then does all its operations or none.
func (g *group) stage(w *write) {
	// A panic is the error of this one write, which has left nothing by then. The others of the group go on.
	defer guard.Caught(w.ctx, &w.err)
	if w.err = w.ctx.Err(); w.err != nil {
		return
	}
	failures, err := g.check(w)
	if w.err = err; err != nil {
		return
	}
	if failures != nil {
		w.err, w.units = &store.ConditionError{Failures: failures}, costOfRefused(w.edits)
		return
	}
	if w.change == "" {
		w.change = w.told.Encode()
	}
	for i := range w.edits {
		w.edits[i].apply()
		if n := len(w.edits[i].row); n > maxItem {
			w.err = fmt.Errorf("bolt: an item of %d bytes, more than %d", n, maxItem)
			return
		}
	}
	w.units = cost(w.edits, len(w.change))
	// Only now does the write count for those behind it: until here it could still be refused.
	for _, e := range w.edits {
		e.item.current, e.item.row, e.item.err = e.after, e.row, nil
		e.item.written = e.item.written || e.op.Kind != store.Checking
	}
	if w.change != "" {
		g.changes[w.table.feed] = append(g.changes[w.table.feed], w.change)
	}
}

// check finds the item of each operation and returns the failures of their conditions.
func (g *group) check(w *write) (failures []store.Failure, err error) {
	for i := range w.edits {
		e := &w.edits[i]
		e.item = g.item(w.table, e.op.Key)
		if e.item.err != nil && (len(e.op.Conds) > 0 || e.op.Kind != store.Putting && e.op.Kind != store.Deleting) {
			return nil, e.item.err
		}
		if !slices.ContainsFunc(e.op.Conds, func(c store.Condition) bool { return !c.Holds(e.item.current) }) {
			continue
		}
		if e.op.Overtaken(e.item.current) && w.rise(e) {
			continue
		}
		failure := store.Failure{Key: e.op.Key}
		if e.item.current != nil {
			if failure.Item, err = decode(e.op.Key, bytes.Clone(e.item.row)); err != nil {
				return nil, err
			}
		}
		failures = append(failures, failure)
	}
	return failures, nil
}

// rise has an update rise above the version that an earlier write left, instead of refusing it: of many who sell one
// product at once all are in one commit. It is false when the change does not tell the version, since another write
// does.
func (w *write) rise(e *edit) bool {
	above := e.op.Above(e.item.current.Version)
	told, tells := w.told.Risen(e.op.Set.Version, above.Set.Version)
	if tells {
		e.op, w.told, w.change = above, told, ""
	}
	return tells
}

// item is the item of the key as the writes before have left it, or as it is on disk.
func (g *group) item(t *Table, key store.Key) *stagedItem {
	at := address{t, key}
	i, staged := g.items[at]
	if staged {
		return i
	}
	i = &stagedItem{table: t, key: appendKey(make([]byte, 0, 2+len(key.PK)+len(key.SK)), key)}
	if b := g.tx.Bucket(t.items); b != nil {
		if row := b.Get(i.key); row != nil {
			i.row = bytes.Clone(row)
			if i.stored, i.err = decode(key, i.row); i.err != nil {
				i.stored, i.entriesUnknown = &store.Item{Key: key}, true
			}
			i.current = i.stored
		}
	}
	g.items[at], g.order = i, append(g.order, i)
	return i
}

// apply makes the item that the operation leaves. A Put needs no copy of its item: it is encoded already, and no item
// of a group is changed in place.
func (e *edit) apply() {
	switch e.op.Kind {
	case store.Checking:
		e.after, e.row = e.item.current, e.item.row
	case store.Putting:
		e.after = &e.op.Item
	case store.Deleting:
		e.after, e.row = nil, nil
	default:
		e.after = e.op.Apply(e.item.current)
		e.row = encode(e.after)
	}
}

// maxPurged is how many expired items go away with one commit at most, so that the writes that wait for it hardly
// notice; more with a larger group, twice as many as it writes. So what expires never grows without end. A commit of
// its own takes purgedAlone.
const maxPurged = 32

// purge deletes some of the items that have expired, and says whether there may be more. The expiry itself goes away
// whatever it leads to. If the item expires later now, or is gone, it stays as it is. A row that cannot be read goes
// away, as its item would have.
func (g *group) purge(now int64) (more bool) {
	b := g.tx.Bucket(expires)
	if b == nil {
		return false
	}
	c := b.Cursor()
	k, _ := c.First()
	most := max(maxPurged, 2*len(g.order))
	if len(g.order) == 0 { // nobody waits for this commit
		most = purgedAlone
	}
	for range most {
		if k == nil {
			return false
		}
		second, name, key, readable := splitExpiry(k)
		if second > now {
			return false
		}
		// The expiry goes in any case, so that no purge meets it again.
		g.expiries = append(g.expiries, rowWrite{expires, bytes.Clone(k), nil})
		if readable {
			if i := g.item(g.db.Table(name), key); i.current.Expired(now) || i.err != nil {
				i.current, i.row, i.err, i.written = nil, nil, nil, true
			}
		}
		k, _ = c.Next()
	}
	return true
}

// rowWrite is a row of a bucket that is put, or deleted when its value is nil. The value has no sum yet.
type rowWrite struct{ bucket, key, value []byte }

// The buckets that the tables of the file share.
var (
	expires   = []byte("expires")
	positions = []byte("positions")
)

// rowWrites are all rows of all buckets that the group changes, sorted by bucket and key: neighbours share a page,
// which is then found and written once.
func (g *group) rowWrites() []rowWrite {
	all := append(make([]rowWrite, 0, 3*len(g.order)+len(g.expiries)), g.expiries...)
	for _, i := range g.order {
		if !i.written || i.stored == nil && i.current == nil {
			continue
		}
		all = append(all, rowWrite{i.table.items, i.key, i.row})
		all = i.appendEntries(all)
		if i.entriesUnknown {
			all = g.appendUnknownEntries(all, i)
		}
	}
	slices.SortFunc(all, func(a, b rowWrite) int {
		return cmp.Or(bytes.Compare(a.bucket, b.bucket), bytes.Compare(a.key, b.key))
	})
	return all
}

// appendEntries adds what changes of the item's entries in the indexes and among the expiries. An entry that stays as
// it is must not be among them: a key is either put or deleted.
func (i *stagedItem) appendEntries(all []rowWrite) []rowWrite {
	var none store.Item
	before, after, key := i.stored, i.current, store.Key{}
	if before == nil {
		before = &none
	} else {
		key = before.Key
	}
	if after == nil {
		after = &none
	} else {
		key = after.Key
	}
	// Each index gets a deletion of the old entry and the new one, unless the entry stays where it is.
	for n, indexKeys := range [2][2]store.Key{{before.Index1, after.Index1}, {before.Index2, after.Index2}} {
		from, to := indexKeys[0], indexKeys[1]
		if from.PK != "" && from != to {
			all = append(all, rowWrite{i.table.index[n], appendEntry(nil, from, key), nil})
		}
		if to.PK != "" && (from != to || before.Parts != after.Parts) {
			parts := binary.AppendVarint(nil, int64(after.Parts))
			all = append(all, rowWrite{i.table.index[n], appendEntry(nil, to, key), parts})
		}
	}
	if before.Expires == after.Expires {
		return all
	}
	if before.Expires != 0 {
		all = append(all, rowWrite{expires, appendExpiry(nil, before.Expires, i.table.name, key), nil})
	}
	if after.Expires != 0 {
		all = append(all, rowWrite{expires, appendExpiry(nil, after.Expires, i.table.name, key), []byte{}})
	}
	return all
}

// appendUnknownEntries adds deletions of the index entries of a row that could not be read and is replaced or deleted.
// Nothing but the indexes themselves tells where those are, so they are read from end to end, which is slow, and as
// rare as such rows.
func (g *group) appendUnknownEntries(all []rowWrite, i *stagedItem) []rowWrite {
	var after [2]store.Key
	if i.current != nil {
		after = [2]store.Key{i.current.Index1, i.current.Index2}
	}
	for n, bucket := range i.table.index {
		b := g.tx.Bucket(bucket)
		if b == nil {
			continue
		}
		stays := appendEntry(nil, after[n], splitKey(i.key))
		c := b.Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if bytes.Equal(itemOf(k), i.key) && !bytes.Equal(k, stays) {
				all = append(all, rowWrite{bucket, bytes.Clone(k), nil})
			}
		}
	}
	return all
}

// apply writes in the transaction what the group leaves, and says whether that is anything.
func (g *group) apply() (any bool, err error) {
	g.applied = g.rowWrites()
	for _, r := range g.applied {
		b := g.tx.Bucket(r.bucket)
		if b == nil {
			if b, err = g.tx.CreateBucket(r.bucket); err != nil {
				return false, err
			}
		}
		if r.value == nil {
			err = b.Delete(r.key)
		} else {
			err = b.Put(r.key, r.value)
		}
		if err != nil {
			return false, err
		}
	}
	for feed, changes := range g.changes {
		if err := feed.append(g.tx, changes); err != nil {
			return false, err
		}
	}
	return len(g.applied)+len(g.changes) > 0, nil
}

// countCommit counts the group's commit for each partition of a table or an index that it has written to: whoever
// watches one of them (watch.go) sees it by that.
func (g *group) countCommit() {
	for _, r := range g.applied {
		if !bytes.Equal(r.bucket, expires) {
			g.db.commits.of(r.bucket, r.key).Add(1)
		}
	}
}
