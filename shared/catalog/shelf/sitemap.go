package shelf

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/shared/base/each"
	ids "eshop/shared/base/id"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// A shop has an index of sitemaps, each of which has the products that one query finds, sitemapSize at most. There are
// at most maxSitemapPages for each partition of the products' index: with more products than that, those changed
// longest ago are left out.
const (
	sitemapSize     = 1_000
	maxSitemapPages = 12
	sitemapHeads    = 25 // read together: a head has maxHead bytes at most
)

// SitemapEntry is an address in a sitemap, and when it changed.
type SitemapEntry struct {
	Slug    string
	Changed string // the version: record.ChangedAt says when it changed; "": it is not known
}

// categoriesSitemap is the name of the sitemap with the categories.
const categoriesSitemap = "categories"

// sitemapLife is for how long the names of sitemaps are remembered, on every host. Anybody may ask for them, and to
// find them takes up to maxSitemapPages queries of sitemapSize rows in each of the index's partitions: so each process
// reads them once a minute for a shop, also the one process, whatever is written meanwhile.
const sitemapLife = time.Minute

// SitemapNames are the names of the shop's sitemaps, at most a minute old: that of the categories, and those of the
// products, each the partition's number and the index's sort key behind which it begins.
func (s *Shelf) SitemapNames(ctx context.Context, shop string) ([]string, error) {
	return s.sitemapNames.Get(ctx, shop, func(ctx context.Context) ([]string, error) {
		return readSitemapNames(ctx, s.table, shop)
	})
}

// readSitemapNames finds the names of the sitemaps. It reads keys of the index only.
func readSitemapNames(ctx context.Context, t store.Table, shop string) ([]string, error) {
	names := []string{categoriesSitemap}
	for n, partition := range catalog.ProductShards(shop) {
		query := store.Query{Index: store.Index1, PK: partition, Descending: true, Limit: sitemapSize}
		for range maxSitemapPages {
			page, err := t.Query(ctx, query)
			if err != nil {
				return nil, err
			}
			if len(page.Items) == 0 {
				break
			}
			names = append(names, strconv.Itoa(n)+"."+strings.ReplaceAll(query.After, "#", "."))
			if page.Next == "" {
				break
			}
			query.After = page.Next
		}
	}
	return names, nil
}

// Sitemap is the shop's sitemap of that name, at most a thousand addresses: of categories, or of active products. ok is
// false when there can be none of that name.
func (s *Shelf) Sitemap(ctx context.Context, shop, name string) (urls []SitemapEntry, ok bool, err error) {
	if name == categoriesSitemap {
		m, err := s.Menu(ctx, shop)
		if err != nil {
			return nil, false, err
		}
		for _, p := range m.All() {
			urls = append(urls, SitemapEntry{p.Slug, p.Changed})
		}
		return urls, true, nil
	}
	q, ok := queryOfSitemap(shop, name)
	if !ok {
		return nil, false, nil
	}
	page, err := s.table.Query(ctx, q)
	if err != nil {
		return nil, false, err
	}
	for some := range slices.Chunk(page.Items, sitemapHeads) {
		keys := each.Of(some, func(row store.Item) store.Key { return row.Key })
		items, err := store.GetReadable(ctx, s.table, keys)
		if err != nil {
			return nil, false, err
		}
		for _, item := range items {
			h, err := catalog.HeadOf(item)
			if err != nil {
				record.LogUnreadable(ctx, item.Key, err)
			} else if h != nil && h.Active() {
				urls = append(urls, SitemapEntry{h.Address.Active, h.Version})
			}
		}
	}
	return urls, true, nil
}

// queryOfSitemap is the query of a sitemap of products; false of a name that none can have.
func queryOfSitemap(shop, name string) (store.Query, bool) {
	number, after, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(catalog.ProductShards(shop)) || number != strconv.Itoa(n) {
		return store.Query{}, false
	}
	stamp, id, _ := strings.Cut(after, ".")
	if after != "" && (!ids.Valid(id) || !ids.ValidStamp(stamp)) {
		return store.Query{}, false
	}
	return store.Query{Index: store.Index1, PK: catalog.ProductShards(shop)[n], Descending: true, Limit: sitemapSize,
		After: strings.Replace(after, ".", "#", 1)}, true
}
