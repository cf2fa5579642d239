package bolt

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// writes counts the commits that have written to partitions. Partitions share counters: a reading may be taken for
// changed where it is not, and never the other way round.
type writes struct {
	seed     maphash.Seed
	counters [1 << 14]atomic.Uint64
}

func newWrites() *writes { return &writes{seed: maphash.MakeSeed()} }

// of is the counter of a partition of a bucket. row is how its rows begin.
func (w *writes) of(bucket, row []byte) *atomic.Uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	_, _ = h.Write(bucket)
	_, _ = h.Write(row[:2+binary.BigEndian.Uint16(row)])
	return &w.counters[h.Sum64()%uint64(len(w.counters))]
}

// watch is what was read in one reading: the counters of its partitions, as they were before those were read.
type watch struct {
	mu   sync.Mutex
	read []counted
}

type counted struct {
	counter *atomic.Uint64
	was     uint64
}

type watchKey struct{}

// Watch is store.Watched's.
func (t *Table) Watch(ctx context.Context) (reading context.Context, unchanged func() bool) {
	w := &watch{}
	return context.WithValue(ctx, watchKey{}, w), w.unchanged
}

func (w *watch) unchanged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.read {
		if c.counter.Load() != c.was {
			return false
		}
	}
	return true
}

// reads notes that a partition is about to be read, where that is watched. It comes before the read's transaction
// begins, and a commit is counted after it is done: so whatever the read has missed is counted later.
func (t *Table) reads(ctx context.Context, bucket, row []byte) {
	w, watched := ctx.Value(watchKey{}).(*watch)
	if !watched {
		return
	}
	counter := t.db.writes.of(bucket, row)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = append(w.read, counted{counter, counter.Load()})
}
