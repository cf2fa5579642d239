package catalog

import (
	"context"
	"slices"
	"strings"

	"eshop/events"
	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Category is a category of the shop's tree, as answers show it.
type Category struct {
	ID string `json:"id"`
	CategoryFields
	URL     string     `json:"url" doc:"The absolute address of its active URL"`
	Created field.Time `json:"created"`
	Changed field.Time `json:"changed"`
}

// CategoryFields are what a client can write of a category.
type CategoryFields struct {
	Name   field.Name `json:"name" example:"Trička"`
	Parent string     `json:"parentId,omitempty" maxLength:"64" doc:"The id of the category above it"`
}

// StoredCategory is a category as its item holds it.
type StoredCategory struct {
	record.Head
	CategoryFields
	Address address.Address `json:"-"` // which its item has beside its document
}

// Categories are the categories of shops as records. They have commands of their own (tree.go): a change of the tree
// goes with others of the same shop, and one of the name with a URL.
var Categories = &record.Kind[StoredCategory, CategoryFields]{
	PublishedAs: events.Categories,
	Key:         CategoryKey,
	List:        CategoriesOf,
	Split:       func(k *StoredCategory) (*record.Head, *CategoryFields) { return &k.Head, &k.CategoryFields },
	Load:        func(k *StoredCategory, item *store.Item) { k.ID, k.Address = idIn(item.PK), address.Decode(item) },
	Save:        func(_ string, k StoredCategory, item *store.Item) { item.Text = k.Address.Texts() },
}

// Category is the category as answers show it.
func (k StoredCategory) Category(website string) Category {
	return Category{ID: k.ID, CategoryFields: k.CategoryFields, URL: k.Address.URL(website),
		Created: k.Created, Changed: k.Changed}
}

// owner is the category as an owner of URLs.
func (k StoredCategory) owner() address.Owner {
	return address.Owner{Kind: address.Category, Item: k.ID}
}

// diff is what changed between two states of a category, as groups for the change feed; none: nothing.
func (k StoredCategory) diff(after StoredCategory) (groups []events.Group) {
	if k.CategoryFields != after.CategoryFields {
		groups = append(groups, events.Basic)
	}
	if k.Address.Active != after.Address.Active {
		groups = append(groups, events.InURLs)
	}
	return groups
}

// eventRecord is the record of what happened to the category.
func (k StoredCategory) eventRecord(did events.Did, groups ...events.Group) events.Record {
	return events.Record{Kind: events.Categories, ID: k.ID, Did: did, Version: k.Version, Groups: groups}
}

// missingCategories are the faults of each product that joins categories which are not there; all are looked up in one
// call. Those of before (nil: a new product) were there.
func missingCategories(ctx context.Context, u *change.Unit, before, next []*Whole) ([]problem.Faults, error) {
	joins := func(i int, category string) bool {
		return before[i] == nil || !slices.Contains(before[i].details.CategoryIDs, category)
	}
	var keys []store.Key
	for i, w := range next {
		for _, id := range w.details.CategoryIDs {
			if joins(i, id) && ids.Valid(id) {
				keys = append(keys, CategoryKey(u.Shop, id))
			}
		}
	}
	found, err := store.GetByKey(ctx, u.Table, keys)
	if err != nil {
		return nil, err
	}
	missing := make([]problem.Faults, len(next))
	for i, w := range next {
		for n, id := range w.details.CategoryIDs {
			if joins(i, id) && record.Missing(found[CategoryKey(u.Shop, id)]) {
				missing[i].Add(at("categoryIds", n, ""), problem.Unknown, "is not a category of this shop")
			}
		}
	}
	return missing, nil
}

// categoriesExist refuses a product that joins categories which are not there.
func categoriesExist(ctx context.Context, u *change.Unit, before, next *Whole) error {
	missing, err := missingCategories(ctx, u, []*Whole{before}, []*Whole{next})
	if err != nil {
		return err
	}
	f := missing[0]
	slices.SortStableFunc(f, func(a, b problem.Fault) int { return strings.Compare(a.Location, b.Location) })
	return f.Err()
}
