package catalog

import (
	"bytes"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/record"
	"eshop/shared/store"
)

// save makes the operations that write after over before: the head first, on the condition, then the parts and texts that
// have changed, the claims of names, and the categories. It completes after: its version, its item as it is stored, and
// the versions of its parts and texts.
func save(shop string, before, after reading, version string, condition store.Condition, n *names) []store.Op {
	pk := ProductKey(shop, after.ID).PK
	after.Version = version
	var ops []store.Op
	was, is := before.parts(), after.parts()
	for i := range is {
		if i < len(was) && bytes.Equal(was[i].doc, is[i].doc) {
			is[i].Version = was[i].Version
		} else {
			is[i].Version = version
			ops = append(ops, store.Put(store.Item{Key: store.Key{PK: pk, SK: partSK(i)}, Version: version, Doc: is[i].doc}))
		}
		after.partRefs[i] = is[i].partRef
	}
	for i := len(is); i < len(was); i++ {
		ops = append(ops, store.Delete(store.Key{PK: pk, SK: partSK(i)}))
	}
	text := store.Key{PK: pk, SK: textSK}
	switch {
	case after.texts == nil: // they were not read, and stay as they are
	case after.texts.bytes() <= textBytes:
		if after.textVersion = ""; before.textVersion != "" {
			ops = append(ops, store.Delete(text))
		}
	case before.textVersion == "" || *before.texts != *after.texts:
		after.textVersion = version
		ops = append(ops, store.Put(store.Item{Key: text, Version: version, Doc: record.Document(after.texts)}))
	}
	ops = append(ops, saveNames(shop, before, after, n)...)
	ops = append(ops, saveCategories(shop, before.Head, after.Head)...)
	head := after.stored(shop)
	after.item = &head
	return append([]store.Op{store.Put(head, condition)}, ops...)
}

func (t texts) bytes() int { return len(t.Short) + len(t.Long) }

// saveNames claims the codes and the externalId that are new, and releases those that the product has no more.
func saveNames(shop string, before, after reading, n *names) (ops []store.Op) {
	owner := ownerOf(KindProduct, after.ID)
	had, has := before.codes(before.parts()), after.codes(after.parts())
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

// planDelete makes the operations and records that delete the product with its URLs: the head becomes a tombstone, which
// answers 404 for 30 days, and everything beside it goes. What does not fit into one transaction, only ever URLs, is in
// the second list: readers know by the head that they are gone.
func planDelete(
	shop string, h *Head, urls []URL, version string, now time.Time,
) (first, then []store.Op, records []events.Record) {
	ops := []store.Op{tombstone(h.item.Key, h.Version, version, now)}
	for _, id := range h.details.CategoryIDs {
		ops = append(ops, store.Delete(productInCategory(shop, id, h.ID)))
	}
	for _, key := range h.beside() {
		ops = append(ops, store.Delete(key))
	}
	gone, told := planDeleteURLs(shop, urls, version)
	own := events.Record{Kind: events.Products, ID: h.ID, Did: events.Deleted, Version: version,
		Variants: h.VariantIDs()}
	records = append([]events.Record{own}, told...)
	ops = append(ops, gone...)
	most := min(len(ops), store.MaxOperations-changeOps(len(urls)))
	return ops[:most:most], ops[most:], records
}

// changeOps is how many operations of its transaction the change of a deletion may take, by the number of URLs that it
// tells of: one that is too big for the head's item has items of its own, which hold 2,000 records each with room to
// spare.
func changeOps(urls int) int { return 1 + urls/2_000 }

// tombstone is the operation that puts a tombstone over an item of that version.
func tombstone(key store.Key, was, version string, now time.Time) store.Op {
	return store.Put(record.Tombstone(key, version, now), store.VersionIs(was))
}
