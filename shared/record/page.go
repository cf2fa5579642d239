package record

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/store"
)

// Listing says where the index entries of a collection are. Their sort keys are Stamp + "#" + id, over all partitions
// unique.
type Listing struct {
	Table interface {
		Query(context.Context, store.Query) (store.Page, error)
	}
	Index      store.Index
	Partitions []string
	From, To   string // of the sort keys, both inclusive, where the partitions hold more than the collection
}

// Range is a range of moments, both ends inclusive, in milliseconds; the zero time is open.
type Range struct{ From, To time.Time }

// Holds says whether the moment is in the range.
func (r Range) Holds(t time.Time) bool {
	return (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || !t.After(r.To))
}

// Asked is the part of a collection that a page is asked for.
type Asked struct {
	Range      // of what the collection goes by: changed or created
	Descending bool
	After      string // where the page before ended; "" the beginning
	Limit      int    // records
}

// Shown is a record as a page shows it. It is left out when it is Missing, or when its At (changed or created) has left
// what was asked for.
type Shown[T any] struct {
	Record  T
	At      time.Time
	Size    int // about how many bytes its JSON takes
	Missing bool
}

// A page ends at maxPage bytes of records, which leaves room below the 6 MB that a Lambda can answer, or when it has
// looked at maxEntries index entries, so that one whose filter fits few records is answered in time, too.
const (
	maxPage    = 4 << 20
	maxEntries = 2_000
)

// Page is the page of a collection that was asked for, and where the next one begins: "" when there is none. load shows
// the records of some index entries, in their order; it is called as often as it takes to fill the page.
func Page[T any](
	ctx context.Context, l Listing, asked Asked, load func(context.Context, []store.Item) ([]Shown[T], error),
) (page []T, next string, err error) {
	w := walk{Listing: l, descending: asked.Descending, after: asked.After}
	if !asked.From.IsZero() {
		w.From = id.Stamp(asked.From)
	}
	if !asked.To.IsZero() {
		w.To = id.Stamp(asked.To) + "~"
	}
	page = []T{}
	bytes, entries := 0, 0
	for len(page) < asked.Limit && bytes < maxPage && entries < maxEntries && !w.ended {
		found, err := w.next(ctx, min(asked.Limit-len(page), maxEntries-entries))
		if err != nil {
			return nil, "", err
		}
		entries += len(found)
		shown, err := load(ctx, found)
		if err != nil {
			return nil, "", err
		}
		for i, x := range shown {
			if bytes >= maxPage { // the page is full before the entries end: it goes on after the last that it shows
				w.after, w.ended = w.sortKey(found[i-1]), false
				break
			}
			if !x.Missing && asked.Holds(x.At) {
				page = append(page, x.Record)
				bytes += x.Size
			}
		}
	}
	if w.ended {
		return page, "", nil
	}
	return page, w.after, nil
}

// Load is the load of a Page whose records are one item each: show makes a record of an item and says when it changed;
// ok is false of an item that is none any more, as a tombstone. One that cannot be read is left out. Up to a hundred
// records are one call, more are read side by side.
func Load[T any](
	table store.Table, show func(*store.Item) (record T, at time.Time, ok bool, err error),
) func(context.Context, []store.Item) ([]Shown[T], error) {
	return func(ctx context.Context, entries []store.Item) ([]Shown[T], error) {
		keys := make([]store.Key, len(entries))
		for i, e := range entries {
			keys[i] = e.Key
		}
		items, err := store.GetReadable(ctx, table, keys)
		if err != nil {
			return nil, err
		}
		all := make([]Shown[T], len(items))
		for i, item := range items {
			all[i] = Show(ctx, item, show)
		}
		return all, nil
	}
}

// Show is the record of an item as a page shows it. It is Missing when the item is nil or cannot be read.
func Show[T any](ctx context.Context, item *store.Item, show func(*store.Item) (T, time.Time, bool, error)) Shown[T] {
	if item == nil {
		return Shown[T]{Missing: true}
	}
	r, at, ok, err := show(item)
	if err != nil {
		LogUnreadable(ctx, item.Key, err)
		return Shown[T]{Missing: true}
	}
	return Shown[T]{Record: r, At: at, Size: size(item), Missing: !ok}
}

// size is about how many bytes the JSON of an item's record takes: a long text may lie beside the document.
func size(item *store.Item) int {
	n := len(item.Doc)
	for _, text := range item.Text {
		n += len(text)
	}
	return n
}

// walk goes through the partitions of a collection as if they were one.
type walk struct {
	Listing
	descending bool
	after      string // the sort key after which it goes on
	ended      bool
}

// next is the next n entries of all partitions.
func (w *walk) next(ctx context.Context, n int) ([]store.Item, error) {
	pages := make([]store.Page, len(w.Partitions))
	errs := guard.Each(ctx, len(pages), func(i int) (err error) {
		pages[i], err = w.Table.Query(ctx, store.Query{Index: w.Index, PK: w.Partitions[i], From: w.From, To: w.To,
			After: w.after, Descending: w.descending, Limit: n})
		return err
	})
	if err := guard.First(errs); err != nil {
		return nil, err
	}
	return w.merge(pages, n), nil
}

// merge is the first n entries of all pages in order. After a page that is not its partition's last there may be more
// entries of that partition, so entries of others beyond its end wait for the next call.
func (w *walk) merge(pages []store.Page, n int) []store.Item {
	var all []store.Item
	horizon := "" // the first end of a page that is not its partition's last
	for _, p := range pages {
		all = append(all, p.Items...)
		if p.Next != "" && (horizon == "" || w.compare(p.Next, horizon) < 0) {
			horizon = p.Next
		}
	}
	slices.SortFunc(all, func(a, b store.Item) int { return w.compare(w.sortKey(a), w.sortKey(b)) })
	if horizon != "" {
		all = slices.DeleteFunc(all, func(i store.Item) bool { return w.compare(w.sortKey(i), horizon) > 0 })
	}
	w.ended = horizon == "" && len(all) <= n
	all = all[:min(n, len(all))]
	switch {
	case len(all) > 0:
		w.after = w.sortKey(all[len(all)-1])
	case horizon != "":
		w.after = horizon
	}
	return all
}

// compare is strings.Compare of sort keys in the walk's direction.
func (w *walk) compare(a, b string) int {
	if w.descending {
		a, b = b, a
	}
	return strings.Compare(a, b)
}

func (w *walk) sortKey(i store.Item) string {
	switch w.Index {
	case store.Index1:
		return i.Index1.SK
	case store.Index2:
		return i.Index2.SK
	}
	return i.SK
}
