package changefeed

import (
	"context"
	"time"

	"eshop/shared/store"
)

// behind is how far before now readers stop where many write: a row must not appear later than that behind the time it
// bears.
const behind = 5 * time.Second

// settled is how long after its end a day is complete, also where a reader does not stop before now: a row that took half
// of that is put again under a new time.
const settled = time.Minute

// Reader reads the rows of shops.
type Reader struct {
	Rows  store.Table
	Now   func() time.Time
	Alone bool // the writer is: it reads up to now
}

// Read returns a shop's first rows from a place on, at most so many, or those behind it: one call, none at a place that is
// not complete yet. Of an empty answer complete is the moment before which no row comes any more.
func (r Reader) Read(ctx context.Context, shop, place string, past bool, most int) (rows []store.Item, complete time.Time, err error) {
	end := r.Now()
	q := store.Query{PK: partition(shop), From: place, Limit: most}
	if !r.Alone {
		end = end.Add(-behind)
		q.To = SortKey(end)
	}
	if past {
		q.From, q.After = "", place
	}
	if q.To != "" && place >= q.To {
		return nil, end.Add(-settled), nil
	}
	page, err := r.Rows.Query(ctx, q)
	return page.Items, end.Add(-settled), err
}
