package address

import (
	"strings"

	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// The keys of the items, as the chart in shared/README.md has them. A URL lies in the partition of its owner, behind
// everything else of that: U#<when it was made>#<id>. A slug's claim names its owner as Claims does.

// Claims is how claims name the owner.
func (o Owner) Claims() string {
	if o.Kind == Category {
		return "G#" + o.Item
	}
	return "P#" + o.Item
}

// Key is that of the owner's item, in whose partition its URLs lie.
func (o Owner) Key(shop string) store.Key { return keyOf(shop, o.Claims()) }

func keyOf(shop, owner string) store.Key { return store.Key{PK: "S#" + shop + "#" + owner, SK: "A"} }

// OwnerOf is the owner that a claim names, which may be gone; the zero Owner without a claim.
func OwnerOf(claim *store.Item) Owner { return ownerNamed(record.Owner(claim)) }

// ownerAt is the owner in whose partition a key is.
func ownerAt(key store.Key) Owner { return ownerNamed(strings.SplitN(key.PK, "#", 3)[2]) }

func ownerNamed(owner string) Owner {
	prefix, id, _ := strings.Cut(owner, "#")
	switch prefix {
	case "P":
		return Owner{Product, id}
	case "G":
		return Owner{Category, id}
	}
	return Owner{}
}

// ownerKey is the key of the item that the URL at a key belongs to.
func ownerKey(url store.Key) store.Key { return store.Key{PK: url.PK, SK: "A"} }

// SlugKey is the claim of a slug, over products and categories.
func SlugKey(shop, slug string) store.Key { return store.Key{PK: "S#" + shop + "#=S#" + slug, SK: "A"} }

// URLs is the partition of Index1 with the URLs of a shop by (changed, id).
func URLs(shop string) string { return "S#" + shop + "#U" }

// idIndex is the partition of Index2 with the URL of an id.
func idIndex(shop, url string) string { return "S#" + shop + "#UID#" + url }

// rowPrefix begins the sort keys of URLs. In an owner's partition they lie behind everything else.
const rowPrefix = "U#"

// Key is that of the URL's item.
func (u URL) Key(shop string) store.Key { return store.Key{PK: u.Owner.Key(shop).PK, SK: u.row()} }

// row is the sort key of the URL's item: those of an owner lie in the order in which they were made.
func (u URL) row() string { return rowPrefix + id.Stamp(u.Created.Go()) + "#" + u.ID }

// inRow is when the URL of a sort key was made, and its id.
func inRow(row string) (created field.Time, url string) {
	stamp, url, _ := strings.Cut(strings.TrimPrefix(row, rowPrefix), "#")
	return record.ChangedAt(stamp + "0000000000000000"), url // a time is read of a whole id
}
