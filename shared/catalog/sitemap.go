package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	ids "eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/store"
)

// A shop's sitemap is an index of parts, each of which names the products that one query finds, partSize at most. There
// are at most maxParts for each partition of the products' index: with more products than that, those changed longest
// ago are left out.
const (
	partSize = 1_000
	maxParts = 12
)

// SitemapEntry is an address in a sitemap, and when it changed.
type SitemapEntry struct {
	Slug    string
	Changed string // the version: record.ChangedAt says when it changed
}

// categoriesPart is the part with the categories.
const categoriesPart = "categories"

// sitemapLife is for how long the names of parts are remembered, on every host. Anybody may ask for them, and to find
// them takes up to maxParts pages of partSize rows in each of the index's partitions: so each process reads them once a
// minute for a shop, also the one process, whatever is written meanwhile.
const sitemapLife = time.Minute

// SitemapParts are the names of the parts of the shop's sitemap, at most a minute old: that of the categories, and those
// of the products, each the partition's number and the index's sort key after which it goes on.
func (s *Shelf) SitemapParts(ctx context.Context, shop string) ([]string, error) {
	return s.parts.Get(ctx, shop, func(ctx context.Context) ([]string, error) { return readParts(ctx, s.table, shop) })
}

// readParts finds the names of the parts. It reads keys of the index only.
func readParts(ctx context.Context, t store.Table, shop string) ([]string, error) {
	parts := []string{categoriesPart}
	for n, partition := range ProductShards(shop) {
		q := store.Query{Index: store.Index1, PK: partition, Descending: true, Limit: partSize}
		for range maxParts {
			page, err := t.Query(ctx, q)
			if err != nil {
				return nil, err
			}
			if len(page.Items) == 0 {
				break
			}
			parts = append(parts, strconv.Itoa(n)+"."+strings.ReplaceAll(q.After, "#", "."))
			if page.Next == "" {
				break
			}
			q.After = page.Next
		}
	}
	return parts, nil
}

// Sitemap is a part of the shop's sitemap, at most a thousand addresses: of categories, or of active products. ok is
// false when there can be no part of that name.
func (s *Shelf) Sitemap(ctx context.Context, shop, part string) (urls []SitemapEntry, ok bool, err error) {
	if part == categoriesPart {
		m, err := s.Menu(ctx, shop)
		if err != nil {
			return nil, false, err
		}
		for _, p := range m.All() {
			urls = append(urls, SitemapEntry{p.Slug, p.Changed})
		}
		return urls, true, nil
	}
	q, ok := queryOfPart(shop, part)
	if !ok {
		return nil, false, nil
	}
	page, err := s.table.Query(ctx, q)
	if err != nil {
		return nil, false, err
	}
	for some := range slices.Chunk(page.Items, 100) {
		keys := make([]store.Key, len(some))
		for i, row := range some {
			keys[i] = row.Key
		}
		items, err := store.GetReadable(ctx, s.table, keys)
		if err != nil {
			return nil, false, err
		}
		for _, item := range items {
			h, err := HeadOf(item)
			if err != nil {
				record.LogUnreadable(ctx, item.Key, err)
			} else if h != nil && h.details.Active {
				urls = append(urls, SitemapEntry{h.Address.Active, h.Version})
			}
		}
	}
	return urls, true, nil
}

// queryOfPart is the query of a part of products; false of a name that no part can have.
func queryOfPart(shop, part string) (store.Query, bool) {
	number, after, _ := strings.Cut(part, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= shards || number != strconv.Itoa(n) {
		return store.Query{}, false
	}
	stamp, id, _ := strings.Cut(after, ".")
	if after != "" && (!ids.Valid(id) || !ids.ValidStamp(stamp)) {
		return store.Query{}, false
	}
	return store.Query{Index: store.Index1, PK: productShard(shop, n), Descending: true, Limit: partSize,
		After: strings.Replace(after, ".", "#", 1)}, true
}
