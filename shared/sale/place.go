package sale

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// placing is an order that is being made. It reads in two waves, each side by side: first products, customer, state and
// the claims of coupon codes; then the variants, the coupons, and the order's number. Its transaction never checks what
// many orders share and few requests change (its state, its customer), because parallel checks of one item conflict.
type placing struct {
	Ordering
	unit   *change.Unit
	want   OrderNew
	id     string
	number string  // once there is one; tries share it
	basket *Basket // that it is made of; nil of an order whose lines a request lists: see fromBasket
	level  string  // the shopper's price level; "" of an order without a basket: it has its customer's, who is read

	items      map[store.Key]*store.Item // of the first wave
	products   map[string]*catalog.Head
	states     []OrderState // all; not read when the request names one
	namedState *OrderState  // the one that it names; nil when there is none of that id
	variants   []catalog.Variant
	coupons    map[store.Key]*store.Item
}

// fromBasket says whether a checkout makes the order of a basket. Then the shopper's price level is known and the
// customer is the one who is signed in, so no customer is read.
func (p *placing) fromBasket() bool { return p.basket != nil }

// Place makes an order (contract, section 4, "Orders").
func (o Ordering) Place(ctx context.Context, u *change.Unit, want OrderNew) (*Order, error) {
	if err := want.check(); err != nil {
		return nil, err
	}
	p := &placing{Ordering: o, unit: u, want: want, id: u.NewID()}
	return record.Retry(ctx, func() (*Order, error) { return p.try(ctx) })
}

// try tries once. It fails with the store's *store.ConditionError if a product or coupon has changed since it was read:
// the next try finds out why.
func (p *placing) try(ctx context.Context) (*Order, error) {
	order, used, err := p.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.write(ctx, order, used)
}

// plan is the order by what is stored now, and the coupons that it uses. Faults of lines and coupons (422) come before
// too little stock (409), so a shortage waits until the second wave is judged. For an order that will be refused no
// number is drawn.
func (p *placing) plan(ctx context.Context) (Order, []Coupon, error) {
	if err := p.read(ctx); err != nil {
		return Order{}, nil, err
	}
	state, err := p.check()
	if err != nil {
		return Order{}, nil, err
	}
	var short error
	// An order that is made cancelled or returned takes no stock, so it cannot lack any.
	if !state.Returns() {
		short = p.shortage()
	}
	if err := p.readMore(ctx, short == nil); err != nil {
		return Order{}, nil, err
	}
	order, used, err := p.order()
	switch {
	case err != nil:
		return Order{}, nil, err
	case short != nil:
		return Order{}, nil, short
	}
	order.StateID, order.Number, order.Returned = state.ID, p.number, state.Returns()
	return order, used, nil
}

// check judges the order by the first wave, and returns the state that the order will be in.
func (p *placing) check() (OrderState, error) {
	var f problem.Faults
	for i, l := range p.want.Items {
		refuseProduct(&f, at(i, ""), p.products[l.ProductID], l.VariantID)
	}
	if !p.fromBasket() && p.want.CustomerID != "" &&
		record.Missing(p.items[customer.Key(p.unit.Shop, p.want.CustomerID)]) {
		f.Add("customerId", problem.Unknown, "is no customer of this shop")
	}
	if p.want.StateID != "" && p.namedState == nil {
		f.Add("stateId", problem.Unknown, "is no order state of this shop")
	}
	if err := f.Err(); err != nil {
		return OrderState{}, err
	}
	switch {
	case p.namedState == nil:
		// There is always one: the last live state cannot be deleted (409 `last_state`).
		return LiveStates(p.states)[0], nil
	case p.namedState.Deleted:
		return OrderState{}, stateDeleted()
	}
	return *p.namedState, nil
}

// shortage is the 409 of the first line for which there is too little by the heads that were read; nil if there is
// enough. What other orders take until the transaction, the transaction's own conditions find.
func (p *placing) shortage() error {
	taken := map[[2]string]int64{}
	for _, l := range p.want.Items {
		stock, _ := p.products[l.ProductID].StockOf(l.VariantID)
		at := [2]string{l.ProductID, l.VariantID}
		if taken[at] += l.Quantity; taken[at] > stock.Quantity {
			refusal := problem.Conflict(Short, fmt.Sprintf(
				"There are %d pieces of this, and more are ordered: nothing was taken.", stock.Quantity)).
				With("productId", l.ProductID).With("available", stock.Quantity)
			if l.VariantID != "" {
				refusal.With("variantId", l.VariantID)
			}
			return refusal
		}
	}
	return nil
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
	o.ID, o.Note, o.Maker = p.id, w.Note, p.unit.By
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
			// The coupon may have got another code since its claim was read: then this code is unknown.
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

// write makes the order in one transaction with its number, the stock it takes, the coupons it uses, and what a
// checkout does with it. All of that fits one transaction, by the bounds of OrderNew on lines and coupons, and by
// maxBasketWrites.
//
// A coupon without a limit is counted there, too, by an addition that other uses do not hinder. So no crash loses or
// doubles a use; and a coupon that many orders share costs no more than a product that they share.
func (p *placing) write(ctx context.Context, o Order, used []Coupon, more ...store.Op) (*Order, error) {
	u := p.unit
	o.SetVersion(u.NextVersion(""))
	ops := []store.Op{store.Put(Orders.Item(u.Shop, o), store.Absent()),
		record.AcquireClaim(NumberKey(u.Shop, o.Number), o.ID, u.Now(), nil)}
	records := []events.Record{o.eventRecord(events.Created)}
	taken := piecesByProduct(o.Items)
	if o.Returned { // made in a state that puts its stock back: as if it was moved there at once
		taken = nil
	}
	for _, t := range taken {
		h := p.products[t.product]
		op, record := catalog.TakeStock(u.Shop, h, t.pieces, u.NextVersion(h.Version))
		ops, records = append(ops, op), append(records, record)
	}
	for _, coupon := range used {
		op, record := coupon.Use(u.Shop, u.NextVersion(coupon.Version))
		ops, records = append(ops, op), append(records, record)
	}
	return p.commit(ctx, o, u.ChangeOf(records), append(ops, more...))
}

// maxCommits is how often an order's transaction is tried while the store cannot serve it. On DynamoDB each try is up
// to two seconds of conflicts with other orders of the same products. The request's own time ends whatever lasts
// longer.
const maxCommits = 3

// commit writes the order's transaction. If an earlier try that seemed to fail was done after all, that order is the
// answer: nobody else has its id.
func (p *placing) commit(ctx context.Context, o Order, changed events.Change, ops []store.Op) (*Order, error) {
	for try := 1; ; try++ {
		err := record.WriteRising(ctx, p.unit, &o, changed, ops)
		if f, there := store.Failed(err, OrderKey(p.unit.Shop, o.ID)); there && f.Item != nil {
			made, err := Orders.Decode(f.Item)
			// The secret is stored as a hash only, so the address comes from this try.
			made.Page = o.Page
			return &made, err
		}
		if !errors.Is(err, store.ErrUnavailable) || try == maxCommits {
			return &o, err
		}
	}
}
