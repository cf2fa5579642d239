package catalog

import (
	"context"
	"slices"

	"eshop/shared/base/problem"
	"eshop/shared/record/change"
)

// StockEdit is the stock that somebody wants a product or variant to have.
type StockEdit struct {
	Product, Variant string // "" the product itself
	Quantity         int64
}

// Check finds what is wrong with the edit whatever is stored; where is its location in the body.
func (e StockEdit) Check(f *problem.Faults, where string) {
	switch {
	case e.Quantity < 0:
		f.Add(where, problem.TooSmall, "must be 0 at least")
	case e.Quantity > MaxStock:
		f.Add(where, problem.TooBig, "is too large")
	}
}

// SetStock sets stock in batches of as many edits as one has room for. What cannot be done is a fault at items[<index
// of the edit>]; the other edits are done. Each batch is a request of its own: webhooks are keyed by the request, so
// the calls of one batch must not be taken for those of another.
func (c Catalog) SetStock(ctx context.Context, u *change.Unit, how Batch, edits []StockEdit) error {
	var faults problem.Faults
	items := make(StockItems, len(edits))
	for i, e := range edits {
		items[i] = StockItem{Target: Target{ID: e.Product}, Variant: e.Variant, Quantity: &e.Quantity}
	}
	done := 0
	for batch := range slices.Chunk(items, how.Room) {
		own := *u
		own.Request = u.NewID()
		r, err := c.ChangeMany(ctx, &own, how, batch)
		if err != nil {
			return err
		}
		for _, x := range r.Results {
			if x.Status == StatusFailed {
				faults = append(faults, problem.Fault{Location: "body." + at("items", done+x.Index, ""),
					Code: x.Error.Code, Message: x.Error.Message})
			}
		}
		done += len(batch)
	}
	return faults.Err()
}
