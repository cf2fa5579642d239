package catalog

import (
	"slices"

	"eshop/shared/base/each"
	"eshop/shared/base/words"
	"eshop/shared/record"
)

// Whole is a product with all of it read: its head with the texts, and its variants. Nothing else shows either.
type Whole struct{ known }

// known is a product as far as it was read: a batch that needs the head alone leaves the rest of it unread. What was
// not read is nil, and is written back as it is.
type known struct {
	Head
	parts []part // as the head's entries have them
}

// newWhole is a product of which nothing is known but its id.
func newWhole(id string) *Whole {
	w := &Whole{known{Head: Head{ID: id, stock: map[string]Stock{}}}}
	w.setDetails(ProductDetails{})
	return w
}

// HasCode says whether the product or one of its variants has the code.
func (w *Whole) HasCode(code string) bool { return slices.Contains(w.codes(), code) }

// Words are those by which a search finds the product: first so many, its own, of its name, code and EAN, then those of
// its variants' codes and EANs. A code is one word.
func (w *Whole) Words() (all []string, own int) {
	d := w.Details()
	texts := []string{string(d.Name), words.Code(string(d.Code)), string(d.EAN)}
	own = len(words.In(texts...))
	for _, v := range w.Variants() {
		texts = append(texts, words.Code(string(v.Code)), string(v.EAN))
	}
	return words.In(texts...), own
}

// Product is the product as answers show it.
func (w *Whole) Product(website string) Product {
	return Product{ID: w.ID, ProductDetails: w.Details(), URL: w.Address.URL(website), Variants: w.Variants(),
		Created: w.Created, Changed: record.ChangedAt(w.Version)}
}

// Variants are the product's, in their order.
func (w *Whole) Variants() []Variant {
	all := make([]Variant, 0, len(w.stock)-1)
	for _, p := range w.parts {
		all = append(all, w.variantsIn(p)...)
	}
	return all
}

// variantsIn are the variants of a part of the product's.
func (h *Head) variantsIn(p part) []Variant {
	all := slices.Clone(p.variants)
	for i := range all {
		v := &all[i]
		v.Stock, v.Parameters, v.PriceLevels = h.stock[v.ID], orEmpty(v.Parameters), orEmpty(v.PriceLevels)
	}
	return all
}

// Variant is one of the product's.
func (w *Whole) Variant(id string) (Variant, bool) { return variantOf(w.Variants(), id) }

// variantOf is the one of variants with the id.
func variantOf(variants []Variant, id string) (Variant, bool) {
	for _, v := range variants {
		if v.ID == id {
			return v, true
		}
	}
	return Variant{}, false
}

// Details are the product's own.
func (w *Whole) Details() ProductDetails {
	d := w.details
	d.Stock, d.ShortDescription, d.Description = w.stock[""], w.texts.Short, w.texts.Long
	return d
}

// setDetails replaces the product's own details.
func (w *Whole) setDetails(d ProductDetails) {
	w.stock[""] = d.Stock
	w.setOwn(d)
}

// clone is a copy to be changed.
func (w *Whole) clone() *Whole { return &Whole{*w.known.clone()} }

// clone is a copy to be changed.
func (k *known) clone() *known { return &known{*k.Head.clone(), slices.Clone(k.parts)} }

// setVariants replaces the variants: each by what keep makes of it, or none, and added ones behind. Those that stay are
// in the parts they were in.
func (w *Whole) setVariants(keep func(Variant) (Variant, bool), added ...Variant) {
	groups := make([][]Variant, len(w.parts))
	for i, p := range w.parts {
		for _, v := range p.variants {
			v.Stock = w.stock[v.ID]
			if v, ok := keep(v); ok {
				groups[i] = append(groups[i], w.withoutStock(v))
			} else {
				delete(w.stock, v.ID)
			}
		}
	}
	w.parts = arrange(groups, each.Of(added, w.withoutStock)) // which moves their stock into the head
	w.partRefs = each.Of(w.parts, func(p part) partRef { return p.partRef })
}

// withoutStock moves a variant's stock into the head, where stock is stored; the variant that it returns has none.
func (w *Whole) withoutStock(v Variant) Variant {
	w.stock[v.ID] = v.Stock
	v.Stock = Stock{}
	return v
}

// setVariant changes one variant.
func (w *Whole) setVariant(to Variant) {
	w.setVariants(func(v Variant) (Variant, bool) {
		if v.ID == to.ID {
			return to, true
		}
		return v, true
	})
}

// removeVariant takes one variant away.
func (w *Whole) removeVariant(id string) {
	w.setVariants(func(v Variant) (Variant, bool) { return v, v.ID != id })
}

// addVariants puts variants behind those there are.
func (w *Whole) addVariants(added []Variant) {
	w.setVariants(func(v Variant) (Variant, bool) { return v, true }, added...)
}
