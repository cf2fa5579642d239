package catalog

import (
	"bytes"
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/address"
	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// planCreate makes the operations and records of a new product, which gets its version and address.
func planCreate(ctx context.Context, u *change.Unit, w *Whole, n *address.Names) ([]store.Op, []events.Record, error) {
	version := u.NextVersion("")
	w.Created = record.ChangedAt(version)
	nothing, next := readingOf(newWhole(w.ID)), readingOf(w)
	if err := lookUp(ctx, u.Shop, n, nothing, next); err != nil {
		return nil, nil, err
	}
	plan, err := n.Plan(ctx, ownerOf(w.ID), address.Address{}, string(w.details.Name), version)
	if err != nil {
		return nil, nil, err
	}
	w.Address = plan.Address
	ops, err := save(u.Shop, nothing, next, version, store.Absent(), n)
	if err != nil {
		return nil, nil, err
	}
	created := events.Record{Kind: events.Products, ID: w.ID, Did: events.Created, Version: version,
		Variants: w.VariantIDs()}
	return append(ops, plan.Ops...), append([]events.Record{created}, plan.Records...), nil
}

// planChange makes the operations and records by which before becomes next, which gets its version and address; no
// records when nothing changed.
func planChange(
	ctx context.Context, u *change.Unit, before, next reading, n *address.Names,
) ([]store.Op, []events.Record, error) {
	version := u.NextVersion(before.Version)
	if err := lookUp(ctx, u.Shop, n, before, next); err != nil {
		return nil, nil, err
	}
	plan := address.Plan{Address: before.Address}
	if next.details.Name != before.details.Name {
		var err error
		plan, err = n.Plan(ctx, ownerOf(next.ID), before.Address, string(next.details.Name), version)
		if err != nil {
			return nil, nil, err
		}
	}
	next.Address = plan.Address
	groups, variants := diff(before, next)
	if len(groups) == 0 && before.Address == next.Address {
		return nil, nil, nil
	}
	changed := events.Record{Kind: events.Products, ID: next.ID, Did: events.Changed,
		Variants: variants, Groups: groups, Version: version}
	ops, err := save(u.Shop, before, next, version, store.VersionIs(before.Version), n)
	if err != nil {
		return nil, nil, err
	}
	return append(ops, plan.Ops...), append([]events.Record{changed}, plan.Records...), nil
}

// planDelete makes the operations and records that delete the product with its URLs: the head becomes a tombstone,
// which answers 404 for 30 days, and everything beside it goes. What does not fit into one transaction, only ever URLs,
// is in the second list: readers know by the head that they are gone.
func planDelete(
	shop string, h *Head, urls []address.URL, version string, now time.Time,
) (first, then []store.Op, records []events.Record) {
	ops := []store.Op{tombstone(h.item.Key, h.Version, version, now)}
	for _, id := range h.details.CategoryIDs {
		ops = append(ops, store.Delete(productInCategory(shop, id, h.ID)))
	}
	for _, key := range h.beside() {
		ops = append(ops, store.Delete(key))
	}
	urlOps, urlRecords := address.Deletion(shop, urls, version)
	own := events.Record{Kind: events.Products, ID: h.ID, Did: events.Deleted, Version: version,
		Variants: h.VariantIDs()}
	records = append([]events.Record{own}, urlRecords...)
	ops = append(ops, urlOps...)
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

// save makes the operations that write after over before: the head first, on the condition, then the parts and texts
// that have changed, the claims of names, and the categories. It completes after: its version, its item as it is
// stored, and the versions of its parts and texts.
// It fails with the problem of a name that is another's.
func save(
	shop string, before, after reading, version string, condition store.Condition, n *address.Names,
) ([]store.Op, error) {
	after.Version = version
	claims, err := saveNames(shop, before, after, n)
	if err != nil {
		return nil, err
	}
	beside := slices.Concat(saveParts(shop, before, after), saveTexts(shop, before, after), claims,
		saveCategories(shop, before.Head, after.Head))
	head := after.stored(shop)
	after.item = &head
	return append([]store.Op{store.Put(head, condition)}, beside...), nil
}

// saveParts writes the parts that are not as they were, and deletes those that are no more.
func saveParts(shop string, before, after reading) (ops []store.Op) {
	was, is := before.parts(), after.parts()
	for i := range is {
		if i < len(was) && bytes.Equal(was[i].doc, is[i].doc) {
			is[i].Version = was[i].Version
		} else {
			is[i].Version = after.Version
			ops = append(ops, store.Put(store.Item{Key: PartKey(shop, after.ID, i), Version: after.Version,
				Doc: is[i].doc}))
		}
		is[i].Size = len(is[i].doc)
		after.partRefs[i] = is[i].partRef
	}
	for i := len(is); i < len(was); i++ {
		ops = append(ops, store.Delete(PartKey(shop, after.ID, i)))
	}
	return ops
}

// saveTexts writes the text item when the texts have changed and are too long for the head, and deletes it when they
// have room there.
func saveTexts(shop string, before, after reading) []store.Op {
	key := store.Key{PK: ProductKey(shop, after.ID).PK, SK: textSK}
	switch {
	case after.texts == nil: // they were not read, and stay as they are
	case after.texts.bytes() <= textBytes:
		if after.textVersion, after.textSize = "", 0; before.textVersion != "" {
			return []store.Op{store.Delete(key)}
		}
	case before.textVersion == "" || *before.texts != *after.texts:
		doc := record.Document(after.texts)
		after.textVersion, after.textSize = after.Version, len(doc)
		return []store.Op{store.Put(store.Item{Key: key, Version: after.Version, Doc: doc})}
	}
	return nil
}

// saveNames claims the codes and the externalId that are new, and releases those that the product has no more.
func saveNames(shop string, before, after reading, n *address.Names) (ops []store.Op, err error) {
	owner := ownerOf(after.ID)
	acquire, release := record.ClaimsBetween(before.claims(shop), after.claims(shop))
	for _, c := range acquire {
		if n.IsTaken(c.Key) {
			return nil, c.Taken
		}
		ops = append(ops, n.Claim(c.Key, owner))
	}
	for _, key := range release {
		ops = append(ops, record.ReleaseClaim(key, owner.Claims()))
	}
	return ops, nil
}

// claims are those of the product's codes, as far as it was read, and of its externalId.
func (r reading) claims(shop string) (all []record.Claim) {
	for _, code := range r.codes(r.parts()) {
		if code != "" {
			all = append(all, record.Claim{Key: CodeKey(shop, code), Taken: codeTaken(code)})
		}
	}
	if external := string(r.details.ExternalID); external != "" {
		all = append(all, record.Claim{Key: ExternalKey(shop, external), Taken: externalTaken()})
	}
	return all
}

// lookUp finds out who has the names that a change of a product wants: codes, its externalId, and slugs of a new name.
func lookUp(ctx context.Context, shop string, n *address.Names, before, after reading) error {
	var keys []store.Key
	acquire, _ := record.ClaimsBetween(before.claims(shop), after.claims(shop))
	for _, c := range acquire {
		keys = append(keys, c.Key)
	}
	return n.LookUp(ctx, keys, n.Slugs(ownerOf(after.ID), before.Address, string(after.details.Name)))
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

func (t texts) bytes() int { return len(t.Short) + len(t.Long) }

// codeTaken and externalTaken are the answers when another has the name.
func codeTaken(code string) *problem.Problem {
	return problem.Conflict("code_taken", "The code "+code+" belongs to another product or variant of this shop.")
}

func externalTaken() *problem.Problem {
	return problem.Conflict("external_id_taken", "Another product of this shop has this externalId.")
}
