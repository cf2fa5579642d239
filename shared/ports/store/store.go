package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eshop/events"
)

// Key names an item in its table, or an entry in an index.
type Key struct{ PK, SK string }

// Item is one record as a table stores it. Doc is opaque to the store; what conditions compare or updates count is in
// Version, Text and Num.
type Item struct {
	Key
	Version string            // of the last write that set one; "" for items that have none
	Doc     []byte            // the record, JSON by convention
	Text    map[string]string // short attributes that conditions compare
	Num     map[string]int64  // whole numbers that conditions compare and updates add to
	// The key of the item's entry in index 1. It must be unique in that index, because pages go on behind a sort key.
	// Zero means that the item is not in the index.
	Index1  Key
	Index2  Key   // the key of its entry in index 2; zero: it has none
	Parts   int   // all that an index shows of the item beside keys: record.Extent says what it means
	Expires int64 // unix seconds; 0: never. Expired items go away some time later: code compares.
}

// Expired says whether the item's time is over, whether or not it is still there.
func (i *Item) Expired(now int64) bool { return i != nil && i.Expires != 0 && i.Expires <= now }

// Index says where a query looks.
type Index int

// Where a query can look. The indexes hold keys and Parts only, and are as current as the table in the one process, on
// DynamoDB within a second or so.
const (
	Primary Index = iota
	Index1
	Index2
)

// Query asks for the items of one partition, in the order of their sort keys (bytewise).
type Query struct {
	Index      Index
	PK         string
	From, To   string // bounds of the sort key, both inclusive; "" is open
	After      string // go on behind this sort key, in the query's direction; "" from the start
	Descending bool
	Limit      int  // at most so many items in the page; 0: as many as fit (1 MB on DynamoDB)
	Keys       bool // of Primary, nothing but the items' keys
}

// Page is an answer to a Query. Next is the Query.After of the next page; "" at the end.
type Page struct {
	Items []Item // of an index: Key, Index1 or Index2, and Parts only; of Query.Keys: Key only
	Next  string
}

// Table is a set of items. Reads of the primary keys are strongly consistent: they see every write that was
// acknowledged before. A key that is longer than MaxPK and MaxSK is an error, whatever is asked of it. It is safe for
// concurrent use.
type Table interface {
	// Get returns the items of up to MaxKeys keys in the order asked, nil for those that do not exist. If an item is
	// stored as no program of ours writes it, the error is ErrUnreadable; so it is for a Query or a Write that meets
	// such an item.
	Get(ctx context.Context, keys ...Key) ([]*Item, error)
	// Query returns one page.
	Query(ctx context.Context, q Query) (Page, error)
	// Write does all operations or none, and hands the change to the feed, once, in the same step. Acknowledged means
	// durable. Operations on one key are merged (Merge). Of a Write of one key it returns the item as it is afterwards,
	// the zero Item after a Delete or a Check.
	//
	// A condition that does not hold is a *ConditionError. A store that cannot be reached, is full, or lost a race too
	// often is ErrUnavailable, with nothing written as far as anyone can tell.
	//
	// When MaxOperations keys are written with a change, one must be put or updated: nothing else can carry the change.
	// A change longer than 350 KB may reach the feed in parts (events.Change.Parts), each of which takes the room of
	// one key.
	Write(ctx context.Context, change events.Change, ops ...Op) (Item, error)
}

// Feed is the changes of a table: each at least once, those on one key in the order of their writes.
type Feed interface {
	// Follow hands batches of at most max changes to handle until ctx ends, which it returns as ctx.Err(). A batch is
	// handed over until handle returns nil; the next Follow goes on behind the last batch handled.
	Follow(ctx context.Context, max int, handle func(context.Context, []events.Change) error) error
}

// Followed is a Table whose feed is followed in the same process, so that it can say how far its followers are.
type Followed interface {
	// Lag is nil when the feed's follower of that name, "" the first one, has handled every change that was
	// acknowledged before the call, or there is no such follower. Else it is a function that waits until it has, and
	// then returns nil, or until ctx ends, whose error it returns.
	Lag(follower string) (handled func(ctx context.Context) error)
}

// LagWait is how long a reader waits at most for the follower of a feed. In the same process that takes milliseconds. A
// second is as long as a caller of the API can be made to wait for something that may not come.
const LagWait = time.Second

// Lag is for readers of what a follower of the table's feed makes of changes. Call it before reading. If something is
// missing, call handled: it waits until the follower has handled all changes that were acknowledged before Lag was
// called, at most LagWait. It returns whether it has waited with success: then reading once more may find what was
// missing. It is false if there was nothing to wait for, and for a table whose feed is followed in another process.
func Lag(t Table, follower string) (handled func(ctx context.Context) bool) {
	var behind func(context.Context) error
	if f, is := t.(Followed); is {
		behind = f.Lag(follower)
	}
	return func(ctx context.Context) bool {
		if behind == nil {
			return false
		}
		ctx, cancel := context.WithTimeout(ctx, LagWait)
		defer cancel()
		return behind(ctx) == nil
	}
}

// Watched is a Table that sees each write to it: no other process writes there.
type Watched interface {
	// Watch returns a context that notes what is read with it. unchanged is true while no write to a partition read so,
	// of the table or of an index, has been acknowledged since.
	Watch(ctx context.Context) (reading context.Context, unchanged func() bool)
}

// ErrUnavailable is a store that cannot serve now and may later.
var ErrUnavailable = errors.New("store: unavailable")

// ErrUnreadable is an item that is stored as no program of ours writes it.
var ErrUnreadable = errors.New("store: an item that cannot be read")

// Failure is a condition that did not hold, and the item it was held against.
type Failure struct {
	Key  Key
	Item *Item // nil: there is none
}

// ConditionError is a Write refused because conditions did not hold. Nothing was written.
type ConditionError struct{ Failures []Failure }

func (e *ConditionError) Error() string {
	return fmt.Sprintf("store: %d conditions did not hold, first at %s", len(e.Failures), e.Failures[0].Key.PK)
}

// Failed returns the failure at a key, and whether there was one, in the error of a Write.
func Failed(err error, key Key) (Failure, bool) {
	if c, is := errors.AsType[*ConditionError](err); is {
		for _, f := range c.Failures {
			if f.Key == key {
				return f, true
			}
		}
	}
	return Failure{}, false
}

// IsCondition says whether a Write was refused by a condition.
func IsCondition(err error) bool {
	return errors.As(err, new(*ConditionError))
}
