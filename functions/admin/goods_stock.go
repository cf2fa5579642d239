package admin

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/search"
)

// stockPath is where the stock of many products is set.
const stockPath = productsPath + "/stock"

// stock registers the page on which the stock of many products is set at once. Its fields are `quantity.<productId>`
// and `quantity.<productId>.<variantId>`, and a form may send any of them.
func (d door) stock() {
	lookAt(d, stockPath, []api.Param{api.SearchParam}, func(c *api.Call, v *visit, in *productsOf) (screen, error) {
		return d.stockScreen(c, v, in, page.Sent{})
	})
	act(d, stockPath, d.setStock, d.stockRefused)
}

// stockRow is what is in stock of a product or variant.
type stockRow struct {
	ID                  string // the variant's, of a product without variants its own
	Name, Code, Product string
	Active              bool
	Low                 shownState // that there is little left, or nothing; without a name where there is enough
	Field               page.Field
}

// stockData is the page of the stock.
type stockData struct {
	list
	page.Form
	Back string // the page that is shown after it was saved
}

// stockPerPage is how many products a page of the stock has, unless it is asked for another number.
const stockPerPage = 20

// lowStock is the number of pieces from which down a row says that few are left, as the storefront does.
const lowStock = 5

// readStock is the page of the products that is asked for: by name, so that no row moves while somebody counts, unless
// the query has another order or asks for what has changed.
func (d door) readStock(c *api.Call, v *visit, in *productsOf) (*api.Collection[catalog.Product], error) {
	bounded := in.After + in.Before + in.StrictlyAfter + in.StrictlyBefore
	if in.One() || in.Order != "" || bounded != "" {
		return d.readProducts(c, v, in)
	}
	_, load := catalog.ProductList(d.Main, v.shop.ID, v.website)
	rows, _ := d.Search().Choose(v.shop.ID, search.Choice{Text: c.Query(api.SearchParam.Name), By: search.ByName})
	return api.Page(c, in.List, rows, load)
}

// stockScreen lists products and variants with their stock, each in a field.
func (d door) stockScreen(c *api.Call, v *visit, in *productsOf, sent page.Sent) (screen, error) {
	values := c.Asked()
	// Each row is a field, so a page has fewer than a list has.
	if !values.Has("itemsPerPage") {
		in.ItemsPerPage = stockPerPage
	}
	all, err := d.readStock(c, v, in)
	if err != nil {
		return screen{}, err
	}
	return v.stockPage(values, all.Body.Items, all.Body.NextCursor, sent, c.HTTP().URL.RequestURI()), nil
}

// stockPage makes the page of products and variants that can be in stock: a product with variants has no stock of its
// own that counts.
func (v *visit) stockPage(values url.Values, products []catalog.Product, next string, s page.Sent, back string) screen {
	s.Shown = url.Values{}
	f := v.filler(s)
	var rows []stockRow
	for _, p := range products {
		at := productsPath + "/" + p.ID
		if len(p.Variants) == 0 {
			row := stockRow{ID: p.ID, Name: string(p.Name), Code: string(p.Code), Product: at, Active: p.Active,
				Low: v.low(p.Stock.Quantity), Field: v.quantity(f, string(p.Name), "quantity."+p.ID, p.Stock.Quantity)}
			rows = append(rows, row)
		}
		for _, x := range p.Variants {
			name := catalog.FullName(p.Name, cmp.Or(x.Name, field.Name(x.Code)))
			row := stockRow{ID: x.ID, Name: name, Code: string(x.Code), Product: at, Active: x.Active,
				Low: v.low(x.Stock.Quantity), Field: v.quantity(f, name, "quantity."+p.ID+"."+x.ID, x.Stock.Quantity)}
			rows = append(rows, row)
		}
	}
	data := stockData{Back: back, Form: f.Done()}
	all := api.Items[stockRow]{Items: rows, NextCursor: next}
	names := []string{"q"}
	if values.Get("code") != "" {
		names = append(names, "code")
	}
	filters := v.filters(values, names...)
	filters[0].Label = v.say("stock.find")
	data.list = listed(v, listOf{values, stockPath, filters}, all, func(r stockRow) stockRow { return r })
	return screen{name: "stock", title: v.say("stock"), data: data}
}

// low is what a row says of a quantity of which few are left.
func (v *visit) low(quantity int64) shownState {
	switch {
	case quantity <= 0:
		return shownState{Mark: "none", Name: v.say("stock.none"), Look: "bad"}
	case quantity <= lowStock:
		return shownState{Mark: "low", Name: v.say("stock.low"), Look: "warn"}
	}
	return shownState{}
}

// quantity is the field with the quantity of what has the name, and what the page showed in it.
func (v *visit) quantity(f *page.Filler, name, field string, quantity int64) page.Field {
	kept := strconv.FormatInt(quantity, 10)
	// What was sent is shown; otherwise what is stored.
	if !f.Values.Has(field) {
		f.Values.Set(field, kept)
	}
	f.Shown.Set(field, kept)
	d := f.Labelled(field, v.say("stock.quantity")+": "+name, "off")
	d.Mode, d.Required = "numeric", true
	// A browser would show nothing of what is no number.
	if _, err := strconv.ParseInt(strings.TrimSpace(d.Value), 10, 64); err == nil {
		d.Type = "number"
	}
	return d
}

// stockForm is a form of stock: its fields in the order of their names, and the edits that they ask for.
type stockForm struct {
	names []string
	edits []catalog.StockEdit
}

// stockOf reads a form of stock. A quantity that is no number, or a name that is no field of this form, is a fault.
func stockOf(form url.Values) (f stockForm, err error) {
	var faults problem.Faults
	for _, name := range slices.Sorted(maps.Keys(form)) {
		of, is := strings.CutPrefix(name, "quantity.")
		if !is {
			if !strings.HasPrefix(name, "_") {
				faults.Add(name, problem.UnknownField, "is not a field of this form")
			}
			continue
		}
		var e catalog.StockEdit
		e.Product, e.Variant, _ = strings.Cut(of, ".")
		if e.Quantity, err = strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 64); err != nil {
			faults.Add(name, problem.WrongType, "must be a whole number")
		} else {
			e.Check(&faults, name)
		}
		f.names, f.edits = append(f.names, name), append(f.edits, e)
	}
	return f, faults.Err()
}

// named are an edit's faults at its field.
func (f stockForm) named(err error) error {
	if p, is := problem.As(err); is {
		for i, name := range f.names {
			for n := range p.Errors {
				if p.Errors[n].Location == "body.items["+strconv.Itoa(i)+"]" {
					p.Errors[n].Location = "body." + name
				}
			}
		}
	}
	return err
}

// stockIn is the input of the POST of the stock of many. Its fields are named by the products: stockOf reads them.
type stockIn struct{ Body anyFields }

// anyFields is a body that takes fields of every name.
type anyFields struct{}

// Schema is that of an object of any fields.
func (anyFields) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// Decoded leaves the fields to who reads the form itself.
func (*anyFields) Decoded(any) error { return nil }

// setStock sets the stock that the form sends, in batches. An edit that cannot be done is a fault at its field, and the
// page says that the others are saved.
func (d door) setStock(c *api.Call, v *visit, _ *stockIn) (string, error) {
	form := c.Form()
	if form == nil {
		return "", &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/x-www-form-urlencoded."}
	}
	wanted, err := stockOf(form)
	if err != nil {
		return "", err
	}
	how := catalog.Batch{Room: store.MaxOperations, Life: timeout, Limit: c}
	if err := d.Catalog().SetStock(c, c.Unit(), how, wanted.edits); err != nil {
		if p, is := problem.As(err); is && 0 < len(p.Errors) && len(p.Errors) < len(wanted.edits) {
			v.note.Said = "stock.others"
		}
		return "", wanted.named(err)
	}
	names, err := d.editedNames(c, v, wanted.edits)
	if err != nil {
		return "", err
	}
	v.saysOf("saved.of", names)
	// Back to the page of the list where the form was, but nowhere else.
	if to := page.LocalPath(form.Get("_to")); strings.HasPrefix(to, stockPath) {
		return to, nil
	}
	return stockPath, nil
}

// namedOfEdits is how many of the products whose stock was set are named.
const namedOfEdits = 2

// editedNames names the first of the products and variants whose stock was set, and says how many others there are.
func (d door) editedNames(c *api.Call, v *visit, edits []catalog.StockEdit) (string, error) {
	var names, of []string
	for _, e := range edits[:min(namedOfEdits, len(edits))] {
		of = append(of, e.Product)
	}
	all, err := catalog.ReadProducts(c, d.Main, v.shop.ID, slices.Compact(of))
	for _, e := range edits[:len(of)] {
		for _, w := range all {
			if w.ID != e.Product {
				continue
			}
			x, _ := w.Variant(e.Variant)
			names = append(names, catalog.FullName(w.Details().Name, cmp.Or(x.Name, field.Name(x.Code))))
		}
	}
	return v.someOf(names, len(edits)), err
}

// stockRefused is the page again, of just the fields that were touched, with what was sent and its faults. Saving it
// again puts nothing back that was sold meanwhile.
func (d door) stockRefused(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	sent.Values = c.Form()
	var touched []string
	for name := range sent.Values {
		if of, is := strings.CutPrefix(name, "quantity."); is {
			id, _, _ := strings.Cut(of, ".")
			touched = append(touched, id)
		}
	}
	slices.Sort(touched)
	all, err := catalog.ReadProducts(c, d.Main, v.shop.ID, slices.Compact(touched))
	if err != nil {
		return screen{}, err
	}
	products := make([]catalog.Product, len(all))
	for i, w := range all {
		products[i] = w.Product(v.website)
	}
	return v.stockPage(url.Values{}, products, "", sent, stockPath), nil
}
