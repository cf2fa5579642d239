package customers

import (
	"context"
	"encoding/json"
	"time"

	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Key is the customer's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#C#" + id, SK: "A"} }

// OfShop is the partition of Index1 with the customers of a shop, by (changed, id).
func OfShop(shop string) string { return "S#" + shop + "#C" }

// EmailKey is the claim of an e-mail address.
func EmailKey(shop string, e api.Email) store.Key {
	return store.Key{PK: "S#" + shop + "#=E#" + e.Fold(), SK: "A"}
}

// ExternalKey is the claim of an external id.
func ExternalKey(shop, externalID string) store.Key {
	return store.Key{PK: "S#" + shop + "#=CX#" + externalID, SK: "A"}
}

// Claims are the values that no other customer of the shop may hold.
func Claims(shop string, f Fields) []unique.Claim {
	claims := []unique.Claim{{Key: EmailKey(shop, f.Email),
		Taken: api.Conflict("email_taken", "Another customer of this shop has this e-mail address.")}}
	if f.ExternalID != "" {
		claims = append(claims, unique.Claim{Key: ExternalKey(shop, string(f.ExternalID)),
			Taken: api.Conflict("external_id_taken", "Another customer of this shop has this externalId.")})
	}
	return claims
}

// of is where the shop's customers are, by their ids.
func of(shop string) func(id string) store.Key {
	return func(id string) store.Key { return Key(shop, id) }
}

// Item is the customer as it is stored: its document is the answer that shows it.
func (c Customer) Item(shop string) store.Item {
	doc, err := json.Marshal(c)
	if err != nil {
		panic("customers: " + err.Error()) // a customer holds nothing that JSON cannot
	}
	return store.Item{Key: Key(shop, c.ID), Version: c.Version, Doc: doc,
		Index1: store.Key{PK: OfShop(shop), SK: c.Version[:10] + "#" + c.ID}}
}

// Of reads a customer's item, which is no tombstone.
func Of(item *store.Item) (Customer, error) {
	var c Customer
	err := item.Into(&c)
	c.Version = item.Version
	return c, err
}

// Read is the shop's customer of this id, a problem not_found when there is none or it was deleted.
func Read(ctx context.Context, table store.Table, shop, id string) (Customer, error) {
	items, err := table.Get(ctx, Key(shop, id))
	if err != nil {
		return Customer{}, err
	}
	if unique.Gone(items[0]) {
		return Customer{}, api.NotFound()
	}
	return Of(items[0])
}

// at gives the customer a version and the moment that goes with it.
func (c Customer) at(version string) Customer {
	c.Version, c.Changed = version, access.Changed(version)
	return c
}

// show is the customer of an item for a page; a tombstone is none.
func show(item *store.Item) (Customer, time.Time, bool, error) {
	if unique.Gone(item) {
		return Customer{}, time.Time{}, false, nil
	}
	c, err := Of(item)
	return c, c.Changed.Go(), true, err
}
