package admin

import (
	"strconv"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
)

// stockPath is where the stock of many products is set.
const stockPath = productsPath + "/stock"

// stock is the page on which the stock of many products is set at once. A product with variants has no stock of its own
// that counts.
var stock = many{path: stockPath, of: "quantity", name: "stock", perPage: 20, set: setStock,
	head: func(_ *api.Call, _ *visit, of *manyData) { of.Counts = true },
	rows: func(v *visit, f *page.Filler, p catalog.Product, _ *manyData) (rows []manyRow) {
		add := func(row manyRow, name string, quantity int64) {
			row.Low, row.Field = v.low(quantity), v.quantity(f, row.Name, "quantity."+name, quantity)
			rows = append(rows, row)
		}
		if len(p.Variants) == 0 {
			add(rowOf(p, nil), p.ID, p.Stock.Quantity)
		}
		for _, x := range p.Variants {
			add(rowOf(p, &x), p.ID+"."+x.ID, x.Stock.Quantity)
		}
		return rows
	}}

// low is what a row says of a quantity of which few are left.
func (v *visit) low(quantity int64) shownState {
	switch {
	case quantity <= 0:
		return shownState{Mark: "none", Name: v.say("stock.none"), Look: "bad"}
	case quantity <= shelf.FewLeft:
		return shownState{Mark: "low", Name: v.say("stock.low"), Look: "warn"}
	}
	return shownState{}
}

// quantity is the field with the quantity of what has the name, and what the page showed in it.
func (v *visit) quantity(f *page.Filler, name, field string, quantity int64) page.Field {
	d := valued(f, field, v.say("stock.quantity")+": "+name, strconv.FormatInt(quantity, 10))
	d.Mode, d.Required = "numeric", true
	// A browser would show nothing of what is no number.
	if _, err := strconv.ParseInt(d.Value, 10, 64); err == nil {
		d.Type = "number"
	}
	return d
}

// setStock sets the stock as it was typed.
func setStock(d door, c *api.Call, how catalog.Batch, typed []typed) ([]catalog.Result, error) {
	var faults problem.Faults
	items := make(catalog.StockItems, len(typed))
	for i, one := range typed {
		quantity, err := strconv.ParseInt(one.text, 10, 64)
		if err != nil {
			faults.Add(one.name, problem.WrongType, "must be a whole number")
		}
		catalog.CheckStock(&faults, one.name, quantity)
		items[i] = catalog.StockItem{Target: catalog.Target{ID: one.product}, Variant: one.variant, Quantity: &quantity}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return catalog.EditMany(c, d.Catalog(), c.Unit(), how, items)
}
