package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// placing is an order that is being made: what its tries share. A try plans the order by what is stored and writes it
// in one transaction. The transaction never checks what many orders share and few requests change (the order's state,
// its customer), because parallel checks of one item conflict.
type placing struct {
	Ordering
	unit   *change.Unit
	id     string
	number string // "" until a try has found that the order can be made, and has drawn it
}

// wanted is what is ordered: by a request, or by a checkout, which knows its shopper's price level.
type wanted struct {
	OrderNew
	buyer string       // the id of the customer by whose price level is sold; "": by level
	level string       // "" is the default one
	lines []BasketLine // the basket's of a checkout, in the order of Items
}

// planned is an order by what is stored, and what it is made of.
type planned struct {
	Order
	heads    []*catalog.Head   // of the lines
	variants []catalog.Variant // of the lines; zero where a product is sold without
	coupons  []Coupon          // in the order in which the request names them
}

// Place makes an order (contract, "Orders").
func (o Ordering) Place(ctx context.Context, u *change.Unit, want OrderNew) (*Order, error) {
	return o.PlaceOnce(ctx, u, "", want)
}

// PlaceOnce is Place for whoever knows the id that the order gets, and may ask for it twice: the order that was made is
// the answer then, whatever would be wrong with another one. "" is any id.
func (o Ordering) PlaceOnce(ctx context.Context, u *change.Unit, id string, want OrderNew) (*Order, error) {
	made, err := o.place(ctx, u, cmp.Or(id, u.NewID()), want)
	if _, refused := problem.As(err); refused && id != "" {
		if was, missing := Orders.Read(ctx, u.Table, u.Shop, id); missing == nil {
			return &was, nil
		}
	}
	return made, err
}

// place makes an order of that id, or finds it made (commit).
func (o Ordering) place(ctx context.Context, u *change.Unit, id string, want OrderNew) (*Order, error) {
	if err := want.check(); err != nil {
		return nil, err
	}
	err := needStreets(want.BillingAddress, want.DeliveryAddress, func() (bool, error) {
		if want.Shipping == nil || o.PickedUp == nil {
			return false, nil
		}
		return o.PickedUp(ctx, u.Shop, string(want.Shipping.Delivery))
	})
	if err != nil {
		return nil, err
	}
	p := &placing{Ordering: o, unit: u, id: id}
	// A try fails with the store's *store.ConditionError if a product or coupon has changed since it was read: the next
	// one finds out why.
	return record.Retry(ctx, func() (*Order, error) {
		order, err := p.plan(ctx, wanted{OrderNew: want, buyer: want.CustomerID})
		if err != nil {
			return nil, err
		}
		if want.CustomerID == "" && p.Keep != nil {
			if want.CustomerID, err = p.Keep(); err != nil {
				return nil, err
			}
			order.CustomerID = want.CustomerID
		}
		return p.write(ctx, order)
	})
}

// needStreets refuses addresses without a street, but for the billing address of an order that its customer picks up
// (contract, "Ways of delivery and payment"), which is asked only where that decides.
func needStreets(billing, delivery *OrderAddress, pickedUp func() (bool, error)) error {
	var faults problem.Faults
	if delivery != nil && delivery.Street == "" {
		faults.Add("deliveryAddress.street", problem.Required, "is required")
	}
	if billing != nil && billing.Street == "" {
		picked, err := pickedUp()
		if err != nil {
			return err
		}
		if !picked {
			faults.Add("billingAddress.street", problem.Required, "is required, unless the order is picked up")
		}
	}
	return faults.Err()
}

// plan is the order by what is stored now. It reads in two waves, each side by side. Faults of lines and coupons (422)
// come before too little stock (409), so a shortage waits until the second wave is judged. For an order that will be
// refused no number is drawn.
func (p *placing) plan(ctx context.Context, want wanted) (order planned, err error) {
	shop := p.unit.Shop
	items, states, err := p.read(ctx, want)
	if err != nil {
		return order, err
	}
	if order.heads, err = headsOf(shop, want.Items, items); err != nil {
		return order, err
	}
	state, err := want.state(shop, items, order.heads, states)
	if err != nil {
		return order, err
	}
	var short error
	if !state.Returns() { // an order that is made cancelled or returned takes no stock, so it cannot lack any
		short = want.shortage(order.heads)
	}

	var coupons map[store.Key]*store.Item
	if order.variants, coupons, err = p.readMore(ctx, want, items, order.heads, short == nil); err != nil {
		return order, err
	}
	level := want.level
	if want.buyer != "" {
		c, err := customer.Customers.Decode(items[customer.Key(shop, want.buyer)])
		if err != nil {
			return order, err
		}
		level = string(c.PriceLevel)
	}
	lines, err := p.lines(want, order.heads, order.variants, level)
	if err != nil {
		return order, err
	}
	sum, err := price(lines)
	if err != nil {
		return order, err
	}
	if order.coupons, err = p.applying(want, items, coupons, sum); err != nil {
		return order, err
	}
	order.Order = Order{CustomerID: want.CustomerID, Email: want.Email, Phone: want.Phone,
		BillingAddress: want.BillingAddress, DeliveryAddress: want.DeliveryAddress, Currency: p.Currency, Items: lines,
		Shipping: want.Shipping.shipping(), Maker: p.unit.By, Returned: state.Returns()}
	order.ID, order.Note = p.id, want.Note
	order.DiscountCoupons, order.Totals = discount(sum, order.coupons)
	if err = order.tooHeavy(); err != nil {
		return order, err
	}
	order.StateID, order.Number = state.ID, p.number
	return order, short
}

// read is the first wave: one Get for the products, the customer, the state and the claims of coupon codes that are
// named, and the parts in which a basket's variants were. If no state is named, the one with the lowest position is
// needed, for which all are read.
func (p *placing) read(
	ctx context.Context, want wanted,
) (items map[store.Key]*store.Item, states []OrderState, err error) {
	shop := p.unit.Shop
	keys := partKeys(shop, want.lines)
	add := func(of func(shop, id string) store.Key, named string) {
		if id.Valid(named) {
			keys = append(keys, of(shop, named))
		}
	}
	for _, l := range want.Items {
		add(catalog.ProductKey, l.ProductID)
	}
	add(customer.Key, want.buyer)
	add(StateKey, want.StateID)
	for _, code := range want.DiscountCoupons {
		keys = append(keys, CodeKey(shop, code))
	}
	reads := []func() error{func() (err error) { items, err = store.GetByKey(ctx, p.unit.Table, keys); return }}
	if want.StateID == "" {
		reads = append(reads, func() (err error) { states, err = AllStates(ctx, p.unit.Table, shop); return })
	}
	err = guard.Beside(ctx, p.Near, reads...)
	return items, states, err
}

// headsOf are the products of the lines by the items that were read; nil where the shop has none. Each is decoded once.
func headsOf(shop string, lines []OrderNewLine, items map[store.Key]*store.Item) ([]*catalog.Head, error) {
	all, seen := make([]*catalog.Head, len(lines)), map[string]*catalog.Head{}
	for i, l := range lines {
		h, has := seen[l.ProductID]
		if !has {
			var err error
			if h, err = catalog.HeadOf(items[catalog.ProductKey(shop, l.ProductID)]); err != nil {
				return nil, err
			}
		}
		all[i], seen[l.ProductID] = h, h
	}
	return all, nil
}

// state judges the order by the first wave, and returns the state that the order will be in.
func (w wanted) state(
	shop string, items map[store.Key]*store.Item, heads []*catalog.Head, states []OrderState,
) (state OrderState, err error) {
	var faults problem.Faults
	for i, l := range w.Items {
		refuseProduct(&faults, at(i, ""), heads[i], l.VariantID)
	}
	if w.buyer != "" && record.Missing(items[customer.Key(shop, w.buyer)]) {
		faults.Add("customerId", problem.Unknown, "is no customer of this shop")
	}
	named := items[StateKey(shop, w.StateID)]
	if w.StateID != "" && named == nil {
		faults.Add("stateId", problem.Unknown, "is no order state of this shop")
	}
	if err := faults.Err(); err != nil {
		return state, err
	}
	if w.StateID == "" {
		// There is always one: the last live state cannot be deleted (409 `last_state`).
		return LiveStates(states)[0], nil
	}
	if state, err = OrderStates.Decode(named); err == nil && state.Deleted {
		err = stateDeleted()
	}
	return state, err
}

// shortage is the 409 of the first line for which there is too little by the heads that were read; nil if there is
// enough. What other orders take until the transaction, the transaction's own conditions find.
func (w wanted) shortage(heads []*catalog.Head) error {
	taken := map[[2]string]int64{}
	for i, l := range w.Items {
		stock, _ := heads[i].StockOf(l.VariantID)
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

// readMore is the second wave: the variants that the first has not read, the coupons by the claims of their codes, and,
// if numbered, every code is some coupon's and no earlier try has drawn one, the order's number.
func (p *placing) readMore(
	ctx context.Context, want wanted, items map[store.Key]*store.Item, heads []*catalog.Head, numbered bool,
) (variants []catalog.Variant, coupons map[store.Key]*store.Item, err error) {
	named := each.Of(want.Items, func(l OrderNewLine) string { return l.VariantID })
	var keys []store.Key
	for _, code := range want.DiscountCoupons {
		if owner := record.Owner(items[CodeKey(p.unit.Shop, code)]); owner != "" {
			keys = append(keys, CouponKey(p.unit.Shop, owner))
		} else {
			numbered = false // unknown: the order will be refused
		}
	}
	var calls []func() error
	if numbered && p.number == "" {
		calls = append(calls, func() (err error) { p.number, err = draw(ctx, p.unit); return })
	}
	err = guard.Beside(ctx, p.Near, append(calls,
		func() (err error) { variants, err = catalog.VariantsOf(ctx, p.unit.Table, heads, named, items); return },
		func() (err error) { coupons, err = store.GetByKey(ctx, p.unit.Table, keys); return })...)
	return variants, coupons, err
}

// lines are the products as they are sold now, at the price level or at a quote's price.
func (p *placing) lines(
	want wanted, heads []*catalog.Head, variants []catalog.Variant, level string,
) ([]OrderLine, error) {
	var faults problem.Faults
	lines := make([]OrderLine, len(want.Items))
	for i, l := range want.Items {
		head, variant := heads[i], variants[i]
		lines[i] = OrderLine{ID: p.unit.NewID(), ProductID: l.ProductID, VariantID: l.VariantID,
			Code: head.Code(), Name: head.Name(), VATRate: head.VATRate(), Quantity: l.Quantity,
			UnitPrice: head.PriceOf(variant, level), Note: l.Note, Images: []OrderImage{}}
		refuseVariant(&faults, at(i, ""), l.VariantID, variant)
		if l.VariantID != "" {
			lines[i].Code, lines[i].VariantName = variant.Code, variant.Name
		}
	}
	for i, line := range want.lines {
		if line.quote != nil {
			lines[i].QuoteID, lines[i].UnitPrice = line.quote.ID, line.UnitPrice
			lines[i].Note, lines[i].Images = line.Note, line.Images
		}
	}
	return lines, faults.Err()
}

// applying are the coupons of the order in the order sent; a coupon_invalid when one of them does not apply.
func (p *placing) applying(
	want wanted, items, coupons map[store.Key]*store.Item, sum field.Money,
) ([]Coupon, error) {
	used := make([]Coupon, len(want.DiscountCoupons))
	for i, code := range want.DiscountCoupons {
		owner := record.Owner(items[CodeKey(p.unit.Shop, code)])
		// The coupon may have got another code since its claim was read: then this code is unknown.
		coupon, err := couponIn(coupons[CouponKey(p.unit.Shop, owner)], code)
		if err != nil {
			return nil, err
		}
		reason := CouponUnknown
		if coupon != nil {
			used[i], reason = *coupon, coupon.Refuses(sum, p.unit.Now())
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
func (p *placing) write(ctx context.Context, order planned, more ...store.Op) (*Order, error) {
	u := p.unit
	order.SetVersion(u.NextVersion(""))
	ops := []store.Op{store.Put(Orders.Item(u.Shop, order.Order), store.Absent()),
		record.AcquireClaim(NumberKey(u.Shop, order.Number), order.ID, u.Now(), nil)}
	records := []events.Record{order.eventRecord(events.Created)}
	taken := piecesByProduct(order.Items)
	if order.Returned { // made in a state that puts its stock back: as if it was moved there at once
		taken = nil
	}
	for _, t := range taken {
		h := order.heads[t.line]
		op, record := catalog.TakeStock(u.Shop, h, t.pieces, u.NextVersion(h.Version))
		ops, records = append(ops, op), append(records, record)
	}
	for _, coupon := range order.coupons {
		op, record := coupon.Use(u.Shop, u.NextVersion(coupon.Version))
		ops, records = append(ops, op), append(records, record)
	}
	return p.commit(ctx, order.Order, u.ChangeOf(records), append(ops, more...))
}

// withoutGone leaves out of the operations those for which the write was refused because the quote that they note the
// order at (NoteOrder) is gone. A quote may go with the access that made it while a basket has a line of it. That line
// can be ordered all the same: it depends on its product and stock only.
func withoutGone(shop string, refused error, ops []store.Op) []store.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(op store.Op) bool {
		f, failed := store.Failed(refused, op.Key)
		return failed && f.Item == nil && strings.HasPrefix(op.Key.PK, QuoteKey(shop, "").PK)
	})
}

// maxCommits is how often an order's transaction is tried while the store cannot serve it. On DynamoDB each try is up
// to two seconds of conflicts with other orders of the same products. The request's own time ends whatever lasts
// longer.
const maxCommits = 3

// commit writes the order's transaction. If an earlier try that seemed to fail was done after all, that order is the
// answer: nobody else has its id.
func (p *placing) commit(ctx context.Context, order Order, changed events.Change, ops []store.Op) (*Order, error) {
	for try := 1; ; try++ {
		err := record.WriteRising(ctx, p.unit, &order, changed, ops)
		if f, there := store.Failed(err, OrderKey(p.unit.Shop, order.ID)); there && f.Item != nil {
			made, err := Orders.Decode(f.Item)
			// The secret is stored as a hash only, so the address comes from this try.
			made.Page = order.Page
			return &made, err
		}
		if left := withoutGone(p.unit.Shop, err, ops); len(left) < len(ops) {
			ops = left
			continue
		}
		if !errors.Is(err, store.ErrUnavailable) || try >= maxCommits {
			return &order, err
		}
	}
}
