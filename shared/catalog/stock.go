package catalog

import (
	"context"

	"eshop/events"
	"eshop/shared/field"
	ids "eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/store"
)

// What orders need of products: their heads in one Get, the variants of some in another, prices, and operations that
// take stock and put it back. They touch heads only.

// Heads reads products without their variants and long texts: one Get for a hundred of them, strongly consistent; nil
// where there is none or it was deleted. Stock, codes, prices and activity of the products themselves are in it, and
// the stock of every variant.
func Heads(ctx context.Context, t store.Table, shop string, products []string) ([]*Head, error) {
	var keys []store.Key
	var places []int
	for i, p := range products {
		if ids.Valid(p) {
			keys, places = append(keys, ProductKey(shop, p)), append(places, i)
		}
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := make([]*Head, len(products))
	for i, item := range items {
		if all[places[i]], err = HeadOf(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// VariantsOf reads one variant of each of several products whose heads were read: one Get for a hundred parts. It is
// zero where the product, nil ones included, has no such variant, or "" is asked for; a product that was written
// since its head was read is read whole.
func VariantsOf(ctx context.Context, t store.Table, shop string, heads []*Head, variants []string) ([]Variant, error) {
	keys := make([]store.Key, 0, len(heads))
	places := make(map[int]int, len(heads))
	for i, h := range heads {
		if n := h.partOf(variants[i]); n >= 0 {
			places[i] = len(keys)
			keys = append(keys, store.Key{PK: ProductKey(shop, h.ID).PK, SK: partSK(n)})
		}
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := make([]Variant, len(heads))
	for i, place := range places {
		if all[i], err = variantIn(ctx, t, shop, heads[i], variants[i], items[place]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// partOf is the number of the part that the variant is in; -1: it is in none.
func (h *Head) partOf(variant string) int {
	if h == nil || !h.Has(variant) {
		return -1
	}
	for n, p := range h.parts {
		for _, id := range p.IDs {
			if id == variant {
				return n
			}
		}
	}
	return -1
}

// variantIn finds the variant in its part.
func variantIn(
	ctx context.Context, t store.Table, shop string, head *Head, variant string, item *store.Item,
) (Variant, error) {
	if item == nil || item.Version != head.parts[head.partOf(variant)].Version {
		w, err := ReadProduct(ctx, t, shop, head.ID)
		if w == nil || err != nil {
			return Variant{}, err
		}
		v, _ := w.Variant(variant)
		return v, nil
	}
	var variants []Variant
	if err := item.Into(&variants); err != nil {
		return Variant{}, err
	}
	for _, v := range variants {
		if v.ID == variant {
			v.Stock = head.stock[variant]
			return v, nil
		}
	}
	return Variant{}, nil
}

// HasVariants says whether the product is sold by its variants only.
func (h *Head) HasVariants() bool { return len(h.stock) > 1 }

// StockOf is the stock of a variant, of the product itself for ""; false when there is no such variant.
func (h *Head) StockOf(variant string) (Stock, bool) {
	s, ok := h.stock[variant]
	return s, ok
}

// PriceOf is the price of a product, or of a variant of it, at a level: the variant's own there or at the default
// level, else the product's.
func PriceOf(d ProductDetails, v VariantDetails, level string) field.Money {
	if price, ok := PriceAt(v.PriceLevels, level); ok {
		return price
	}
	price, _ := PriceAt(d.PriceLevels, level)
	return price
}

// Move is so many pieces of a product, by variant; "" is the product itself.
type Move map[string]int64

// Take takes stock from a product as one operation on its head, with the record of the change. It does not hold when
// there is too little of anything, or the variant or product is gone: the failure's item then shows what there is
// (Available).
func Take(shop string, h *Head, pieces Move, order []string, version string) (store.Op, events.Record) {
	return h.move(shop, pieces, order, -1, version)
}

// PutBack puts stock back. What is gone meanwhile must be left out: it does not hold then.
func PutBack(shop string, h *Head, pieces Move, order []string, version string) (store.Op, events.Record) {
	return h.move(shop, pieces, order, 1, version)
}

// move adds or takes pieces; order is the variants in the order in which they are told.
func (h *Head) move(shop string, pieces Move, order []string, sign int64, version string) (store.Op, events.Record) {
	told := events.Record{Kind: events.Products, ID: h.ID, Did: events.Changed, Version: version,
		Groups: []events.Group{events.Stock}}
	for _, variant := range order {
		if variant != "" {
			told.Variants = append(told.Variants, variant)
		}
	}
	if len(order) > maxTouched {
		return h.moveWhole(shop, pieces, order, sign, version), told
	}
	index := record.Place(shardOf(shop, h.ID), version, h.ID)
	to := store.Set{Version: version, Index1: &index, Add: map[string]int64{}}
	var conds []store.Condition
	for _, variant := range order {
		n := sign * pieces[variant]
		to.Add[quantityOf(variant)] = n
		conds = append(conds, bounds(variant, n)...)
	}
	return store.Update(ProductKey(shop, h.ID), to, conds...), told
}

// maxTouched is how many quantities one operation changes each by itself: DynamoDB's expressions end at 4 KB. More
// are written with the whole head, on condition of its version: a failure that shows another version wants to be
// tried again.
const maxTouched = 25

// moveWhole is move of many variants at once. When there is too little of one, it does not hold for that reason.
func (h *Head) moveWhole(shop string, pieces Move, order []string, sign int64, version string) store.Op {
	next := h.clone()
	next.Version = version
	conds := []store.Condition{store.VersionIs(h.Version)}
	for _, variant := range order {
		n := sign * pieces[variant]
		s, has := h.stock[variant]
		if s.Quantity += n; !has || s.Quantity < 0 || s.Quantity > MaxStock {
			return store.Update(ProductKey(shop, h.ID), store.Set{Version: version}, append(conds, bounds(variant, n)...)...)
		}
		next.stock[variant] = s
	}
	return store.Put(next.stored(shop), conds...)
}

// bounds must hold for a quantity to which n is to be added: that there is such a variant, enough of it, not too much.
func bounds(variant string, n int64) []store.Condition {
	name := quantityOf(variant)
	conds := []store.Condition{store.AtLeast(name, max(0, -n))}
	if n > 0 {
		conds = append(conds, store.AtMost(name, MaxStock-n))
	}
	return conds
}
