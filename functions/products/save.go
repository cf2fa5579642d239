package products

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// The most that a product may weigh, in bytes: its head must leave room for what rides on it, and all of it must go
// through one transaction (DynamoDB: 4 MB).
const (
	maxHead  = 300 << 10
	maxWhole = 2 << 20
)

// save computes the operations for after, of that version. before is nil for a new product. Both are whole or neither is;
// of one that is not, parts and text item are left as they are.
func save(shop string, before, after *Kept, version string, n *names) []store.Op {
	s := saving{}
	after.Version = version
	s.ops = append(s.ops, store.Op{}) // the head's, once the parts have their versions
	if after.whole {
		s.parts(shop, before, after, version)
		s.text(shop, before, after, version)
	}
	s.claims(shop, before, after, n)
	s.categories(shop, before, after)
	head := after.item(shop)
	after.head = &head
	if before == nil {
		s.ops[0] = store.Put(head, store.Absent())
	} else {
		s.ops[0] = store.Put(head, store.VersionIs(before.Version))
	}
	return s.ops
}

type saving struct{ ops []store.Op }

// item is the head as it is stored.
func (k *Kept) item(shop string) store.Item {
	d := document{Details: k.details, Created: k.Created, Parts: k.parts, Text: k.text}
	if k.text != "" {
		d.ShortDescription, d.Description = "", ""
	}
	text, num := k.Address.texts(), make(map[string]int64, len(k.stock))
	for variant, s := range k.stock {
		num[quantityOf(variant)] = s.Quantity
		if s.Availability != "" {
			text[availabilityOf(variant)] = string(s.Availability)
		}
	}
	return store.Item{Key: ProductKey(shop, k.ID), Version: k.Version, Doc: marshal(d), Text: text, Num: num,
		Index1: place(shardOf(shop, k.ID), k.Version, k.ID), Parts: counted(len(k.parts), k.text != "")}
}

// parts writes the parts that changed and takes away those that are no more.
func (s *saving) parts(shop string, before, after *Kept, version string) {
	pk := ProductKey(shop, after.ID).PK
	var was []part
	if before != nil {
		was = before.parts
	}
	for n := range after.parts {
		p := &after.parts[n]
		if p.doc == nil {
			p.doc = marshal(p.variants)
		}
		if n < len(was) && bytes.Equal(was[n].doc, p.doc) {
			p.Version = was[n].Version
			continue
		}
		p.Version = version
		s.ops = append(s.ops, store.Put(store.Item{Key: store.Key{PK: pk, SK: partSK(n)}, Version: version, Doc: p.doc}))
	}
	for n := len(after.parts); n < len(was); n++ {
		s.ops = append(s.ops, store.Delete(store.Key{PK: pk, SK: partSK(n)}))
	}
}

// text writes or takes away the text item.
func (s *saving) text(shop string, before, after *Kept, version string) {
	key := store.Key{PK: ProductKey(shop, after.ID).PK, SK: textSK}
	t := texts{after.details.ShortDescription, after.details.Description}
	var was Kept
	if before != nil {
		was = *before
	}
	switch {
	case len(t.Short)+len(t.Long) <= textBytes:
		if after.text = ""; was.text != "" {
			s.ops = append(s.ops, store.Delete(key))
		}
	case was.text == "" || t != (texts{was.details.ShortDescription, was.details.Description}):
		after.text = version
		s.ops = append(s.ops, store.Put(store.Item{Key: key, Version: version, Doc: marshal(t)}))
	}
}

// claims takes the codes and the externalId that are new, and gives back those that are no more.
func (s *saving) claims(shop string, before, after *Kept, n *names) {
	owner := ownerOf(OfProduct, after.ID)
	var had []string
	external := ""
	if before != nil {
		had, external = before.codes(), string(before.details.ExternalID)
	}
	has := after.codes()
	for _, code := range has {
		if !slices.Contains(had, code) {
			s.ops = append(s.ops, n.claim(CodeKey(shop, code), owner, codeTaken(code)))
		}
	}
	for _, code := range had {
		if !slices.Contains(has, code) {
			s.ops = append(s.ops, unique.Release(CodeKey(shop, code), owner))
		}
	}
	if external2 := string(after.details.ExternalID); external2 != external {
		if external2 != "" {
			s.ops = append(s.ops, n.claim(ExternalKey(shop, external2), owner, externalTaken()))
		}
		if external != "" {
			s.ops = append(s.ops, unique.Release(ExternalKey(shop, external), owner))
		}
	}
}

// categories puts the product into the categories it joins and takes it out of those it leaves.
func (s *saving) categories(shop string, before, after *Kept) {
	var had []string
	if before != nil {
		had = before.details.CategoryIDs
	}
	for _, id := range after.details.CategoryIDs {
		if !slices.Contains(had, id) {
			s.ops = append(s.ops, store.Put(store.Item{Key: productInCategory(shop, id, after.ID)}))
		}
	}
	for _, id := range had {
		if !slices.Contains(after.details.CategoryIDs, id) {
			s.ops = append(s.ops, store.Delete(productInCategory(shop, id, after.ID)))
		}
	}
}

// remove is what it takes to delete the product with its URLs: a tombstone that answers 404 for 30 days, and everything
// beside it away. What does not go into one transaction, only ever URLs, is in the second list: readers know by the head
// that they are gone.
func remove(shop string, k *Kept, urls []URL, version string, now time.Time) (first, then []store.Op, records []events.Record) {
	pk := ProductKey(shop, k.ID).PK
	ops := []store.Op{tombstone(ProductKey(shop, k.ID), k.Version, version, now)}
	for _, id := range k.details.CategoryIDs {
		ops = append(ops, store.Delete(productInCategory(shop, id, k.ID)))
	}
	for n := range k.parts {
		ops = append(ops, store.Delete(store.Key{PK: pk, SK: partSK(n)}))
	}
	if k.text != "" {
		ops = append(ops, store.Delete(store.Key{PK: pk, SK: textSK}))
	}
	gone, told := removed(shop, urls, version)
	records = append([]events.Record{{Kind: events.Products, ID: k.ID, Did: events.Deleted, Variants: k.VariantIDs(), Version: version}}, told...)
	ops = append(ops, gone...)
	most := min(len(ops), store.MaxOperations-riders(len(urls)))
	return ops[:most:most], ops[most:], records
}

// riders is how many places the change of a deletion takes in its transaction, by how many URLs it tells of: 2,000 records
// are well below what an item holds.
func riders(urls int) int { return 1 + urls/2_000 }

func tombstone(key store.Key, was, version string, now time.Time) store.Op {
	return store.Put(unique.Tombstone(key, version, now), store.VersionIs(was))
}

// tooHeavy is the fault of a product that would be larger than the platform keeps; nil when it is not.
func (k *Kept) tooHeavy() *api.Fault {
	head, whole := weight(k.stock), 0
	if n := len(k.details.ShortDescription) + len(k.details.Description); n > textBytes || k.text != "" {
		head -= n
	}
	for _, p := range k.parts {
		head += 30*len(p.IDs) + 40
		whole += len(p.doc)
	}
	if head+k.details.mostBytes() > maxHead {
		head += len(marshal(k.details))
	}
	if head <= maxHead && whole <= maxWhole {
		return nil
	}
	return &api.Fault{Location: "body", Code: api.TooBig,
		Message: fmt.Sprintf("the product would be larger than %d KiB without its variants, or they than %d KiB", maxHead>>10, maxWhole>>10)}
}

// weight is what stock takes in a head, in bytes.
func weight(stock map[string]Stock) int {
	n := 0
	for _, v := range slices.Collect(maps.Values(stock)) {
		n += 40
		if v.Availability != "" {
			n += 30 + len(v.Availability)
		}
	}
	return n
}
