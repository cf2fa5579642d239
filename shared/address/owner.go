package address

import (
	"strings"

	"eshop/events"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Kind is what an address belongs to: the type of a urlItem.
type Kind string

// The kinds of owners (contract, section 4, "Custom URLs").
const (
	Product  Kind = "product"
	Category Kind = "category"
)

// Owner is the product or category that URLs and claims belong to; zero: none.
type Owner struct {
	Kind Kind   `json:"of"`
	Item string `json:"item"` // its id
}

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

// changed is the record that the owner's URLs have changed.
func (o Owner) changed(version string) events.Record {
	kind := events.Products
	if o.Kind == Category {
		kind = events.Categories
	}
	return events.Record{Kind: kind, ID: o.Item, Did: events.Changed, Groups: []events.Group{events.InURLs},
		Version: version}
}

// SlugKey is the claim of a slug, over products and categories.
func SlugKey(shop, slug string) store.Key { return store.Key{PK: "S#" + shop + "#=S#" + slug, SK: "A"} }
