package search

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
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
	document
	under   string // the value by which lists are narrowed to it
	sortKey string // its place in the list by name
}

// The kinds: customers by names, company, e-mail and phone; products by name, code and EAN, and by those of their
// variants; orders by number, e-mail, phone, shipment and names, and by their state. A record
// that cannot be read is not found, as it is in no list.
var (
	Customers = searchable("C", customer.Customers, func(customer.Customer) string { return "" })
	Products  = &Searchable{of: events.Products, letter: "P", key: catalog.ProductKey, all: allProducts,
		read: readProducts, changed: mayChangeRows, sortKey: sortKeyOfProduct}
	Orders = searchable("O", sale.Orders, func(o sale.Order) string { return o.StateID })
)

// searchables are all of them.
var searchables = []*Searchable{Customers, Products, Orders}

// searchable is the kind of plain records. under is the value by which lists are narrowed to a record.
func searchable[R, F any](letter string, kind *record.Kind[R, F], under func(R) string) *Searchable {
	read := func(ctx context.Context, t store.Table, shop string, ids []string) ([]state, error) {
		keys := each.Of(ids, func(id string) store.Key { return kind.Key(shop, id) })
		items, err := store.GetReadable(ctx, t, keys)
		if err != nil {
			return nil, err
		}
		all := make([]state, len(ids))
		for i, item := range items {
			found := record.Show(ctx, item, kind.Show)
			if !found.Missing {
				all[i] = state{version: item.Version, under: under(found.Record)}
				all[i].Words = kind.Words(found.Record)
			}
		}
		return all, nil
	}
	return &Searchable{of: kind.PublishedAs, letter: letter, key: kind.Key, all: kind.Listing, read: read,
		changed: func(events.Record) bool { return true }}
}

// allProducts are the shop's products.
func allProducts(t store.Table, shop string) record.Listing {
	rows, _ := catalog.ProductList(t, shop, "")
	return rows
}

// readProducts reads what the index says of products.
func readProducts(ctx context.Context, t store.Table, shop string, ids []string) ([]state, error) {
	keys := each.Of(ids, func(id string) store.Key { return catalog.ProductKey(shop, id) })
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
		all[i] = state{version: w.Version, sortKey: sortKeyOf(string(w.Name()), w.ID)}
		all[i].Words, all[i].Own = w.Words()
		all[i].Offer = offerOf(w)
		all[i].Lists = append([]string{allProductsList}, w.Details().CategoryIDs...)
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
	return sortKeyOf(string(h.Name()), h.ID)
}

// mayChangeRows says whether what happened to a product may have changed its words or its offer. Stock changes with
// each order and is read for it, but it is written only when few are left of many, or none of few, and the other way.
func mayChangeRows(r events.Record) bool {
	return r.Did != events.Changed || slices.ContainsFunc(r.Groups, func(g events.Group) bool {
		return g != events.Units && g != events.InURLs
	})
}

// Offer is what lists sort a product by and sift it by; nil stands for the zero one.
type Offer struct {
	Prices   []catalog.Price `json:"p,omitempty"` // the lowest at each level that it has
	InStock  bool            `json:"s,omitempty"`
	Few      bool            `json:"f,omitempty"` // there are few left
	Hidden   bool            `json:"h,omitempty"` // it is not active, so nobody is sold it
	Pictured bool            `json:"i,omitempty"`
}

// PriceAt is the lowest price at a level; false where it is not sold at any that counts there.
func (o *Offer) PriceAt(level string) (field.Money, bool) {
	if !o.isSold() {
		return 0, false
	}
	return catalog.PriceAt(o.Prices, level)
}

// isSold says whether somebody may buy it, were it there.
func (o *Offer) isSold() bool { return o != nil && !o.Hidden && len(o.Prices) > 0 }

// offerOf is the product's.
func offerOf(w *catalog.Whole) *Offer {
	d, all := w.Details(), shelf.OfferOf(w)
	o := Offer{InStock: all.InStock, Few: all.Few, Hidden: !d.Active, Pictured: len(d.Images) > 0}
	for _, level := range all.Levels() {
		if price, _, sold := all.PriceAt(string(level)); sold {
			o.Prices = append(o.Prices, catalog.Price{Level: level, Price: price})
		}
	}
	return &o
}
