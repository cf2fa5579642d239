package catalog

import (
	"context"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	ids "eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Category is a place in the shop's tree of categories, as answers show it.
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
	Parent string     `json:"parentId,omitempty" maxLength:"64" doc:"The category that it is in"`
}

// KeptCategory is a category as its item holds it.
type KeptCategory struct {
	ID      string
	Version string
	Fields  CategoryFields
	Created field.Time
	Address Address
	head    *store.Item
}

type categoryDocument struct {
	CategoryFields
	Created field.Time `json:"created"`
}

// CategoryOf reads a category's item; nil when there is none or it was deleted.
func CategoryOf(item *store.Item) (*KeptCategory, error) {
	if Deleted(item) {
		return nil, nil
	}
	var d categoryDocument
	if err := item.Into(&d); err != nil {
		return nil, err
	}
	return &KeptCategory{ID: idIn(item.PK), Version: item.Version, Fields: d.CategoryFields, Created: d.Created,
		Address: AddressOf(item), head: item}, nil
}

// ReadCategory is the category, strongly consistent; nil when there is none or it was deleted.
func ReadCategory(ctx context.Context, t store.Table, shop, category string) (*KeptCategory, error) {
	if !ids.Valid(category) {
		return nil, nil
	}
	items, err := t.Get(ctx, CategoryKey(shop, category))
	if err != nil {
		return nil, err
	}
	return CategoryOf(items[0])
}

// Category is the category as answers show it.
func (k *KeptCategory) Category(website string) Category {
	return Category{ID: k.ID, CategoryFields: k.Fields, URL: ActiveURL(website, k.Address),
		Created: k.Created, Changed: record.ChangedAt(k.Version)}
}

// item is the category as it is stored.
func (k *KeptCategory) item(shop string) store.Item {
	return store.Item{Key: CategoryKey(shop, k.ID), Version: k.Version,
		Doc:  record.Document(categoryDocument{k.Fields, k.Created}),
		Text: k.Address.texts(), Index1: record.Place(CategoriesOf(shop), k.Version, k.ID)}
}

// diff is what changed between two states of a category, as groups for the change feed; none: nothing.
func (k *KeptCategory) diff(after *KeptCategory) (groups []events.Group) {
	if k.Fields != after.Fields {
		groups = append(groups, events.Basic)
	}
	if k.Address.Active != after.Address.Active {
		groups = append(groups, events.InURLs)
	}
	return groups
}

// categoriesExist finds the categories that a product joins and that are not there.
func categoriesExist(ctx context.Context, u *change.Unit, joined, had []string) error {
	var f problem.Faults
	var keys []store.Key
	var places []int
	for i, id := range joined {
		switch {
		case slices.Contains(had, id):
		case !ids.Valid(id):
			f.Add(at("categoryIds", i, ""), problem.Unknown, "is not a category of this shop")
		default:
			keys, places = append(keys, CategoryKey(u.Shop, id)), append(places, i)
		}
	}
	heads, err := store.GetAll(ctx, u.Table, keys)
	if err != nil {
		return err
	}
	for i, h := range heads {
		if Deleted(h) {
			f.Add(at("categoryIds", places[i], ""), problem.Unknown, "is not a category of this shop")
		}
	}
	slices.SortStableFunc(f, func(a, b problem.Fault) int { return strings.Compare(a.Location, b.Location) })
	return f.Err()
}
