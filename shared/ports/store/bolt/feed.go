package bolt

import (
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"

	"eshop/events"
)

// Feed is the changes of one table, each a row under a number; later changes have higher numbers. A row stays until all
// followers of the feed have handled it.
type Feed struct {
	db        *DB
	name      string
	bucket    []byte
	followers []*Follower // the first is the one without a name

	// What follows is the committer's alone.
	number   uint64 // the last one given to a change
	trimmed  uint64 // on disk, the last number whose row is deleted
	trimming uint64 // trimmed, once the commit under way has ended well
}

// The rows of handled changes are deleted together, at least minTrim of them: so most commits do not touch their pages.
// A commit deletes maxTrim of them at most, so that the writes of its group do not wait for more.
const minTrim, maxTrim = 256, 2048

// openFeed is the feed as the file has it, with its followers: each goes on behind the last number that was saved for
// it.
func openFeed(d *DB, tx *bbolt.Tx, name string, followers []string) *Feed {
	f := &Feed{db: d, name: name, bucket: []byte(name + feedOf)}
	for _, follower := range append([]string{""}, followers...) {
		f.followers = append(f.followers, openFollower(f, tx, follower))
	}
	last := f.first().saved
	for _, follower := range f.followers {
		last = max(last, follower.saved)
	}
	f.number, f.trimmed = last, f.leastHandled()
	if b := tx.Bucket(f.bucket); b != nil {
		if first, _ := b.Cursor().First(); first != nil {
			f.trimmed = min(f.trimmed, binary.BigEndian.Uint64(first)-1)
		}
		if last, _ := b.Cursor().Last(); last != nil {
			f.number = max(f.number, binary.BigEndian.Uint64(last))
		}
	}
	return f
}

// first is the follower without a name.
func (f *Feed) first() *Follower { return f.followers[0] }

// follower is the follower with this name; nil when there is none.
func (f *Feed) follower(name string) *Follower {
	if name == "" {
		return f.first()
	}
	for _, follower := range f.followers {
		if string(follower.key) == f.name+"/"+name {
			return follower
		}
	}
	return nil
}

// leastHandled is the number up to which all followers have handled the feed.
func (f *Feed) leastHandled() uint64 {
	least := f.first().handled.Load()
	for _, follower := range f.followers {
		least = min(least, follower.handled.Load())
	}
	return least
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
		if err := b.Put(rowKey(f.number), []byte(c)); err != nil {
			return err
		}
	}
	return nil
}

// savePositions writes down how far each follower has handled the feed, and deletes the rows that all have handled when
// there are least or more of them. Both count once the transaction is committed (positionsCommitted).
func (f *Feed) savePositions(tx *bbolt.Tx, least uint64) error {
	for _, follower := range f.followers {
		if err := follower.savePosition(tx); err != nil {
			return err
		}
	}
	f.trimming = f.trimmed
	handled := f.leastHandled()
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

// positionsCommitted says that what savePositions wrote is on disk.
func (f *Feed) positionsCommitted() {
	f.trimmed = f.trimming
	for _, follower := range f.followers {
		follower.saved, follower.known = follower.saving, true
	}
}

// wakeFollowers tells the followers that there may be more changes.
func (f *Feed) wakeFollowers() {
	for _, follower := range f.followers {
		select {
		case follower.wake <- struct{}{}:
		default:
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

// read is up to max changes behind that number, and the number of the last row read.
func (f *Feed) read(number uint64, max int) (batch []events.Change, last uint64, err error) {
	tx, err := f.db.file.Begin(false)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	var rows []string
	err = guarded(func() error { rows, last = f.rows(tx, number, max); return nil })
	if err := errors.Join(err, tx.Rollback()); err != nil {
		return nil, 0, unavailable(err)
	}
	for _, r := range rows {
		change, err := events.Decode(r)
		if err != nil {
			f.db.log.Error("a change that cannot be read is passed over", "error", err)
			continue
		}
		batch = append(batch, change)
	}
	return batch, last, nil
}

// rows are up to max rows behind that number, and the number of the last of them.
func (f *Feed) rows(tx *bbolt.Tx, number uint64, max int) (rows []string, last uint64) {
	last = number
	b := tx.Bucket(f.bucket)
	if b == nil {
		return nil, last
	}
	c := b.Cursor()
	for k, v := c.Seek(rowKey(number + 1)); k != nil && len(rows) < max; k, v = c.Next() {
		rows, last = append(rows, string(v)), binary.BigEndian.Uint64(k)
	}
	return rows, last
}
