package job

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"time"

	"eshop/shared/base/id"
	"eshop/shared/ports/store"
)

// Kind is a kind of what is due at some time: where an index has it, by when. Most are jobs; deliveries and images are
// due as jobs are, and nobody takes them.
type Kind struct {
	Name   string        // begins the names of its partitions
	Shards int           // how many partitions there are, so that not all that is written at once goes to one
	Index  store.Index   // 0: Index2
	Lease  time.Duration // how long a job is taken for, where it is taken
}

// Partition is the nth partition of the kind.
func (k Kind) Partition(n int) string { return k.Name + "#" + strconv.Itoa(n) }

// Entry is the key in the index of what has this id and is due then; the zero Key if due is zero.
func (k Kind) Entry(of string, due time.Time) store.Key {
	if due.IsZero() {
		return store.Key{}
	}
	h := fnv.New32a()
	h.Write([]byte(of))
	return store.Key{PK: k.Partition(int(h.Sum32() % uint32(k.Shards))), SK: id.Stamp(due) + "#" + of}
}

// Due is all that is due at the moment: a query for each partition, what was due first comes first.
func (k Kind) Due(now time.Time) []store.Query {
	all := make([]store.Query, k.Shards)
	for n := range all {
		// "$" is behind each "#", so the entries of this very moment are among them.
		all[n] = store.Query{Index: cmp.Or(k.Index, store.Index2), PK: k.Partition(n), To: id.Stamp(now) + "$"}
	}
	return all
}

// DueAt is when the item is due; the zero time if it never is.
func (k Kind) DueAt(i *store.Item) time.Time { return id.Stamped(k.entryOf(i).SK) }

// IsDue says whether the item is due now. An index may be late, so that it shows what has moved since.
func (k Kind) IsDue(i *store.Item, now time.Time) bool {
	return i != nil && k.entryOf(i).PK != "" && !k.DueAt(i).After(now)
}

// entryOf is where the item has the key of its entry.
func (k Kind) entryOf(i *store.Item) *store.Key {
	if k.Index == store.Index1 {
		return &i.Index1
	}
	return &i.Index2
}
