package batcher

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Kept is how long the change feed goes back.
const Kept = webhook.Kept

// FeedPartition is where the changes of a shop's records lie for the change feed. It is one for all days, so that a page is
// one query wherever a reader stands: times as sort keys put each day's writes at one end of it, as a partition of the day's
// own would.
func FeedPartition(shop string) string { return "F#" + shop }

// FeedFrom bounds a query of FeedPartition to what was written down at t or later.
func FeedFrom(t time.Time) string { return fmt.Sprintf("%016d", t.UnixMicro()) }

// FeedTime is the moment in a row's sort key, and in what FeedFrom makes; the zero time when there is none.
func FeedTime(sk string) time.Time {
	micros, _, _ := strings.Cut(sk, "#")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// feedEnd is the item of the one process that knows the newest time given to a feed row.
var feedEnd = store.Key{PK: "FEED", SK: "A"}

// feedRow is the change as the change feed has it, written down at t, which no other row of this batcher has.
func feedRow(c events.Change, t time.Time) store.Item {
	c.Notices = nil
	return store.Item{
		Key:     store.Key{PK: FeedPartition(c.Shop), SK: FeedFrom(t) + "#" + c.Request},
		Doc:     []byte(c.Encode()),
		Expires: t.Add(Kept).Unix(),
	}
}

// FeedRow is the change that a row of FeedPartition holds.
func FeedRow(i *store.Item) (events.Change, error) { return events.Decode(string(i.Doc)) }
