package products

import (
	"context"
	"errors"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
)

// edit is a change of one product.
type edit struct {
	variant string                          // that must be there; "" none
	form    func() error                    // what is wrong with the request whatever is stored; comes before 404 and 412
	change  func(before, next *Whole) error // changes next, a copy of before
	answer  func(*Whole) any                // what the request answers, to be kept under its Idempotency-Key
}

// edit reads a product, changes it and writes it, once more from the start when somebody else was faster. It returns
// the product as it is afterwards; a change that changes nothing writes nothing.
func (g group) edit(ctx context.Context, product string, e edit) (*Whole, error) {
	call := api.From(ctx)
	n := newNames(g.p, call.Shop, nil)
	for range api.Rounds(ctx) {
		before, err := g.current(ctx, call, product, e)
		if err != nil {
			return nil, err
		}
		next := before.clone()
		if err := e.change(before, next); err != nil {
			return nil, err
		}
		if err := next.draft().allowed(); err != nil {
			return nil, err
		}
		n.begin(ownerOf(OfProduct, product))
		ops, records, err := g.edited(call, before.draft(), next.draft(), n)
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			return before, nil
		}
		if _, err = call.Write(ctx, e.answer(next), call.Changed(records...), ops...); err == nil {
			return next, nil
		}
		if err := n.learn(ctx, err); err != nil {
			return nil, err
		}
	}
	return nil, store.ErrUnavailable
}

// current is the product as it is: faults of form, then 404, then 412.
func (g group) current(ctx context.Context, call *api.Call, product string, e edit) (*Whole, error) {
	w, err := Read(ctx, g.p.Main, call.Shop, product)
	if err != nil {
		return nil, err
	}
	if w != nil && (e.variant == "" || w.Has(e.variant)) {
		if err = call.Match(w.Version); err == nil {
			return w, nil
		}
	} else {
		err = api.NotFound()
	}
	if bad := e.form(); bad != nil {
		return nil, bad
	}
	return nil, err
}

// edited is what it takes to make before into next, which gets its version and address; no records when nothing
// changed.
func (g group) edited(call *api.Call, before, next draft, n *names) ([]store.Op, []events.Record, error) {
	version := call.Next(before.Version)
	address := naming{Address: before.Address}
	if next.details.Name != before.details.Name {
		product := addressed{OfProduct, next.ID, before.Address, before.Version}
		var err error
		if address, err = n.address(product, string(next.details.Name), stampOf(call, version)); err != nil {
			return nil, nil, err
		}
	}
	next.Address = address.Address
	groups, variants := before.diff(next)
	if len(groups) == 0 && before.Address == next.Address {
		return nil, nil, nil
	}
	record := events.Record{Kind: events.Products, ID: next.ID, Did: events.Changed,
		Variants: variants, Groups: groups, Version: version}
	ops := append(save(call.Shop, before, next, version, n), address.ops...)
	return ops, append([]events.Record{record}, address.records...), nil
}

// check finds what is wrong with a new product whatever is stored.
func (n New) check() error {
	var f api.Faults
	n.Details.check(&f)
	checkHasUnits(&f, "", n.HasUnits, n.Units)
	for i, v := range n.Variants {
		v.check(&f, at("variants", i, "")+".")
	}
	return f.Err()
}

// whole is the new product before it has a version and an address.
func (n New) whole(call *api.Call) *Whole {
	w := newWhole(call.NewID())
	w.setDetails(n.Details)
	w.addVariants(newVariants(call, n.Variants))
	return w
}

func newVariants(call *api.Call, fields []VariantFields) []Variant {
	all := make([]Variant, len(fields))
	for i, f := range fields {
		all[i] = Variant{ID: call.NewID(), VariantDetails: f.VariantDetails}
	}
	return all
}

// sample is a product without a fault, for finding those of a patch alone.
func sample() Details {
	return Details{Code: "x", Name: "x", Active: true, PriceLevels: []Price{{Level: DefaultLevel}}}
}

// patched is the details with the patch merged in. hasUnits: false clears the units that are not sent with it.
func patched(ctx context.Context, patch api.Patch[Fields], d Details) (Details, error) {
	next, err := api.Apply(ctx, patch, Fields{d})
	if err != nil {
		return d, err
	}
	_, has := patch.Get("hasUnits")
	_, units := patch.Get("units")
	if has && !units && !next.HasUnits {
		next.Units = []Unit{}
	}
	var f api.Faults
	next.Details.check(&f)
	if units || has {
		checkHasUnits(&f, "", next.HasUnits, next.Units)
	}
	return next.Details, f.Err()
}

// failuresOf are the conditions that made a write fail; nil of any other error.
func failuresOf(err error) []store.Failure {
	var c *store.ConditionError
	if errors.As(err, &c) {
		return c.Failures
	}
	return nil
}
