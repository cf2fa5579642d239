package admin

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/record/change"
	"eshop/shared/sale"
)

// bulkForm is several orders, at most those of a page, and the state that they move to.
type bulkForm struct {
	OrderID []string `json:"orderId" required:"false" maxItems:"250"`
	StateID string   `json:"stateId" maxLength:"64"`
}

// bulkBeside is how many orders are changed side by side.
const bulkBeside = 8

// moveOrders moves several orders to a state, each by the API's own command, as a unit of work of its own: with the
// same effect on stock, and a webhook of its own. An order that is in the state already is left as it is, and nobody
// hears of it. The next page says how many are in the state, and which are not.
//
// An order costs two reads and a write, so the 50 of a page are 150 calls in 7 rounds of 3 waves: on AWS about half a
// second.
func (d door) moveOrders(c *api.Call, v *visit, in *api.Create[bulkForm]) (string, error) {
	back := bulkBack(c, ordersPath)
	ids := slices.Compact(slices.Sorted(slices.Values(in.Body.OrderID)))
	if len(ids) == 0 {
		v.next.Not = v.say("bulk.none")
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
	left := leftAlone{}
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
	return back, d.bulkSays(c, "order.bulkMoved", ordersPath, len(ids), left)
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

// bulkNamed is how many records that were left as they are are named, for each reason.
const bulkNamed = 5

// leftAlone are the ids of records with which nothing was done, by why.
type leftAlone map[string][]string

// bulkSays has the next page say with how many of all records, whose pages lie below a path, it was done, and with
// which not.
func (d door) bulkSays(c *api.Call, said, path string, all int, left leftAlone) error {
	v, done := visitOf(c), all
	var pages []string
	for _, ids := range left {
		done -= len(ids)
		for _, one := range ids[:min(len(ids), bulkNamed)] {
			pages = append(pages, path+"/"+one)
		}
	}
	if done > 0 {
		v.saysOf(said, v.lang.Number(int64(done)))
	}
	if len(left) == 0 {
		return nil
	}
	names, err := d.recordNames(c, v, pages)
	if err != nil {
		return err
	}
	var says []string
	for why, of := range left {
		var some []string
		for _, one := range of[:min(len(of), bulkNamed)] {
			some = append(some, cmp.Or(names[path+"/"+one], one)) // what was sent of one that is gone
		}
		says = append(says, v.someOf(some, len(of))+" – "+why)
	}
	slices.Sort(says)
	v.next.Not = v.say("bulk.left") + " " + strings.Join(says, " ")
	return nil
}

// saysPart has the form shown again whatever the error is, say with how many it was done before, and what is with the
// rest. A refusal of the whole form, which says so itself, needs no more.
func (v *visit) saysPart(done, rest string, results []catalog.Result, err error) {
	n := 0
	for _, r := range results {
		if r.Status == catalog.StatusChanged {
			n++
		}
	}
	if p, is := problem.As(err); is && n == 0 && page.Mendable(p) {
		return
	}
	if v.note.Not = v.say(rest); n > 0 {
		v.note.Said, v.note.Of = done, v.lang.Number(int64(n))
	}
}

// bulkBack is the list to which a change of several of its records leads back: where the form was, but nowhere else.
func bulkBack(c *api.Call, path string) string {
	if to := page.LocalPath(c.Form().Get("_to")); strings.HasPrefix(to, path+"?") {
		return to
	}
	return path
}
