package record

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
)

// Listing is a collection as entries in their order. Page asks it for some of them, by sort keys, which are Stamp + "#"
// + id.
type Listing struct {
	Entries func(context.Context, store.Query) (store.Page, error) // Index and PK of the query are not set
	Index   store.Index                                            // by whose sort keys the entries go
}

// InPartitions is the collection whose entries are in partitions of a table or of an index of it, over all of them
// unique.
func InPartitions(t Queried, index store.Index, partitions ...string) Listing {
	return Listing{Index: index, Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
		pages := make([]store.Page, len(partitions))
		errs := guard.Each(ctx, len(pages), func(i int) (err error) {
			of := q
			of.Index, of.PK = index, partitions[i]
			pages[i], err = t.Query(ctx, of)
			return err
		})
		return merge(pages, index, q), guard.First(errs)
	}}
}

// Queried is what of a table lists need.
type Queried interface {
	Query(context.Context, store.Query) (store.Page, error)
}

// Among is the page that a query asks for of entries in memory, which are sorted by their keys in index 1.
func Among(sorted []store.Item, query store.Query) (page store.Page) {
	for i := range sorted {
		entry := sorted[i]
		if query.Descending {
			entry = sorted[len(sorted)-1-i]
		}
		sk := entry.Index1.SK
		passed := query.After != "" && (sk == query.After || (sk < query.After) != query.Descending)
		if passed || sk < query.From || query.To != "" && sk > query.To {
			continue
		}
		if len(page.Items) == query.Limit {
			page.Next = page.Items[query.Limit-1].Index1.SK
			break
		}
		page.Items = append(page.Items, entry)
	}
	return page
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
	Size    int // how many bytes it takes in the page
	Missing bool
	Last    bool // the page ends with it, if it is shown
}

// A page ends before the record with which it would have more than MaxPage bytes, unless that is its first one: so an
// answer stays below the 6 MB that a Lambda can send, and the cursor always moves. It ends, too, when it has looked at
// maxEntries index entries, so that one whose filter fits few records is answered in time.
const (
	MaxPage    = 4_000_000
	maxEntries = 2_000
)

// atOnce is how many bytes of records are read together, one record at least: a page holds no more than that beside
// what it answers with. Ordinary pages are read in one piece.
const atOnce = 1 << 20

// Page is the page of a collection that was asked for, and where the next one begins: "" when there is none. load shows
// the records of some index entries, in their order; it is called as often as it takes to fill the page. How much it
// reads is bounded by what the page answers with, as far as the entries say how large their records are (Extent).
func Page[T any](
	ctx context.Context, listing Listing, asked Asked, load func(context.Context, []store.Item) ([]Shown[T], error),
) (page []T, next string, err error) {
	query := store.Query{After: asked.After, Descending: asked.Descending}
	if !asked.From.IsZero() {
		query.From = id.Stamp(asked.From)
	}
	if !asked.To.IsZero() {
		query.To = id.Stamp(asked.To) + "~"
	}
	page = []T{}
	bytes, entries, at := 0, 0, asked.After // at is the sort key of the last entry that was looked at
	for more := true; more && len(page) < asked.Limit && entries < maxEntries; more = query.After != "" {
		query.Limit = min(asked.Limit-len(page), maxEntries-entries)
		found, err := listing.Entries(ctx, query)
		if err != nil {
			return nil, "", err
		}
		query.After = found.Next
		for rest := found.Items; len(rest) > 0; {
			n := together(rest)
			if len(page) > 0 && bytes+sizeIn(rest[0]) > MaxPage {
				return page, at, nil
			}
			shown, err := load(ctx, rest[:n])
			if err != nil {
				return nil, "", err
			}
			for i, x := range shown {
				if !x.Missing && asked.Holds(x.At) {
					if len(page) > 0 && bytes+x.Size > MaxPage {
						return page, at, nil
					}
					page = append(page, x.Record)
					bytes += x.Size
					if x.Last {
						return page, sortKey(listing.Index, rest[i]), nil
					}
				}
				at = sortKey(listing.Index, rest[i])
			}
			rest, entries = rest[n:], entries+n
		}
	}
	return page, query.After, nil
}

// together is how many of the entries, from the first on, have records that are read together.
func together(entries []store.Item) int {
	bytes := 0
	for n, e := range entries {
		if bytes += sizeIn(e); bytes > atOnce && n > 0 {
			return n
		}
	}
	return len(entries)
}

// ownBits are the lowest bits of Item.Parts, which mean what the item's package says.
const ownBits = 8

// Extent is Item.Parts of an item that lists show: what its package says in the lowest eight bits, and above them how
// many KiB all items of the record take. It is all that an index shows of an item beside keys, so that who reads a list
// knows before what it is about to read.
func Extent(own, bytes int) int {
	if own >= 1<<ownBits {
		panic("record: what a package says in an extent has eight bits")
	}
	return own | bytes>>10<<ownBits
}

// Own is the part of an Extent that is the package's.
func Own(extent int) int { return extent & (1<<ownBits - 1) }

// sizeIn is about how many bytes the record of an index entry takes; 0 where that is less than a KiB.
func sizeIn(entry store.Item) int { return entry.Parts >> ownBits << 10 }

// Load is the load of a Page whose records are one item each: show makes a record of an item and says when it changed;
// ok is false of an item that is none any more, as a tombstone. One that cannot be read is left out. Up to a hundred
// records are one call, more are read side by side.
func Load[T any](
	table store.Table, show func(*store.Item) (record T, at time.Time, ok bool, err error),
) func(context.Context, []store.Item) ([]Shown[T], error) {
	return func(ctx context.Context, entries []store.Item) ([]Shown[T], error) {
		keys := each.Of(entries, func(entry store.Item) store.Key { return entry.Key })
		items, err := store.GetReadable(ctx, table, keys)
		if err != nil {
			return nil, err
		}
		return each.Of(items, func(item *store.Item) Shown[T] { return Show(ctx, item, show) }), nil
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
	return Shown[T]{Record: r, At: at, Missing: !ok}
}

// size is about how many bytes an item takes: a long text may lie beside the document.
func size(item *store.Item) int {
	n := len(item.Doc)
	for _, text := range item.Text {
		n += len(text)
	}
	return n
}

// merge is the first entries of the pages that partitions have answered the query with, in order. After a page that is
// not its partition's last there may be more entries of that partition, so entries of others beyond its end wait for
// the next call.
func merge(pages []store.Page, index store.Index, query store.Query) (all store.Page) {
	compare := strings.Compare
	if query.Descending {
		compare = func(a, b string) int { return strings.Compare(b, a) }
	}
	for _, p := range pages {
		all.Items = append(all.Items, p.Items...)
		if p.Next != "" && (all.Next == "" || compare(p.Next, all.Next) < 0) {
			all.Next = p.Next // the first end of a page that is not its partition's last
		}
	}
	slices.SortFunc(all.Items, func(a, b store.Item) int { return compare(sortKey(index, a), sortKey(index, b)) })
	if end := all.Next; end != "" {
		all.Items = slices.DeleteFunc(all.Items, func(i store.Item) bool { return compare(sortKey(index, i), end) > 0 })
	}
	if all.Next != "" || len(all.Items) > query.Limit {
		all.Items = all.Items[:min(query.Limit, len(all.Items))]
		if n := len(all.Items); n > 0 {
			all.Next = sortKey(index, all.Items[n-1])
		}
	}
	return all
}

// sortKey is the sort key by which an entry of the index goes.
func sortKey(index store.Index, i store.Item) string {
	switch index {
	case store.Index1:
		return i.Index1.SK
	case store.Index2:
		return i.Index2.SK
	}
	return i.SK
}
