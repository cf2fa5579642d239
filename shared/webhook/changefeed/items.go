package changefeed

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Retention is how long the change feed goes back: as long as the deliveries of webhooks.
const Retention = 30 * 24 * time.Hour

// partition has the rows of a shop's changes. It is one for all days, so that a page is one query whatever the reader's
// position: times as sort keys put each day's writes at one end of it, as a partition of the day's own would.
func partition(shop string) string { return "F#" + shop }

// SortKey is the position of a moment: rows that were written then or later have sort keys from it on.
func SortKey(t time.Time) string { return fmt.Sprintf("%016d", t.UnixMicro()) }

// TimeOf is the moment in a position; the zero time when there is none.
func TimeOf(position string) time.Time {
	micros, _, _ := strings.Cut(position, "#")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// newest is the item of a writer that is alone: it has the newest time given to a row.
var newest = store.Key{PK: "FEED", SK: "A"}

// rowOf is the change as the feed stores it, written at t, which no other row of this writer has.
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
