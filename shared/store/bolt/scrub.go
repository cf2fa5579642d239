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
// Snapshot of it. It fills as many pages as are free, and lets them go again. Other writes go on between its commits.
// What a read under way still holds, such as a Snapshot, stays until the next Scrub.
func (d *DB) Scrub(ctx context.Context) error {
	var free int
	err := d.scrubbing(func(tx *bbolt.Tx) (err error) {
		if err = dropScrub(tx); err == nil { // what a crash has left
			free, err = freePages(tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = d.scrubbing(dropScrub) }()
	row := bytes.Repeat([]byte{'.'}, scrubRow)
	// A few more than needed: the tree above the rows takes pages of its own, and some are taken in pairs.
	for next, end := uint64(0), uint64(2*free+free/16+64); next < end && err == nil; {
		if err = ctx.Err(); err != nil {
			break
		}
		err = d.scrubbing(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(scrubBucket)
			for to := min(end, next+scrubBatch); next < to && err == nil; next++ {
				key := binary.BigEndian.AppendUint64(nil, next)
				err = b.Put(key, seal(scrubBucket, key, row))
			}
			return err
		})
	}
	return err
}

// freePages are how many pages of the file hold nothing.
func freePages(tx *bbolt.Tx) (n int, err error) {
	for id := 0; ; id++ {
		page, err := tx.Page(id)
		if err != nil || page == nil { // nil: behind the last
			return n, err
		}
		if page.Type == "free" {
			n++
		}
	}
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
	if err := guarded(func() error { return do(tx) }); err != nil {
		return err
	}
	if err := d.toDisk(tx); err != nil {
		return unavailable(err)
	}
	return nil
}
