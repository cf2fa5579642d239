package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"eshop/shared/base/words"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// How much a search reads.
const (
	maxRows   = 2_000 // rows of words
	maxSorted = 100   // records that are put in the order of their changes: one call reads so many
)

// Found are the ids of the shop's records of the kind that are found, newest made first.
func (x Index) Found(ctx context.Context, k *Kind, shop string, asked words.Asked) ([]string, error) {
	store.Lag(x.Main, Follower)(ctx)
	found := map[string]bool{}
	for _, lead := range asked.Leads() {
		page, err := store.QueryReadable(ctx, x.Rows,
			store.Query{PK: k.partition(shop, lead), From: lead, To: lead + lastRune, Limit: maxRows})
		if err != nil {
			return nil, err
		}
		for _, row := range page.Items {
			var all []string
			if err := row.Into(&all); err != nil {
				return nil, err
			}
			own := row.SK[:strings.LastIndexByte(row.SK, '#')]
			if asked.Finds(append(all, own)) {
				found[idIn(row.SK)] = true
			}
		}
		if page.Next == "" && len(found) > 0 {
			break
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	slices.Reverse(ids)
	return ids, nil
}

// lastRune comes behind every letter of a word.
const lastRune = "\U0010FFFF"

// Listing are the shop's records of the kind that are found, for record.Page: by (changed, id), or by (created, id) if
// they are more than maxSorted.
func (x Index) Listing(k *Kind, shop string, asked words.Asked) record.Listing {
	return record.Listing{Table: &found{index: x, kind: k, shop: shop, asked: asked}, Index: store.Index1,
		Partitions: []string{"found"}}
}

// Of is where records of the kind are found in the index.
func Of(k *Kind, index func() Index) record.Search {
	return record.Search{
		Words: func(shop string, asked words.Asked) record.Listing { return index().Listing(k, shop, asked) },
		Under: func(shop, value string) record.Listing { return index().Under(k, shop, value) },
	}
}

// ByName are the shop's records of a kind that are found, all where nothing is asked for, by their names, for
// record.Page. Only a record's name moves it. If more than maxSorted are found, they come in the order in which they
// were made. The kind is Products: no other has its names in the index.
func (x Index) ByName(k *Kind, shop, text string) record.Listing {
	if text == "" {
		return record.Listing{Table: named{narrowed{x, k, shop}}, Index: store.Index1,
			Partitions: []string{k.byName(shop)}}
	}
	return record.Listing{Table: &found{index: x, kind: k, shop: shop, asked: words.Ask(text), byName: true},
		Index: store.Index1, Partitions: []string{"found"}}
}

// found is the records that a search finds, as entries of an index.
type found struct {
	index  Index
	kind   *Kind
	shop   string
	asked  words.Asked
	byName bool // up to maxSorted go by their names and not by their changes
	read   bool
	sorted []store.Item // the oldest first
}

// Query is record.Listing's: the next of what is found, in either direction. It searches once. Bounds of the sort key
// are left to the page, which looks at the records themselves: many are not in the order of their changes.
func (f *found) Query(ctx context.Context, q store.Query) (page store.Page, err error) {
	if err := f.find(ctx); err != nil {
		return page, err
	}
	for i := range f.sorted {
		entry := f.sorted[i]
		if q.Descending {
			entry = f.sorted[len(f.sorted)-1-i]
		}
		sk := entry.Index1.SK
		if before := sk < q.After; q.After != "" && (sk == q.After || before != q.Descending) {
			continue
		}
		if len(page.Items) == q.Limit {
			page.Next = page.Items[q.Limit-1].Index1.SK
			break
		}
		page.Items = append(page.Items, entry)
	}
	if len(f.sorted) > maxSorted {
		err = f.index.measure(ctx, page.Items)
	}
	return page, err
}

// measure says in entries that were not read how large their records are.
func (x Index) measure(ctx context.Context, entries []store.Item) error {
	keys := make([]store.Key, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	items, err := store.GetReadable(ctx, x.Main, keys)
	for i, item := range items {
		if item != nil {
			entries[i].Parts = item.Parts
		}
	}
	return err
}

// find finds the records and puts them in order.
func (f *found) find(ctx context.Context) error {
	if f.read {
		return nil
	}
	ids, err := f.index.Found(ctx, f.kind, f.shop, f.asked)
	if err != nil {
		return err
	}
	keys := make([]store.Key, len(ids))
	for i, id := range ids {
		keys[i] = f.kind.key(f.shop, id)
	}
	if len(ids) > maxSorted {
		for i, id := range ids {
			f.sorted = append(f.sorted, store.Item{Key: keys[i], Index1: record.IndexKey("", id, id)})
		}
	} else if err := f.sort(ctx, ids, keys); err != nil {
		return err
	}
	slices.SortFunc(f.sorted, func(a, b store.Item) int { return cmp.Compare(a.Index1.SK, b.Index1.SK) })
	f.read = true
	return nil
}

// sort makes entries of the records as they are now.
func (f *found) sort(ctx context.Context, ids []string, keys []store.Key) error {
	items, err := store.GetReadable(ctx, f.index.Main, keys)
	for i, item := range items {
		if record.Missing(item) {
			continue
		}
		entry := store.Item{Key: keys[i], Index1: record.IndexKey("", item.Version, ids[i]), Parts: item.Parts}
		if f.byName {
			entry.Index1.SK = f.kind.place(item)
		}
		f.sorted = append(f.sorted, entry)
	}
	return err
}

// Under are the shop's records of the kind that lists narrow to a value, for record.Page, by (changed, id).
func (x Index) Under(k *Kind, shop, value string) record.Listing {
	return record.Listing{Table: narrowed{x, k, shop}, Index: store.Index1, Partitions: []string{k.under(shop, value)}}
}

// narrowed is the entries of records, as rows of an index that lead to the records themselves.
type narrowed struct {
	index Index
	kind  *Kind
	shop  string
}

// Query is record.Listing's.
func (n narrowed) Query(ctx context.Context, q store.Query) (store.Page, error) {
	store.Lag(n.index.Main, Follower)(ctx)
	page, err := n.index.Rows.Query(ctx, q)
	for i, entry := range page.Items {
		page.Items[i].Key = n.kind.key(n.shop, recordIn(entry.Key))
	}
	return page, err
}

// named is narrowed for the list by name, whose entries do not say how large their records are.
type named struct{ narrowed }

// Query is record.Listing's: one call for the entries, and one to measure their records.
func (n named) Query(ctx context.Context, q store.Query) (store.Page, error) {
	page, err := n.narrowed.Query(ctx, q)
	if err != nil {
		return page, err
	}
	return page, n.index.measure(ctx, page.Items)
}
