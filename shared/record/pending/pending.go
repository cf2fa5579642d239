// Package pending keeps the promise of requests that need more than one transaction (shared/README.md, "All or none"):
// whatever such a request has changed is published, even when it never comes to its end.
//
// The first transaction holds Begin, with everything that the request may change; the last one holds Finish and carries
// what it did change. When the last one never comes, the sweeper deletes the item by EndOverdue, which publishes all
// that the item holds. To publish too much costs add-ons a read, too little costs their trust.
package pending

import (
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/job"
)

// Jobs are the requests under way, which are due once they have taken longer than they can.
var Jobs = job.Kind{Name: "PENDING", Shards: 16}

// reminds is a number that items of Remind have, and others have not.
const reminds = "reminds"

// Key is the item of a request, by the platform's own id of it.
func Key(request string) store.Key { return store.Key{PK: "PEND#" + request, SK: "A"} }

// Begin is the operation of the first transaction: it notes everything that the request may come to change. life is how
// long the request can take: the function's timeout.
func Begin(may events.Change, now time.Time, life time.Duration) store.Op {
	return store.Put(store.Item{Key: Key(may.Request), Doc: []byte(may.Encode()),
		Index2: Jobs.Entry(may.Request, now.Add(life))}, store.Absent())
}

// Remind is the operation of a request that is done, but has the sweeper look after something once wait is over. The
// request itself publishes its change: of about only the records' kinds and ids matter.
func Remind(about events.Change, now time.Time, wait time.Duration) store.Op {
	op := Begin(about, now, wait)
	op.Item.Num = map[string]int64{reminds: 1}
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
	return change, store.Delete(item.Key, store.Present()), nil
}
