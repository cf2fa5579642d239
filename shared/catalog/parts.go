package catalog

import (
	"slices"

	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// A part holds at most partVariants variants and partBytes of JSON, so that no item comes near the 350 KB at which
// changes no longer ride on it. A variant alone is always smaller (at most 50 prices and 50 parameters of 255
// characters).
const (
	partVariants = 50
	partBytes    = 250 << 10
)

// partRef is what a head says of a part: the ids of its variants, in their order, and its version. By the version a
// reader finds out that its head is of one write and its part of another.
type partRef struct {
	Version string   `json:"v"`
	IDs     []string `json:"i"`
	Size    int      `json:"b,omitempty"` // bytes
}

// part is some of a product's variants, in an item of their own.
type part struct {
	partRef
	variants []Variant // without stock, which is in the head
	doc      []byte    // as stored
}

// arrange distributes the variants that remain in parts, and new ones behind them, so that every part keeps its bounds
// and as few parts as possible change: variants stay where they were, unless deletions have left so many parts so empty
// that all are packed anew.
func arrange(parts [][]Variant, added []Variant) []part {
	var out []part
	total := len(added)
	for _, variants := range parts {
		total += len(variants)
		out = append(out, cut(variants)...)
	}
	if last := len(out) - 1; last >= 0 {
		out, added = out[:last], slices.Concat(out[last].variants, added)
	}
	out = append(out, cut(added)...)
	if len(out) > 2*(total/partVariants+1) && sparse(out) {
		var all []Variant
		for _, p := range out {
			all = append(all, p.variants...)
		}
		return cut(all)
	}
	return out
}

// sparse says whether two neighbours would fit into one part.
func sparse(parts []part) bool {
	for i := 1; i < len(parts); i++ {
		a, b := parts[i-1], parts[i]
		if len(a.IDs)+len(b.IDs) <= partVariants && len(a.doc)+len(b.doc) <= partBytes {
			return true
		}
	}
	return false
}

// cut makes as few parts of the variants as their bounds allow: none of none.
func cut(variants []Variant) (parts []part) {
	for _, v := range variants {
		doc := record.Document(v)
		n := len(parts) - 1
		if n < 0 || len(parts[n].IDs) == partVariants || len(parts[n].doc)+len(",")+len(doc) > partBytes {
			only := slices.Concat([]byte("["), doc, []byte("]"))
			parts = append(parts, part{partRef{IDs: []string{v.ID}}, []Variant{v}, only})
			continue
		}
		p := &parts[n]
		p.IDs, p.variants = append(p.IDs, v.ID), append(p.variants, v)
		p.doc[len(p.doc)-1] = ','
		p.doc = append(append(p.doc, doc...), ']')
	}
	return parts
}

// KeysOf are the keys of all items of the product whose head an index shows.
func KeysOf(row store.Item) []store.Key {
	keys := []store.Key{row.Key}
	beside := record.Own(row.Parts)
	for n := range beside >> 1 {
		keys = append(keys, store.Key{PK: row.PK, SK: partSK(n)})
	}
	if beside&1 == 1 {
		keys = append(keys, store.Key{PK: row.PK, SK: textSK})
	}
	return keys
}
