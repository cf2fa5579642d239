package catalog

import (
	"cmp"
	"context"
	"errors"
	"slices"

	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
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
	all, err := wholes(ctx, t, heads)
	return slices.DeleteFunc(all, func(w *Whole) bool { return w == nil }), err
}

// Heads reads products without their variants and long texts: one Get for a hundred of them, strongly consistent; nil
// where there is none or it was deleted. Stock, codes, prices and activity of the products themselves are in it, and
// the stock of every variant.
func Heads(ctx context.Context, t store.Table, shop string, products []string) ([]*Head, error) {
	var keys []store.Key
	for _, p := range products {
		if ids.Valid(p) {
			keys = append(keys, ProductKey(shop, p))
		}
	}
	items, err := store.GetByKey(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := make([]*Head, len(products))
	for i, p := range products {
		if all[i], err = HeadOf(items[ProductKey(shop, p)]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ReadRows are the products of rows of an index with everything of them, in one call; nil where one is gone. One that
// was written since its row was, or meanwhile, is read again.
func ReadRows(ctx context.Context, t store.Table, rows []store.Item) ([]*Whole, error) {
	var keys []store.Key
	for _, r := range rows {
		keys = append(keys, KeysOf(r)...)
	}
	items, err := store.GetByKey(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := make([]*Whole, len(rows))
	for i, r := range rows {
		h, err := HeadOf(items[r.Key])
		if err == nil {
			all[i], err = completed(ctx, t, h, items)
		}
		if errors.Is(err, store.ErrUnreadable) {
			record.LogUnreadable(ctx, r.Key, err)
		} else if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// VariantsOf reads one variant of each of several products whose heads were read: one Get for a hundred parts. It is
// zero where the product, nil ones included, has no such variant, or "" is asked for; a product that was written
// since its head was read is read whole. A part is read once for all its variants that are asked for. had are items
// that were read already, by their keys: parts among them are not read a second time. It may be nil.
func VariantsOf(
	ctx context.Context, t store.Table, heads []*Head, variants []string, had map[store.Key]*store.Item,
) ([]Variant, error) {
	var missing []store.Key
	wanted := map[store.Key][]int{} // in which place a variant of that part is
	for i, h := range heads {
		if n := h.PartOf(variants[i]); n >= 0 {
			key := h.key(partSK(n))
			if _, has := had[key]; !has && wanted[key] == nil {
				missing = append(missing, key)
			}
			wanted[key] = append(wanted[key], i)
		}
	}
	read, err := store.GetByKey(ctx, t, missing)
	if err != nil {
		return nil, err
	}
	all := make([]Variant, len(heads))
	for key, places := range wanted {
		head := heads[places[0]]
		p, err := head.readPart(head.PartOf(variants[places[0]]), cmp.Or(had[key], read[key]))
		found := head.variantsIn(p)
		if errors.Is(err, errTorn) {
			var w *Whole
			if w, _, err = readItems(ctx, t, head.item.Key, textSK); w != nil {
				found = w.Variants()
			}
		}
		if err != nil {
			return nil, err
		}
		for _, i := range places {
			all[i], _ = variantOf(found, variants[i])
		}
	}
	return all, nil
}

// Complete reads what lies beside the heads of products, atOnce bytes of it together at most, and hands over each whole
// product with the index of its head. One that is gone meanwhile, or cannot be read, which is logged, is left out.
func Complete(ctx context.Context, t store.Table, heads []*Head, use func(i int, w *Whole)) error {
	for from, some := range portions(heads) {
		all, err := readable(ctx, t, some)
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
func readable(ctx context.Context, t store.Table, heads []*Head) ([]*Whole, error) {
	all, err := wholes(ctx, t, heads)
	if !store.Poisoned(err) {
		return all, err
	}
	all = make([]*Whole, len(heads))
	for i, h := range heads {
		one, err := wholes(ctx, t, []*Head{h})
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

// wholes are products with what is beside their heads, in one call: nil for a nil head. One that was written meanwhile
// is read again, nil when it is gone.
func wholes(ctx context.Context, t store.Table, heads []*Head) ([]*Whole, error) {
	var keys []store.Key
	for _, h := range heads {
		if h != nil {
			keys = append(keys, h.beside()...)
		}
	}
	items, err := store.GetByKey(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	all := make([]*Whole, len(heads))
	for i, h := range heads {
		if all[i], err = completed(ctx, t, h, items); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// completed is the product of a head (nil: none) by the items beside it. It is read again when they are not of one
// write.
func completed(ctx context.Context, t store.Table, h *Head, items map[store.Key]*store.Item) (*Whole, error) {
	if h == nil {
		return nil, nil
	}
	w, err := h.whole(items)
	if errors.Is(err, errTorn) {
		w, _, err = readItems(ctx, t, h.item.Key, textSK)
	}
	return w, err
}

// readWhole is ReadProduct for who expects that there may be none: that is nil.
func readWhole(ctx context.Context, t store.Table, shop, product string) (*Whole, error) {
	if !ids.Valid(product) {
		return nil, nil
	}
	w, _, err := readItems(ctx, t, ProductKey(shop, product), textSK)
	return w, err
}

// maxItems is how many items a product has beside its URLs: its head, its parts, of which two neighbours are always
// more than one can hold, and its texts.
const maxItems = 100

// readItems reads the product of a head's key, nil when there is none, and returns the items of its partition, too, up
// to a sort key ("": all).
func readItems(ctx context.Context, t store.Table, head store.Key, to string) (*Whole, []store.Item, error) {
	for range record.Rounds(ctx) {
		items, err := store.QueryAll(ctx, t, store.Query{PK: head.PK, From: headSK, To: to}, maxItems+address.MaxURLs)
		if err != nil {
			return nil, nil, err
		}
		if w, err := wholeIn(items, head); !errors.Is(err, errTorn) {
			return w, items, err
		}
	}
	return nil, nil, store.ErrUnavailable
}

// wholeIn is the product of a head's key among the items of its partition; nil where there is no head, or a tombstone.
func wholeIn(items []store.Item, head store.Key) (*Whole, error) {
	by := make(map[store.Key]*store.Item, len(items))
	for i := range items {
		by[items[i].Key] = &items[i]
	}
	h, err := HeadOf(by[head])
	if h == nil || err != nil {
		return nil, err
	}
	return h.whole(by)
}

// errTorn is a torn read: the product was written meanwhile, so that its head is of one write and the rest of another.
var errTorn = errors.New("catalog: read while written")

// whole is the product of the head by the items beside it; errTorn when they are not of its write.
func (h *Head) whole(items map[store.Key]*store.Item) (w *Whole, err error) {
	w = &Whole{known{*h, make([]part, len(h.partRefs))}}
	for n := range w.parts {
		if w.parts[n], err = h.readPart(n, items[h.key(partSK(n))]); err != nil {
			return nil, err
		}
	}
	if h.textVersion == "" {
		return w, nil
	}
	item := items[h.key(textSK)]
	if item == nil || item.Version != h.textVersion {
		return nil, errTorn
	}
	w.texts = &texts{}
	return w, item.Into(w.texts)
}

// readPart reads an item as the head's part of that number; errTorn when it is not of the head's write.
func (h *Head) readPart(n int, item *store.Item) (part, error) {
	if item == nil || item.Version != h.partRefs[n].Version {
		return part{}, errTorn
	}
	p := part{partRef: h.partRefs[n], doc: item.Doc}
	return p, item.Into(&p.variants)
}
