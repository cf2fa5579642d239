package catalog

import (
	"bytes"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/record"
	"eshop/shared/store"
)

// save is what it takes to make before into after, which gets the version: the head's operation first, on the
// condition.
func save(
	shop string, before, after *Head, v variantsEdit, version string, condition store.Condition, n *names,
) []store.Op {
	after.Version = version
	ops := saveVariants(shop, after, v)
	ops = append(ops, saveTexts(shop, before, after)...)
	ops = append(ops, saveNames(shop, before, after, v, n)...)
	ops = append(ops, saveCategories(shop, before, after)...)
	head := after.stored(shop)
	after.item = &head
	return append([]store.Op{store.Put(head, condition)}, ops...)
}

// saveVariants writes the parts that changed and takes away those that are no more.
func saveVariants(shop string, head *Head, v variantsEdit) (ops []store.Op) {
	pk := ProductKey(shop, head.ID).PK
	for n := range v.after {
		p := &v.after[n]
		if n < len(v.before) && bytes.Equal(v.before[n].doc, p.doc) {
			p.Version = v.before[n].Version
		} else {
			p.Version = head.Version
			ops = append(ops, store.Put(store.Item{Key: store.Key{PK: pk, SK: partSK(n)}, Version: p.Version, Doc: p.doc}))
		}
		head.entries[n] = p.entry
	}
	for n := len(v.after); n < len(v.before); n++ {
		ops = append(ops, store.Delete(store.Key{PK: pk, SK: partSK(n)}))
	}
	return ops
}

// saveTexts writes the text item or takes it away. Texts that were not read stay as they are.
func saveTexts(shop string, before, after *Head) []store.Op {
	key := store.Key{PK: ProductKey(shop, after.ID).PK, SK: textSK}
	switch {
	case after.texts == nil:
		return nil
	case after.texts.bytes() <= textBytes:
		if after.apart = ""; before.apart == "" {
			return nil
		}
		return []store.Op{store.Delete(key)}
	case before.apart != "" && *before.texts == *after.texts:
		return nil
	}
	after.apart = after.Version
	return []store.Op{store.Put(store.Item{Key: key, Version: after.Version, Doc: record.Document(after.texts)})}
}

func (t texts) bytes() int { return len(t.Short) + len(t.Long) }

// saveNames claims the codes and the externalId that are new, and gives back those that are no more.
func saveNames(shop string, before, after *Head, v variantsEdit, n *names) (ops []store.Op) {
	owner := ownerOf(OfProduct, after.ID)
	had, has := before.codes(v.before), after.codes(v.after)
	for _, code := range has {
		if !slices.Contains(had, code) {
			ops = append(ops, n.claim(CodeKey(shop, code), owner, codeTaken(code)))
		}
	}
	for _, code := range had {
		if code != "" && !slices.Contains(has, code) {
			ops = append(ops, record.ReleaseClaim(CodeKey(shop, code), owner))
		}
	}
	was, is := string(before.details.ExternalID), string(after.details.ExternalID)
	if is != was && is != "" {
		ops = append(ops, n.claim(ExternalKey(shop, is), owner, externalTaken()))
	}
	if is != was && was != "" {
		ops = append(ops, record.ReleaseClaim(ExternalKey(shop, was), owner))
	}
	return ops
}

// saveCategories puts the product into the categories it joins and takes it out of those it leaves.
func saveCategories(shop string, before, after *Head) (ops []store.Op) {
	had, has := before.details.CategoryIDs, after.details.CategoryIDs
	for _, id := range has {
		if !slices.Contains(had, id) {
			ops = append(ops, store.Put(store.Item{Key: productInCategory(shop, id, after.ID)}))
		}
	}
	for _, id := range had {
		if !slices.Contains(has, id) {
			ops = append(ops, store.Delete(productInCategory(shop, id, after.ID)))
		}
	}
	return ops
}

// remove is what it takes to delete the product with its URLs: a tombstone that answers 404 for 30 days, and
// everything beside it away. What does not go into one transaction, only ever URLs, is in the second list: readers
// know by the head that they are gone.
func remove(
	shop string, h *Head, urls []URL, version string, now time.Time,
) (first, then []store.Op, records []events.Record) {
	ops := []store.Op{tombstone(h.item.Key, h.Version, version, now)}
	for _, id := range h.details.CategoryIDs {
		ops = append(ops, store.Delete(productInCategory(shop, id, h.ID)))
	}
	for _, key := range h.beside() {
		ops = append(ops, store.Delete(key))
	}
	gone, told := removed(shop, urls, version)
	own := events.Record{Kind: events.Products, ID: h.ID, Did: events.Deleted, Version: version,
		Variants: h.VariantIDs()}
	records = append([]events.Record{own}, told...)
	ops = append(ops, gone...)
	most := min(len(ops), store.MaxOperations-riders(len(urls)))
	return ops[:most:most], ops[most:], records
}

// riders is how many places the change of a deletion takes in its transaction, by how many URLs it tells of: 2,000
// records are well below what an item holds.
func riders(urls int) int { return 1 + urls/2_000 }

func tombstone(key store.Key, was, version string, now time.Time) store.Op {
	return store.Put(record.Tombstone(key, version, now), store.VersionIs(was))
}
