package batcher

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/store"
)

// Kept is how long the change feed goes back.
const Kept = delivery.Kept

// FeedPartition is where the changes of a shop's records lie, that were written down on the day of t (UTC), for the change
// feed.
func FeedPartition(shop string, t time.Time) string {
	return "F#" + shop + "#" + t.UTC().Format("20060102")
}

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
		Key:     store.Key{PK: FeedPartition(c.Shop, t), SK: FeedFrom(t) + "#" + c.Request},
		Doc:     []byte(c.Encode()),
		Expires: t.Add(Kept).Unix(),
	}
}

// FeedRow is the change that a row of FeedPartition holds.
func FeedRow(i *store.Item) (events.Change, error) { return events.Decode(string(i.Doc)) }
