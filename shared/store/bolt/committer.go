package bolt

import (
	"context"
	"errors"
	"runtime"
	"time"

	"eshop/shared/guard"

	"go.etcd.io/bbolt"
)

// most writes share one commit, so that the last of them does not wait for thousands.
const most = 512

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

// take is the writes that wait, at most so many as share a commit.
func (d *DB) take() []*write {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(d.waiting), most)
	taken := d.waiting[:n:n]
	d.waiting = d.waiting[n:]
	if len(d.waiting) == 0 {
		d.waiting = nil
	}
	return taken
}

// run is the committer. It ends when the file is closing and no write waits.
func (d *DB) run() {
	defer close(d.ended)
	for closing := false; !closing; {
		select {
		case <-d.wake:
		case <-d.ending:
			closing = true
		}
		_ = guard.Do(context.Background(), func() error { d.drain(); return nil })
	}
	d.last()
}

// drain does the writes that wait.
func (d *DB) drain() {
	for writes := d.take(); len(writes) > 0; writes = d.take() {
		d.together(writes)
		if d.written += weight(writes); d.written > letGoAfter {
			d.written = 0
			d.letGo()
		}
		d.gather(len(writes))
	}
}

// Where a commit was shared by a crowd the next one waits a little, so that as many share it: a commit costs the
// processor about as much for forty writes as for twenty, and those few hundred microseconds are less than what it
// takes.
const (
	crowd   = 8
	pausing = 300 * time.Microsecond
)

// gather lets those just answered, so many, queue their next writes before the next group is taken.
func (d *DB) gather(answered int) {
	if answered >= crowd {
		time.Sleep(pausing)
		return
	}
	runtime.Gosched()
}

// edits is how many items the writes touch.
func edits(writes []*write) (n int) {
	for _, w := range writes {
		n += len(w.edits)
	}
	return n
}

// weight is how many bytes the writes put.
func weight(writes []*write) (bytes int) {
	for _, w := range writes {
		for _, e := range w.edits {
			bytes += len(e.bytes)
		}
	}
	return bytes
}

// last keeps how far the feeds were handled. Where that fails, changes that were handled are handed again. With it the
// free pages are written down, which no commit before it does: the next start then need not look for them in the whole
// file.
func (d *DB) last() {
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
		if err := d.keepPositions(tx, 1); err != nil {
			return err
		}
		return d.end(tx)
	})
	if err != nil {
		d.log.Error("the position of the feeds was not kept", "err", err)
	}
}

// together does the writes in one commit and answers them. Even a refused one is answered only then: what refused it
// may be a write of the same group.
func (d *DB) together(writes []*write) {
	err := guard.Do(context.Background(), func() error { return d.commitAll(writes) })
	for _, w := range writes {
		if err != nil {
			w.err, w.units = unavailable(err), 0
		}
		close(w.done)
	}
}

var errReadOnly = errors.New("bolt: read-only since a commit failed; start again once the disk is sound")

func (d *DB) commitAll(writes []*write) error {
	if d.readOnly.Load() {
		return errReadOnly
	}
	tx, err := d.file.Begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of what is not committed by then
	g := newGroup(d, tx)
	for _, w := range writes {
		g.do(w)
	}
	d.purge(g)
	wrote, err := g.apply()
	if err != nil || !wrote {
		return err
	}
	if err := d.keepPositions(tx, trimming); err != nil {
		return err
	}
	if d.disk != nil {
		d.disk(edits(writes))
	}
	if err := d.end(tx); err != nil {
		return err
	}
	for feed := range g.told {
		feed.ring()
	}
	return nil
}

// purge takes away expired items once a second, or with each commit while there are more.
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

// end commits. After a failure that leaves open what is on disk nothing is written any more: reads go on.
func (d *DB) end(tx *bbolt.Tx) error {
	err := guard.Do(context.Background(), func() error { return d.commit(tx) })
	switch {
	case err == nil:
		for _, f := range d.feeds {
			f.committed()
		}
	case full(err):
		d.log.Error("no room to write: the writes are refused", "err", err)
	default:
		d.readOnly.Store(true)
		d.log.Error("a commit failed: nothing more is written, reads go on", "err", err)
	}
	return err
}

func (d *DB) keepPositions(tx *bbolt.Tx, least uint64) error {
	for _, f := range d.feeds {
		if err := f.keep(tx, least); err != nil {
			return err
		}
	}
	return nil
}
