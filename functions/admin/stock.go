package admin

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/problem"
	"eshop/shared/store"
)

const stockPath = productsPath + "/stock"

// stock registers the page on which the stock of many products is set at once.
func (d door) stock() {
	look(d, stockPath, func(ctx context.Context, v *visit, in *productsOf) (screen, error) {
		return d.stockScreen(ctx, v, in, page.Sent{})
	})
	act(d, stockPath, d.setStock, d.stockAgain)
}

// stockRow is what is in stock of a product or variant.
type stockRow struct {
	ID                  string // the variant's, of a product without variants its own
	Name, Code, Product string
	Active              bool
	Field               page.Field
	Shown, Kept         string // the name of the field that says what was shown, and that
}

// stockData is the page of the stock.
type stockData struct {
	list
	page.Form
	Back string // the page that is shown after it was saved
}

// stockPerPage is how many products a page of the stock has, unless it is asked for another number.
const stockPerPage = 20

func (d door) stockScreen(ctx context.Context, v *visit, in *productsOf, s page.Sent) (screen, error) {
	q := query(ctx)
	if !q.Has("itemsPerPage") {
		in.ItemsPerPage = stockPerPage
	}
	all, err := d.readProducts(ctx, v, in)
	if err != nil {
		return screen{}, err
	}
	return v.stockPage(q, all.Body.Items, all.Body.NextCursor, s, api.From(ctx).HTTP().URL.RequestURI()), nil
}

func (v *visit) stockPage(q url.Values, products []catalog.Product, next string, s page.Sent, back string) screen {
	f := v.filler(s)
	var rows []stockRow
	for _, p := range products {
		if len(p.Variants) == 0 {
			row := v.stockRow(f, string(p.Name), string(p.Code), p.ID, "quantity."+p.ID, p.Stock.Quantity)
			row.ID, row.Active = p.ID, p.Active
			rows = append(rows, row)
		}
		for _, x := range p.Variants {
			name := string(p.Name)
			if x.Name != "" {
				name += ", " + string(x.Name)
			}
			row := v.stockRow(f, name, string(x.Code), p.ID, "quantity."+p.ID+"."+x.ID, x.Stock.Quantity)
			row.ID, row.Active = x.ID, x.Active
			rows = append(rows, row)
		}
	}
	data := stockData{Back: back, Form: f.Done()}
	data.list = listed(v, q, stockPath, rows, next, v.filters(q, "code"), func(r stockRow) stockRow { return r })
	return screen{name: "stock", title: v.say("stock"), data: data}
}

func (v *visit) stockRow(f *page.Filler, name, code, product, field string, quantity int64) stockRow {
	kept := strconv.FormatInt(quantity, 10)
	if !f.Values.Has(field) {
		f.Values.Set(field, kept)
	}
	d := f.Named(field, "stock.quantity", "off")
	d.Mode, d.Required, d.Label = "numeric", true, v.say("stock.quantity")+": "+name
	return stockRow{Name: name, Code: code, Product: productsPath + "/" + product, Field: d, Shown: "_shown." + field, Kept: kept}
}

// wantedStock are the edits that a form asks for: of what it names those whose number is another than was shown, in the
// order of their names. So what was sold since the page was shown is not put back by who did not touch it.
func wantedStock(form url.Values) (catalog.StockItems, error) {
	var items catalog.StockItems
	var faults problem.Faults
	var names []string
	for name := range form {
		if strings.HasPrefix(name, "quantity.") && form.Get(name) != form.Get("_shown."+name) {
			names = append(names, name)
		} else if !strings.HasPrefix(name, "quantity.") && !strings.HasPrefix(name, "_") {
			faults.Add(name, problem.UnknownField, "is not a field of this form")
		}
	}
	slices.Sort(names)
	for _, name := range names {
		product, variant, _ := strings.Cut(strings.TrimPrefix(name, "quantity."), ".")
		n, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 64)
		switch {
		case err != nil:
			faults.Add(name, problem.WrongType, "must be a whole number")
		case n < 0:
			faults.Add(name, problem.TooSmall, "must be 0 at least")
		case n > catalog.MaxStock:
			faults.Add(name, problem.TooBig, "is too large")
		}
		items = append(items, catalog.StockItem{Target: catalog.Target{ID: product}, Variant: variant, Quantity: &n})
	}
	return items, faults.Err()
}

// maxStockItems is how many edits one batch takes.
const maxStockItems = 100

func (d door) setStock(ctx context.Context, v *visit, _ *nothing) (string, error) {
	form := api.From(ctx).Form()
	if form == nil {
		return "", &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/x-www-form-urlencoded."}
	}
	items, err := wantedStock(form)
	if err != nil {
		return "", err
	}
	how := catalog.Batch{Room: store.MaxOperations, Life: timeout, Limit: api.From(ctx)}
	var faults problem.Faults
	for batch := range slices.Chunk(items, maxStockItems) {
		r, err := d.catalog().ChangeMany(ctx, unit(ctx), how, batch)
		if err != nil {
			return "", err
		}
		for _, x := range r.Results {
			if x.Status == catalog.StatusFailed {
				name := "quantity." + x.ID
				if x.Variant != "" {
					name += "." + x.Variant
				}
				faults = append(faults, problem.Fault{Location: "body." + name, Code: x.Error.Code, Message: x.Error.Message})
			}
		}
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	v.says("saved")
	if to := page.Own(form.Get("_to")); strings.HasPrefix(to, stockPath) {
		return to, nil
	}
	return stockPath, nil
}

// stockAgain is the page with what was sent and its faults: of just what was touched, so that saving it again puts back
// nothing that was sold meanwhile either.
func (d door) stockAgain(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	var products []catalog.Product
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		if strings.HasPrefix(name, "quantity.") && s.Values.Get(name) == s.Values.Get("_shown."+name) {
			s.Values.Del(name)
			continue
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(name, "quantity."), ".")
		if !strings.HasPrefix(name, "quantity.") || seen[id] {
			continue
		}
		seen[id] = true
		w, err := catalog.ReadProduct(ctx, d.Main, v.shop.ID, id)
		if err != nil {
			return screen{}, err
		}
		if w != nil {
			products = append(products, w.Product(v.website))
		}
	}
	return v.stockPage(url.Values{}, products, "", s, stockPath), nil
}
