// Package pending keeps the promise of requests that need more than one transaction (shared/README.md, "All or none"):
// whatever such a request has changed is published, even when it never comes to its end.
//
// The first transaction holds Begin, with everything that the request may change; the last one holds Finish and carries
// what it did change. When the last one never comes, the sweeper deletes the item by EndOverdue, which publishes all
// that the item holds. To publish too much costs add-ons a read, too little costs their trust.
package pending

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"eshop/events"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// Shards is how many partitions of Index2 the pending items are spread over, Partition(0) to Partition(Shards-1), so
// that the requests of one moment do not all write to one.
const Shards = 16

// until is the number with the moment, in unix milliseconds, from which the sweeper may end the request.
const until = "until"

// reminds is a number that items of Remind have, and others have not.
const reminds = "reminds"

// Key is the item of a request, by the platform's own id of it.
func Key(request string) store.Key { return store.Key{PK: "PEND#" + request, SK: "A"} }

// Partition is the n-th partition of Index2 with pending items, oldest first: sort keys are Stamp(started)#request,
// so a query up to Before(now) finds those that were begun before now.
func Partition(n int) string { return fmt.Sprintf("PENDING#%d", n) }

// Before is the upper bound of the sort keys of items begun before the moment.
func Before(t time.Time) string { return id.Stamp(t) }

// Begin is the operation of the first transaction: it notes everything that the request may come to change. life is how
// long the request can take: the function's timeout.
func Begin(may events.Change, now time.Time, life time.Duration) store.Op {
	h := fnv.New32a()
	h.Write([]byte(may.Request))
	return store.Put(store.Item{Key: Key(may.Request), Doc: []byte(may.Encode()),
		Num:    map[string]int64{until: now.Add(life).UnixMilli()},
		Index2: store.Key{PK: Partition(int(h.Sum32() % Shards)), SK: id.Stamp(now) + "#" + may.Request},
	}, store.Absent())
}

// Remind is the operation of a request that is done, but has the sweeper look after something once wait is over. The
// request itself publishes its change: of about only the records' kinds and ids matter.
func Remind(about events.Change, now time.Time, wait time.Duration) store.Op {
	op := Begin(about, now, wait)
	op.Item.Num[reminds] = 1
	return op
}

// Reminder is what an item of Remind is about; false of one of Begin.
func Reminder(item *store.Item) (events.Change, bool, error) {
	if item.Num[reminds] == 0 {
		return events.Nothing, false, nil
	}
	about, err := events.Decode(string(item.Doc))
	return about, err == nil, err
}

// Finish is the operation of the last transaction, whose change is what the request did. Its condition does not hold
// once the sweeper has ended the request: see Explain.
func Finish(request string) store.Op { return store.Delete(Key(request), store.Present()) }

// Explain is the caller's error for that of a Write with Finish: a problem of status 503 when the sweeper has ended the
// request, any other error as it is.
func Explain(err error, request string) error {
	if _, gone := store.Failed(err, Key(request)); gone {
		return problem.Unavailable(time.Second)
	}
	return err
}

// Overdue says whether the sweeper may end the item's request. That of a nil item was finished meanwhile.
func Overdue(item *store.Item, now time.Time) bool {
	return item != nil && item.Num[until] <= now.UnixMilli()
}

// EndOverdue is how the sweeper ends a request that never came to its end: the operation, and the change that its Write
// carries. Its condition does not hold once the request was finished, or ended by another sweeper.
func EndOverdue(item *store.Item) (events.Change, store.Op, error) {
	change, err := events.Decode(string(item.Doc))
	if err != nil {
		return change, store.Op{}, err
	}
	if change.Empty() {
		return change, store.Op{}, errors.New("pending: an item that holds no change")
	}
	if item.Num[reminds] != 0 {
		change = events.Nothing
	}
	return change, store.Delete(item.Key, store.NumIs(until, item.Num[until])), nil
}
