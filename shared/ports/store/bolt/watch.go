package bolt

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// watchCounters is how many counters the partitions share: 128 KB of them. The more there are the seldomer two
// partitions share one.
const watchCounters = 1 << 14

// commitCounts counts, for each partition, the commits that have written to it. Partitions share counters: a reading
// may be taken for changed where it is not, and never the other way round.
type commitCounts struct {
	seed     maphash.Seed // another one in each process
	counters [watchCounters]atomic.Uint64
}

// of is the counter of a partition of a bucket. row is how its rows begin.
func (c *commitCounts) of(bucket, row []byte) *atomic.Uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.Write(bucket)
	_, _ = h.Write(row[:2+binary.BigEndian.Uint16(row)])
	return &c.counters[h.Sum64()%uint64(len(c.counters))]
}

// watch is what was read in one reading: the counters of its partitions, as they were before those were read.
type watch struct {
	mu   sync.Mutex
	read []seenCount
}

// seenCount is a counter, and what it was before its partition was read.
type seenCount struct {
	counter *atomic.Uint64
	seen    uint64
}

type watchKey struct{}

// Watch is store.Watched's.
func (t *Table) Watch(ctx context.Context) (reading context.Context, unchanged func() bool) {
	w := &watch{}
	return context.WithValue(ctx, watchKey{}, w), w.unchanged
}

// unchanged says whether none of the partitions has been written to since it was read.
func (w *watch) unchanged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.read {
		if c.counter.Load() != c.seen {
			return false
		}
	}
	return true
}

// watchPartition notes that a partition is about to be read, where that is watched. It comes before the read's
// transaction begins, and a commit is counted after it is done: so whatever the read has missed is counted later.
func (t *Table) watchPartition(ctx context.Context, bucket, row []byte) {
	w, watched := ctx.Value(watchKey{}).(*watch)
	if !watched {
		return
	}
	counter := t.db.commits.of(bucket, row)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = append(w.read, seenCount{counter, counter.Load()})
}
