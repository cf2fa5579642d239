package products

import (
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// batches registers the four batch edits (contract, "Batch edits"). They differ in what an item may say. All else is
// one: which items changed, what that costs, and what an answer holds.
func (d door) batches(a *api.API) {
	api.Add(a, batchOp("basic", "changeProductsBasic",
		"Change names, codes, texts and activity of up to 100 products"), batchEdit[batchBasic](d))
	stock := batchOp("stock", "changeProductsStock", "Set or change the stock of up to 100 products and variants")
	stock.Doc = "Send `quantity` to set the stock, or `change` to add to it, without reading it first. An item " +
		"without either, and without `availability`, is `unchanged`. Of a product with variants only their stock " +
		"counts. " + stock.Doc
	api.Add(a, stock, batchEdit[batchStock](d))
	api.Add(a, batchOp("has-units", "changeProductsUnits",
		"Change the units of up to 100 products"), batchEdit[batchHasUnits](d))
	prices := batchOp("price-levels", "changeProductsPrices",
		"Replace the price levels of up to 100 products and variants")
	prices.Doc = "Send all levels of an item: one that is left out is removed. " + prices.Doc
	api.Add(a, prices, batchEdit[batchPriceLevels](d))
}

// batchOp is the operation of one batch edit.
func batchOp(edit, id, summary string) api.Op {
	return api.Op{Route: "PATCH " + productsPath + "/batch/" + edit, ID: id, Summary: summary, Tag: tag, Needs: toWrite,
		TooMany: catalog.TooManyItems,
		Doc: "A fault of form in any item (a wrong type, a number out of its bounds) refuses the whole call with " +
			"422. What the shop's data says of an item is a result of its own: 200 when all could be done, 207 when " +
			"some could not, and then the others are. It costs 1 for every ten items begun that really change. " +
			"`dryRun` shows what would be. Send at most 99 with an `Idempotency-Key`: the kept answer takes one of " +
			"the 100 places that a batch has (413 `too_many_items`). 422 `batch_too_expensive` when it can cost " +
			"more than a whole limit, `batch_rejected` with `errorPolicy=rejectAll`."}
}

// Options are the query of a batch.
type Options struct {
	DryRun bool   `query:"dryRun" doc:"Whether to only check everything and answer what would be, and write nothing"`
	Policy string `query:"errorPolicy" enum:"rejectAll" doc:"What becomes of the others when an item cannot be done. rejectAll: all items or none. 422 batch_rejected says which cannot be done, invalid how many would fit"`
}

// batchOf is the input of a batch edit: how it is to be done, and its items.
type batchOf[K body] struct {
	Options
	Body K
}

// body is the body of a batch edit, whichever of the four it is.
type body interface{ edits() catalog.BatchItems }

// The four bodies. An item is 1 of at most 100; what one may hold, shared/catalog says.
type batchBasic struct {
	Items catalog.BasicItems `json:"items" minItems:"1" maxItems:"100"`
}

type batchStock struct {
	Items catalog.StockItems `json:"items" minItems:"1" maxItems:"100"`
}

type batchHasUnits struct {
	Items catalog.UnitsItems `json:"items" minItems:"1" maxItems:"100"`
}

type batchPriceLevels struct {
	Items catalog.PricesItems `json:"items" minItems:"1" maxItems:"100"`
}

func (b batchBasic) edits() catalog.BatchItems       { return b.Items }
func (b batchStock) edits() catalog.BatchItems       { return b.Items }
func (b batchHasUnits) edits() catalog.BatchItems    { return b.Items }
func (b batchPriceLevels) edits() catalog.BatchItems { return b.Items }

// batchEdit is the handler of one batch edit. An answer kept under an Idempotency-Key is written in the batch's last
// transaction, so it takes the room of one operation: 99 items fit then, not 100.
func batchEdit[K body](d door) func(*api.Call, *batchOf[K]) (*api.Report[catalog.Report], error) {
	return func(c *api.Call, in *batchOf[K]) (*api.Report[catalog.Report], error) {
		how := catalog.Batch{DryRun: in.DryRun, AllOrNone: in.Policy == "rejectAll",
			Room: store.MaxOperations, Life: timeout, Limit: c}
		if c.Header("Idempotency-Key") != "" {
			how.Room-- // for the kept answer
		}
		return api.Do(c, report, func(u *change.Unit) (*catalog.Report, error) {
			return d.Catalog().ChangeMany(c, u, how, in.Body.edits())
		})
	}
}

// report is the answer to a batch: 200, or 207 when some items failed.
func report(r *catalog.Report) *api.Report[catalog.Report] {
	a := &api.Report[catalog.Report]{Status: 200, Body: *r}
	if r.Failed() {
		a.Status = 207
	}
	return a
}
