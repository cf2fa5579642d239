package address

import "eshop/events"

// Kind is what an address belongs to: the type of a urlItem.
type Kind string

// The kinds of owners (contract, "Custom URLs").
const (
	Product  Kind = "product"
	Category Kind = "category"
)

// Owner is the product or category that URLs and claims belong to; zero: none.
type Owner struct {
	Kind Kind   `json:"of"`
	Item string `json:"item"` // its id
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
