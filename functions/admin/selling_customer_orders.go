package admin

import (
	"context"
	"strings"

	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// customerOrders are what a customer's page shows of the customer's orders.
type customerOrders struct {
	All   string     // the address of the list of all of them
	Last  []orderRow // newest first
	Count string     // of those that were not cancelled or returned
	Spent string     // for them, in each currency
	Of    string     // that only the last ones are counted; "": all are
}

// lastShown is how many orders a customer's page lists.
const lastShown = 5

// customerOrders adds a customer's last orders to their page, and what was spent for them: one query and one read,
// however many orders there are.
func (d door) customerOrders(ctx context.Context, v *visit, sheet *sheet) error {
	orders, more, err := sale.NewestBy(ctx, d.Main, v.shop.ID, sheet.ID)
	if err != nil {
		return err
	}
	states, err := sale.AllStates(ctx, d.Main, v.shop.ID)
	if err != nil {
		return err
	}
	o := &customerOrders{All: ordersPath + "?customerId=" + sheet.ID}
	o.Count, o.Spent = v.spent(orders, states)
	for _, one := range orders[:min(len(orders), lastShown)] {
		o.Last = append(o.Last, v.orderRow(one, states))
	}
	if more {
		o.Of = v.sayWith("customer.lastOnly", "{n}", v.lang.Number(sale.LastOrders))
	}
	sheet.Orders = o
	return nil
}

// spent is how many of the orders were not cancelled or returned, and what they came to in each currency.
func (v *visit) spent(orders []sale.Order, states []sale.OrderState) (count, total string) {
	var n int64
	var currencies []string // by the newest order in each
	sums := map[string]field.Money{}
	for _, o := range orders {
		if state, _ := sale.FindState(states, o.StateID); state.Returns() {
			continue
		}
		n++
		if _, known := sums[o.Currency]; !known {
			currencies = append(currencies, o.Currency)
		}
		sums[o.Currency] += o.Totals.Total
	}
	texts := make([]string, len(currencies))
	for i, c := range currencies {
		texts[i] = v.lang.Money(sums[c], c)
	}
	return v.lang.Number(n), strings.Join(texts, ", ")
}
