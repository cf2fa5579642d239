package sale

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/customer"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// placing is an order that is being made. What it reads is read in two waves, each side by side: products, customer,
// state and the claims of coupon codes; then the variants, the coupons, and the order's number. What the order shares
// with many others and what few change (its state, its customer) is never checked in its transaction: parallel checks
// conflict.
type placing struct {
	Ordering
	unit   *change.Unit
	want   OrderNew
	id     string
	number string  // once there is one; tries share it
	basket *Basket // that it is made of; nil of an order whose lines a request lists: see fromBasket
	level  string  // the shopper's price level; "" of an order without a basket: it has its customer's, who is read

	items    map[store.Key]*store.Item // of the first wave
	products map[string]*catalog.Head
	states   []OrderState // all; not read when the request names one
	named    *OrderState  // the one that it names; nil when there is none of that id
	variants []catalog.Variant
	coupons  map[store.Key]*store.Item
}

// fromBasket says whether a checkout makes the order of a basket: then the shopper's price level is known, and the
// customer is the one who is signed in, so that the customer is not read.
func (p *placing) fromBasket() bool { return p.basket != nil }

// Place makes an order (contract, section 4, "Orders").
func (o Ordering) Place(ctx context.Context, u *change.Unit, want OrderNew) (*Order, error) {
	if err := want.check(); err != nil {
		return nil, err
	}
	p := &placing{Ordering: o, unit: u, want: want, id: u.NewID()}
	return record.Retry(ctx, func() (*Order, error) { return p.try(ctx) })
}

// try fails with the store's *store.ConditionError when a product or coupon is not any more as it was read: the next
// try finds out why.
func (p *placing) try(ctx context.Context) (*Order, error) {
	order, used, err := p.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.write(ctx, order, used)
}

// plan is the order by what is stored now, and the coupons it uses. Faults of lines and coupons (422) come before too
// little stock (409), so lacking waits for the second wave; no number is drawn for an order that is refused for it.
func (p *placing) plan(ctx context.Context) (Order, []Coupon, error) {
	if err := p.read(ctx); err != nil {
		return Order{}, nil, err
	}
	state, err := p.check()
	if err != nil {
		return Order{}, nil, err
	}
	var lacking error
	if !state.Returns() {
		lacking = p.lacking()
	}
	if err := p.readMore(ctx, lacking == nil); err != nil {
		return Order{}, nil, err
	}
	order, used, err := p.order()
	switch {
	case err != nil:
		return Order{}, nil, err
	case lacking != nil:
		return Order{}, nil, lacking
	}
	order.StateID, order.Number, order.Returned = state.ID, p.number, state.Returns()
	return order, used, nil
}

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
	keys = append(keys, p.basket.parts(shop)...)
	reads := []func() error{func() (err error) { p.items, err = itemsOf(ctx, p.unit.Table, keys); return }}
	if p.want.StateID == "" {
		reads = append(reads, func() (err error) { p.states, err = AllStates(ctx, p.unit.Table, shop); return })
	}
	if err := guard.Beside(ctx, p.Near, reads...); err != nil {
		return err
	}
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
		p.named = &s
		return err
	}
	return nil
}

// couponKey is where the coupon of a code is, by the claim of the code; false when no coupon has it.
func (p *placing) couponKey(code field.Code) (store.Key, bool) {
	owner := record.Owner(p.items[CodeKey(p.unit.Shop, code)])
	return CouponKey(p.unit.Shop, owner), owner != ""
}

// check is what is wrong with the order by what the first wave has read, and the state that it will be in.
func (p *placing) check() (OrderState, error) {
	var f problem.Faults
	for i, l := range p.want.Items {
		refuseProduct(&f, at(i, ""), p.products[l.ProductID], l.VariantID)
	}
	if !p.fromBasket() && p.want.CustomerID != "" && record.Missing(p.items[customer.Key(p.unit.Shop, p.want.CustomerID)]) {
		f.Add("customerId", problem.Unknown, "is no customer of this shop")
	}
	if p.want.StateID != "" && p.named == nil {
		f.Add("stateId", problem.Unknown, "is no order state of this shop")
	}
	if err := f.Err(); err != nil {
		return OrderState{}, err
	}
	switch {
	case p.named == nil:
		return LiveStates(p.states)[0], nil
	case p.named.Deleted:
		return OrderState{}, stateDeleted()
	}
	return *p.named, nil
}

// lacking is the 409 of the first line for which there is too little, by the heads that were read; nil when there is
// enough. What comes between is found by the transaction.
func (p *placing) lacking() error {
	taken := map[[2]string]int64{}
	for _, l := range p.want.Items {
		stock, _ := p.products[l.ProductID].StockOf(l.VariantID)
		at := [2]string{l.ProductID, l.VariantID}
		if taken[at] += l.Quantity; taken[at] > stock.Quantity {
			short := problem.Conflict(Short, fmt.Sprintf(
				"There are %d pieces of this, and more are ordered: nothing was taken.", stock.Quantity)).
				With("productId", l.ProductID).With("available", stock.Quantity)
			if l.VariantID != "" {
				short.With("variantId", l.VariantID)
			}
			return short
		}
	}
	return nil
}

// readMore is the second wave. numbered: the order gets its number, unless an earlier try has got it.
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
	calls = append(calls, func() (err error) { p.coupons, err = itemsOf(ctx, p.unit.Table, keys); return })
	return guard.Beside(ctx, p.Near, calls...)
}

// readVariants reads the variants that are ordered; without any, or when the first wave has read their parts, it asks
// the store nothing.
func (p *placing) readVariants(ctx context.Context) (err error) {
	variants := make([]string, len(p.want.Items))
	for i, l := range p.want.Items {
		variants[i] = l.VariantID
	}
	p.variants, err = catalog.VariantsOf(ctx, p.unit.Table, p.unit.Shop, p.heads(), variants, p.items)
	return err
}

// heads are the products of the lines.
func (p *placing) heads() []*catalog.Head {
	heads := make([]*catalog.Head, len(p.want.Items))
	for i, l := range p.want.Items {
		heads[i] = p.products[l.ProductID]
	}
	return heads
}

// next is the shop's next order number. An order that is refused afterwards leaves a gap.
func (p *placing) next(ctx context.Context) (string, error) {
	n, err := p.Numbers.next(ctx, p.unit)
	if err != nil {
		return "", err
	}
	return number(p.unit.Now().UTC().Year(), n), nil
}

// order is the order by all that was read, and the coupons it uses; or what is wrong with it.
func (p *placing) order() (Order, []Coupon, error) {
	lines, err := p.lines()
	if err != nil {
		return Order{}, nil, err
	}
	sum, err := price(lines)
	if err != nil {
		return Order{}, nil, err
	}
	used, err := p.applying(sum)
	if err != nil {
		return Order{}, nil, err
	}
	w := p.want
	o := Order{CustomerID: w.CustomerID, Email: w.Email, Phone: w.Phone, BillingAddress: w.BillingAddress,
		DeliveryAddress: w.DeliveryAddress, Currency: p.Currency, Items: lines, Shipping: w.Shipping.shipping()}
	o.ID, o.Note = p.id, w.Note
	o.DiscountCoupons, o.Totals = discount(sum, used)
	return o, used, o.tooHeavy()
}

// lines are the products as they are sold now: at the price level of who buys them, or at a quote's price.
func (p *placing) lines() ([]OrderLine, error) {
	level, err := p.levelOf()
	if err != nil {
		return nil, err
	}
	var f problem.Faults
	lines := make([]OrderLine, len(p.want.Items))
	for i, l := range p.want.Items {
		d, v := p.products[l.ProductID].Details(), p.variants[i]
		lines[i] = OrderLine{ID: p.unit.NewID(), ProductID: l.ProductID, VariantID: l.VariantID,
			Code: d.Code, Name: d.Name, VATRate: d.VATRate, Quantity: l.Quantity,
			UnitPrice: catalog.PriceOf(d, v.VariantDetails, level), Note: l.Note, Images: []OrderImage{}}
		refuseVariant(&f, at(i, ""), l.VariantID, v)
		if l.VariantID != "" {
			lines[i].Code, lines[i].VariantName = v.Code, v.Name
		}
		if p.fromBasket() {
			p.basket.Items[i].sellAsQuoted(&lines[i])
		}
	}
	return lines, f.Err()
}

// levelOf is the price level at which the order is sold; "" is the default one.
func (p *placing) levelOf() (string, error) {
	if p.fromBasket() || p.want.CustomerID == "" {
		return p.level, nil
	}
	c, err := customer.Customers.Decode(p.items[customer.Key(p.unit.Shop, p.want.CustomerID)])
	return string(c.PriceLevel), err
}

// applying are the coupons of the order in the order sent; a coupon_invalid when one of them does not apply.
func (p *placing) applying(sum field.Money) ([]Coupon, error) {
	used := make([]Coupon, len(p.want.DiscountCoupons))
	for i, code := range p.want.DiscountCoupons {
		reason := CouponUnknown
		key, _ := p.couponKey(code)
		if item := p.coupons[key]; !record.Missing(item) {
			c, err := Coupons.Decode(item)
			if err != nil {
				return nil, err
			}
			if used[i] = c; FoldCode(c.Code) == FoldCode(code) {
				reason = c.Refuses(sum, p.unit.Now())
			}
		}
		if reason != "" {
			return nil, couponInvalid("body.discountCoupons["+strconv.Itoa(i)+"]", code, reason)
		}
	}
	return used, nil
}

// couponInvalid is the problem of a coupon that does not apply; location is where the request names it.
func couponInvalid(location string, code field.Code, reason CouponRefusal) *problem.Problem {
	why := map[CouponRefusal]string{CouponUnknown: problem.Unknown, CouponInactive: problem.Inactive}[reason]
	if why == "" {
		why = problem.Conflicting
	}
	p := problem.Refused("coupon_invalid", "The coupon "+string(code)+" does not apply: "+string(reason)+".").
		With("reason", reason)
	p.Errors = []problem.Fault{{Location: location, Code: why, Message: "does not apply: " + string(reason)}}
	return p
}

// write makes the order in one transaction with its number, the stock it takes, the coupons it uses, and more that a
// checkout does with it. All fit one transaction: by the bounds of OrderNew on lines and coupons, and for a checkout by
// maxBasketWrites. A coupon without a limit is counted there too, by an addition that other uses do not hinder: so no
// crash loses or doubles a use, and a coupon that many orders share costs what a product does that they share.
func (p *placing) write(ctx context.Context, o Order, used []Coupon, more ...store.Op) (*Order, error) {
	u := p.unit
	o.SetVersion(u.NextVersion(""))
	ops := []store.Op{store.Put(Orders.Item(u.Shop, o), store.Absent()),
		record.AcquireClaim(NumberKey(u.Shop, o.Number), o.ID, u.Now(), nil)}
	told := []events.Record{o.told(events.Created)}
	taken := takings(o.Items)
	if o.Returned { // made in a state that puts its stock back: as if it was moved there at once
		taken = nil
	}
	for _, t := range taken {
		h := p.products[t.product]
		op, record := catalog.TakeStock(u.Shop, h, t.of, u.NextVersion(h.Version))
		ops, told = append(ops, op), append(told, record)
	}
	for _, coupon := range used {
		op, record := coupon.Use(u.Shop, u.NextVersion(coupon.Version))
		ops, told = append(ops, op), append(told, record)
	}
	return p.commit(ctx, o, u.ChangeOf(told), append(ops, more...))
}

// patience is how often the transaction of an order is begun that the store could not serve: on DynamoDB each time is
// up to two seconds of conflicts with other orders of the same products, and all must fit the function's timeout.
const patience = 3

// commit writes the order's transaction. When an earlier time that seemed to fail was done after all, that order is the
// answer: nobody else has its id.
func (p *placing) commit(ctx context.Context, o Order, told events.Change, ops []store.Op) (*Order, error) {
	for try := 1; ; try++ {
		_, err := p.unit.Write(ctx, &o, told, ops...)
		if f, lost := store.Failed(err, OrderKey(p.unit.Shop, o.ID)); lost && f.Item != nil {
			made, err := Orders.Decode(f.Item)
			made.Page = o.Page
			return &made, err
		}
		if !errors.Is(err, store.ErrUnavailable) || try == patience {
			return &o, err
		}
	}
}
