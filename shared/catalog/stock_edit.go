package catalog

import (
	"context"
	"slices"

	"eshop/shared/change"
	"eshop/shared/problem"
)

// StockEdit is the stock that somebody who was shown it wants a product or variant to have.
type StockEdit struct {
	Product, Variant string // "" the product itself
	Shown            *int64 // nil: it was not shown
	Quantity         int64
}

// touched says whether another quantity is wanted than was shown. What was sold since is not put back by who did not
// touch it.
func (e StockEdit) touched() bool { return e.Shown == nil || *e.Shown != e.Quantity }

// Check finds what is wrong with the edit whatever is stored; where is its place.
func (e StockEdit) Check(f *problem.Faults, where string) {
	switch {
	case e.Quantity < 0:
		f.Add(where, problem.TooSmall, "must be 0 at least")
	case e.Quantity > MaxStock:
		f.Add(where, problem.TooBig, "is too large")
	}
}

// SetStock sets the stock that was touched, in batches of as many edits as one has room for. What cannot be done is
// faulted at items[<place of the edit>]; a batch's other edits are done. Each batch is a request of its own: webhooks
// are keyed by the request, so the calls of one batch must not be taken for those of another.
func (c Catalog) SetStock(ctx context.Context, u *change.Unit, how Batch, edits []StockEdit) error {
	var f problem.Faults
	var items StockItems
	var places []int
	for i, e := range edits {
		if e.touched() {
			items = append(items, StockItem{Target: Target{ID: e.Product}, Variant: e.Variant, Quantity: &e.Quantity})
			places = append(places, i)
		}
	}
	for batch := range slices.Chunk(items, how.Room) {
		own := *u
		own.Request = u.NewID()
		r, err := c.ChangeMany(ctx, &own, how, batch)
		if err != nil {
			return err
		}
		for _, x := range r.Results {
			if x.Status == StatusFailed {
				f = append(f, problem.Fault{Location: "body." + at("items", places[x.Index], ""),
					Code: x.Error.Code, Message: x.Error.Message})
			}
		}
		places = places[len(batch):]
	}
	return f.Err()
}
