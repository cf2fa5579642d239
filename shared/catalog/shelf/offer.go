package shelf

import (
	"slices"

	"eshop/shared/catalog"
	"eshop/shared/record/field"
)

// Offer is at what prices something is sold, and whether it is there: of a product with variants its active ones.
type Offer struct {
	InStock bool // some of it
	Few     bool // but no more than FewLeft
	Choice  bool // there is a variant to be chosen
	prices  [][]catalog.Price
}

// PriceAt is the lowest price at the level, and whether there are others; false when nothing of it is sold.
func (o Offer) PriceAt(level string) (price field.Money, others, sold bool) {
	for _, p := range o.prices {
		next, ok := catalog.PriceAt(p, level)
		if !ok {
			continue
		}
		others = others || sold && next != price
		if !sold || next < price {
			price = next
		}
		sold = true
	}
	return price, others, sold
}

// Levels are those at which there is a price, each once, in their order.
func (o Offer) Levels() (levels []field.Name) {
	for _, prices := range o.prices {
		for _, p := range prices {
			levels = append(levels, p.Level)
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// FewLeft is the number of pieces from which down pages say that few are left.
const FewLeft = 5

// OfferOf is the product's.
func OfferOf(w *catalog.Whole) Offer { return OfferWith(w.Details(), w.Variants()) }

// OfferWith is the offer of a product with these variants.
func OfferWith(d catalog.ProductDetails, variants []catalog.Variant) Offer {
	o, left := Offer{Choice: len(variants) > 0}, int64(0)
	if !o.Choice {
		left, o.prices = d.Stock.Quantity, [][]catalog.Price{d.PriceLevels}
	}
	for _, v := range variants {
		if v.Active {
			left += max(0, v.Stock.Quantity)
			o.prices = append(o.prices, pricesOf(d, v.VariantDetails))
		}
	}
	o.InStock, o.Few = left > 0, 0 < left && left <= FewLeft
	return o
}

// pricesOf are the prices of a variant at all levels that it or its product has.
func pricesOf(d catalog.ProductDetails, v catalog.VariantDetails) []catalog.Price {
	if len(v.PriceLevels) == 0 {
		return d.PriceLevels
	}
	var all []catalog.Price
	for _, p := range slices.Concat(v.PriceLevels, d.PriceLevels) {
		if !slices.ContainsFunc(all, func(q catalog.Price) bool { return q.Level == p.Level }) {
			all = append(all, catalog.Price{Level: p.Level, Price: catalog.PriceOf(d, v, string(p.Level))})
		}
	}
	return all
}
