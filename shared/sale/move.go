package sale

import (
	"context"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Ordering is what commands on orders need beside their unit of work.
type Ordering struct {
	Currency string // of the shop
	InTurn   bool   // the store answers within microseconds: it is asked in turn, not side by side
}

// beside makes the calls at the same time, or in turn. It returns the first error.
func (o Ordering) beside(ctx context.Context, calls ...func() error) error {
	if !o.InTurn {
		return guard.First(guard.Each(ctx, len(calls), func(i int) error { return calls[i]() }))
	}
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// Change moves an order to another state, which may put its stock back, and changes its note: to what merge makes of its
// fields. to is the state that the request names; nil when it names none.
func (o Ordering) Change(
	ctx context.Context, u *change.Unit, id string, to *string, merge func(OrderFields) (OrderFields, error),
) (*Order, error) {
	return record.Again(ctx, func() (*Order, error) { return o.tryChange(ctx, u, id, to, merge) })
}

// tryChange fails with the store's *store.ConditionError when another request changed the order, or one of its products,
// meanwhile.
func (o Ordering) tryChange(
	ctx context.Context, u *change.Unit, id string, to *string, merge func(OrderFields) (OrderFields, error),
) (*Order, error) {
	m, err := o.move(ctx, u, id, to)
	if err != nil {
		return nil, err
	}
	now := m.was
	if now.OrderFields, err = merge(m.was.OrderFields); err != nil {
		return nil, err
	}
	if err := now.tooHeavy(); err != nil {
		return nil, err
	}
	var ops []store.Op
	var told []events.Record
	if m.putsBack() {
		if ops, told, err = putBack(ctx, u, m.was); err != nil {
			return nil, err
		}
		now.Returned = true
	}
	return saveOrder(ctx, u, m.was, now, ops, told)
}

// saveOrder writes the order as it is now, with what comes with it, unless nothing changed.
func saveOrder(
	ctx context.Context, u *change.Unit, was, now Order, ops []store.Op, told []events.Record,
) (*Order, error) {
	g := groups(was, now)
	if len(g) == 0 {
		return &was, nil
	}
	now.At(u.Next(was.Version))
	ops = append([]store.Op{store.Put(Orders.Item(u.Shop, now), store.VersionIs(was.Version))}, ops...)
	told = append([]events.Record{now.told(events.Changed, g...)}, told...)
	_, err := u.Write(ctx, &now, u.Told(told), ops...)
	return &now, err
}

// Track changes the tracking number and link of an order to what merge makes of them.
func (o Ordering) Track(
	ctx context.Context, u *change.Unit, id string, merge func(OrderTracking) (OrderTracking, error),
) (*Order, error) {
	sent, err := merge(OrderTracking{})
	if err != nil {
		return nil, err
	}
	if err := sent.check(); err != nil {
		return nil, err
	}
	return record.Again(ctx, func() (*Order, error) {
		was, err := Orders.Read(ctx, u.Table, u.Shop, id)
		if err != nil {
			return nil, err
		}
		if err := u.Match(was.Version); err != nil {
			return nil, err
		}
		tracking, err := merge(was.Shipping.tracking())
		if err != nil {
			return nil, err
		}
		now := was
		now.Shipping = was.Shipping.with(tracking)
		return saveOrder(ctx, u, was, now, nil, nil)
	})
}

// move is an order on its way from a state to another; to is the zero state when it stays.
type move struct {
	was Order
	to  OrderState
}

// putsBack says whether the move puts the order's stock back.
func (m move) putsBack() bool { return m.to.Returns() && !m.was.Returned }

// move reads the order, and the states when the request names one: whether the order may go there. A state that is none
// or deleted is a 422, which comes before the order's own 404, 412 and 409 (contract, section 2).
func (o Ordering) move(ctx context.Context, u *change.Unit, order string, to *string) (move, error) {
	var items []*store.Item
	var all []OrderState
	reads := []func() error{func() (err error) { items, err = orderItem(ctx, u, order); return }}
	if to != nil {
		reads = append(reads, func() (err error) { all, err = AllStates(ctx, u.Table, u.Shop); return })
	}
	if err := o.beside(ctx, reads...); err != nil {
		return move{}, err
	}
	var m move
	var err error
	there := len(items) > 0 && items[0] != nil
	if there {
		if m.was, err = Orders.Of(items[0]); err != nil {
			return m, err
		}
	}
	if to != nil && *to != m.was.StateID {
		if m.to, err = openState(all, *to); err != nil {
			return m, err
		}
	}
	if !there {
		return m, problem.NotFound()
	}
	if err := u.Match(m.was.Version); err != nil {
		return m, err
	}
	if from, _ := FindState(all, m.was.StateID); m.to.ID != "" && from.Final {
		return m, problem.Conflict("state_final", "The order is in the state "+string(from.Name)+", which is final.")
	}
	return m, nil
}

// orderItem is the item of an order, none of an id that is none.
func orderItem(ctx context.Context, u *change.Unit, order string) ([]*store.Item, error) {
	if !id.Valid(order) {
		return nil, nil
	}
	return u.Table.Get(ctx, OrderKey(u.Shop, order))
}

// openState is the state of an id, into which orders can move.
func openState(all []OrderState, id string) (OrderState, error) {
	s, found := FindState(all, id)
	switch {
	case !found:
		return s, problem.InvalidAt("stateId", problem.Unknown, "is no order state of this shop")
	case s.Deleted:
		return s, stateDeleted()
	}
	return s, nil
}

// putBack is what it takes to put the stock of an order back: what of its products and variants is still there, and no
// more than a stock can be.
func putBack(ctx context.Context, u *change.Unit, o Order) ([]store.Op, []events.Record, error) {
	all := moves(o.Items)
	heads, err := headsOf(ctx, u, all)
	if err != nil {
		return nil, nil, err
	}
	var ops []store.Op
	var told []events.Record
	for i, k := range heads {
		if k == nil {
			continue
		}
		back, order := catalog.Move{}, []string(nil)
		for _, variant := range all[i].order {
			stock, has := k.StockOf(variant)
			if n := min(all[i].of[variant], catalog.MaxStock-stock.Quantity); has && n > 0 {
				back[variant], order = n, append(order, variant)
			}
		}
		if len(order) > 0 {
			op, record := catalog.PutBack(u.Shop, k, back, order, u.Next(k.Version))
			ops, told = append(ops, op), append(told, record)
		}
	}
	return ops, told, nil
}

// headsOf are the products of pieces.
func headsOf(ctx context.Context, u *change.Unit, all []*pieces) ([]*catalog.Head, error) {
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.product
	}
	return catalog.Heads(ctx, u.Table, u.Shop, ids)
}

func stateDeleted() *problem.Problem {
	return problem.Refused("state_deleted", "The order state is deleted: no order can move into it.")
}
