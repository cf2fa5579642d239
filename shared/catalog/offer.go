package catalog

import "eshop/shared/field"

// Offer is at what prices something is sold, and whether it is there: of a product with variants its active ones.
type Offer struct {
	InStock bool // some of it
	Choice  bool // there is a variant to be chosen
	prices  [][]Price
}

// PriceAt is the lowest price at the level, and whether there are others; false when nothing of it is sold.
func (o Offer) PriceAt(level string) (price field.Money, others, sold bool) {
	for _, p := range o.prices {
		next, ok := PriceAt(p, level)
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

// Offer is the product's.
func (w *Whole) Offer() Offer {
	d := w.Details()
	if !w.HasVariants() {
		return Offer{InStock: d.Stock.Quantity > 0, prices: [][]Price{d.PriceLevels}}
	}
	o := Offer{Choice: true}
	for _, v := range w.Variants() {
		if v.Active {
			o.InStock = o.InStock || v.Stock.Quantity > 0
			o.prices = append(o.prices, pricesOf(d, v.VariantDetails))
		}
	}
	return o
}
