package admin

import (
	"context"
	"slices"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/search"
)

// How much the dashboard looks through. Where there is more, its numbers have a + behind them.
const (
	maxOfState  = 50  // orders of a state
	maxLately   = 100 // orders of the last day
	maxProducts = 100 // products of these orders
	maxListed   = 5   // entries of a list
)

// toDo is the part of the dashboard that says what is to be done, and the sales of today.
type toDo struct {
	New        string     // how many orders are in the first state, with a + where there are more; "": none
	NewState   string     // the id of the first state
	Unnumbered []orderRow // shipped orders without a tracking number and link
	More       bool       // there are more unnumbered orders than are listed
	Short      []shortGoods
	Setups     []waitingSetup // add-ons whose set-up waits for somebody of the shop
	Unanswered []silentAddon  // add-ons that have not answered their activation
	Sales      string         // of the orders of today, without cancelled and returned ones
}

// shortGoods is a product that was ordered in the last day and of which few are left.
type shortGoods struct {
	Product, Name string
	Left          string
	State         shownState
}

// waitingSetup is an add-on whose set-up waits for somebody of the shop.
type waitingSetup struct{ Access, Package string }

// silentAddon is an add-on that has not answered its activation, and since when.
type silentAddon struct{ Access, Package, Since string }

// answersWithin is how long an add-on may take to answer its activation before the dashboard speaks of it.
const answersWithin = time.Minute

// Nothing says whether nothing is to be done.
func (t toDo) Nothing() bool {
	return t.New == "" && len(t.Unnumbered)+len(t.Short)+len(t.Setups)+len(t.Unanswered) == 0
}

// openOrders are the shop's states, and the orders in two of them that were changed last, by their keys: those in the
// first state (new) and those that are shipped.
type openOrders struct {
	states       []sale.OrderState
	first        sale.OrderState
	new, shipped []store.Key
}

// readOpenOrders reads the states, and then the orders of the two states beside each other.
func (d door) readOpenOrders(ctx context.Context, shop string) (open openOrders, err error) {
	open.states, err = d.States.Get(ctx, shop, func(ctx context.Context) ([]sale.OrderState, error) {
		return sale.AllStates(ctx, d.Main, shop)
	})
	if err != nil {
		return open, err
	}
	keysOf := func(keys *[]store.Key, state sale.OrderState) func() error {
		return func() error {
			if state.ID == "" {
				return nil
			}
			page, err := d.Search().Under(search.Orders, shop, state.ID).
				Entries(ctx, store.Query{Descending: true, Limit: maxOfState + 1})
			for _, row := range page.Items {
				*keys = append(*keys, row.Key)
			}
			return err
		}
	}
	live := sale.LiveStates(open.states)
	if len(live) > 0 && !live[0].Final {
		open.first = live[0]
	}
	var shipped sale.OrderState
	if i := slices.IndexFunc(live, func(s sale.OrderState) bool { return s.Key == sale.KeyShipped }); i >= 0 {
		shipped = live[i]
	}
	return open, guard.Beside(ctx, d.Near, keysOf(&open.new, open.first), keysOf(&open.shipped, shipped))
}

// toDo is what is to be done with the orders that were read. lately are the ids of those of the last day.
func (v *visit) toDo(open openOrders, lately []string, items map[store.Key]*store.Item, now time.Time) toDo {
	todo := toDo{NewState: open.first.ID}
	if n := len(open.new); n > 0 {
		todo.New = v.lang.Number(int64(min(n, maxOfState)))
		if n > maxOfState {
			todo.New += "+"
		}
	}
	for _, key := range open.shipped {
		o, is := orderIn(items[key])
		if !is || value(o.Shipping.TrackingNumber)+value(o.Shipping.TrackingLink) != "" {
			continue
		}
		if todo.More = len(todo.Unnumbered) == maxListed; todo.More {
			break
		}
		todo.Unnumbered = append(todo.Unnumbered, v.orderRow(o, open.states))
	}
	todo.Sales = v.salesOf(open, lately, items, now)
	return todo
}

// salesOf is the sum of the orders that were made today, by the shops' time zone and in the shop's currency, without
// cancelled and returned ones.
func (v *visit) salesOf(w openOrders, lately []string, items map[store.Key]*store.Item, now time.Time) string {
	sum, day := field.Money(0), now.In(field.Zone()).Format(time.DateOnly)
	for _, id := range lately[:min(maxLately, len(lately))] {
		o, is := orderIn(items[sale.OrderKey(v.shop.ID, id)])
		state, _ := sale.FindState(w.states, o.StateID)
		made := o.Created.Go().In(field.Zone()).Format(time.DateOnly)
		if is && made == day && o.Currency == v.shop.Currency && !state.Returns() {
			sum += o.Totals.Total
		}
	}
	if len(lately) > maxLately {
		return v.money(sum) + "+"
	}
	return v.money(sum)
}

// orderIn is the order of an item, and whether there is one that can be read.
func orderIn(item *store.Item) (o sale.Order, is bool) {
	if item == nil {
		return o, false
	}
	o, err := sale.Orders.Decode(item)
	return o, err == nil
}

// orderedLately are the products of orders, each once.
func orderedLately(shop string, orders []string, items map[store.Key]*store.Item) (products []string) {
	for _, id := range orders {
		o, _ := orderIn(items[sale.OrderKey(shop, id)])
		for _, line := range o.Items {
			if len(products) < maxProducts && !slices.Contains(products, line.ProductID) {
				products = append(products, line.ProductID)
			}
		}
	}
	return products
}

// readShort reads of which of the products few are left, fewest first.
func (d door) readShort(ctx context.Context, v *visit, products []string) (all []shortGoods, err error) {
	if len(products) == 0 {
		return nil, nil
	}
	heads, err := catalog.Heads(ctx, d.Main, v.shop.ID, products)
	if err != nil {
		return nil, err
	}
	left := map[string]int64{}
	heads = slices.DeleteFunc(heads, func(h *catalog.Head) bool {
		if h == nil || !h.Active() {
			return true
		}
		left[h.ID] = fewest(h)
		return left[h.ID] > shelf.FewLeft
	})
	slices.SortStableFunc(heads, func(a, b *catalog.Head) int { return int(left[a.ID] - left[b.ID]) })
	for _, h := range heads[:min(maxListed, len(heads))] {
		all = append(all, shortGoods{h.ID, string(h.Name()), v.lang.Number(left[h.ID]), v.low(left[h.ID])})
	}
	return all, nil
}

// fewest is how many are left of the product, or of the variant of which fewest are.
func fewest(h *catalog.Head) int64 {
	if !h.HasVariants() {
		own, _ := h.StockOf("")
		return own.Quantity
	}
	least := int64(-1)
	for _, variant := range h.VariantIDs() {
		if s, is := h.StockOf(variant); is && (least < 0 || s.Quantity < least) {
			least = s.Quantity
		}
	}
	return max(least, 0)
}
