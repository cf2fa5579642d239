package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
)

// Options of a file. The zero value is a file without feeds on the machine's clock.
type Options struct {
	Feeds     []string         // names of the tables whose changes are stored for followers; others drop theirs
	Followers []string         // names of further followers that each feed has beside its first one, which has none
	Now       func() time.Time // what decides when an item has expired; nil: time.Now
	Log       *slog.Logger     // is where failed commits are logged; nil: slog.Default()
	// Disk stands for the sync of the disk in simulations. It takes as long as a commit that edits so many items. An
	// error means that the disk has no room, and nothing is written. nil: the real disk.
	Disk func(edits int) error
}

// DB is an open file. No other process can open it meanwhile.
type DB struct {
	file     *bbolt.DB
	now      func() time.Time
	log      *slog.Logger
	feeds    map[string]*Feed
	commitTx func(*bbolt.Tx) error // (*bbolt.Tx).Commit; tests of its failures have their own
	disk     func(edits int) error

	tables  sync.Map // of *Table by name
	commits *commitCounts

	mu      sync.Mutex
	waiting []*write
	closed  bool
	wake    chan struct{} // holds one when writes wait
	ending  chan struct{} // closed as closing begins
	ended   chan struct{} // closed when the committer has ended

	refused  atomic.Int64 // the size of a commit that failed, in bytes; 0: one as large has succeeded since
	readOnly atomic.Bool  // since a commit failed so that nobody knows what is on disk
	purged   int64        // the second, unix time, in which no more expired items were found
}

const (
	// openTimeout is how long Open waits for another process to close the file: one that is just being stopped.
	openTimeout = time.Second
	// mappedAtStart is how many bytes of the file are mapped from the start. This is address space only, and no memory.
	// A file that outgrows it is mapped anew each time it doubles, for which the write waits until all reads under way
	// have ended.
	mappedAtStart = 1 << 30
)

// Open opens the file, or makes it, readable by its owner only. If another process has the file open, Open fails after
// a second. If bbolt cannot make anything of it, or if it was not closed well and its pages do not fit together, the
// error is ErrDamaged; Check looks closer.
func Open(path string, options Options) (*DB, error) {
	if err := checkUnclosed(path); err != nil {
		return nil, err
	}
	file, err := open(path, &bbolt.Options{
		Timeout:         openTimeout,
		FreelistType:    bbolt.FreelistMapType,
		NoFreelistSync:  true, // but for the last commit: see commitLast
		NoStatistics:    true,
		InitialMmapSize: mappedAtStart,
	})
	if err != nil {
		return nil, err
	}
	// A simulated disk stands for the sync.
	file.NoSync = options.Disk != nil
	d := &DB{
		file: file, now: options.Now, log: cmp.Or(options.Log, slog.Default()), disk: options.Disk,
		feeds:    map[string]*Feed{},
		commitTx: (*bbolt.Tx).Commit, commits: &commitCounts{seed: maphash.MakeSeed()},
		wake: make(chan struct{}, 1), ending: make(chan struct{}), ended: make(chan struct{}),
	}
	if d.now == nil {
		d.now = time.Now
	}
	if err := errors.Join(syncFolder(path), d.openFeeds(options)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	guard.Go(context.Background(), d.runCommitter)
	return d, nil
}

// ErrDamaged is a data file that is not as it was written.
var ErrDamaged = errors.New("it is damaged: restore a backup")

var errInUse = errors.New("another process has it open")

// open is bbolt's Open, with its errors in plain words.
func open(path string, o *bbolt.Options) (file *bbolt.DB, err error) {
	if is, err := os.Stat(path); err == nil && !is.Mode().IsRegular() {
		return nil, fmt.Errorf("bolt: the data file is no regular file")
	}
	err = guarded(func() error {
		file, err = bbolt.Open(path, 0o600, o)
		return err
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, errInUse
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch),
		errors.Is(err, berrors.ErrChecksum), errors.Is(err, guard.ErrPanic):
		return nil, fmt.Errorf("%w (%w)", ErrDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("bolt: opening the data file: %w", err)
	}
	return file, nil
}

// Check reads all of a file that no process has open. It returns ErrDamaged with the first fault if the pages do not
// fit together. Whether a disk has changed something within a record it cannot know.
func Check(path string) error {
	return readOnly(path, func(tx *bbolt.Tx) (first error) {
		if err := walk(path, tx); err != nil {
			return err
		}
		for err := range tx.Check() { // to its end, or its goroutine would wait for ever
			if first == nil {
				first = err
			}
		}
		return first
	})
}

// checkUnclosed is Check's walk over the pages of a file that was not closed well. In such a file bbolt looks for free
// pages when it is opened, and a damaged page would never let it end, or end the process.
func checkUnclosed(path string) error {
	if is, err := os.Stat(path); err != nil || is.Size() == 0 {
		return nil // it is made
	}
	return readOnly(path, func(tx *bbolt.Tx) error {
		if free, err := freelistOf(path, tx); err != nil || free != noFreelist {
			return err
		}
		return walk(path, tx)
	})
}

// readOnly looks at a file that no process has open. What look finds is ErrDamaged.
func readOnly(path string, look func(*bbolt.Tx) error) error {
	file, err := open(path, &bbolt.Options{ReadOnly: true, Timeout: openTimeout, NoStatistics: true})
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.View(look); err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}

// syncFolder makes the name of a new file as durable as what will be in it.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("bolt: opening the data file's folder: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// openFeeds opens the feeds of the tables that have one.
func (d *DB) openFeeds(o Options) error {
	return d.file.View(func(tx *bbolt.Tx) error {
		for _, name := range o.Feeds {
			d.feeds[name] = openFeed(d, tx, name, o.Followers)
		}
		return nil
	})
}

// Table is the table of that name; one that was never written is empty.
func (d *DB) Table(name string) *Table {
	t, ok := d.tables.Load(name)
	if !ok {
		t, _ = d.tables.LoadOrStore(name, newTable(d, name))
	}
	return t.(*Table)
}

// Feed is the feed of that table as its first follower reads it.
func (d *DB) Feed(table string) *Follower { return d.Follower(table, "") }

// Follower is the feed of that table as the follower of that name reads it, "" the first one; nil if Options name no
// such feed or follower.
func (d *DB) Follower(table, name string) *Follower {
	f := d.feeds[table]
	if f == nil {
		return nil
	}
	return f.follower(name)
}

// Snapshot hands over the data file as it is at one moment. Reads and writes go on meanwhile. The file grows by what is
// written then, because the old pages are kept.
func (d *DB) Snapshot(use func(data func(io.Writer) error) error) error {
	return d.file.View(func(tx *bbolt.Tx) error {
		return use(func(w io.Writer) error { _, err := tx.WriteTo(w); return err })
	})
}

// Refuses says whether writes are refused, for want of room or for good: a commit has failed, and none that wrote as
// much, or Enough, has succeeded since. While a disk is full, small ones find room in the file's free pages.
func (d *DB) Refuses() bool { return d.refused.Load() > 0 }

// Enough is how many bytes a write has that shows that there is room again.
const Enough = 64 << 10

// Close lets the writes that wait be done, saves how far feeds were handled, and closes the file. Writes, reads and
// followers that come later are answered with store.ErrUnavailable. Called twice it waits for the same end.
func (d *DB) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if !closed {
		close(d.ending)
	}
	<-d.ended
	return d.file.Close()
}

// unavailable is the error as a store.ErrUnavailable, with its cause for the log.
func unavailable(err error) error { return fmt.Errorf("%w: %w", store.ErrUnavailable, err) }

// errClosed is the answer to whoever comes after Close.
var errClosed = unavailable(errors.New("bolt: the file is closed"))

// full says whether a commit failed because the disk has no room, before anything was promised: a later commit may
// work. A failed sync never counts as that, whatever its reason: the kernel may have dropped what it could not write.
func full(err error) bool {
	if why, is := errors.AsType[*os.PathError](err); is {
		return why.Op == "write" && (why.Err == syscall.ENOSPC || why.Err == syscall.EFBIG || why.Err == syscall.EDQUOT)
	}
	// bbolt gives the reason of a failed resize as text only; whatever it was, nothing was written yet.
	return err != nil && strings.HasPrefix(err.Error(), "file resize error")
}
