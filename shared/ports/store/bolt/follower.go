package bolt

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Follower is the feed of a table as one of its followers reads it: each has a position of its own, so none waits for
// another. Who follows is one at a time: a second Follow waits until the first has ended.
type Follower struct {
	feed      *Feed
	key       []byte        // of its position
	wake      chan struct{} // holds one when there may be more changes
	following chan struct{} // holds one while somebody follows
	handled   atomic.Uint64 // the last number handled

	mu       sync.Mutex
	advanced chan struct{} // closed when handled advances; nil while nobody waits for that

	// What follows is the committer's alone.
	known  bool   // the file has its position
	saved  uint64 // on disk, the last number handled
	saving uint64 // saved, once the commit under way has ended well
}

var _ store.Feed = (*Follower)(nil)

// openFollower is the follower of that name, "" of the first. One that the file does not know yet begins where the
// first one is.
func openFollower(f *Feed, tx *bbolt.Tx, name string) *Follower {
	w := &Follower{feed: f, key: []byte(f.name), wake: make(chan struct{}, 1), following: make(chan struct{}, 1)}
	if name != "" {
		w.key = []byte(f.name + "/" + name)
		w.saved = f.first().saved
	}
	if b := tx.Bucket(positions); b != nil {
		if v := b.Get(w.key); len(v) >= 8 {
			w.saved, w.known = binary.BigEndian.Uint64(v), true
		}
	}
	w.saving = w.saved
	w.handled.Store(w.saved)
	return w
}

// savePosition writes down how far the follower is.
func (f *Follower) savePosition(tx *bbolt.Tx) error {
	if f.saving = f.handled.Load(); f.known && f.saving <= f.saved {
		return nil
	}
	b, err := tx.CreateBucketIfNotExists(positions)
	if err != nil {
		return err
	}
	return b.Put(f.key, rowKey(f.saving))
}

// lag is store.Followed's, of this follower.
func (f *Follower) lag() func(context.Context) error {
	last := f.feed.newest()
	if f.handled.Load() >= last {
		return nil
	}
	return func(ctx context.Context) error { return f.waitHandled(ctx, last) }
}

// Follow is store.Feed's. It also ends, with store.ErrUnavailable, when the file is closed.
func (f *Follower) Follow(ctx context.Context, max int, handle func(context.Context, []events.Change) error) error {
	select {
	case f.following <- struct{}{}:
		defer func() { <-f.following }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		batch, last, err := f.feed.read(f.handled.Load(), max)
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
func (f *Follower) handOver(ctx context.Context, batch []events.Change, last uint64,
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
		f.feed.db.log.WarnContext(ctx, "a batch of changes was not handled and comes again", "error", err)
		if err := f.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// advance sets how far the feed is handled, and wakes those who wait for it.
func (f *Follower) advance(to uint64) {
	f.handled.Store(to)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.advanced != nil {
		close(f.advanced)
		f.advanced = nil
	}
}

// waitHandled waits until that number is handled, ctx ends or the file is closed.
func (f *Follower) waitHandled(ctx context.Context, number uint64) error {
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
		case <-f.feed.db.ending:
			return errClosed
		}
	}
}

// sleep waits before a batch is handed over once more.
func (f *Follower) sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-f.feed.db.ending:
		return errClosed
	}
}

// waitForMore waits until there may be more changes.
func (f *Follower) waitForMore(ctx context.Context) error {
	select {
	case <-f.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-f.feed.db.ending:
		return errClosed
	}
}
