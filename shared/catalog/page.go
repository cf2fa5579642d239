package catalog

import (
	"context"
	"errors"

	"eshop/shared/record"
	"eshop/shared/store"
)

// SlugOwner is what the claim of a slug names, as SlugKey's item was read: a product or category, which may be gone. id
// is "" without a claim.
func SlugOwner(claim *store.Item) (kind ItemKind, id string) {
	owner := record.Owner(claim)
	if owner == "" {
		return "", ""
	}
	if owner == ownerOf(KindCategory, idIn(owner)) {
		return KindCategory, idIn(owner)
	}
	return KindProduct, idIn(owner)
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
