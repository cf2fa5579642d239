package bolt

import (
	"bytes"
	"context"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// What Scrub writes: rows of which two fill a page of 4 KiB, so many at once that a commit stays short.
const (
	scrubRow   = 1900
	scrubBatch = 2000
)

var scrubBucket = []byte("scrub")

// Scrub writes over the pages that hold nothing any more, so that what was deleted is not in the file either, nor in a
// Snapshot of it. It fills them until the file would have to grow, and lets them go again. Other writes go on between
// its commits. What a read under way still holds is left to the next Scrub.
func (d *DB) Scrub(ctx context.Context) error {
	if err := d.scrubbing(func(tx *bbolt.Tx) error { return dropScrub(tx) }); err != nil { // what a crash has left
		return err
	}
	row := bytes.Repeat([]byte{'.'}, scrubRow)
	next, began, size := uint64(0), int64(0), int64(0)
	for size <= began && ctx.Err() == nil {
		err := d.scrubbing(func(tx *bbolt.Tx) error {
			if next == 0 {
				began = tx.Size()
			}
			b, err := tx.CreateBucketIfNotExists(scrubBucket)
			for range scrubBatch {
				if err != nil {
					return err
				}
				key := binary.BigEndian.AppendUint64(nil, next)
				err, next = b.Put(key, seal(scrubBucket, key, row)), next+1
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := d.file.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil }); err != nil {
			return err
		}
	}
	if err := d.scrubbing(dropScrub); err != nil {
		return err
	}
	return ctx.Err()
}

// dropScrub deletes what Scrub has written.
func dropScrub(tx *bbolt.Tx) error {
	if tx.Bucket(scrubBucket) == nil {
		return nil
	}
	return tx.DeleteBucket(scrubBucket)
}

// scrubbing does a transaction of Scrub's.
func (d *DB) scrubbing(do func(*bbolt.Tx) error) error {
	if d.readOnly.Load() {
		return unavailable(errReadOnly)
	}
	tx, err := d.file.Begin(true)
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = tx.Rollback() }() // of what is not committed by then
	if err := do(tx); err != nil {
		return err
	}
	if err := d.toDisk(tx); err != nil {
		return unavailable(err)
	}
	return nil
}
