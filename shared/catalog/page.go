package catalog

import (
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
