package catalog

import (
	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// What orders need of products beside Heads and VariantsOf: operations that take stock and put it back. They touch
// heads only.

// HasVariants says whether the product is sold by its variants only.
func (h *Head) HasVariants() bool { return len(h.stock) > 1 }

// StockOf is the stock of a variant, of the product itself for ""; false when there is no such variant.
func (h *Head) StockOf(variant string) (Stock, bool) {
	s, ok := h.stock[variant]
	return s, ok
}

// Pieces are so many pieces of a variant of a product; of the product itself for "".
type Pieces struct {
	Variant  string
	Quantity int64
}

// TakeStock takes stock from a product as one operation on its head, with the record of the change. It does not hold
// when there is too little of anything, the variant or product is gone, or was changed in the version's millisecond or
// later: the failure's item then shows what there is.
func TakeStock(shop string, h *Head, taken []Pieces, version string) (store.Op, events.Record) {
	return h.addStock(shop, taken, -1, version)
}

// PutBackStock puts stock back. What is gone meanwhile must be left out: it does not hold then.
func PutBackStock(shop string, h *Head, back []Pieces, version string) (store.Op, events.Record) {
	return h.addStock(shop, back, 1, version)
}

// maxTouched is how many quantities one update of a head changes: DynamoDB's expressions end at 4 KB. More are written
// with the whole head, on condition of its version: a failure that shows another version is worth another try.
const maxTouched = 25

// addStock adds pieces to the stock of a product, or takes them when sign is -1. The record names the variants in their
// order.
func (h *Head) addStock(shop string, pieces []Pieces, sign int64, version string) (store.Op, events.Record) {
	changed := events.Record{Kind: events.Products, ID: h.ID, Did: events.Changed, Version: version,
		Groups: []events.Group{events.Stock}}
	to, conds := h.touch(shop, version)
	for _, p := range pieces {
		if p.Variant != "" {
			changed.Variants = append(changed.Variants, p.Variant)
		}
		to.Add[quantityOf(p.Variant)] = sign * p.Quantity
		conds = append(conds, bounds(p.Variant, sign*p.Quantity)...)
	}
	if len(pieces) > maxTouched {
		return h.putStock(shop, pieces, sign, version), changed
	}
	return store.Update(ProductKey(shop, h.ID), to, conds...), changed
}

// touch is an update that gives the head a version and no more, and its condition, which holds whoever else has written
// the head meanwhile, as long as they did so before the version's millisecond.
func (h *Head) touch(shop, version string) (store.Set, []store.Condition) {
	index := record.IndexKey(shardOf(shop, h.ID), version, h.ID)
	return store.Set{Version: version, Index1: &index, Num: map[string]int64{}, Add: map[string]int64{},
		Text: map[string]string{}}, []store.Condition{record.VersionRises(version)}
}

// putStock is the operation of addStock for many variants at once. When there is too little of one, it does not hold
// for that reason.
func (h *Head) putStock(shop string, pieces []Pieces, sign int64, version string) store.Op {
	next := h.clone()
	next.Version = version
	same := store.VersionIs(h.Version)
	for _, p := range pieces {
		n := sign * p.Quantity
		s, has := h.stock[p.Variant]
		if s.Quantity += n; !has || s.Quantity < 0 || s.Quantity > MaxStock {
			return store.Update(ProductKey(shop, h.ID), store.Set{Version: version},
				append(bounds(p.Variant, n), same)...)
		}
		next.stock[p.Variant] = s
	}
	return store.Put(next.stored(shop), same)
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
