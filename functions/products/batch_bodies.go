package products

import (
	"context"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/api"
	"eshop/shared/store"
)

// batches registers the four batch edits (contract, section 4, "Products").
func (g group) batches(a *api.API) {
	api.Add(a, batchOp("basic", "changeProductsBasic",
		"Change names, codes, texts and activity of up to 100 products"), batchEdit[basicItems](g))
	api.Add(a, batchOp("stock", "changeProductsStock",
		"Set or change the stock of up to 100 products and variants"), batchEdit[stockItems](g))
	api.Add(a, batchOp("has-units", "changeProductsUnits",
		"Change the units of up to 100 products"), batchEdit[unitsItems](g))
	api.Add(a, batchOp("price-levels", "changeProductsPrices",
		"Replace the price levels of up to 100 products and variants"), batchEdit[pricesItems](g))
}

func batchOp(path, id, summary string) api.Op {
	return api.Op{Route: "PATCH /api-engine/products/batch/" + path, ID: id, Summary: summary, Tag: tag,
		Needs: api.WriteProducts,
		Doc: "Costs 1 for every ten items begun that really change. 207 when some items failed: what depends on stored " +
			"data fails item by item. 413 `too_many_items` above 100, under an `Idempotency-Key` above 99; 422 " +
			"`batch_too_expensive` when it can cost more than a whole limit, `batch_rejected` with `errorPolicy=rejectAll`."}
}

// batchOf is the input of a batch edit.
type batchOf[K any] struct {
	Options
	Body K
}

// edits is the body of a batch edit: its items as changes, and what is wrong with their form that no schema says.
type edits interface {
	changes(f *api.Faults) []change
}

func batchEdit[K edits](g group) func(context.Context, *batchOf[K]) (*api.Report[Report], error) {
	return func(ctx context.Context, in *batchOf[K]) (*api.Report[Report], error) {
		return g.run(ctx, in.Options, in.Body)
	}
}

// Maybe is a field of a merge patch: absent, null, or a value.
type Maybe[T any] struct {
	Sent  bool
	Value T // zero for null
	Null  bool
}

// UnmarshalJSON notes that the field was sent.
func (m *Maybe[T]) UnmarshalJSON(b []byte) error {
	m.Sent = true
	if m.Null = string(b) == "null"; m.Null {
		return nil
	}
	return unmarshal(b, &m.Value)
}

// Schema is that of the value.
func (Maybe[T]) Schema(r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// set brings the value over if it was sent, and says whether that changes anything.
func set[T comparable](to *T, m Maybe[T]) bool {
	if !m.Sent || *to == m.Value {
		return false
	}
	*to = m.Value
	return true
}

// noNull faults null for a field that a product cannot be without.
func noNull[T any](f *api.Faults, i int, field string, m Maybe[T]) {
	if m.Null {
		f.Add(at("items", i, field), api.Required, "is required and cannot be null")
	}
}

// basicItems is the body of batch/basic.
type basicItems struct {
	Items []basicItem `json:"items" minItems:"1"`
}

type basicItem struct {
	Target
	Name             Maybe[api.Name] `json:"name,omitempty"`
	Code             Maybe[api.Code] `json:"code,omitempty"`
	ShortDescription Maybe[api.Text] `json:"shortDescription,omitempty"`
	Description      Maybe[api.Text] `json:"description,omitempty"`
	Active           Maybe[bool]     `json:"active,omitempty"`
}

func (b basicItems) changes(f *api.Faults) []change {
	all := make([]change, len(b.Items))
	for i, x := range b.Items {
		noNull(f, i, "name", x.Name)
		noNull(f, i, "code", x.Code)
		noNull(f, i, "active", x.Active)
		all[i] = change{Target: x.Target, code: string(x.Code.Value), apply: x.apply}
		if x.ShortDescription.Sent || x.Description.Sent {
			all[i].needs = needsTexts
		}
	}
	return all
}

func (x basicItem) apply(next draft) (bool, *Failure) {
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

// stockItems is the body of batch/stock.
type stockItems struct {
	Items []stockItem `json:"items" minItems:"1"`
}

type stockItem struct {
	Target
	Variant      string          `json:"variantId,omitempty" maxLength:"64"`
	Quantity     *int64          `json:"quantity,omitempty" minimum:"0" maximum:"999999999999" doc:"Sets the stock"`
	Change       *int64          `json:"change,omitempty" minimum:"-999999999999" maximum:"999999999999" doc:"Added to the stock, atomically; not beside quantity"`
	Availability Maybe[api.Line] `json:"availability,omitempty"`
}

func (s stockItems) changes(f *api.Faults) []change {
	all := make([]change, len(s.Items))
	for i, x := range s.Items {
		if x.Quantity != nil && x.Change != nil {
			f.Add(at("items", i, "change"), api.Conflicting, "cannot stand beside quantity")
		}
		all[i] = change{Target: x.Target, variant: x.Variant, add: x.add,
			apply: func(next draft) (bool, *Failure) { return x.apply(i, next) }}
	}
	return all
}

func (x stockItem) apply(i int, next draft) (bool, *Failure) {
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

// add adds the item to what the head is set to; it returns what must hold for it, the variant's being there included.
func (x stockItem) add(to *store.Set) []store.Condition {
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

// unitsItems is the body of batch/has-units.
type unitsItems struct {
	Items []unitsItem `json:"items" minItems:"1"`
}

type unitsItem struct {
	Target
	HasUnits bool          `json:"hasUnits"`
	Units    Maybe[[]Unit] `json:"units,omitempty"`
}

func (u unitsItems) changes(f *api.Faults) []change {
	all := make([]change, len(u.Items))
	for i, x := range u.Items {
		if len(x.Units.Value) > maxUnits {
			f.Add(at("items", i, "units"), api.TooMany, "has %d entries, at most %d are allowed", len(x.Units.Value), maxUnits)
		}
		checkUnits(f, at("items", i, "units"), x.Units.Value)
		if x.Units.Sent {
			checkHasUnits(f, at("items", i, "")+".", x.HasUnits, x.Units.Value)
		}
		all[i] = change{Target: x.Target, apply: func(next draft) (bool, *Failure) { return x.apply(i, next) }}
	}
	return all
}

func (x unitsItem) apply(i int, next draft) (bool, *Failure) {
	units := next.details.Units
	if x.Units.Sent || !x.HasUnits {
		units = some(x.Units.Value)
	}
	if x.HasUnits && len(units) == 0 {
		return false, failure("invalid", "The product has no units: send some beside hasUnits.", i, "units")
	}
	changed := x.HasUnits != next.details.HasUnits || !slices.Equal(units, next.details.Units)
	next.details.HasUnits, next.details.Units = x.HasUnits, units
	return changed, nil
}

// pricesItems is the body of batch/price-levels.
type pricesItems struct {
	Items []pricesItem `json:"items" minItems:"1"`
}

type pricesItem struct {
	Target
	Variant     string  `json:"variantId,omitempty" maxLength:"64"`
	PriceLevels []Price `json:"priceLevels" maxItems:"50"`
}

func (p pricesItems) changes(f *api.Faults) []change {
	all := make([]change, len(p.Items))
	for i, x := range p.Items {
		checkPrices(f, at("items", i, "priceLevels"), x.PriceLevels)
		all[i] = change{Target: x.Target, variant: x.Variant}
		if x.Variant == "" {
			all[i].apply = func(next draft) (bool, *Failure) { return x.apply(i, next) }
		} else {
			all[i].needs, all[i].apply = needsAll, x.applyToVariant
		}
	}
	return all
}

func (x pricesItem) apply(i int, next draft) (bool, *Failure) {
	if !hasDefault(x.PriceLevels) {
		return false, failure("invalid", "A product needs a price at level default.", i, "priceLevels")
	}
	changed := !slices.Equal(next.details.PriceLevels, x.PriceLevels)
	next.details.PriceLevels = some(x.PriceLevels)
	return changed, nil
}

func (x pricesItem) applyToVariant(next draft) (bool, *Failure) {
	v, _ := next.whole.Variant(x.Variant)
	changed := !slices.Equal(v.PriceLevels, x.PriceLevels)
	if v.PriceLevels = some(x.PriceLevels); changed {
		next.whole.setVariant(v)
	}
	return changed, nil
}
