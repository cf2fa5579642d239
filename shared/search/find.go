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
func (x Index) Found(ctx context.Context, k *Searchable, shop string, asked words.Asked) ([]string, error) {
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
func (x Index) Listing(k *Searchable, shop string, asked words.Asked) record.Listing {
	return x.listing(k, shop, asked, func(item *store.Item, id string) string {
		return record.IndexKey("", item.Version, id).SK
	})
}

// For is where records of the kind are found in the index.
func For(k *Searchable, index func() Index) record.Search {
	return record.Search{
		Words: func(shop string, asked words.Asked) record.Listing { return index().Listing(k, shop, asked) },
		Under: func(shop, value string) record.Listing { return index().Under(k, shop, value) },
	}
}

// ByName are the shop's records of a kind that are found, all where nothing is asked for, by their names, for
// record.Page. Only a record's name moves it. If more than maxSorted are found, they come in the order in which they
// were made. The kind is Products: no other has its names in the index.
func (x Index) ByName(k *Searchable, shop, text string) record.Listing {
	if text != "" {
		return x.listing(k, shop, words.Ask(text), func(item *store.Item, _ string) string { return k.sortKey(item) })
	}
	rows := x.narrowed(k, shop, k.byName(shop))
	// Its entries do not say how large their records are.
	return record.Listing{Index: rows.Index, Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
		page, err := rows.Entries(ctx, q)
		if err != nil {
			return page, err
		}
		return page, x.measure(ctx, page.Items)
	}}
}

// listing is the records that a search finds, in the order of their places, for which up to maxSorted are read; more
// than that are in the order in which they were made. It searches once. Bounds of the sort key are left to the page,
// which looks at the records themselves: many are not in the order of their changes.
func (x Index) listing(
	k *Searchable, shop string, asked words.Asked, place func(item *store.Item, id string) string,
) record.Listing {
	var sorted []store.Item // by their places, once searched
	searched := false
	return record.Listing{Index: store.Index1, Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
		if !searched {
			var err error
			if sorted, err = x.find(ctx, k, shop, asked, place); err != nil {
				return store.Page{}, err
			}
			searched = true
		}
		q.From, q.To = "", ""
		page := record.Among(sorted, q)
		if len(sorted) > maxSorted {
			return page, x.measure(ctx, page.Items)
		}
		return page, nil
	}}
}

// find searches, and makes entries of the records in the order of a listing.
func (x Index) find(
	ctx context.Context, k *Searchable, shop string, asked words.Asked, place func(item *store.Item, id string) string,
) (sorted []store.Item, err error) {
	ids, err := x.Found(ctx, k, shop, asked)
	if err != nil {
		return nil, err
	}
	keys := make([]store.Key, len(ids))
	for i, id := range ids {
		keys[i] = k.key(shop, id)
	}
	if len(ids) > maxSorted {
		for i, id := range ids {
			sorted = append(sorted, store.Item{Key: keys[i], Index1: record.IndexKey("", id, id)})
		}
	} else {
		items, err := store.GetReadable(ctx, x.Main, keys)
		if err != nil {
			return nil, err
		}
		for i, item := range items {
			if !record.Missing(item) {
				at := store.Key{SK: place(item, ids[i])}
				sorted = append(sorted, store.Item{Key: keys[i], Index1: at, Parts: item.Parts})
			}
		}
	}
	slices.SortFunc(sorted, func(a, b store.Item) int { return cmp.Compare(a.Index1.SK, b.Index1.SK) })
	return sorted, nil
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

// Under are the shop's records of the kind that lists narrow to a value, for record.Page, by (changed, id).
func (x Index) Under(k *Searchable, shop, value string) record.Listing {
	return x.narrowed(k, shop, k.under(shop, value))
}

// narrowed is the entries of a partition of the index, which are made to lead to the records themselves.
func (x Index) narrowed(k *Searchable, shop, partition string) record.Listing {
	rows := record.InPartitions(x.Rows, store.Index1, partition)
	return record.Listing{Index: rows.Index, Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
		store.Lag(x.Main, Follower)(ctx)
		page, err := rows.Entries(ctx, q)
		for i, entry := range page.Items {
			page.Items[i].Key = k.key(shop, recordIn(entry.Key))
		}
		return page, err
	}}
}
