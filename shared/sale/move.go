package sale

import (
	"context"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Ordering is what commands on orders need beside their unit of work.
type Ordering struct {
	Currency string // of the shop
	Near     bool   // the store answers within microseconds: it is asked in turn, not side by side
	// PickedUp says whether customers of a shop come for orders whose delivery has this name; nil: never.
	PickedUp func(ctx context.Context, shop, delivery string) (bool, error)
	// Keep makes the customer of an order that names none, once nothing is wrong with the order; nil: it is nobody's.
	Keep func() (customerID string, err error)
}

// Change moves an order to another state, which may put its stock back, and changes its note. merge makes the new
// fields of the order's.
func (o Ordering) Change(
	ctx context.Context, u *change.Unit, id string, merge func(OrderFields) (OrderFields, error),
) (*Order, error) {
	to, err := targetState(u, merge)
	if err != nil {
		return nil, err
	}
	return o.edit(ctx, u, id, to, func(now *Order) (err error) {
		now.OrderFields, err = merge(now.OrderFields)
		return err
	})
}

// Ship moves an order to a state and changes its tracking number and link, by one change of the order: receivers hear
// of it once. merge makes the tracking of the order's. A wrong state or tracking is told as by Change and Track.
func (o Ordering) Ship(
	ctx context.Context, u *change.Unit, id, state string, merge func(OrderTracking) (OrderTracking, error),
) (*Order, error) {
	if err := checkTracking(merge); err != nil {
		return nil, err
	}
	return o.edit(ctx, u, id, &state, func(now *Order) error {
		now.StateID = state
		return now.track(merge)
	})
}

// edit changes an order until no other request comes between. to is the state that it moves to; nil if it stays.
func (o Ordering) edit(
	ctx context.Context, u *change.Unit, id string, to *string, apply func(*Order) error,
) (*Order, error) {
	return record.Retry(ctx, func() (*Order, error) { return o.tryEdit(ctx, u, id, to, apply) })
}

// targetState is the id of the state that merge moves any order to; nil if merge leaves an order where it is. It is
// found out before anything is read, so that the states are read beside the order, and only if they are needed.
func targetState(u *change.Unit, merge func(OrderFields) (OrderFields, error)) (*string, error) {
	// merge is tried on an order that is in no state. What it names then, it names for any order.
	nowhere := u.NewID() // the id of no state
	f, err := merge(OrderFields{StateID: nowhere})
	if err != nil || f.StateID == nowhere {
		return nil, err
	}
	return &f.StateID, nil
}

// tryEdit tries the change once, and writes nothing if it changes nothing. It fails with the store's
// *store.ConditionError if another request has changed the order, or one of its products, meanwhile.
func (o Ordering) tryEdit(
	ctx context.Context, u *change.Unit, id string, to *string, apply func(*Order) error,
) (*Order, error) {
	was, state, err := o.readMove(ctx, u, id, to)
	if err != nil {
		return nil, err
	}
	now := was
	if err := apply(&now); err != nil {
		return nil, err
	}
	// A note that does not grow is never refused for its length.
	if len(now.Note) > len(was.Note) {
		if err := now.tooHeavy(); err != nil {
			return nil, err
		}
	}
	var ops []store.Op
	var records []events.Record
	// The stock goes back once, however often the order moves afterwards (contract, "Order states").
	if state.Returns() && !was.Returned {
		if ops, records, err = putBackStock(ctx, u, was); err != nil {
			return nil, err
		}
		now.Returned = true
	}
	changed := groups(was, now)
	if len(changed) == 0 {
		return &was, nil
	}
	now.SetVersion(u.NextVersion(was.Version))
	if now.StateID != was.StateID {
		now.Moves = was.historyWith(OrderMove{now.StateID, now.Changed, u.By})
	}
	ops = append([]store.Op{store.Put(Orders.Item(u.Shop, now), store.VersionIs(was.Version))}, ops...)
	records = append([]events.Record{now.eventRecord(events.Changed, changed...)}, records...)
	_, err = u.Write(ctx, &now, u.ChangeOf(records), ops...)
	return &now, err
}

// Track changes an order's tracking number and link. merge makes them of the order's. The body is checked before the
// order is read, because its faults (422) come before the order's 404 (contract, "Order of checks").
func (o Ordering) Track(
	ctx context.Context, u *change.Unit, id string, merge func(OrderTracking) (OrderTracking, error),
) (*Order, error) {
	if err := checkTracking(merge); err != nil {
		return nil, err
	}
	return o.edit(ctx, u, id, nil, func(now *Order) error { return now.track(merge) })
}

// track changes the tracking of an order that is not written yet.
func (o *Order) track(merge func(OrderTracking) (OrderTracking, error)) error {
	tracking, err := merge(o.Shipping.tracking())
	o.Shipping = o.Shipping.with(tracking)
	return err
}

// checkTracking refuses a tracking that no order takes.
func checkTracking(merge func(OrderTracking) (OrderTracking, error)) error {
	sent, err := merge(OrderTracking{})
	if err != nil {
		return err
	}
	return sent.check()
}

// readMove reads the order, and the state that it is to move to; the zero state if it stays. A state that does not
// exist or is deleted is 422, which comes before the order's own 404, 412 and 409 (contract, "Order of checks").
func (o Ordering) readMove(ctx context.Context, u *change.Unit, order string, to *string) (Order, OrderState, error) {
	var was Order
	var missing error // of the order
	var all []OrderState
	reads := []func() error{func() (err error) {
		if was, err = Orders.Read(ctx, u.Table, u.Shop, order); problem.Is(err, "not_found") {
			missing, err = err, nil
		}
		return err
	}}
	if to != nil {
		reads = append(reads, func() (err error) { all, err = AllStates(ctx, u.Table, u.Shop); return })
	}
	if err := guard.Beside(ctx, o.Near, reads...); err != nil {
		return was, OrderState{}, err
	}
	var state OrderState
	if to != nil && *to != was.StateID {
		var found bool
		// A missing order has the zero StateID, so a wrong state is told first for it, too.
		if state, found = FindState(all, *to); !found {
			return was, state, problem.InvalidAt("stateId", problem.Unknown, "is no order state of this shop")
		}
		if state.Deleted {
			return was, state, stateDeleted()
		}
	}
	if missing != nil {
		return was, state, missing
	}
	if err := u.Match(was.Version); err != nil {
		return was, state, err
	}
	// Only a move is refused: the note of an order in a final state can be changed.
	if from, _ := FindState(all, was.StateID); state.ID != "" && from.Final {
		return was, state, problem.Conflict("state_final",
			"The order is in the state "+string(from.Name)+", which is final.")
	}
	return was, state, nil
}

// putBackStock makes the operations and records that put an order's stock back into those of its products and variants
// that still exist. A stock never rises above what a stock can be.
func putBackStock(ctx context.Context, u *change.Unit, o Order) (ops []store.Op, records []events.Record, err error) {
	all := piecesByProduct(o.Items)
	products := each.Of(all, func(t productPieces) string { return t.product })
	heads, err := catalog.Heads(ctx, u.Table, u.Shop, products)
	if err != nil {
		return nil, nil, err
	}
	for i, head := range heads {
		// A product that was deleted has no stock to put back into.
		if head == nil {
			continue
		}
		var back []catalog.Pieces
		for _, p := range all[i].pieces {
			stock, has := head.StockOf(p.Variant)
			if p.Quantity = min(p.Quantity, catalog.MaxStock-stock.Quantity); has && p.Quantity > 0 {
				back = append(back, p)
			}
		}
		if len(back) > 0 {
			op, record := catalog.PutBackStock(u.Shop, head, back, u.NextVersion(head.Version))
			ops, records = append(ops, op), append(records, record)
		}
	}
	return ops, records, nil
}

// stateDeleted is the refusal to move an order into a deleted state.
func stateDeleted() *problem.Problem {
	return problem.Refused("state_deleted", "The order state is deleted: no order can move into it.")
}
