package catalog

import (
	"slices"

	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// set sets the value if it was sent, and says whether that changes anything.
func set[T comparable](to *T, m field.Maybe[T]) bool {
	if !m.Sent || *to == m.Value {
		return false
	}
	*to = m.Value
	return true
}

// noNull reports null for a field that a product cannot be without.
func noNull[T any](f *problem.Faults, i int, name string, m field.Maybe[T]) {
	if m.Null {
		f.Add(at("items", i, name), problem.Required, "is required and cannot be null")
	}
}

// BasicItems are the items of batch/basic.
type BasicItems []BasicItem

// BasicItem is one of them.
type BasicItem struct {
	Target
	Name             field.Maybe[field.Name] `json:"name,omitempty"`
	Code             field.Maybe[field.Code] `json:"code,omitempty"`
	ShortDescription field.Maybe[field.Text] `json:"shortDescription,omitempty" nullable:"true" doc:"The new text; null clears it"`
	Description      field.Maybe[field.Text] `json:"description,omitempty" nullable:"true" doc:"The new text; null clears it"`
	Active           field.Maybe[bool]       `json:"active,omitempty"`
}

func (b BasicItems) changes(f *problem.Faults) []itemChange {
	all := make([]itemChange, len(b))
	for i, x := range b {
		noNull(f, i, "name", x.Name)
		noNull(f, i, "code", x.Code)
		all[i] = itemChange{Target: x.Target, name: string(x.Name.Value), code: string(x.Code.Value), apply: x.apply}
		if x.ShortDescription.Sent || x.Description.Sent {
			all[i].texts = true
		}
	}
	return all
}

func (x BasicItem) apply(next *known) (bool, *Failure) {
	changed := set(&next.details.Name, x.Name)
	changed = set(&next.details.Code, x.Code) || changed
	changed = set(&next.details.Active, x.Active) || changed
	if x.ShortDescription.Sent || x.Description.Sent {
		t := *next.texts
		changed = set(&t.Short, x.ShortDescription) || changed
		changed = set(&t.Long, x.Description) || changed
		next.texts = &t
	}
	return changed, nil
}

// StockItems are the items of batch/stock.
type StockItems []StockItem

// StockItem is one of them.
type StockItem struct {
	Target
	Variant      string                  `json:"variantId,omitempty" maxLength:"64"`
	Quantity     *int64                  `json:"quantity,omitempty" minimum:"0" maximum:"999999999999" doc:"The new quantity in stock, whatever it was"`
	Change       *int64                  `json:"change,omitempty" minimum:"-999999999999" maximum:"999999999999" doc:"The pieces that are added to the stock, atomically; fewer than 0 are taken off. Not beside quantity"`
	Availability field.Maybe[field.Line] `json:"availability,omitempty" nullable:"true" doc:"The new text; null clears it"`
}

func (s StockItems) changes(f *problem.Faults) []itemChange {
	all := make([]itemChange, len(s))
	for i, x := range s {
		if x.Quantity != nil && x.Change != nil {
			f.Add(at("items", i, "change"), problem.Conflicting, "cannot stand beside quantity")
		}
		all[i] = itemChange{Target: x.Target, variant: x.Variant, add: x.add,
			apply: func(next *known) (bool, *Failure) { return x.apply(i, next) }}
	}
	return all
}

func (x StockItem) apply(i int, next *known) (bool, *Failure) {
	was := next.stock[x.Variant]
	to := was
	if x.Quantity != nil {
		to.Quantity = *x.Quantity
	}
	if x.Change != nil {
		to.Quantity += *x.Change
	}
	switch {
	case to.Quantity < 0:
		return false, failure("insufficient_stock", "There are too few in stock for this change.", i, "change")
	case to.Quantity > MaxStock:
		return false, failure("invalid", "The stock would be more than can be kept.", i, "change")
	}
	set(&to.Availability, x.Availability)
	next.stock[x.Variant] = to
	return to != was, nil
}

// add puts the item into an update of the head. It returns the conditions: one of them is that there is the variant.
func (x StockItem) add(to *store.Set) []store.Condition {
	name := quantityOf(x.Variant)
	switch {
	case x.Quantity != nil:
		to.Num[name] = *x.Quantity
	case x.Change != nil && *x.Change != 0:
		to.Add[name] = *x.Change
	}
	if a := x.Availability; a.Sent && a.Value != "" {
		to.Text[availabilityOf(x.Variant)] = string(a.Value)
	} else if a.Sent {
		to.Drop = append(to.Drop, availabilityOf(x.Variant))
	}
	return bounds(x.Variant, to.Add[name])
}

// UnitsItems are the items of batch/has-units.
type UnitsItems []UnitsItem

// UnitsItem is one of them.
type UnitsItem struct {
	Target
	HasUnits bool                `json:"hasUnits"`
	Units    field.Maybe[[]Unit] `json:"units,omitempty"`
}

func (u UnitsItems) changes(f *problem.Faults) []itemChange {
	all := make([]itemChange, len(u))
	for i, x := range u {
		if len(x.Units.Value) > maxUnits {
			f.Add(at("items", i, "units"), problem.TooMany, "has %d entries, at most %d are allowed",
				len(x.Units.Value), maxUnits)
		}
		checkUnits(f, at("items", i, "units"), x.Units.Value)
		if x.Units.Sent {
			checkHasUnits(f, at("items", i, "")+".", x.HasUnits, x.Units.Value)
		}
		all[i] = itemChange{Target: x.Target, apply: func(next *known) (bool, *Failure) { return x.apply(i, next) }}
	}
	return all
}

func (x UnitsItem) apply(i int, next *known) (bool, *Failure) {
	units := next.details.Units
	if x.Units.Sent || !x.HasUnits {
		units = orEmpty(x.Units.Value)
	}
	if x.HasUnits && len(units) == 0 {
		return false, failure("invalid", "The product has no units: send some beside hasUnits.", i, "units")
	}
	changed := x.HasUnits != next.details.HasUnits || !slices.Equal(units, next.details.Units)
	next.details.HasUnits, next.details.Units = x.HasUnits, units
	return changed, nil
}

// PricesItems are the items of batch/price-levels.
type PricesItems []PricesItem

// PricesItem is one of them.
type PricesItem struct {
	Target
	Variant     string  `json:"variantId,omitempty" maxLength:"64"`
	PriceLevels []Price `json:"priceLevels" maxItems:"50" doc:"The prices at all levels: a level that is left out is removed"`
}

func (p PricesItems) changes(f *problem.Faults) []itemChange {
	all := make([]itemChange, len(p))
	for i, x := range p {
		checkPrices(f, at("items", i, "priceLevels"), x.PriceLevels)
		all[i] = itemChange{Target: x.Target, variant: x.Variant}
		if x.Variant == "" {
			all[i].apply = func(next *known) (bool, *Failure) { return x.apply(i, next) }
		} else {
			all[i].applyWhole = x.applyToVariant
		}
	}
	return all
}

func (x PricesItem) apply(i int, next *known) (bool, *Failure) {
	if !hasDefault(x.PriceLevels) {
		return false, failure("invalid", "A product needs a price at level default.", i, "priceLevels")
	}
	changed := !slices.Equal(next.details.PriceLevels, x.PriceLevels)
	next.details.PriceLevels = orEmpty(x.PriceLevels)
	return changed, nil
}

func (x PricesItem) applyToVariant(next *Whole) (bool, *Failure) {
	v, _ := next.Variant(x.Variant)
	changed := !slices.Equal(v.PriceLevels, x.PriceLevels)
	if v.PriceLevels = orEmpty(x.PriceLevels); changed {
		next.setVariant(v)
	}
	return changed, nil
}
