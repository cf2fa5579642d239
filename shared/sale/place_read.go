package sale

import (
	"context"

	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// read is the first wave: one Get for all but the states, which are read when the request names none.
func (p *placing) read(ctx context.Context) error {
	shop := p.unit.Shop
	var keys []store.Key
	add := func(of func(shop, id string) store.Key, named string) {
		if id.Valid(named) {
			keys = append(keys, of(shop, named))
		}
	}
	for _, l := range p.want.Items {
		add(catalog.ProductKey, l.ProductID)
	}
	if !p.fromBasket() {
		add(customer.Key, p.want.CustomerID)
	}
	add(StateKey, p.want.StateID)
	for _, code := range p.want.DiscountCoupons {
		keys = append(keys, CodeKey(shop, code))
	}
	keys = append(keys, p.basket.partKeys(shop)...)
	reads := []func() error{func() (err error) { p.items, err = store.GetByKey(ctx, p.unit.Table, keys); return }}
	// Without a name the state with the lowest position is needed, for which all are read.
	if p.want.StateID == "" {
		reads = append(reads, func() (err error) { p.states, err = AllStates(ctx, p.unit.Table, shop); return })
	}
	if err := guard.Beside(ctx, p.Near, reads...); err != nil {
		return err
	}
	return p.decode()
}

// decode decodes the products and the named state among the items of the first wave.
func (p *placing) decode() error {
	shop := p.unit.Shop
	p.products = make(map[string]*catalog.Head, len(p.want.Items))
	for _, l := range p.want.Items {
		if _, seen := p.products[l.ProductID]; seen {
			continue
		}
		h, err := catalog.HeadOf(p.items[catalog.ProductKey(shop, l.ProductID)])
		if err != nil {
			return err
		}
		p.products[l.ProductID] = h
	}
	if state := p.items[StateKey(shop, p.want.StateID)]; state != nil {
		s, err := OrderStates.Decode(state)
		p.namedState = &s
		return err
	}
	return nil
}

// readMore is the second wave. numbered says that the order gets its number, unless an earlier try has drawn one.
func (p *placing) readMore(ctx context.Context, numbered bool) error {
	var calls []func() error
	if numbered && p.number == "" {
		calls = append(calls, func() (err error) { p.number, err = p.next(ctx); return })
	}
	calls = append(calls, func() error { return p.readVariants(ctx) })
	var keys []store.Key
	for _, code := range p.want.DiscountCoupons {
		if key, has := p.couponKey(code); has {
			keys = append(keys, key)
		}
	}
	calls = append(calls, func() (err error) { p.coupons, err = store.GetByKey(ctx, p.unit.Table, keys); return })
	return guard.Beside(ctx, p.Near, calls...)
}

// readVariants reads the variants that are ordered. It asks the store nothing if there are none, or if the first wave
// has read them.
func (p *placing) readVariants(ctx context.Context) (err error) {
	variants := make([]string, len(p.want.Items))
	for i, l := range p.want.Items {
		variants[i] = l.VariantID
	}
	p.variants, err = catalog.VariantsOf(ctx, p.unit.Table, p.heads(), variants, p.items)
	return err
}

// next is the shop's next order number.
func (p *placing) next(ctx context.Context) (string, error) {
	n, err := draw(ctx, p.unit)
	if err != nil {
		return "", err
	}
	return number(p.unit.Now().UTC().Year(), n), nil
}

// couponKey is where the coupon of a code is, by the claim of the code; false when no coupon has it.
func (p *placing) couponKey(code field.Code) (store.Key, bool) {
	owner := record.Owner(p.items[CodeKey(p.unit.Shop, code)])
	return CouponKey(p.unit.Shop, owner), owner != ""
}

// heads are the products of the lines.
func (p *placing) heads() []*catalog.Head {
	heads := make([]*catalog.Head, len(p.want.Items))
	for i, l := range p.want.Items {
		heads[i] = p.products[l.ProductID]
	}
	return heads
}
