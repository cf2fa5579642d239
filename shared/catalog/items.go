package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
)

// The keys of the items, as the chart in shared/README.md has them. A product is a head (A), parts with its variants
// (B#nn), a text item above 8 KB (T), and its URLs (package address), all in one partition. Numbers and texts of the
// head:
//
//	q, q.<variant>   stock quantities; of every variant, so that a condition on one says that there is such a variant
//	a, a.<variant>   availabilities, where there is one
//	slug … former    the address.Address
//	deleted          "1" of a tombstone

const (
	headSK = "A"
	textSK = "T"
)

// shards is how many partitions of Index1 the products of a shop are spread over, so that many writes at once do not
// meet in one (DynamoDB: 1,000 write units a second).
const shards = 4

func shopPK(shop string) string { return "S#" + shop }

// ProductKey is the product's head.
func ProductKey(shop, product string) store.Key { return ownerOf(product).Key(shop) }

// ownerOf is the product as an owner of claims and URLs.
func ownerOf(product string) address.Owner {
	return address.Owner{Kind: address.Product, Item: product}
}

// PartKey is the product's part of that number.
func PartKey(shop, product string, n int) store.Key {
	return store.Key{PK: ProductKey(shop, product).PK, SK: partSK(n)}
}

// CategoryKey is the category's item.
func CategoryKey(shop, category string) store.Key {
	return address.Owner{Kind: address.Category, Item: category}.Key(shop)
}

func partSK(n int) string { return fmt.Sprintf("B#%02d", n) }

// ProductShards are the partitions of Index1 with the products of a shop by (changed, id).
func ProductShards(shop string) []string {
	all := make([]string, shards)
	for n := range all {
		all[n] = productShard(shop, n)
	}
	return all
}

func productShard(shop string, n int) string { return shopPK(shop) + "#P#" + strconv.Itoa(n) }

// shardOf spreads products evenly: the last character of an id is random.
func shardOf(shop, product string) string {
	return productShard(shop, int(product[len(product)-1])%shards)
}

// CategoriesOf is the partition of Index1 with the categories of a shop by (changed, id).
func CategoriesOf(shop string) string { return shopPK(shop) + "#G" }

// InCategory is the partition with what is in a category: its products by id, and its children as G#id.
func InCategory(shop, category string) string { return shopPK(shop) + "#GP#" + category }

func productInCategory(shop, category, product string) store.Key {
	return store.Key{PK: InCategory(shop, category), SK: product}
}

func childOf(shop, category, child string) store.Key {
	return store.Key{PK: InCategory(shop, category), SK: "G#" + child}
}

// treeKey is the item that writes to the tree of categories count on, one after the other.
func treeKey(shop string) store.Key { return store.Key{PK: shopPK(shop), SK: "TREE"} }

// CodeKey is the claim of a code, over products and variants.
func CodeKey(shop, code string) store.Key { return claimKey(shop, "C", code) }

// ExternalKey is the claim of a product's externalId.
func ExternalKey(shop, external string) store.Key { return claimKey(shop, "XP", external) }

func claimKey(shop, kind, name string) store.Key {
	return store.Key{PK: shopPK(shop) + "#=" + kind + "#" + name, SK: headSK}
}

// idIn is the id that a partition key ends with.
func idIn(pk string) string { return pk[strings.LastIndexByte(pk, '#')+1:] }

// quantityOf and availabilityOf are the names of a variant's stock in the head; those of the product itself for "".
func quantityOf(variant string) string { return named("q", variant) }

func availabilityOf(variant string) string { return named("a", variant) }

func named(what, variant string) string {
	if variant == "" {
		return what
	}
	return what + "." + variant
}
