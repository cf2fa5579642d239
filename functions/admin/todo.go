package admin

import (
	"context"
	"slices"
	"time"

	"eshop/shared/catalog"
	"eshop/shared/field"
	"eshop/shared/guard"
	"eshop/shared/sale"
	"eshop/shared/search"
	"eshop/shared/store"
)

// What the dashboard looks through: so many orders of a state, of the last day, and so many of their products. Where
// there are more, its numbers have a + behind them.
const (
	counted   = 50
	summedUp  = 100
	lookedAt  = 100
	toDoShown = 5
)

// toDo is what waits for the people of a shop.
type toDo struct {
	New        string // how many orders nobody has begun with, with a + where there are more; "": none
	NewState   string // the id of the state that they are in
	Unnumbered []recentOrder
	Unshown    bool // there are more of those
	Short      []shortGoods
	Sales      string // of the orders of today that were not given back
}

// shortGoods is something that was ordered in the last day and of which few are left.
type shortGoods struct {
	Product, Name string
	Left          string
	State         shownState
}

// Nothing says whether nothing waits.
func (t toDo) Nothing() bool { return t.New == "" && len(t.Unnumbered)+len(t.Short) == 0 }

// waiting is what the first round reads of orders: the states, and the keys of the newest changed orders that are in
// the first of them, and in the one of shipped orders.
type waiting struct {
	states       []sale.OrderState
	first        sale.OrderState
	new, shipped []store.Key
}

// readWaiting reads the shop's states, and then the orders of two of them beside each other.
func (d door) readWaiting(ctx context.Context, shop string) (w waiting, err error) {
	w.states, err = d.States.Get(ctx, shop, func(ctx context.Context) ([]sale.OrderState, error) {
		return sale.AllStates(ctx, d.Main, shop)
	})
	if err != nil {
		return w, err
	}
	keysOf := func(keys *[]store.Key, state sale.OrderState) func() error {
		return func() error {
			if state.ID == "" {
				return nil
			}
			all := d.Search().Under(search.Orders, shop, state.ID)
			page, err := all.Table.Query(ctx, store.Query{Index: all.Index, PK: all.Partitions[0], Descending: true,
				Limit: counted + 1})
			for _, row := range page.Items {
				*keys = append(*keys, row.Key)
			}
			return err
		}
	}
	live := sale.LiveStates(w.states)
	if len(live) > 0 && !live[0].Final {
		w.first = live[0]
	}
	var shipped sale.OrderState
	if i := slices.IndexFunc(live, func(s sale.OrderState) bool { return s.Key == sale.KeyShipped }); i >= 0 {
		shipped = live[i]
	}
	return w, guard.Beside(ctx, d.Near, keysOf(&w.new, w.first), keysOf(&w.shipped, shipped))
}

// toDo is what waits, by the orders that were read. today are the ids of those of the last day.
func (v *visit) toDo(w waiting, today []string, items map[store.Key]*store.Item, now time.Time) toDo {
	t := toDo{NewState: w.first.ID}
	if n := len(w.new); n > 0 {
		t.New = v.lang.Number(int64(min(n, counted)))
		if n > counted {
			t.New += "+"
		}
	}
	for _, key := range w.shipped {
		o, is := orderIn(items[key])
		if !is || value(o.Shipping.TrackingNumber)+value(o.Shipping.TrackingLink) != "" {
			continue
		}
		if t.Unshown = len(t.Unnumbered) == toDoShown; t.Unshown {
			break
		}
		t.Unnumbered = append(t.Unnumbered, v.recent(o, w.states))
	}
	t.Sales = v.salesOf(w, today, items, now)
	return t
}

// salesOf is the sum of the orders that were made today, in the time of the shops, and were not given back.
func (v *visit) salesOf(w waiting, lately []string, items map[store.Key]*store.Item, now time.Time) string {
	sum, day := field.Money(0), now.In(field.Zone()).Format(time.DateOnly)
	for _, id := range lately[:min(summedUp, len(lately))] {
		o, is := orderIn(items[sale.OrderKey(v.shop.ID, id)])
		state, _ := sale.FindState(w.states, o.StateID)
		if is && !state.Returns() && o.Created.Go().In(field.Zone()).Format(time.DateOnly) == day {
			sum += o.Totals.Total
		}
	}
	if len(lately) > summedUp {
		return v.money(sum) + "+"
	}
	return v.money(sum)
}

// orderIn is the order of an item; none of one that is gone or cannot be read.
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
			if len(products) < lookedAt && !slices.Contains(products, line.ProductID) {
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
		if h == nil || !h.Details().Active {
			return true
		}
		left[h.ID] = fewest(h)
		return left[h.ID] > lowStock
	})
	slices.SortStableFunc(heads, func(a, b *catalog.Head) int { return int(left[a.ID] - left[b.ID]) })
	for _, h := range heads[:min(toDoShown, len(heads))] {
		all = append(all, shortGoods{h.ID, string(h.Details().Name), v.lang.Number(left[h.ID]), v.low(left[h.ID])})
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
