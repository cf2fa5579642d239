package bolt

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"eshop/shared/base/guard"
)

// maxGroup is how many writes share one commit at most, so that the last of them does not wait for thousands.
const maxGroup = 512

// enqueue hands the write to the committer, or answers it when there is none any more.
func (d *DB) enqueue(w *write) {
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.waiting = append(d.waiting, w)
	}
	d.mu.Unlock()
	if closed {
		w.err = errClosed
		close(w.done)
		return
	}
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// nextGroup takes the writes that wait from the queue, at most as many as share a commit.
func (d *DB) nextGroup() []*write {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(d.waiting), maxGroup)
	writes := d.waiting[:n:n]
	d.waiting = d.waiting[n:]
	if len(d.waiting) == 0 {
		d.waiting = nil
	}
	return writes
}

// runCommitter commits what is enqueued, and now and then what has expired, on a goroutine of its own. It ends when the
// file is closing and no write waits.
func (d *DB) runCommitter() {
	defer close(d.ended)
	debug.SetPanicOnFault(true) // as guarded does for reads
	tick := time.NewTicker(purgeEvery)
	defer tick.Stop()
	for closing := false; !closing; {
		work := d.drain
		select {
		case <-d.wake:
		case <-tick.C:
			work = d.purgeAlone
		case <-d.ending:
			closing = true
		}
		_ = guard.Do(context.Background(), func() error { work(); return nil })
	}
	d.commitLast()
}

// What has expired goes away with the writes that come, and where few come, every minute in commits of its own: so many
// at most, between which writes go first. So an idle platform forgets 30,000 rows a minute.
const (
	purgeEvery    = time.Minute
	purgesAtATime = 60
	purgedAlone   = 512
)

// purgeAlone commits the deletion of what has expired.
func (d *DB) purgeAlone() {
	for range purgesAtATime {
		d.drain()
		if d.stageAndCommit(nil) != nil || d.purged == d.now().Unix() {
			return // it is logged; or there is no more
		}
	}
}

// drain commits the writes that wait, group by group, until none waits.
func (d *DB) drain() {
	d.pause(0)
	for writes := d.nextGroup(); len(writes) > 0; writes = d.nextGroup() {
		d.commitGroup(writes)
		d.pause(len(writes))
	}
}

// After a commit that was shared by a crowd of writes the committer pauses, so that as many share the next one. A
// commit costs the processor about as much for forty writes as for twenty, and the pause is shorter than what it takes.
const (
	crowd      = 8 // writes
	crowdPause = 300 * time.Microsecond
)

// pause lets the callers that were just answered, so many, queue their next writes before the next group is taken, and
// whoever was woken together with the first of a group's writers share its commit.
func (d *DB) pause(answered int) {
	if answered >= crowd {
		time.Sleep(crowdPause)
		return
	}
	runtime.Gosched()
}

// countEdits is how many items the writes touch.
func countEdits(writes []*write) (n int) {
	for _, w := range writes {
		n += len(w.edits)
	}
	return n
}

// commitLast makes the last commit, when no write waits any more. It saves how far the feeds were handled, and the list
// of free pages, which no other commit writes: without it the next start has to look for free pages in the whole file.
// If it fails, changes that were handled are handed to the follower once more.
func (d *DB) commitLast() {
	if d.readOnly.Load() {
		return
	}
	d.file.NoFreelistSync = false
	err := guard.Do(context.Background(), func() error {
		tx, err := d.file.Begin(true)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if err := d.savePositions(tx, 1); err != nil {
			return err
		}
		return d.commit(tx)
	})
	if err != nil {
		d.log.Error("the position of the feeds was not kept", "error", err)
	}
}

// commitGroup does the writes in one commit and answers them. A refused write, too, is answered only after the commit:
// what refused it may be a write of the same group, which is true only once it is on disk.
func (d *DB) commitGroup(writes []*write) {
	err := guard.Do(context.Background(), func() error { return d.stageAndCommit(writes) })
	for _, w := range writes {
		if err != nil {
			w.err, w.units = unavailable(err), 0
		}
		close(w.done)
	}
}

// errReadOnly is the answer to writes after a commit of which nobody knows what is on disk. Reads go on.
var errReadOnly = errors.New("bolt: read-only since a commit failed; start again once the disk is sound")

// stageAndCommit does each write by itself, or refuses it, and commits what they leave. Its error is one of them all.
func (d *DB) stageAndCommit(writes []*write) error {
	if d.readOnly.Load() {
		return errReadOnly
	}
	tx, err := d.file.Begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of what is not committed by then
	g := &group{db: d, tx: tx, items: map[address]*stagedItem{}, changes: map[*Feed][]string{}}
	for _, w := range writes {
		g.stage(w)
	}
	d.purge(g)
	changed, err := g.apply()
	if err != nil || !changed {
		return err
	}
	if err := d.savePositions(tx, minTrim); err != nil {
		return err
	}
	if d.disk != nil {
		err = d.disk(countEdits(writes))
	}
	if err == nil {
		err = d.commit(tx)
		g.countCommit() // also after a failure, of which nobody knows what is on disk
	}
	d.noteRefused(writes, err)
	if err != nil {
		return err
	}
	for feed := range g.changes {
		feed.wakeFollowers()
	}
	return nil
}

// noteRefused notes what became of a commit, for Refuses.
func (d *DB) noteRefused(writes []*write, err error) {
	size, was := int64(1), d.refused.Load()
	for _, w := range writes {
		for _, e := range w.edits {
			size += int64(len(e.row))
		}
	}
	switch {
	case err != nil:
		d.refused.Store(max(was, min(size, Enough)))
	case was > 0 && size >= was:
		d.refused.Store(0)
	}
}

// purge deletes expired items, once a second, so that most commits need not look for them; if there are more, with each
// commit. A purge that panics is not tried again in the same second.
func (d *DB) purge(g *group) {
	now := d.now().Unix()
	if now <= d.purged {
		return
	}
	more := false
	_ = guard.Do(context.Background(), func() error { more = g.purge(now); return nil })
	if !more {
		d.purged = now
	}
}

// commit brings the transaction to disk, and with it how far the feeds were handled.
func (d *DB) commit(tx *bbolt.Tx) error {
	err := d.toDisk(tx)
	if err == nil {
		for _, f := range d.feeds {
			f.positionsCommitted()
		}
	}
	return err
}

// toDisk brings the transaction to disk. After a failure that leaves open what is on disk the file is read-only:
// nothing is written any more, and reads go on.
func (d *DB) toDisk(tx *bbolt.Tx) error {
	err := guard.Do(context.Background(), func() error { return d.commitTx(tx) })
	switch {
	case err == nil:
	case full(err):
		d.log.Error("no room to write: the writes are refused", "error", err)
	default:
		d.readOnly.Store(true)
		d.log.Error("a commit failed: nothing more is written, reads go on", "error", err)
	}
	return err
}

// savePositions has each feed write down how far it was handled, and delete the rows of handled changes when there are
// least or more of them.
func (d *DB) savePositions(tx *bbolt.Tx, least uint64) error {
	for _, f := range d.feeds {
		if err := f.savePositions(tx, least); err != nil {
			return err
		}
	}
	return nil
}
