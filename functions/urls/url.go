package urls

import (
	"eshop/shared/address"
	"eshop/shared/field"
	"eshop/shared/record"
)

// URL is an address as answers show it.
type URL struct {
	ID      string     `json:"id"`
	Item    Item       `json:"urlItem"`
	Slug    string     `json:"slug" example:"caj-z-hor"`
	Path    string     `json:"path" example:"/caj-z-hor"`
	Kind    Kind       `json:"kind" enum:"system,custom"`
	Active  bool       `json:"active" doc:"Of the addresses of an item one is; the others lead to it"`
	Created field.Time `json:"created"`
	Changed field.Time `json:"changed"`
}

// Made is the answer of a POST: the URL, and whether its slug differs from what was sent.
type Made struct {
	URL
	Adjusted bool `json:"adjusted,omitempty" doc:"The slug differs from what was sent"`
}

// Item is the product or category that an address belongs to.
type Item struct {
	Type address.Kind `json:"type" enum:"product,category"`
	ID   string       `json:"id" doc:"The product's or category's id"`
}

// Kind says where an address comes from: from the item's name (system) or from a POST (custom). A system URL cannot be
// deleted.
type Kind string

// The kinds.
const (
	System Kind = "system"
	Custom Kind = "custom"
)

// Fields are what a POST takes: an item, and the text of which its slug is made.
type Fields struct {
	Item Item       `json:"urlItem"`
	URL  field.Text `json:"url" doc:"What the slug is made of" example:"Čaj z hor"`
}

// show is a URL as answers show it. Its `changed` is the moment of its version.
func show(u address.URL) URL {
	kind := Custom
	if u.System {
		kind = System
	}
	return URL{ID: u.ID, Item: Item{u.Owner.Kind, u.Owner.Item}, Slug: u.Slug, Path: "/" + u.Slug, Kind: kind,
		Active: u.Active, Created: u.Created, Changed: record.ChangedAt(u.Version)}
}
