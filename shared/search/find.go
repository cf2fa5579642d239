package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"eshop/shared/base/each"
	"eshop/shared/base/guard"
	"eshop/shared/base/words"
	"eshop/shared/catalog"
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
	*Offer     // of a product
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
func (x Index) Find(ctx context.Context, k *Searchable, shop string, asked words.Asked) (out Found, err error) {
	x.Settle(ctx)
	found, done, before := map[string]Hit{}, []string{}, ""
	for _, lead := range asked.Leads() {
		if slices.ContainsFunc(done, func(all string) bool { return strings.HasPrefix(lead, all) }) {
			continue
		}
		rows, cut, err := x.rows(ctx, store.Query{PK: k.partition(shop, lead), From: lead, To: lead + lastRune})
		if err != nil {
			return out, err
		}
		for i := range rows {
			hit, near, err := hitIn(&rows[i], asked)
			if err != nil {
				return out, err
			}
			if had, has := found[hit.ID]; near && (!has || hit.Rank < had.Rank) {
				found[hit.ID] = hit
			}
		}
		// What another lead begins with is only a part of what was cut.
		out.Cut = cut || out.Cut && strings.HasPrefix(lead, before)
		before = lead
		if !cut && len(found) > 0 {
			break
		}
		if !cut {
			done = append(done, lead)
		}
	}
	out.Hits = nearest(found)
	return out, nil
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
func (x Index) In(ctx context.Context, shop string, categories []string) (Found, error) {
	f, err := x.inLists(ctx, shop, categories)
	f.Hits = slices.DeleteFunc(f.Hits, func(h Hit) bool { return !h.isSold() })
	return f, err
}

// inLists finds the products that stand in these lists, hidden ones, too.
func (x Index) inLists(ctx context.Context, shop string, lists []string) (out Found, err error) {
	x.Settle(ctx)
	found := map[string]Hit{}
	for some := range slices.Chunk(lists, sideways) {
		all, cuts := make([][]store.Item, len(some)), make([]bool, len(some))
		errs := guard.Each(ctx, len(some), func(i int) (err error) {
			all[i], cuts[i], err = x.rows(ctx, store.Query{PK: Products.list(shop, some[i])})
			return err
		})
		if err := guard.First(errs); err != nil {
			return out, err
		}
		for _, row := range slices.Concat(all...) {
			hit, err := listed(&row)
			if err != nil {
				return out, err
			}
			found[hit.ID] = hit
		}
		if out.Cut = out.Cut || slices.Contains(cuts, true); len(found) > MaxRows {
			out.Cut = true
			break
		}
	}
	out.Hits = nearest(found)
	out.Hits = out.Hits[:min(len(out.Hits), MaxRows)]
	return out, nil
}

// listed is the product whose row of a list it is.
func listed(row *store.Item) (Hit, error) {
	d, err := documentIn(row)
	return Hit{ID: idIn(row.SK), Offer: d.Offer}, err
}

// Newest are the shop's products that were made last, so many of them, in one call.
func (x Index) Newest(ctx context.Context, shop string, most int) ([]Hit, error) {
	x.Settle(ctx)
	page, err := store.QueryReadable(ctx, x.Rows,
		store.Query{PK: Products.list(shop, allProductsList), Limit: most})
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(page.Items))
	for i := range page.Items {
		if hits[i], err = listed(&page.Items[i]); err != nil {
			return nil, err
		}
	}
	return hits, nil
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
	return x.listing(k, shop, ByChange, func(ctx context.Context) (Found, error) { return x.Find(ctx, k, shop, asked) })
}

// For is where records of the kind are found in the index.
func For(k *Searchable, index func() Index) record.Search {
	return record.Search{
		Words: func(shop string, asked words.Asked) record.Listing { return index().Listing(k, shop, asked) },
		Under: func(shop, value string) record.Listing { return index().Under(k, shop, value) },
	}
}

// Order is by what a list goes.
type Order string

// The orders of lists.
const (
	ByChange Order = ""
	ByMaking Order = "newest"
	ByName   Order = "name"
	ByPrice  Order = "price" // the lowest at the default level
	ByStock  Order = "stock" // those sold out, those of which few are left, the others
)

// Choice is the products that a list shows to who keeps them, and their order.
type Choice struct {
	Text string         // what is searched for; "": nothing
	In   []string       // the categories one of which it is in; nil: any, or none
	Fits func(Hit) bool // nil: each one
	By   Order
}

// Choose are the shop's products that a choice leaves, for record.Page, and whether it has left out some, for that
// there are too many to look at: then those made last are there. By name are all of them if nothing else is asked for;
// in that list only its name moves a product.
func (x Index) Choose(shop string, choice Choice) (all record.Listing, cut func() bool) {
	var found Found
	cut = func() bool { return found.Cut }
	if choice.By == ByName && choice.Text == "" && choice.In == nil && choice.Fits == nil {
		rows := x.names(shop)
		// Its entries do not say how large their records are.
		return record.Listing{Index: rows.Index, Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
			page, err := rows.Entries(ctx, q)
			if err != nil {
				return page, err
			}
			return page, x.measure(ctx, page.Items)
		}}, cut
	}
	return x.listing(Products, shop, choice.By, func(ctx context.Context) (_ Found, err error) {
		found, err = x.chosen(ctx, shop, choice)
		return found, err
	}), cut
}

// chosen finds the products that a choice leaves.
func (x Index) chosen(ctx context.Context, shop string, choice Choice) (found Found, err error) {
	in := choice.In
	if in == nil && choice.Text == "" {
		in = []string{allProductsList}
	}
	if found, err = x.inLists(ctx, shop, in); err != nil {
		return found, err
	}
	if choice.Text != "" {
		listed := map[string]bool{}
		for _, hit := range found.Hits {
			listed[hit.ID] = true
		}
		cut := found.Cut
		if found, err = x.Find(ctx, Products, shop, words.Ask(choice.Text)); err != nil {
			return found, err
		}
		if found.Cut = found.Cut || cut; in != nil {
			found.Hits = slices.DeleteFunc(found.Hits, func(h Hit) bool { return !listed[h.ID] })
		}
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(h Hit) bool { return choice.Fits != nil && !choice.Fits(h) })
	return found, nil
}

// names are the shop's products by their names.
func (x Index) names(shop string) record.Listing {
	return x.narrowed(Products, shop, Products.byName(shop))
}

// listing is what find finds, in an order. It searches once. Bounds of the sort key are left to the page, which looks
// at the records themselves: many are not in the order of their changes.
func (x Index) listing(
	k *Searchable, shop string, by Order, find func(context.Context) (Found, error),
) record.Listing {
	var sorted []store.Item // once searched
	searched, read := false, false
	return record.Listing{Index: store.Index1, Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
		if !searched {
			found, err := find(ctx)
			if err != nil {
				return store.Page{}, err
			}
			// Up to maxSorted are read for their places.
			if read = len(found.Hits) <= maxSorted && (by == ByChange || by == ByName); read {
				sorted, err = x.readPlaces(ctx, k, shop, by, found.Hits)
			} else {
				sorted, err = x.places(ctx, k, shop, by, found.Hits)
			}
			if err != nil {
				return store.Page{}, err
			}
			slices.SortFunc(sorted, func(a, b store.Item) int { return cmp.Compare(a.Index1.SK, b.Index1.SK) })
			searched = true
		}
		q.From, q.To = "", ""
		page := record.Among(sorted, q)
		if read {
			return page, nil
		}
		return page, x.measure(ctx, page.Items)
	}}
}

// readPlaces makes entries of those found, with the places that they have by their records.
func (x Index) readPlaces(ctx context.Context, k *Searchable, shop string, by Order, hits []Hit) ([]store.Item, error) {
	keys := each.Of(hits, func(hit Hit) store.Key { return k.key(shop, hit.ID) })
	items, err := store.GetReadable(ctx, x.Main, keys)
	var all []store.Item
	for i, item := range items {
		if record.Missing(item) {
			continue
		}
		at := record.IndexKey("", item.Version, hits[i].ID).SK
		if by == ByName {
			at = k.sortKey(item)
		}
		all = append(all, store.Item{Key: keys[i], Index1: store.Key{SK: at}, Parts: item.Parts})
	}
	return all, err
}

// places makes entries of those found, with the places that they have by what the index says of them; those of which it
// does not say what the order goes by stand at the end of the rising order.
func (x Index) places(ctx context.Context, k *Searchable, shop string, by Order, hits []Hit) ([]store.Item, error) {
	names := map[string]string{}
	if by == ByName {
		q := store.Query{}
		for n := 0; n < maxPages && (n == 0 || q.After != ""); n++ {
			q.Limit = MaxRows
			page, err := x.names(shop).Entries(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, entry := range page.Items {
				names[recordIn(entry.Key)] = entry.Index1.SK
			}
			q.After = page.Next
		}
	}
	all := make([]store.Item, len(hits))
	for i, hit := range hits {
		made := record.IndexKey("", hit.ID, hit.ID).SK
		at := lastRune + made
		switch {
		case by == ByName && names[hit.ID] != "":
			at = names[hit.ID]
		case by == ByPrice && hit.Offer != nil:
			price, _ := catalog.PriceAt(hit.Prices, catalog.DefaultLevel)
			at = fmt.Sprintf("%016d#%s", price, hit.ID)
		case by == ByStock && hit.Offer != nil:
			level := 0
			if hit.InStock {
				level = 2
			}
			if hit.Few {
				level = 1
			}
			at = fmt.Sprintf("%d#%s", level, hit.ID)
		case by == ByChange || by == ByMaking:
			at = made
		}
		all[i] = store.Item{Key: k.key(shop, hit.ID), Index1: store.Key{SK: at}}
	}
	return all, nil
}

// measure says in entries that were not read how large their records are.
func (x Index) measure(ctx context.Context, entries []store.Item) error {
	keys := each.Of(entries, func(entry store.Item) store.Key { return entry.Key })
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
