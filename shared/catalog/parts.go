package catalog

import (
	"slices"

	"eshop/shared/record"
	"eshop/shared/store"
)

// A part holds at most partVariants variants and partBytes of JSON, so that no item comes near the 350 KB at which
// changes no longer ride on it. A variant alone is always smaller (at most 50 prices and 50 parameters of 255
// characters).
const (
	partVariants = 50
	partBytes    = 250 << 10
)

// entry is what a head says of a part: the variants in it, in their order, and its version, which tells a reader who
// got head and part from before and after a write.
type entry struct {
	Version string   `json:"v"`
	IDs     []string `json:"i"`
}

// part is some of a product's variants, in an item of their own.
type part struct {
	entry
	variants []Variant // without stock, which is in the head
	doc      []byte    // as stored
}

// newPart encodes variants as a part. Its version comes when it is written.
func newPart(variants []Variant) part {
	p := part{variants: variants, doc: record.Document(variants)}
	for _, v := range variants {
		p.IDs = append(p.IDs, v.ID)
	}
	return p
}

// arrange distributes the variants that are left of parts, and new ones behind them, so that every part keeps its
// bounds and as few parts as can be change: they stay where they were, unless the product has grown holes.
func arrange(parts [][]Variant, added []Variant) []part {
	var out []part
	total := len(added)
	for _, variants := range parts {
		total += len(variants)
		out = append(out, cut(variants)...)
	}
	if n := len(out); n > 0 && len(added) > 0 {
		out = append(out[:n-1], cut(slices.Concat(out[n-1].variants, added))...)
	} else {
		out = append(out, cut(added)...)
	}
	if len(out) > 2*(total/partVariants+1) && sparse(out) {
		return cut(slices.Concat(lists(out)...))
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

func lists(parts []part) [][]Variant {
	all := make([][]Variant, len(parts))
	for i, p := range parts {
		all[i] = p.variants
	}
	return all
}

// cut makes as few parts of the variants as their bounds allow: one when they fit, none of none.
func cut(variants []Variant) []part {
	if len(variants) == 0 {
		return nil
	}
	if p := newPart(variants); len(variants) <= partVariants && len(p.doc) <= partBytes {
		return []part{p}
	}
	var out []part
	from, size := 0, 0
	for i, v := range variants {
		n := len(record.Document(v)) + 1
		if i > from && (i-from == partVariants || size+n+1 > partBytes) {
			out = append(out, newPart(variants[from:i:i]))
			from, size = i, 0
		}
		size += n
	}
	return append(out, newPart(variants[from:]))
}

// counted is what Item.Parts of a head says: the number of its parts, doubled, and one more when there is a text item.
// An index shows nothing else, so it is what tells a page's reader which keys to get.
func counted(parts int, text bool) int {
	n := parts << 1
	if text {
		n++
	}
	return n
}

// KeysOf are the keys of all items of the product whose head an index shows.
func KeysOf(row store.Item) []store.Key {
	keys := []store.Key{row.Key}
	for n := range row.Parts >> 1 {
		keys = append(keys, store.Key{PK: row.PK, SK: partSK(n)})
	}
	if row.Parts&1 == 1 {
		keys = append(keys, store.Key{PK: row.PK, SK: textSK})
	}
	return keys
}
