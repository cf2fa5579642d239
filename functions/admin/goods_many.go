package admin

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// many is a page on which one value of many products is set at once: their stock, or their prices. Its fields are
// `<of>.<productId>` and `<of>.<productId>.<variantId>`, and a form may send any of them. It lists by name, so that no
// row moves while somebody works.
type many struct {
	path, of string
	name     string // that its texts begin with
	perPage  int    // products on a page where the query names no number; fewer where they have many fields (maxFields)
	query    []api.Param

	rows func(v *visit, f *page.Filler, p catalog.Product, of *manyData) []manyRow
	// head completes the page, before its rows are made.
	head func(c *api.Call, v *visit, of *manyData)
	// set reads the fields that were touched, and sets what they say.
	set func(d door, c *api.Call, how catalog.Batch, typed []typed) ([]catalog.Result, error)
}

// maxFields is how many fields a page has at most, so that its form can be sent, and saved in time. A product that has
// more, with its 500 variants, stands on a page alone.
const maxFields = 500

// manyRow is a product or variant with its field.
type manyRow struct {
	ID                  string // the variant's, of a product itself its own
	Name, Code, Product string
	Active              bool
	Low                 shownState // that there is little left, or nothing; without a name where there is enough
	Field               page.Field
	Empty               string // what counts while the field is empty
	Now                 string // what is kept, where a preview shows what it would become
	Changes             bool   // a preview changes it
}

// manyData is the page.
type manyData struct {
	list
	page.Form
	Path, Back    string // Back: the page that is shown after it was saved
	About, Column string
	Save          string
	Counts        bool         // its fields are numbers of pieces
	Change        []page.Field // by which all values of the page can be changed
	Previews      bool         // the fields show what the values would become
	Changes       int          // so many of them would be others
	reckon        func(field.Money) field.Money
	bad           bool // what the values are to be changed by is no such thing
}

// typed is a field that somebody has touched.
type typed struct{ name, product, variant, text string }

// open registers the page and its form.
func (m many) open(d door) {
	lookAt(d, m.path, append([]api.Param{api.SearchParam}, m.query...),
		func(c *api.Call, v *visit, in *productsOf) (screen, error) { return m.screen(c, d, v, in) })
	// The fields of the form are named by the products: typedOf reads them.
	act(d, m.path,
		func(c *api.Call, v *visit, _ *api.Create[field.Object]) (string, error) { return m.save(c, d, v) },
		func(c *api.Call, v *visit, s page.Sent) (screen, error) { return m.refused(c, d, v, s) })
}

// screen lists products and variants by name, unless the query has another order or asks for what has changed.
func (m many) screen(c *api.Call, d door, v *visit, in *productsOf) (screen, error) {
	query := c.Asked()
	if !query.Has("itemsPerPage") {
		in.ItemsPerPage = m.perPage
	}
	if in.Sort == "" && in.Order+in.After+in.Before+in.StrictlyAfter+in.StrictlyBefore == "" {
		in.Sort = "name"
	}
	// Each field takes its share of what a page may hold.
	all, err := d.readProducts(c, v, in, func(p catalog.Product) int {
		return (1 + len(p.Variants)) * record.MaxPage / maxFields
	})
	if err != nil {
		return screen{}, err
	}
	fields := v.choiceFields(query)
	if query.Get("code") != "" {
		fields = append(fields, v.filters(query, "code")...)
	}
	return m.page(c, v, listOf{query, m.path, fields}, all, page.Sent{}), nil
}

// page makes the page of products.
func (m many) page(c *api.Call, v *visit, of listOf, all chosen, sent page.Sent) screen {
	data := manyData{Path: m.path, Back: cmp.Or(sent.To, c.HTTP().URL.RequestURI()), About: v.say(m.name + ".is"),
		Column: v.say(m.name + "." + m.of), Save: v.say(m.name + ".save")}
	if sent.Shown == nil {
		sent.Shown = url.Values{}
	}
	if m.head != nil {
		m.head(c, v, &data)
	}
	f := v.filler(sent)
	var rows []manyRow
	for _, product := range all.Items.Items {
		rows = append(rows, m.rows(v, f, product, &data)...)
	}
	data.list = listed(v, of, api.Items[manyRow]{Items: rows, NextCursor: all.NextCursor},
		func(r manyRow) manyRow { return r })
	data.Cut = all.cut
	if data.Form = f.Done(); data.Previews && data.Next != "" {
		data.Back = data.Next
	}
	shown := screen{name: "many", title: v.say(m.name), data: data}
	if data.bad {
		shown.status = http.StatusUnprocessableEntity
	}
	return shown
}

// rowOf is the row of a product, or of a variant of it, without its field.
func rowOf(p catalog.Product, x *catalog.Variant) manyRow {
	row := manyRow{ID: p.ID, Name: string(p.Name), Code: string(p.Code), Active: p.Active,
		Product: productsPath + "/" + p.ID}
	if x != nil {
		row.ID, row.Code, row.Active = x.ID, string(x.Code), x.Active
		row.Name = catalog.FullName(p.Name, cmp.Or(x.Name, field.Name(x.Code)))
	}
	return row
}

// valued is the field of a row: it shows what was sent, else what is kept. It says of what was sent that it was shown
// as the form says, so that what others have set since is still found out.
func valued(f *page.Filler, name, label, kept string) page.Field {
	if !f.Values.Has(name) {
		f.Values.Set(name, kept)
		f.Shown.Del(name)
	}
	if !f.Shown.Has(name) {
		f.Shown.Set(name, kept)
	}
	return f.Labelled(name, label, "off")
}

// typedOf are the fields that a form sends, in the order of their names. Another field is a fault.
func (m many) typedOf(form url.Values) (all []typed, err error) {
	var faults problem.Faults
	for _, name := range slices.Sorted(maps.Keys(form)) {
		of, is := strings.CutPrefix(name, m.of+".")
		if !is {
			if !strings.HasPrefix(name, "_") {
				faults.Add(name, problem.UnknownField, "is not a field of this form")
			}
			continue
		}
		one := typed{name: name, text: strings.TrimSpace(form.Get(name))}
		one.product, one.variant, _ = strings.Cut(of, ".")
		all = append(all, one)
	}
	return all, faults.Err()
}

// save sets what the form sends, in batches. What cannot be done is a fault at its field, and the page says that the
// rest is saved.
func (m many) save(c *api.Call, d door, v *visit) (string, error) {
	form := c.Form()
	if form == nil {
		return "", &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/x-www-form-urlencoded."}
	}
	all, err := m.typedOf(form)
	if err != nil {
		return "", err
	}
	results, err := m.set(d, c, catalog.Batch{Room: store.MaxOperations, Life: timeout, Limit: c}, all)
	var faults problem.Faults
	v.became = map[string]catalog.Status{}
	for i, r := range results {
		switch {
		case r.Status == catalog.StatusFailed:
			faults = append(faults,
				problem.Fault{Location: "body." + all[i].name, Code: r.Error.Code, Message: r.Error.Message})
		case err != nil && r.Status == catalog.StatusUnchanged:
			continue // it may be one that was not written
		}
		v.became[all[i].name] = r.Status
	}
	if err != nil {
		v.saysPart("many.done", "many.rest", results, err)
		if len(faults) > 0 {
			p := *c.Problem(err)
			p.Errors = append(p.Errors, faults...)
			err = &p
		}
		return "", err
	}
	if len(faults) > 0 {
		if len(faults) < len(all) {
			v.note.Said = "many.others"
		}
		return "", faults.Err()
	}
	names, err := m.names(c, d, v, all)
	if err != nil {
		return "", err
	}
	v.saysOf("saved.of", names)
	// Back to the page of the list where the form was, but nowhere else.
	if to := page.LocalPath(form.Get("_to")); strings.HasPrefix(to, m.path) {
		return to, nil
	}
	return m.path, nil
}

// namedOfEdits is how many of the products that were changed together are named.
const namedOfEdits = 2

// names names the first of what was set, and says how many others there are.
func (m many) names(c *api.Call, d door, v *visit, set []typed) (string, error) {
	var names, of []string
	for _, one := range set[:min(namedOfEdits, len(set))] {
		of = append(of, one.product)
	}
	all, err := catalog.ReadProducts(c, d.Main, v.shop.ID, slices.Compact(of))
	for _, one := range set[:len(of)] {
		for _, w := range all {
			if w.ID != one.product {
				continue
			}
			x, _ := w.Variant(one.variant)
			names = append(names, catalog.FullName(w.Details().Name, cmp.Or(x.Name, field.Name(x.Code))))
		}
	}
	return v.someOf(names, len(set)), err
}

// refused is the page again, of just the products that are still to be set, with what was sent and its faults. Saving
// it again puts nothing back that others have changed meanwhile: a value that is set already counts as not touched, and
// one that is not is still compared with what its form has shown. What was refused is shown beside its fault, with what
// is kept now: who saves it again has been told.
func (m many) refused(c *api.Call, d door, v *visit, sent page.Sent) (screen, error) {
	sent.Values = maps.Clone(c.Form())
	for name, status := range v.became {
		sent.Shown.Del(name)
		if status != catalog.StatusFailed {
			sent.Values.Del(name)
		}
	}
	var touched []string
	all, _ := m.typedOf(sent.Values)
	for _, one := range all {
		touched = append(touched, one.product)
	}
	products, err := d.chosenBy(c, v, slices.Compact(touched))
	if err != nil {
		return screen{}, err
	}
	sent.To = cmp.Or(page.LocalPath(sent.Values.Get("_to")), m.path)
	return m.page(c, v, listOf{url.Values{}, m.path, nil}, products, sent), nil
}
