package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"eshop/shared/base/guard"
	"eshop/shared/base/words"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// How much a search reads.
const (
	MaxRows   = 5_000 // rows of words, or of lists
	maxPages  = 4     // queries of them, each a megabyte at most
	maxSorted = 100   // records that are put in the order of their changes: one call reads so many
	sideways  = 8     // lists that are read side by side
)

// Hit is a record that is found, or stands in a list, as its rows have it.
type Hit struct {
	ID     string
	Rank   int // the nearer to what was asked for the lower, and its own words before those of its variants
	*Offer     // of a product that is sold
}

// Found is what is found, newest made first.
type Found struct {
	Hits []Hit
	Cut  bool // there are more rows than a search reads, so that there may be more hits
}

// Weight is about how many bytes it takes in memory.
func (f Found) Weight() int {
	n := 0
	for _, hit := range f.Hits {
		if n += 100; hit.Offer != nil {
			n += 50 * len(hit.Prices)
		}
	}
	return n
}

// Find finds the shop's records of the kind.
func (x Index) Find(ctx context.Context, k *Searchable, shop string, asked words.Asked) (f Found, err error) {
	x.Settle(ctx)
	found, done, before := map[string]Hit{}, []string{}, ""
	for _, lead := range asked.Leads() {
		if slices.ContainsFunc(done, func(all string) bool { return strings.HasPrefix(lead, all) }) {
			continue
		}
		rows, cut, err := x.rows(ctx, store.Query{PK: k.partition(shop, lead), From: lead, To: lead + lastRune})
		if err != nil {
			return f, err
		}
		for i := range rows {
			hit, near, err := hitIn(&rows[i], asked)
			if err != nil {
				return f, err
			}
			if had, has := found[hit.ID]; near && (!has || hit.Rank < had.Rank) {
				found[hit.ID] = hit
			}
		}
		// What another lead begins with is only a part of what was cut.
		f.Cut = cut || f.Cut && strings.HasPrefix(lead, before)
		before = lead
		if !cut && len(found) > 0 {
			break
		}
		if !cut {
			done = append(done, lead)
		}
	}
	f.Hits = nearest(found)
	return f, nil
}

// hitIn is the record whose row of a word it is; false: it is not what is asked for.
func hitIn(row *store.Item, asked words.Asked) (hit Hit, found bool, err error) {
	d, err := documentIn(row)
	if err != nil {
		return hit, false, err
	}
	own := d.Words[:min(d.Own, len(d.Words))]
	near, found := asked.Near(append(d.Words, row.SK[:strings.LastIndexByte(row.SK, '#')]))
	hit = Hit{ID: idIn(row.SK), Rank: 2 * near, Offer: d.Offer}
	if ownNear, is := asked.Near(own); d.Own > 0 && (!is || ownNear > near) {
		hit.Rank++
	}
	return hit, found, nil
}

// nearest are those found, newest made first, without those that are only alike where there are others.
func nearest(found map[string]Hit) (hits []Hit) {
	alike := func(h Hit) bool { return h.Rank >= 2*words.Alike }
	hits = slices.Collect(maps.Values(found))
	if slices.ContainsFunc(hits, func(h Hit) bool { return !alike(h) }) {
		hits = slices.DeleteFunc(hits, alike)
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(b.ID, a.ID) })
	return hits
}

// In finds the products that are sold in these categories, each once. If they are cut, those of the first categories
// are there.
func (x Index) In(ctx context.Context, shop string, categories []string) (f Found, err error) {
	x.Settle(ctx)
	found := map[string]Hit{}
	for some := range slices.Chunk(categories, sideways) {
		all, cuts := make([][]store.Item, len(some)), make([]bool, len(some))
		errs := guard.Each(ctx, len(some), func(i int) (err error) {
			all[i], cuts[i], err = x.rows(ctx, store.Query{PK: Products.list(shop, some[i])})
			return err
		})
		if err := guard.First(errs); err != nil {
			return f, err
		}
		for _, row := range slices.Concat(all...) {
			d, err := documentIn(&row)
			if err != nil {
				return f, err
			}
			found[idIn(row.SK)] = Hit{ID: idIn(row.SK), Offer: d.Offer}
		}
		if f.Cut = f.Cut || slices.Contains(cuts, true); len(found) > MaxRows {
			f.Cut = true
			break
		}
	}
	f.Hits = nearest(found)
	f.Hits = f.Hits[:min(len(f.Hits), MaxRows)]
	return f, nil
}

// Settle waits, where the indexer is in the same process, until it has done all changes that were acknowledged before:
// so what is remembered of lists is seen to have changed.
func (x Index) Settle(ctx context.Context) { store.Lag(x.Main, Follower)(ctx) }

// rows are those of a query, and whether there are more.
func (x Index) rows(ctx context.Context, q store.Query) (all []store.Item, cut bool, err error) {
	for range maxPages {
		q.Limit = MaxRows - len(all)
		page, err := store.QueryReadable(ctx, x.Rows, q)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page.Items...)
		if q.After = page.Next; q.After == "" || len(all) >= MaxRows {
			break
		}
	}
	return all, q.After != "", nil
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
	found, err := x.Find(ctx, k, shop, asked)
	if err != nil {
		return nil, err
	}
	hits := found.Hits
	keys := make([]store.Key, len(hits))
	for i, hit := range hits {
		keys[i] = k.key(shop, hit.ID)
	}
	if len(hits) > maxSorted {
		for i, hit := range hits {
			sorted = append(sorted, store.Item{Key: keys[i], Index1: record.IndexKey("", hit.ID, hit.ID)})
		}
	} else {
		items, err := store.GetReadable(ctx, x.Main, keys)
		if err != nil {
			return nil, err
		}
		for i, item := range items {
			if !record.Missing(item) {
				at := store.Key{SK: place(item, hits[i].ID)}
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
		x.Settle(ctx)
		page, err := rows.Entries(ctx, q)
		for i, entry := range page.Items {
			page.Items[i].Key = k.key(shop, recordIn(entry.Key))
		}
		return page, err
	}}
}
