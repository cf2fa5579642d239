package catalog

import (
	"context"
	"errors"
	"slices"

	"eshop/shared/address"
	ids "eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// ReadProduct is the product with everything of it, strongly consistent: one Query; a problem not_found when there is
// none or it was deleted.
func ReadProduct(ctx context.Context, t store.Table, shop, product string) (*Whole, error) {
	w, err := readWhole(ctx, t, shop, product)
	if w == nil && err == nil {
		return nil, problem.NotFound()
	}
	return w, err
}

// ReadProducts are products with everything of them, a hundred in two calls, strongly consistent. Those that are not
// there are left out.
func ReadProducts(ctx context.Context, t store.Table, shop string, products []string) ([]*Whole, error) {
	heads, err := Heads(ctx, t, shop, products)
	if err != nil {
		return nil, err
	}
	heads = slices.DeleteFunc(heads, func(h *Head) bool { return h == nil })
	all, err := wholes(ctx, t, shop, heads)
	return slices.DeleteFunc(all, func(w *Whole) bool { return w == nil }), err
}

// Heads reads products without their variants and long texts: one Get for a hundred of them, strongly consistent; nil
// where there is none or it was deleted. Stock, codes, prices and activity of the products themselves are in it, and
// the stock of every variant.
func Heads(ctx context.Context, t store.Table, shop string, products []string) ([]*Head, error) {
	var keys []store.Key
	var at []int // the index in products of each key
	for i, p := range products {
		if ids.Valid(p) {
			keys, at = append(keys, ProductKey(shop, p)), append(at, i)
		}
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := make([]*Head, len(products))
	for i, item := range items {
		if all[at[i]], err = HeadOf(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// FindProduct is the product that has a claim, CodeKey or ExternalKey; nil when there is none.
func FindProduct(ctx context.Context, t store.Table, shop string, claim store.Key) (*Whole, error) {
	claims, err := t.Get(ctx, claim)
	if err != nil {
		return nil, err
	}
	w, err := readWhole(ctx, t, shop, address.OwnerOf(claims[0]).Item)
	if errors.Is(err, store.ErrUnreadable) {
		record.LogUnreadable(ctx, claim, err)
		return nil, nil
	}
	return w, err
}

// ReadRows are the products of rows of an index with everything of them, in one call; nil where one is gone. One that
// was written since its row was, or meanwhile, is read again.
func ReadRows(ctx context.Context, t store.Table, shop string, rows []store.Item) ([]*Whole, error) {
	var keys []store.Key
	for _, r := range rows {
		keys = append(keys, KeysOf(r)...)
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	by := make(map[string][]store.Item, len(rows))
	for _, item := range items {
		if item != nil {
			by[item.PK] = append(by[item.PK], *item)
		}
	}
	all := make([]*Whole, len(rows))
	for i, r := range rows {
		if all[i], err = assemble(by[r.PK]); errors.Is(err, errTorn) {
			all[i], err = readWhole(ctx, t, shop, idIn(r.PK))
		}
		if errors.Is(err, store.ErrUnreadable) {
			record.LogUnreadable(ctx, r.Key, err)
			all[i], err = nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// VariantsOf reads one variant of each of several products whose heads were read: one Get for a hundred parts. It is
// zero where the product, nil ones included, has no such variant, or "" is asked for; a product that was written
// since its head was read is read whole. had are items that were read already, by their keys: parts among them are not
// read a second time. It may be nil.
func VariantsOf(
	ctx context.Context, t store.Table, shop string, heads []*Head, variants []string, had map[store.Key]*store.Item,
) ([]Variant, error) {
	parts, err := partsOf(ctx, t, shop, heads, variants, had)
	if err != nil {
		return nil, err
	}
	all := make([]Variant, len(heads))
	for i, h := range heads {
		n, id := h.PartOf(variants[i]), variants[i]
		if n < 0 {
			continue
		}
		item := parts[PartKey(shop, h.ID, n)]
		if item == nil || item.Version != h.partRefs[n].Version {
			w, err := readWhole(ctx, t, shop, h.ID)
			if err != nil {
				return nil, err
			}
			if w != nil {
				all[i], _ = w.Variant(id)
			}
			continue
		}
		var part []Variant
		if err := item.Into(&part); err != nil {
			return nil, err
		}
		if at := slices.IndexFunc(part, func(v Variant) bool { return v.ID == id }); at >= 0 {
			all[i] = part[at]
			all[i].Stock = h.stock[id]
		}
	}
	return all, nil
}

// partsOf are the items of the parts with the variants, by their keys: of had, or read.
func partsOf(
	ctx context.Context, t store.Table, shop string, heads []*Head, variants []string, had map[store.Key]*store.Item,
) (map[store.Key]*store.Item, error) {
	parts := map[store.Key]*store.Item{}
	var missing []store.Key
	for i, h := range heads {
		n := h.PartOf(variants[i])
		if n < 0 {
			continue
		}
		key := PartKey(shop, h.ID, n)
		if item, has := had[key]; has {
			parts[key] = item
			continue
		}
		missing = append(missing, key)
	}
	items, err := store.GetAll(ctx, t, missing)
	for i, item := range items {
		parts[missing[i]] = item
	}
	return parts, err
}

// readWhole is ReadProduct for who expects that there may be none: that is nil.
func readWhole(ctx context.Context, t store.Table, shop, product string) (*Whole, error) {
	w, _, err := readItems(ctx, t, shop, product, textSK)
	return w, err
}

// maxItems is how many items a product has beside its URLs: its head, its parts, of which two neighbours are always
// more than one can hold, and its texts.
const maxItems = 100

// readItems is readWhole that returns the items of the product's partition, too, up to a sort key ("": all).
func readItems(ctx context.Context, t store.Table, shop, product, to string) (*Whole, []store.Item, error) {
	if !ids.Valid(product) {
		return nil, nil, nil
	}
	for range record.Rounds(ctx) {
		items, err := store.QueryAll(ctx, t, store.Query{PK: ProductKey(shop, product).PK, From: headSK, To: to},
			maxItems+address.MaxURLs)
		if err != nil {
			return nil, nil, err
		}
		w, err := assemble(items)
		if !errors.Is(err, errTorn) {
			return w, items, err
		}
	}
	return nil, nil, store.ErrUnavailable
}

// errTorn is a torn read: the product was written meanwhile, so that its head is of one write and the rest of another.
var errTorn = errors.New("catalog: read while written")

// assemble makes a product of the items of its partition.
func assemble(items []store.Item) (*Whole, error) {
	if len(items) == 0 || items[0].SK != headSK || record.Missing(&items[0]) {
		return nil, nil
	}
	w := &Whole{}
	if err := w.read(&items[0]); err != nil {
		return nil, err
	}
	by := make(map[store.Key]*store.Item, len(items))
	for i := range items {
		by[items[i].Key] = &items[i]
	}
	return w, w.complete(by)
}

// complete reads the items beside the head out of those; errTorn when they are not of its write.
func (w *Whole) complete(items map[store.Key]*store.Item) error {
	w.parts = make([]part, len(w.partRefs))
	for n, e := range w.partRefs {
		item := items[store.Key{PK: w.item.PK, SK: partSK(n)}]
		if item == nil || item.Version != e.Version {
			return errTorn
		}
		w.parts[n] = part{partRef: e, doc: item.Doc}
		if err := item.Into(&w.parts[n].variants); err != nil {
			return err
		}
	}
	if w.textVersion == "" {
		return nil
	}
	return w.readTexts(items[w.textKey()])
}

// wholes are products with what is beside their heads, in one call: one that was written meanwhile is read again, nil
// when it is gone.
func wholes(ctx context.Context, t store.Table, shop string, heads []*Head) ([]*Whole, error) {
	var keys []store.Key
	for _, h := range heads {
		keys = append(keys, h.beside()...)
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	by := make(map[store.Key]*store.Item, len(keys))
	for i, key := range keys {
		by[key] = items[i]
	}
	all := make([]*Whole, len(heads))
	for i, h := range heads {
		all[i] = &Whole{Head: *h}
		err := all[i].complete(by)
		if errors.Is(err, errTorn) {
			all[i], err = readWhole(ctx, t, shop, h.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// withTexts are heads with their texts, in one call: one that was written meanwhile is read again, nil when it is gone.
func withTexts(ctx context.Context, t store.Table, shop string, heads []*Head) ([]*Head, error) {
	keys := make([]store.Key, len(heads))
	for i, h := range heads {
		keys[i] = h.textKey()
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(heads)
	for i, h := range heads {
		if err := h.readTexts(items[i]); err == errTorn {
			w, err := readWhole(ctx, t, shop, h.ID)
			if err != nil {
				return nil, err
			}
			if all[i] = nil; w != nil {
				all[i] = &w.Head
			}
		} else if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Complete reads what lies beside the heads of products, atOnce bytes of it together at most, and hands over each whole
// product with the index of its head. One that is gone meanwhile, or cannot be read, which is logged, is left out.
func Complete(ctx context.Context, t store.Table, shop string, heads []*Head, use func(i int, w *Whole)) error {
	for from, some := range portions(heads) {
		all, err := readable(ctx, t, shop, some)
		if err != nil {
			return err
		}
		for n, w := range all {
			if w != nil {
				use(from+n, w)
			}
		}
	}
	return nil
}

// readable is wholes for products of which some cannot be read: those are nil, and logged.
func readable(ctx context.Context, t store.Table, shop string, heads []*Head) ([]*Whole, error) {
	all, err := wholes(ctx, t, shop, heads)
	if !store.Poisoned(err) {
		return all, err
	}
	all = make([]*Whole, len(heads))
	for i, h := range heads {
		one, err := wholes(ctx, t, shop, []*Head{h})
		switch {
		case store.Poisoned(err):
			record.LogUnreadable(ctx, h.item.Key, err)
		case err != nil:
			return nil, err
		default:
			all[i] = one[0]
		}
	}
	return all, nil
}

// PageKeys are the keys of a product that its page reads before it knows how many there are: the head, the text and the
// first of the variants. So they can go into one Get with what else the page reads.
func PageKeys(shop, product string) []store.Key {
	head := ProductKey(shop, product)
	return []store.Key{head, {PK: head.PK, SK: partSK(0)}, {PK: head.PK, SK: textSK}}
}

// PageOf is the product of the items of PageKeys; nil when there is none. One with more variants, or that was written
// meanwhile, takes one more call.
func PageOf(ctx context.Context, t store.Table, shop, product string, items []*store.Item) (*Whole, error) {
	var there []store.Item
	for _, i := range items {
		if i != nil {
			there = append(there, *i)
		}
	}
	w, err := assemble(there)
	if errors.Is(err, errTorn) {
		return readWhole(ctx, t, shop, product)
	}
	return w, err
}
