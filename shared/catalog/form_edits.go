package catalog

import (
	"context"
	"slices"

	"eshop/shared/base/problem"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Edits are what somebody wants of many products at once, as items of batches. Beside those of the API these are
// PriceEdits and CategoryEdits.
type Edits[I any] interface {
	~[]I
	BatchItems
}

// EditMany does edits in batches of as many as one has room for, and says of each what became of it. Each batch is a
// request of its own: webhooks are keyed by the request, so the calls of one batch must not be taken for those of
// another. An error ends it: then all has nothing of the batches behind, and of the one that met the error what was not
// written is unchanged, or failed.
func EditMany[I any, E Edits[I]](
	ctx context.Context, c Catalog, u *change.Unit, how Batch, edits E,
) (all []Result, err error) {
	for some := range slices.Chunk(edits, how.Room) {
		own := *u
		own.Request = u.NewID()
		r, err := c.ChangeMany(ctx, &own, how, some)
		if r != nil {
			for _, x := range r.Results {
				x.Index = len(all)
				all = append(all, x)
			}
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// CheckStock finds what is wrong with a quantity whatever is stored; where is its location in the body.
func CheckStock(f *problem.Faults, where string, quantity int64) {
	switch {
	case quantity < 0:
		f.Add(where, problem.TooSmall, "must be 0 at least")
	case quantity > MaxStock:
		f.Add(where, problem.TooBig, "is too large")
	}
}

// PriceEdits are prices at the default level, each of a product or variant.
type PriceEdits []PriceEdit

// PriceEdit is one of them. It is not done if the price is neither what was shown nor what it is to be: somebody else
// has set it meanwhile.
type PriceEdit struct {
	Product, Variant string
	Price            *field.Money              // nil: a variant has none of its own
	Shown            field.Maybe[*field.Money] // where it is not Sent, the price may be any
}

func (p PriceEdits) changes(*problem.Faults) []itemChange {
	all := make([]itemChange, len(p))
	for i, edit := range p {
		all[i] = itemChange{Target: Target{ID: edit.Product}, variant: edit.Variant}
		if edit.Variant == "" {
			all[i].apply = func(next *known) (bool, *Failure) {
				item, failed := edit.over(i, next.details.PriceLevels)
				if failed != nil {
					return false, failed
				}
				return item.apply(i, next)
			}
			continue
		}
		all[i].applyWhole = func(next *Whole) (bool, *Failure) {
			v, _ := next.Variant(edit.Variant)
			item, failed := edit.over(i, v.PriceLevels)
			if failed != nil {
				return false, failed
			}
			return item.applyToVariant(next)
		}
	}
	return all
}

// over is the item that sets the price over those that the product or variant has; as they are if it is the same.
func (x PriceEdit) over(i int, had []Price) (item PricesItem, failed *Failure) {
	item = PricesItem{Variant: x.Variant, PriceLevels: had}
	var now *field.Money
	at := slices.IndexFunc(had, func(p Price) bool { return p.Level == DefaultLevel })
	if at >= 0 {
		now = &had[at].Price
	}
	switch {
	case samePrice(now, x.Price):
		return item, nil
	case x.Shown.Sent && !samePrice(now, x.Shown.Value):
		return item, failure("price_changed", "Somebody has set another price meanwhile.", i, "")
	}
	item.PriceLevels = slices.Clone(had)
	switch {
	case x.Price == nil:
		item.PriceLevels = slices.Delete(item.PriceLevels, at, at+1)
	case at >= 0:
		item.PriceLevels[at].Price = *x.Price
	default:
		item.PriceLevels = append(item.PriceLevels, Price{DefaultLevel, *x.Price})
	}
	return item, nil
}

func samePrice(a, b *field.Money) bool { return a == b || a != nil && b != nil && *a == *b }

// CategoryEdits put products into a category that is there, or take them out of one. A product that joins in the moment
// in which the category is deleted leaves it again (leave_category.go).
type CategoryEdits []CategoryEdit

// CategoryEdit is one of them.
type CategoryEdit struct {
	Product, Category string
	Leaves            bool
}

// maxCategories is how many categories a product has at most (contract, "Bounds").
const maxCategories = 20

func (c CategoryEdits) changes(*problem.Faults) []itemChange {
	all := make([]itemChange, len(c))
	for i, x := range c {
		all[i] = itemChange{Target: Target{ID: x.Product},
			apply: func(next *known) (bool, *Failure) { return x.apply(i, next) }}
	}
	return all
}

func (x CategoryEdit) apply(i int, next *known) (bool, *Failure) {
	in := next.details.CategoryIDs
	switch {
	case slices.Contains(in, x.Category) != x.Leaves:
		return false, nil
	case x.Leaves:
		next.details.CategoryIDs = slices.DeleteFunc(slices.Clone(in), func(id string) bool { return id == x.Category })
		return true, nil
	case len(in) >= maxCategories:
		return false, failure("too_many_categories", "The product is in as many categories as it can be.", i, "")
	}
	next.details.CategoryIDs = append(slices.Clone(in), x.Category)
	return true, nil
}
