package admin

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/sale"
)

// bulkForm is several orders, at most those of a page, and the state that they move to.
type bulkForm struct {
	OrderID []string `json:"orderId" required:"false" maxItems:"250"`
	StateID string   `json:"stateId" maxLength:"64"`
}

// bulkIn is the input of a change of several orders.
type bulkIn struct{ Body bulkForm }

// bulkBeside is how many orders are changed side by side.
const bulkBeside = 8

// moveOrders moves several orders to a state, each by the API's own command, as a unit of work of its own: with the
// same effect on stock, and a webhook of its own. An order that is in the state already is left as it is, and nobody
// hears of it. The next page says how many are in the state, and which are not.
//
// An order costs two reads and a write, so the 50 of a page are 150 calls in 7 rounds of 3 waves: on AWS about half a
// second.
func (d door) moveOrders(c *api.Call, v *visit, in *bulkIn) (string, error) {
	back := ordersPath
	// Back to the list where the form was, but nowhere else.
	if to := page.LocalPath(c.Form().Get("_to")); to == back || strings.HasPrefix(to, back+"?") {
		back = to
	}
	ids := slices.Compact(slices.Sorted(slices.Values(in.Body.OrderID)))
	if len(ids) == 0 {
		v.next.Not = v.say("order.bulkNone")
		return back, nil
	}
	// A text that is no id may be of any length.
	if slices.ContainsFunc(ids, func(text string) bool { return !id.Valid(text) }) {
		return "", problem.InvalidAt("orderId", problem.Unknown, "is no order of this shop")
	}
	errs := make([]error, 0, len(ids))
	for some := range slices.Chunk(ids, bulkBeside) {
		errs = append(errs, d.moveSome(c, v, some, in.Body.StateID)...)
	}
	left := map[string][]string{} // ids of orders that were not moved, by why
	for i, err := range errs {
		if err == nil {
			continue
		}
		p := c.Problem(err)
		// The state itself is wrong, so no order was moved.
		if p.Status == http.StatusUnprocessableEntity {
			return "", p
		}
		why := v.notice(p)
		left[why] = append(left[why], ids[i])
	}
	return back, d.bulkSays(c, v, ids, left)
}

// moveSome moves orders side by side, and is the error of each.
func (d door) moveSome(c *api.Call, v *visit, ids []string, state string) []error {
	units := make([]*change.Unit, len(ids))
	for i := range units {
		// A webhook has the id of its request. Each order's change is told by itself, so it has a request of its own.
		own := *c.Unit()
		own.Door, own.Request = nil, own.NewID()
		units[i] = &own
	}
	errs := make([]error, len(ids))
	move := func(i int) error {
		_, errs[i] = d.Ordering(v.shop.Currency).
			Change(c, units[i], ids[i], func(f sale.OrderFields) (sale.OrderFields, error) {
				f.StateID = state
				return f, nil
			})
		return nil
	}
	calls := make([]func() error, len(ids))
	for i := range calls {
		calls[i] = func() error { return move(i) }
	}
	if err := guard.Beside(c, d.Near, calls...); err != nil { // a panic: what it was about is in the log
		return slices.Repeat([]error{err}, len(ids))
	}
	return errs
}

// bulkNamed is how many orders that were not moved are named by their numbers, for each reason.
const bulkNamed = 20

// bulkSays has the next page say how many of the orders are in the state now, and which are not, by their numbers.
func (d door) bulkSays(ctx context.Context, v *visit, ids []string, left map[string][]string) error {
	done := len(ids)
	var all []string
	for _, of := range left {
		done -= len(of)
		all = append(all, of...)
	}
	if done > 0 {
		v.saysOf("order.bulkMoved", v.lang.Number(int64(done)))
	}
	if len(all) == 0 {
		return nil
	}
	numbers, err := d.orderNumbers(ctx, v.shop.ID, all)
	if err != nil {
		return err
	}
	var says []string
	for why, of := range left {
		names := make([]string, 0, bulkNamed)
		for _, one := range of[:min(len(of), bulkNamed)] {
			names = append(names, numbers[one])
		}
		text := strings.Join(names, ", ")
		if more := len(of) - len(names); more > 0 {
			text += " + " + strconv.Itoa(more)
		}
		says = append(says, text+" – "+why)
	}
	slices.Sort(says)
	v.next.Not = v.say("order.bulkLeft") + " " + strings.Join(says, " ")
	return nil
}

// orderNumbers are the numbers of orders by their ids; that of an order that is not there is what was sent.
func (d door) orderNumbers(ctx context.Context, shop string, ids []string) (map[string]string, error) {
	keys := make([]store.Key, len(ids))
	for i, one := range ids {
		keys[i] = sale.OrderKey(shop, one)
	}
	items, err := store.GetReadable(ctx, d.Main, keys)
	if err != nil {
		return nil, err
	}
	numbers := map[string]string{}
	for i, item := range items {
		numbers[ids[i]] = ids[i]
		if record.Missing(item) {
			continue
		}
		if o, err := sale.Orders.Decode(item); err == nil {
			numbers[ids[i]] = o.Number
		}
	}
	return numbers, nil
}
