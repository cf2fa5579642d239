package orders

import (
	"context"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/sale"
	"eshop/shared/store"
)

// move is an order on its way from a state to another; to is the zero state when it stays.
type move struct {
	was Order
	to  sale.OrderState
}

// putsBack says whether the move puts the order's stock back.
func (m move) putsBack() bool { return m.to.Returns() && !m.was.Returned }

// move reads the order, and the states when the request names one: whether the order may go there. A state that is none
// or deleted is a 422, which comes before the order's own 404, 412 and 409 (contract, section 2).
func (g group) move(ctx context.Context, order string, to *string) (move, error) {
	c := api.From(ctx)
	var items []*store.Item
	var all []sale.OrderState
	reads := []func() error{func() (err error) { items, err = g.item(ctx, c.Shop, order); return }}
	if to != nil {
		reads = append(reads, func() (err error) { all, err = sale.AllStates(ctx, g.Main, c.Shop); return })
	}
	if err := g.beside(ctx, reads...); err != nil {
		return move{}, err
	}
	var m move
	var err error
	there := len(items) > 0 && items[0] != nil
	if there {
		if m.was, err = Of(items[0]); err != nil {
			return m, err
		}
	}
	if to != nil && *to != m.was.StateID {
		if m.to, err = open(all, *to); err != nil {
			return m, err
		}
	}
	if !there {
		return m, api.NotFound()
	}
	if err := c.Match(m.was.Version); err != nil {
		return m, err
	}
	if from, _ := sale.FindState(all, m.was.StateID); m.to.ID != "" && from.Final {
		return m, api.Conflict("state_final", "The order is in the state "+string(from.Name)+", which is final.")
	}
	return m, nil
}

// item is the item of an order, none of an id that is none.
func (g group) item(ctx context.Context, shop, order string) ([]*store.Item, error) {
	if !id.Valid(order) {
		return nil, nil
	}
	return g.Main.Get(ctx, Key(shop, order))
}

// open is the state of an id, into which orders can move.
func open(all []sale.OrderState, id string) (sale.OrderState, error) {
	s, found := sale.FindState(all, id)
	switch {
	case !found:
		return s, api.InvalidAt("stateId", api.Unknown, "is no order state of this shop")
	case s.Deleted:
		return s, stateDeleted()
	}
	return s, nil
}

// putBack is what it takes to put the stock of an order back: what of its products and variants is still there, and no
// more than a stock can be.
func (g group) putBack(ctx context.Context, o Order) ([]store.Op, []events.Record, error) {
	c := api.From(ctx)
	all := moves(o.Items)
	heads, err := g.heads(ctx, all)
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
			op, record := catalog.PutBack(c.Shop, k, back, order, c.Next(k.Version))
			ops, told = append(ops, op), append(told, record)
		}
	}
	return ops, told, nil
}

// heads are the products of pieces.
func (g group) heads(ctx context.Context, all []*pieces) ([]*catalog.Head, error) {
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.product
	}
	return catalog.Heads(ctx, g.Main, api.From(ctx).Shop, ids)
}

func stateDeleted() *problem.Problem {
	return problem.Refused("state_deleted", "The order state is deleted: no order can move into it.")
}
