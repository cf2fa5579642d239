package shelf

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/guard"
	"eshop/shared/base/remember"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// How many of each are remembered at most, over all shops.
const (
	maxMenus    = 1_000
	maxLists    = 500
	maxListed   = 2_000
	maxSitemaps = 200 // shops of which the names of sitemaps are remembered
)

// What lists, and listed products, may take of memory at most, over all shops, in bytes. A product with hundreds of
// variants and prices takes megabytes as a list shows it, and is then read for each list that is read anew.
const (
	listsBytes  = 16 << 20
	listedBytes = 8 << 20
)

// ListSize is how many products a list shows at most. A category's is filled by maxRounds queries at most: where so
// many products in a row are inactive, it is shorter.
const (
	ListSize  = 24
	maxRounds = 4
)

// Shelf is what visitors of a storefront see of a catalog: the menu, lists of active products, and the sitemap. It
// remembers menus and lists. It is safe for concurrent use.
type Shelf struct {
	table        store.Table
	menus        *remember.Memory[string, *Menu] // by shop
	lists        *remember.Memory[listKey, *List]
	sitemapNames *remember.Memory[string, []string] // by shop
	lastMenus    remember.Last[string, *Menu]
	listed       remember.Last[store.Key, *ListedProduct] // by the head's key, right as long as its version is the same
}

// listKey is the key of a list: of a category, or of the newest products for "".
type listKey struct{ shop, category string }

// New is a shelf that remembers what it shows by the rule. The names of sitemaps are remembered for sitemapLife,
// whatever the rule is.
func New(table store.Table, now func() time.Time, rule remember.Rule) *Shelf {
	return &Shelf{table: table, menus: remember.New[string, *Menu](rule, maxMenus),
		sitemapNames: remember.New[string, []string](remember.For(now, sitemapLife), maxSitemaps),
		lists:        remember.New[listKey, *List](rule, maxLists).Weigh((*List).weight, listsBytes),
		lastMenus:    remember.NewLast[string, *Menu](maxMenus),
		listed: remember.NewLast[store.Key, *ListedProduct](maxListed).
			Weigh((*ListedProduct).weight, listedBytes)}
}

// List are the products that a list shows.
type List struct{ Products []*ListedProduct }

// ListedProduct is a product as lists show it.
type ListedProduct struct {
	ID, Version, Slug, Code, Name string
	Image                         catalog.Image // the first; without a URL: it has none
	CategoryIDs                   []string
	Active                        bool
	Offer
}

// weight is about how many bytes the product takes in memory.
func (l *ListedProduct) weight() int {
	n := 500 + len(l.Name) + len(l.Slug) + len(l.Image.URL) + len(l.Image.Alt)
	for _, p := range l.prices {
		for _, price := range p {
			n += 40 + len(price.Level)
		}
	}
	return n
}

// weight is about how many bytes the list takes in memory.
func (l *List) weight() (n int) {
	for _, p := range l.Products {
		n += p.weight()
	}
	return n
}

// listedOf is the product for lists. It holds nothing of the items that the product was read from, whose texts may
// share their memory.
func listedOf(w *catalog.Whole) *ListedProduct {
	d := w.Details()
	l := &ListedProduct{ID: w.ID, Version: strings.Clone(w.Version), Slug: strings.Clone(w.Address.Active),
		Code: string(d.Code), Name: string(d.Name), CategoryIDs: d.CategoryIDs, Active: d.Active, Offer: OfferOf(w)}
	l.Image = d.FirstImage()
	return l
}

// Newest are the shop's newest active products, among the latest changed ones of each of the index's partitions.
func (s *Shelf) Newest(ctx context.Context, shop string) (*List, error) {
	return s.lists.Get(ctx, listKey{shop: shop}, func(ctx context.Context) (*List, error) {
		partitions := catalog.ProductShards(shop)
		rows := make([][]store.Item, len(partitions))
		errs := guard.Each(ctx, len(partitions), func(n int) error {
			page, err := s.table.Query(ctx,
				store.Query{Index: store.Index1, PK: partitions[n], Descending: true, Limit: ListSize})
			rows[n] = page.Items
			return err
		})
		if err := guard.First(errs); err != nil {
			return nil, err
		}
		products := each.Of(slices.Concat(rows...), func(row store.Item) candidate {
			return candidate{row.Key, row.Index1.SK}
		})
		slices.SortFunc(products, func(a, b candidate) int { return strings.Compare(b.key.PK, a.key.PK) })
		l := &List{}
		for some := range slices.Chunk(products, ListSize) {
			if err := s.add(ctx, l, shop, "", some); err != nil || len(l.Products) == ListSize {
				return l, err
			}
		}
		return l, nil
	})
}

// Products are active products as lists show them, in the order of their ids; up to a hundred are one call. Those that
// are gone are left out.
func (s *Shelf) Products(ctx context.Context, shop string, ids []string) ([]*ListedProduct, error) {
	products := each.Of(ids, func(id string) candidate { return candidate{key: catalog.ProductKey(shop, id)} })
	all, err := s.read(ctx, shop, products)
	return slices.DeleteFunc(all, func(p *ListedProduct) bool { return p == nil || !p.Active }), err
}

// InCategory are the newest active products of a category itself, which the page of one of them shows beside it. The
// page of the category has all, by the index of searches.
func (s *Shelf) InCategory(ctx context.Context, shop, category string) (*List, error) {
	return s.lists.Get(ctx, listKey{shop, category}, func(ctx context.Context) (*List, error) {
		l := &List{}
		// A child's row in the partition begins with a letter that no id begins with.
		query := store.Query{PK: catalog.InCategory(shop, category), From: "0", To: "8", Descending: true}
		for range maxRounds {
			query.Limit = ListSize - len(l.Products)
			page, err := s.table.Query(ctx, query)
			if err != nil {
				return nil, err
			}
			products := each.Of(page.Items, func(row store.Item) candidate {
				return candidate{key: catalog.ProductKey(shop, row.SK)}
			})
			if err := s.add(ctx, l, shop, category, products); err != nil {
				return nil, err
			}
			if query.After = page.Next; query.After == "" || len(l.Products) == ListSize {
				break
			}
		}
		return l, nil
	})
}

// candidate is the head of a product that a list may show, and its sort key in the index; "" where no index was read.
type candidate struct {
	key     store.Key
	indexSK string
}

// add adds products to the list as far as it has room: active ones, of a category those that are in it.
func (s *Shelf) add(ctx context.Context, l *List, shop, category string, products []candidate) error {
	all, err := s.read(ctx, shop, products)
	for _, p := range all {
		in := p != nil && (category == "" || slices.Contains(p.CategoryIDs, category))
		if in && p.Active && len(l.Products) < ListSize {
			l.Products = append(l.Products, p)
		}
	}
	return err
}

// read reads products, nil where one is gone or cannot be read: their heads in one call, and those that have changed
// since they were read last in another. One that the index shows unchanged is not read at all.
func (s *Shelf) read(ctx context.Context, shop string, products []candidate) ([]*ListedProduct, error) {
	all := make([]*ListedProduct, len(products))
	var keys []store.Key
	var at []int // the index in products of each key
	for i, p := range products {
		known, has := s.listed.Get(p.key)
		if has && p.indexSK != "" && p.indexSK == record.IndexKey("", known.Version, known.ID).SK {
			all[i] = known
			continue
		}
		keys, at = append(keys, p.key), append(at, i)
	}
	items, err := store.GetReadable(ctx, s.table, keys)
	if err != nil {
		return nil, err
	}
	var changed []*catalog.Head
	var changedAt []int
	for n, item := range items {
		known, has := s.listed.Get(keys[n])
		if has && item != nil && known.Version == item.Version {
			all[at[n]] = known
			continue
		}
		h, err := catalog.HeadOf(item)
		if err != nil {
			record.LogUnreadable(ctx, item.Key, err)
		} else if h != nil {
			changed, changedAt = append(changed, h), append(changedAt, at[n])
		}
	}
	err = catalog.Complete(ctx, s.table, changed, func(i int, w *catalog.Whole) {
		l := listedOf(w)
		all[changedAt[i]] = l
		s.listed.Set(catalog.ProductKey(shop, w.ID), l)
	})
	return all, err
}
