package address

import "eshop/events"

// OwnerKind is what an address belongs to: the type of a urlItem.
type OwnerKind string

// The kinds of owners (contract, "Custom URLs").
const (
	Product  OwnerKind = "product"
	Category OwnerKind = "category"
)

// Owner is the product or category that URLs and claims belong to; zero: none.
type Owner struct {
	Kind OwnerKind `json:"of"`
	Item string    `json:"item"` // its id
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
