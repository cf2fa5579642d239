package changefeed

import (
	"context"
	"time"

	"eshop/shared/ports/store"
)

// readDelay is how far before now readers stop where many write: a row must not appear later than that after the time
// in its key. It is confirmWithin, and three seconds by which two clocks may differ.
const readDelay = 5 * time.Second

// completeAfter is how long after its end a day is complete, also where a reader does not stop before now: a row that
// took half of that is put once more under a new time.
const completeAfter = time.Minute

// Reader reads the rows of shops.
type Reader struct {
	Rows  store.Table
	Now   func() time.Time
	Alone bool // the writer is alone (Writer.Alone): rows are read up to now
}

// Read returns a shop's first rows from a position on, in one call and at most so many; past means behind that row. At
// a position that is not complete yet it returns none. If it returns none, complete is a moment before which no row can
// come any more.
func (r Reader) Read(ctx context.Context, shop, position string, past bool, most int) (
	rows []store.Item, complete time.Time, err error,
) {
	end := r.Now()
	query := store.Query{PK: partition(shop), From: position, Limit: most}
	if !r.Alone {
		end = end.Add(-readDelay)
		query.To = SortKey(end)
	}
	if past {
		query.From, query.After = "", position
	}
	if query.To != "" && position >= query.To {
		return nil, end.Add(-completeAfter), nil
	}
	page, err := r.Rows.Query(ctx, query)
	return page.Items, end.Add(-completeAfter), err
}
