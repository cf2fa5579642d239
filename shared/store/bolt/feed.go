package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/store"
)

// Feed is the changes of one table, each a row under a number; later changes have higher numbers. It has one follower
// at a time: a second one waits until the first has ended.
type Feed struct {
	db        *DB
	name      string
	bucket    []byte
	wake      chan struct{} // holds one when there may be more changes
	following chan struct{} // holds one while somebody follows
	handled   atomic.Uint64 // the last number handled

	mu       sync.Mutex
	advanced chan struct{} // closed when handled advances; nil while nobody waits for that

	// What follows is the committer's alone.
	number   uint64 // the last one given to a change
	saved    uint64 // on disk, the last number handled
	trimmed  uint64 // on disk, the last number whose row is deleted
	saving   uint64 // saved, once the commit under way has ended well
	trimming uint64 // trimmed, once the commit under way has ended well
}

var _ store.Feed = (*Feed)(nil)

// The rows of handled changes are deleted together, at least minTrim of them: so most commits do not touch their pages.
// A commit deletes maxTrim of them at most, so that the writes of its group do not wait for more.
const minTrim, maxTrim = 256, 2048

// openFeed is the feed as the file has it: it goes on behind the last number that was saved.
func openFeed(d *DB, tx *bbolt.Tx, name string) *Feed {
	f := &Feed{
		db: d, name: name, bucket: []byte(name + feedOf),
		wake: make(chan struct{}, 1), following: make(chan struct{}, 1),
	}
	if b := tx.Bucket(positions); b != nil {
		if v := b.Get([]byte(name)); len(v) >= 8 {
			f.saved = binary.BigEndian.Uint64(v)
		}
	}
	f.number, f.trimmed = f.saved, f.saved
	if b := tx.Bucket(f.bucket); b != nil {
		if first, _ := b.Cursor().First(); first != nil {
			f.trimmed = min(f.saved, binary.BigEndian.Uint64(first)-1)
		}
		if last, _ := b.Cursor().Last(); last != nil {
			f.number = max(f.saved, binary.BigEndian.Uint64(last))
		}
	}
	f.handled.Store(f.saved)
	return f
}

// rowKey is the key of the row of a change with that number.
func rowKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// append adds the changes as rows.
func (f *Feed) append(tx *bbolt.Tx, changes []string) error {
	b, err := tx.CreateBucketIfNotExists(f.bucket)
	if err != nil {
		return err
	}
	b.FillPercent = 1 // rows come in order, so that a full page is never split again
	for _, c := range changes {
		f.number++ // one that a failed commit was given stays unused
		if err := b.Put(rowKey(f.number), seal(f.bucket, rowKey(f.number), []byte(c))); err != nil {
			return err
		}
	}
	return nil
}

// savePosition writes down how far the feed was handled, and deletes the rows of handled changes when there are least
// or more of them. Both count once the transaction is committed (positionCommitted).
func (f *Feed) savePosition(tx *bbolt.Tx, least uint64) error {
	handled := f.handled.Load()
	f.saving, f.trimming = handled, f.trimmed
	if handled > f.saved {
		b, err := tx.CreateBucketIfNotExists(positions)
		if err != nil {
			return err
		}
		if err := b.Put([]byte(f.name), seal(positions, []byte(f.name), rowKey(handled))); err != nil {
			return err
		}
	}
	if handled-f.trimmed < least {
		return nil
	}
	return f.trim(tx, min(handled, f.trimmed+maxTrim))
}

// trim deletes the rows up to that number.
func (f *Feed) trim(tx *bbolt.Tx, to uint64) error {
	b := tx.Bucket(f.bucket)
	if b == nil {
		return nil
	}
	for n := f.trimmed + 1; n <= to; n++ {
		if err := b.Delete(rowKey(n)); err != nil {
			return err
		}
	}
	f.trimming = to
	return nil
}

// positionCommitted says that what savePosition wrote is on disk.
func (f *Feed) positionCommitted() { f.saved, f.trimmed = f.saving, f.trimming }

// wakeFollower tells the follower that there may be more changes.
func (f *Feed) wakeFollower() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Follow is store.Feed's. It also ends, with store.ErrUnavailable, when the file is closed.
func (f *Feed) Follow(ctx context.Context, max int, handle func(context.Context, []events.Change) error) error {
	select {
	case f.following <- struct{}{}:
		defer func() { <-f.following }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		batch, last, err := f.read(f.handled.Load(), max)
		if err != nil {
			return err
		}
		if err := f.handOver(ctx, batch, last, handle); err != nil {
			return err
		}
	}
}

// The pauses before a batch that was not handled is handed over once more: each is twice as long as the one before. The
// first is short, for what may pass at once; the longest is how late the feed notices that it has passed.
const firstPause, longestPause = 10 * time.Millisecond, time.Second

// handOver hands the batch to the follower until it is handled, with growing pauses. Without a batch it waits for
// changes; but if rows that cannot be read were passed over, those count as handled first. last is the number of the
// last row that was read.
func (f *Feed) handOver(ctx context.Context, batch []events.Change, last uint64,
	handle func(context.Context, []events.Change) error,
) error {
	if len(batch) == 0 {
		if f.handled.Load() != last {
			f.advance(last)
			return nil
		}
		return f.waitForMore(ctx)
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := handle(ctx, batch)
		if err == nil {
			f.advance(last)
			return nil
		}
		f.db.log.WarnContext(ctx, "a batch of changes was not handled and comes again", "err", err)
		if err := f.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// advance sets how far the feed is handled, and wakes those who wait for it.
func (f *Feed) advance(to uint64) {
	f.handled.Store(to)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.advanced != nil {
		close(f.advanced)
		f.advanced = nil
	}
}

// waitHandled waits until that number is handled, ctx ends or the file is closed.
func (f *Feed) waitHandled(ctx context.Context, number uint64) error {
	for {
		f.mu.Lock()
		if f.advanced == nil {
			f.advanced = make(chan struct{})
		}
		advanced := f.advanced
		f.mu.Unlock()
		if f.handled.Load() >= number {
			return nil
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.db.ending:
			return errClosed
		}
	}
}

// newest is the number of the last change on disk; 0 when there is none.
func (f *Feed) newest() (number uint64) {
	_ = guarded(func() error {
		return f.db.file.View(func(tx *bbolt.Tx) error {
			if b := tx.Bucket(f.bucket); b != nil {
				if last, _ := b.Cursor().Last(); last != nil {
					number = binary.BigEndian.Uint64(last)
				}
			}
			return nil
		})
	})
	return number
}

// sleep waits before a batch is handed over once more.
func (f *Feed) sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-f.db.ending:
		return errClosed
	}
}

// waitForMore waits until there may be more changes.
func (f *Feed) waitForMore(ctx context.Context) error {
	select {
	case <-f.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-f.db.ending:
		return errClosed
	}
}

// read is up to max changes behind that number, and the number of the last row read.
func (f *Feed) read(number uint64, max int) (batch []events.Change, last uint64, err error) {
	tx, err := f.db.file.Begin(false)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	var rows []feedRow
	err = guarded(func() error { rows, last = f.rows(tx, number, max); return nil })
	if err := errors.Join(err, tx.Rollback()); err != nil {
		return nil, 0, unavailable(err)
	}
	for _, r := range rows {
		change, err := r.change(f.bucket)
		if err != nil {
			f.db.log.Error("a change that cannot be read is passed over", "err", err)
			continue
		}
		batch = append(batch, change)
	}
	return batch, last, nil
}

// feedRow is a row with its own bytes.
type feedRow struct{ key, sealed []byte }

// change is the change of a row; ErrUnreadable if its sum is wrong.
func (r feedRow) change(bucket []byte) (events.Change, error) {
	value, err := unseal(bucket, r.key, r.sealed)
	if err != nil {
		return events.Change{}, err
	}
	return events.Decode(string(value))
}

// rows are up to max rows behind that number, and the number of the last of them.
func (f *Feed) rows(tx *bbolt.Tx, number uint64, max int) (rows []feedRow, last uint64) {
	last = number
	b := tx.Bucket(f.bucket)
	if b == nil {
		return nil, last
	}
	c := b.Cursor()
	for k, v := c.Seek(rowKey(number + 1)); k != nil && len(rows) < max; k, v = c.Next() {
		rows, last = append(rows, feedRow{bytes.Clone(k), bytes.Clone(v)}), binary.BigEndian.Uint64(k)
	}
	return rows, last
}
