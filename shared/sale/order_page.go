package sale

import (
	"time"

	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// addressesFor is how long an order's page shows who ordered and where it goes (contract, "Storefront").
const addressesFor = 24 * time.Hour

// ShowsAddresses says whether the order's page still shows who ordered and where it goes.
func (o *Order) ShowsAddresses(now time.Time) bool {
	return now.Before(o.Created.Go().Add(addressesFor))
}

// OrderPageKeys are the keys of the items that OrderOfPage reads: none when no order's page has an address that ends
// like this.
func OrderPageKeys(shop, end string) []store.Key {
	// No address ends with an id alone: the secret must be there.
	if len(end) <= id.Size || !id.Valid(end[:id.Size]) {
		return nil
	}
	return []store.Key{OrderKey(shop, end[:id.Size])}
}

// OrderOfPage is the order whose page's address ends like this, by the items of OrderPageKeys; a problem not_found when
// the shop has none, or has it with another secret.
func OrderOfPage(end string, items []*store.Item) (*Order, error) {
	if len(items) == 0 || record.Missing(items[0]) {
		return nil, problem.NotFound()
	}
	o, err := Orders.Decode(items[0])
	if err != nil {
		return nil, err
	}
	if !secret.Matches(end[id.Size:], o.secretHash) {
		return nil, problem.NotFound()
	}
	return &o, nil
}
