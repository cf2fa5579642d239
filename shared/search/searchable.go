package search

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/sale"
)

// Searchable is records that can be found.
type Searchable struct {
	of      events.RecordKind
	letter  string // of its keys
	key     func(shop, id string) store.Key
	all     func(t store.Table, shop string) record.Listing
	read    func(ctx context.Context, t store.Table, shop string, ids []string) ([]state, error)
	changed func(events.Record) bool // whether the index may have to say something else of the record now
	sortKey func(*store.Item) string // of a record's item in the list by name; nil: the kind has no such list
}

// state is what the index says of a record, the zero state where there is none.
type state struct {
	version string
	words   []string
	under   string // the value by which lists are narrowed to it
	sortKey string // its place in the list by name
}

// The kinds: customers by names, company, e-mail and phone; products by name and short description, and by code and
// EAN, those of their variants, too; orders by number, e-mail, phone, shipment and names, and by their state. A record
// that cannot be read is not found, as it is in no list.
var (
	Customers = searchable("C", customer.Customers, func(customer.Customer) string { return "" })
	Products  = &Searchable{of: events.Products, letter: "P", key: catalog.ProductKey, all: allProducts,
		read: readProducts, changed: mayChangeWords, sortKey: sortKeyOfProduct}
	Orders = searchable("O", sale.Orders, func(o sale.Order) string { return o.StateID })
)

// searchables are all of them.
var searchables = []*Searchable{Customers, Products, Orders}

// searchable is the kind of plain records. under is the value by which lists are narrowed to a record.
func searchable[R, F any](letter string, k *record.Kind[R, F], under func(R) string) *Searchable {
	read := func(ctx context.Context, t store.Table, shop string, ids []string) ([]state, error) {
		keys := make([]store.Key, len(ids))
		for i, id := range ids {
			keys[i] = k.Key(shop, id)
		}
		items, err := store.GetReadable(ctx, t, keys)
		if err != nil {
			return nil, err
		}
		all := make([]state, len(ids))
		for i, item := range items {
			found := record.Show(ctx, item, k.Show)
			if !found.Missing {
				all[i] = state{version: item.Version, words: k.Words(found.Record), under: under(found.Record)}
			}
		}
		return all, nil
	}
	return &Searchable{of: k.PublishedAs, letter: letter, key: k.Key, all: k.Listing, read: read,
		changed: func(events.Record) bool { return true }}
}

// allProducts are the shop's products.
func allProducts(t store.Table, shop string) record.Listing {
	rows, _ := catalog.ProductList(t, shop, "")
	return rows
}

// readProducts reads what the index says of products.
func readProducts(ctx context.Context, t store.Table, shop string, ids []string) ([]state, error) {
	keys := make([]store.Key, len(ids))
	for i, id := range ids {
		keys[i] = catalog.ProductKey(shop, id)
	}
	items, err := store.GetReadable(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	heads := make([]*catalog.Head, len(ids))
	for i, item := range items {
		if heads[i], err = catalog.HeadOf(item); err != nil {
			record.LogUnreadable(ctx, keys[i], err)
		}
	}
	all := make([]state, len(ids))
	err = catalog.Complete(ctx, t, heads, func(i int, w *catalog.Whole) {
		all[i] = state{version: w.Version, words: w.Words(), sortKey: sortKeyOf(string(w.Details().Name), w.ID)}
	})
	return all, err
}

// sortKeyOfProduct is the place of a product in the list by name, read from the item of its head; "" if the product is
// gone or its item cannot be read.
func sortKeyOfProduct(item *store.Item) string {
	h, err := catalog.HeadOf(item)
	if h == nil || err != nil {
		return ""
	}
	return sortKeyOf(string(h.Details().Name), h.ID)
}

// mayChangeWords says whether what happened to a product may have changed its words. Stock changes with each order, and
// has none.
func mayChangeWords(r events.Record) bool {
	return r.Did != events.Changed || slices.Contains(r.Groups, events.Basic) ||
		slices.Contains(r.Groups, events.Variants)
}
