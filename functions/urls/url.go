package urls

import (
	"eshop/shared/catalog/address"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// CustomURL is an address as answers show it.
type CustomURL struct {
	ID      string        `json:"id"`
	Item    CustomURLItem `json:"urlItem"`
	Slug    string        `json:"slug" example:"caj-z-hor"`
	Path    string        `json:"path" example:"/caj-z-hor"`
	Kind    Source        `json:"kind" enum:"system,custom"`
	Active  bool          `json:"active" doc:"Whether it is the address of the item; one of them is, and the others lead to it"`
	Created field.Time    `json:"created"`
	Changed field.Time    `json:"changed"`
}

// CustomURLCreated is the answer of a POST: the URL, and whether its slug differs from what was sent.
type CustomURLCreated struct {
	CustomURL
	Adjusted bool `json:"adjusted,omitempty" doc:"Whether the slug differs from what was sent"`
}

// CustomURLItem is the product or category that an address belongs to.
type CustomURLItem struct {
	Type address.OwnerKind `json:"type" enum:"product,category"`
	ID   string            `json:"id" doc:"The id of the product or category"`
}

// Source says where an address comes from: from the item's name (system) or from a POST (custom). A system URL cannot
// be deleted.
type Source string

// The kinds.
const (
	System Source = "system"
	Custom Source = "custom"
)

// CustomURLFields are what a POST takes: an item, and the text of which its slug is made.
type CustomURLFields struct {
	Item CustomURLItem `json:"urlItem"`
	URL  field.Text    `json:"url" doc:"The text that the slug is made of" example:"Čaj z hor"`
}

// show is a URL as answers show it. Its `changed` is the moment of its version.
func show(u address.URL) CustomURL {
	kind := Custom
	if u.System {
		kind = System
	}
	return CustomURL{ID: u.ID, Item: CustomURLItem{u.Owner.Kind, u.Owner.Item}, Slug: u.Slug, Path: "/" + u.Slug,
		Kind: kind, Active: u.Active, Created: u.Created, Changed: record.ChangedAt(u.Version)}
}
