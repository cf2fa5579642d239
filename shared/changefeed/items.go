package changefeed

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/store"
)

// Retention is how long the change feed goes back: as long as the deliveries of webhooks are kept.
const Retention = 30 * 24 * time.Hour

// partition is where the changes of a shop's records lie. It is one for all days, so that a page is one query wherever a
// reader stands: times as sort keys put each day's writes at one end of it, as a partition of the day's own would.
func partition(shop string) string { return "F#" + shop }

// SortKey is the place of a moment: rows that were written down then or later have sort keys from it on.
func SortKey(t time.Time) string { return fmt.Sprintf("%016d", t.UnixMicro()) }

// TimeOf is the moment in a row's sort key, and in what At makes; the zero time when there is none.
func TimeOf(place string) time.Time {
	micros, _, _ := strings.Cut(place, "#")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// newest is the item of a writer that is alone: the newest time given to a row.
var newest = store.Key{PK: "FEED", SK: "A"}

// rowOf is the change as the feed keeps it, written down at t, which no other row of this writer has.
func rowOf(c events.Change, t time.Time) store.Item {
	c.Notices = nil
	return store.Item{
		Key:     store.Key{PK: partition(c.Shop), SK: SortKey(t) + "#" + c.Request},
		Doc:     []byte(c.Encode()),
		Expires: t.Add(Retention).Unix(),
	}
}

// ChangeOf is the change that a row holds.
func ChangeOf(row *store.Item) (events.Change, error) { return events.Decode(string(row.Doc)) }
