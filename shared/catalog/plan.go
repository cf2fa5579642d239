package catalog

import (
	"bytes"
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// plan makes the operations and records by which before becomes next, which gets its version and address; no records
// when nothing changed. before is newWhole for a new product.
func plan(
	ctx context.Context, u *change.Unit, before, next *known, names *address.Names,
) ([]store.Op, []events.Record, error) {
	next.Version = u.NextVersion(before.Version)
	acquire, release := record.ClaimsBetween(before.claims(u.Shop), next.claims(u.Shop))
	keys := each.Of(acquire, func(c record.Claim) store.Key { return c.Key })
	owner, name := ownerOf(next.ID), string(next.details.Name)
	if err := names.LookUp(ctx, keys, names.Slugs(owner, before.Address, name)); err != nil {
		return nil, nil, err
	}
	urls := address.Plan{Address: before.Address}
	if next.details.Name != before.details.Name {
		var err error
		if urls, err = names.Plan(ctx, owner, before.Address, name, next.Version); err != nil {
			return nil, nil, err
		}
	}
	next.Address = urls.Address
	own := events.Record{Kind: events.Products, ID: next.ID, Did: events.Changed, Version: next.Version}
	condition := store.VersionIs(before.Version)
	if before.Version == "" {
		next.Created = record.ChangedAt(next.Version)
		own.Did, own.Variants, condition = events.Created, next.VariantIDs(), store.Absent()
	} else if own.Groups, own.Variants = diff(before, next); len(own.Groups) == 0 && before.Address == next.Address {
		return nil, nil, nil
	}
	var claims []store.Op
	for _, c := range acquire {
		if names.IsTaken(c.Key) {
			return nil, nil, c.Taken
		}
		claims = append(claims, names.Claim(c.Key, owner))
	}
	for _, key := range release {
		claims = append(claims, record.ReleaseClaim(key, owner.Claims()))
	}
	ops := slices.Concat(save(u.Shop, before, next, condition), claims, urls.Ops)
	return ops, append([]events.Record{own}, urls.Records...), nil
}

// save makes the operations that write the items of after over those of before: the head first, on the condition, then
// the parts and texts that have changed, and the categories. It completes after: its item as it is stored, and the
// versions of its parts and texts.
func save(shop string, before, after *known, condition store.Condition) []store.Op {
	beside := slices.Concat(saveParts(shop, before, after), saveTexts(shop, before, after),
		saveCategories(shop, before, after))
	head := after.stored(shop)
	after.item = &head
	return append([]store.Op{store.Put(head, condition)}, beside...)
}

// writeDeletion writes what is deleted and tells of it, with the URLs of that: as many of them as have room in the
// transaction beside ops and the change, and the others behind it. Readers know by the tombstone that they are gone, so
// it is only logged when that fails. A change that is too big for the first item has items of its own, which hold 2,000
// records each with room to spare.
func (c Catalog) writeDeletion(
	ctx context.Context, u *change.Unit, own events.Record, ops []store.Op, urls []address.URL,
) error {
	then, records := address.Deletion(u.Shop, urls, own.Version)
	room := min(len(then), store.MaxOperations-len(ops)-1-len(urls)/2_000)
	told := u.ChangeOf(append([]events.Record{own}, records...))
	if _, err := u.Write(ctx, own, told, append(ops, then[:room]...)...); err != nil {
		return err
	}
	for some := range slices.Chunk(then[room:], store.MaxOperations) {
		if _, err := u.Table.Write(ctx, events.Nothing, some...); err != nil {
			c.Log.WarnContext(ctx, "URLs of what was deleted stay behind", "requestId", u.LogID(), "error", err)
			return nil
		}
	}
	return nil
}

// release deletes the claims of an owner that is gone, and of its URLs: they are free without it, but would stay for
// ever. One that another has taken over meanwhile is left alone.
func (c Catalog) release(
	ctx context.Context, u *change.Unit, owner address.Owner, urls []address.URL, claims ...record.Claim,
) {
	_, keys := record.ClaimsBetween(claims, nil)
	for _, url := range urls {
		keys = append(keys, address.SlugKey(u.Shop, url.Slug))
	}
	for some := range slices.Chunk(keys, store.MaxOperations) {
		free := record.Claims{Owner: owner.Claims(), Release: some}
		if _, err := free.Write(ctx, u.Table, func(ops ...store.Op) (store.Item, error) {
			if len(ops) == 0 { // all are others' by now
				return store.Item{}, nil
			}
			return u.Table.Write(ctx, events.Nothing, ops...)
		}); err != nil {
			c.Log.WarnContext(ctx, "claims of what was deleted stay behind", "requestId", u.LogID(), "error", err)
		}
	}
}

// tombstone is the operation that puts a tombstone over an item of that version.
func tombstone(key store.Key, was, version string, now time.Time) store.Op {
	return store.Put(record.Tombstone(key, version, now), store.VersionIs(was))
}

// saveParts writes the parts that are not as they were, and deletes those that are no more.
func saveParts(shop string, before, after *known) (ops []store.Op) {
	was, is := before.parts, after.parts
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
func saveTexts(shop string, before, after *known) []store.Op {
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

// claims are those of the product's codes, as far as it was read, and of its externalId.
func (k *known) claims(shop string) (all []record.Claim) {
	for _, code := range k.codes() {
		if code != "" {
			all = append(all, record.Claim{Key: CodeKey(shop, code), Taken: CodeTaken(code)})
		}
	}
	if external := string(k.details.ExternalID); external != "" {
		all = append(all, record.Claim{Key: ExternalKey(shop, external),
			Taken: problem.Conflict("external_id_taken", "Another product of this shop has this externalId.")})
	}
	return all
}

// saveCategories puts the product into the categories it joins and takes it out of those it leaves.
func saveCategories(shop string, before, after *known) (ops []store.Op) {
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

// CodeTaken is the answer when another product or variant has the code.
func CodeTaken(code string) *problem.Problem {
	return problem.Conflict("code_taken", "The code "+code+" belongs to another product or variant of this shop.")
}
