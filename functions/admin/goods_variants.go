package admin

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/record/field"
)

// variants registers what is done with a product's variants: one is added on the product's page, where the codes,
// prices and stock of all are a table with one form; one has a page of its own, with all its fields.
func (d door) variants() {
	at := productsPath + "/{id}/variants"
	act(d, at, d.createVariant, d.productRefused(newVariant))
	act(d, at+"-table", d.changeVariants, d.productRefused(ofVariants))
	lookForm(d, at+"/{variantId}", d.variantScreen)
	act(d, at+"/{variantId}", d.changeVariant, d.variantScreen)
	act(d, at+"/{variantId}/delete", d.deleteVariant, nil)
}

// newVariant and ofVariants stand for the form of a new variant and for the table's (productScreen).
const (
	newVariant = "new"
	ofVariants = "variants"
)

// variantsShown is how many variants the table of a page has.
const variantsShown = 20

// maxTogether is how many variants are changed or made by one form: all their codes go through one transaction.
const maxTogether = 40

// variantTable is the form with the daily fields of a product's variants.
type variantTable struct {
	page.Form
	Rows          []variantRow
	Count         string
	From          int    // how many variants stand before those of the page
	Before, After string // addresses of the pages with other variants
}

// variantRow is a variant in the table.
type variantRow struct {
	ID, Path, Name, Parameters string
	Active                     bool
	Low                        shownState
	Cells                      []variantCell
}

// variantCell is a field of a variant in the table.
type variantCell struct {
	page.Field
	Column string // its name
	Empty  string // what counts while it is empty
}

// cellsOf are the cells of the table, by the last part of the names of their fields.
var cellsOf = []string{"code", "price", "quantity"}

// variantTable shows the variants from a place on, or the page of them on which something is wrong.
func (v *visit) variantTable(product catalog.Product, from int, s page.Sent) variantTable {
	from = max(0, min(from, len(product.Variants)))
	last := min(from+variantsShown, len(product.Variants))
	table := variantTable{Count: v.lang.Number(int64(len(product.Variants))), From: from}
	s.Values, s.Shown = cloned(s.Values), cloned(s.Shown)
	filler := v.filler(s)
	price, _ := catalog.PriceAt(product.PriceLevels, catalog.DefaultLevel)
	for _, x := range product.Variants[from:last] {
		row := variantRow{ID: x.ID, Path: productsPath + "/" + product.ID + "/variants/" + x.ID, Active: x.Active,
			Name: variantName(x), Parameters: parametersOf(x), Low: v.low(x.Stock.Quantity)}
		kept := cellValues(x)
		for _, cell := range cellsOf {
			name := "variants." + x.ID + "." + cell
			label := v.say("variant." + cell)
			one := variantCell{Field: valued(filler, name, label+": "+row.Name, kept[cell]), Column: label}
			switch cell {
			case "price":
				one.Field = filler.Amount(one.Field)
				one.Empty = v.lang.Decimal(price)
			case "quantity":
				one.Mode = "numeric"
			}
			row.Cells = append(row.Cells, one)
		}
		table.Rows = append(table.Rows, row)
	}
	at := productsPath + "/" + product.ID + "?from="
	if from > 0 {
		table.Before = at + strconv.Itoa(max(0, from-variantsShown)) + "#variants"
	}
	if last < len(product.Variants) {
		table.After = at + strconv.Itoa(last) + "#variants"
	}
	table.Form = filler.Done()
	return table
}

// cloned are values that may be added to.
func cloned(values url.Values) url.Values {
	if values == nil {
		return url.Values{}
	}
	return maps.Clone(values)
}

// cellValues are what the table shows of a variant. A variant without a price of its own has an empty one.
func cellValues(x catalog.Variant) map[string]string {
	values := map[string]string{"code": string(x.Code), "quantity": strconv.FormatInt(x.Stock.Quantity, 10)}
	if price, own := catalog.PriceAt(x.PriceLevels, catalog.DefaultLevel); own {
		values["price"] = price.String()
	}
	return values
}

// variantName is what people call a variant: its name, or its code where it has none.
func variantName(x catalog.Variant) string { return cmp.Or(string(x.Name), string(x.Code)) }

// parametersOf are a variant's parameters in words; "" where its name says the same.
func parametersOf(x catalog.Variant) string {
	var all, values []string
	for _, p := range x.Parameters {
		all, values = append(all, string(p.Name)+": "+string(p.Value)), append(values, string(p.Value))
	}
	if strings.Join(values, nameBetween) == string(x.Name) {
		return ""
	}
	return strings.Join(all, ", ")
}

// variantEdits are what a form of the table changes: cells by the ids of their variants.
type variantEdits map[string]map[string]string

// variantEditsOf reads a form of the table.
func variantEditsOf(form url.Values) (variantEdits, error) {
	edits, faults := variantEdits{}, problem.Faults{}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		parts := strings.Split(name, ".")
		switch {
		case strings.HasPrefix(name, "_"):
		case len(parts) != 3 || parts[0] != "variants" || !slices.Contains(cellsOf, parts[2]):
			faults.Add(name, problem.UnknownField, "is not a field of this form")
		default:
			if edits[parts[1]] == nil {
				edits[parts[1]] = map[string]string{}
			}
			edits[parts[1]][parts[2]] = strings.TrimSpace(form.Get(name))
		}
	}
	if len(edits) > maxTogether {
		faults.Add("", problem.TooMany, "are too many variants for one request")
	}
	return edits, faults.Err()
}

// apply is a variant with its cells changed. What is wrong has the location of its cell.
func (e variantEdits) apply(c *api.Call, variant catalog.Variant) (catalog.VariantFields, error) {
	fields := map[string]any{}
	for cell, text := range e[variant.ID] {
		switch cell {
		case "code":
			fields["code"] = text
		case "price":
			set := catalog.SetPrice{Level: catalog.DefaultLevel}
			if text != "" {
				set.Price = field.NormalizeAmount(text)
			}
			fields["priceLevels"] = catalog.SetPrices{set}.Over(variant.PriceLevels).Body()
		case "quantity":
			var quantity any = text
			if _, err := strconv.ParseUint(text, 10, 63); err == nil {
				quantity = json.Number(text)
			}
			fields["stock"] = map[string]any{"quantity": quantity}
		}
	}
	now, err := api.Apply(c, api.PatchOf[catalog.VariantFields](fields),
		catalog.VariantFields{VariantDetails: variant.VariantDetails})
	if refusal, is := problem.As(err); is {
		for i, f := range refusal.Errors {
			cell := "code"
			switch {
			case strings.HasPrefix(f.Location, "body.stock"):
				cell = "quantity"
			case strings.HasPrefix(f.Location, "body.priceLevels"):
				cell = "price"
			}
			refusal.Errors[i].Location = "body.variants." + variant.ID + "." + cell
		}
	}
	return now, err
}

// taken gives the refusal of a code that another has the cell that it is typed into.
func (e variantEdits) taken(err error) error {
	p, is := problem.As(err)
	if !is || p.Code != "code_taken" {
		return err
	}
	named := *p
	for _, id := range slices.Sorted(maps.Keys(e)) {
		if code, has := e[id]["code"]; has && catalog.CodeTaken(code).Detail == p.Detail {
			named.Errors = []problem.Fault{{Location: "body.variants." + id + ".code", Code: p.Code, Message: p.Detail}}
		}
	}
	return &named
}

// changeVariants changes the cells of the table that somebody has touched, all in one change. The fields of its form
// are named by the variants: variantEditsOf reads them.
func (d door) changeVariants(c *api.Call, v *visit, in *formAbout[field.Object]) (string, error) {
	edits, err := variantEditsOf(c.Form())
	if err != nil {
		return "", err
	}
	ids := slices.Sorted(maps.Keys(edits))
	w, err := d.Catalog().ChangeVariants(c, c.Unit(), in.ID, ids,
		func(x catalog.Variant) (catalog.VariantFields, error) { return edits.apply(c, x) })
	if err != nil {
		return "", edits.taken(err)
	}
	var names []string
	for _, x := range w.Variants() {
		if _, is := edits[x.ID]; is && len(names) < namedOfEdits {
			names = append(names, variantName(x))
		}
	}
	v.saysOf("saved.of", v.someOf(names, len(edits)))
	to := productsPath + "/" + in.ID
	if from, err := strconv.Atoi(c.Form().Get("_from")); err == nil && 0 < from && from < catalog.MaxVariants {
		to += "?from=" + strconv.Itoa(from)
	}
	return to + "#variants", nil
}

// variantForm is the form of a variant, on its own page or on its product's.
type variantForm struct {
	page.Form
	ID, Path string
	Active   bool
	Open     bool // it is shown with what was sent
	Delete   action

	Fields, NewLevel, Parameters []page.Field
}

// variantScreen is the page of one variant, with all its fields.
func (d door) variantScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	whole, err := catalog.ReadProduct(c, d.Main, v.shop.ID, c.PathValue("id"))
	if err != nil {
		return screen{}, err
	}
	variant, has := whole.Variant(c.PathValue("variantId"))
	if !has {
		return screen{}, problem.NotFound()
	}
	of := productsPath + "/" + whole.ID
	f := v.variantForm(variant.ID, sent.Or(variantValues(variant)))
	f.Path, f.Active = of+"/variants/"+variant.ID, variant.Active
	f.Delete = action{Path: f.Path + "/delete", To: variantName(variant), Heading: v.say("variant.delete"),
		Button: v.say("delete"), About: v.say("variant.deleteIs"), Danger: true}
	name := whole.Details().Name
	above := append(v.above("products", productsPath), page.Link{Text: string(name), Path: of + "#variants"})
	title := catalog.FullName(name, field.Name(variantName(variant)))
	return screen{name: "variant", title: title, above: above, data: f}, nil
}

// newVariantForm is the form of a new variant.
func (v *visit) newVariantForm(s page.Sent) variantForm {
	open := s.Values != nil
	if !open {
		s.Values = url.Values{"active": {"true"}, "stock.quantity": {"0"}}
	}
	form := v.variantForm(newVariant, s)
	form.Open = open
	return form
}

// variantForm is a variant's form. The ids of its fields begin with the variant's.
func (v *visit) variantForm(id string, s page.Sent) variantForm {
	filler := v.filler(s).Within("variant-" + id)
	fields := []page.Field{filler.Named("name", "name", "off"), filler.Field("code", "off", page.Must).Halved(),
		filler.Field("ean", "off", page.May).Halved(), filler.Number("stock.quantity", page.May).Halved(),
		filler.Field("stock.availability", "off", page.May).Halved()}
	fields = append(fields, v.priceFields(filler, v.say("variant.priceIs"))...)
	form := variantForm{ID: id, NewLevel: newLevel(filler)}
	form.Fields = append(fields, filler.Box("active", "product.active"))
	for i := range min(entries(s.Values, "parameters", maxParameters)+1, maxParameters) {
		at := "parameters." + strconv.Itoa(i)
		form.Parameters = append(form.Parameters, filler.Named(at+".name", "parameter.name", "off").Halved(),
			filler.Named(at+".value", "parameter.value", "off").Halved())
	}
	form.Form = filler.Done()
	return form
}

// variantValues are what a variant's form shows.
func variantValues(x catalog.Variant) url.Values {
	values := url.Values{"code": {string(x.Code)}, "name": {string(x.Name)}, "ean": {string(x.EAN)},
		"active":             {strconv.FormatBool(x.Active)},
		"stock.quantity":     {strconv.FormatInt(x.Stock.Quantity, 10)},
		"stock.availability": {string(x.Stock.Availability)}}
	pricesInto(values, x.PriceLevels)
	for i, p := range x.Parameters {
		at := "parameters." + strconv.Itoa(i)
		values[at+".name"], values[at+".value"] = []string{string(p.Name)}, []string{string(p.Value)}
	}
	return values
}

// createVariant adds a variant to a product. Its form sends prices by level, so they are put together before the
// variant is checked as the API checks one.
func (d door) createVariant(c *api.Call, v *visit, in *formAbout[catalog.VariantFields]) (string, error) {
	fields, err := priced(c, in.Body, nil)
	if err != nil {
		return "", err
	}
	var f problem.Faults
	// Over the API the frame does this; here the prices came later than its check.
	if fields.Check(&f, ""); f.Err() != nil {
		return "", f.Err()
	}
	v.saysOf("added.of", cmp.Or(string(fields.Name), string(fields.Code)))
	_, err = d.Catalog().AddVariants(c, c.Unit(), in.ID, []catalog.VariantFields{fields})
	return productsPath + "/" + in.ID + "#variants", err
}

// ofVariant is the path of one variant of a product.
type ofVariant struct {
	api.ByID
	Variant string `path:"variantId"`
}

// variantIn is the input of a change of a variant.
type variantIn struct {
	ofVariant
	Body api.Patch[catalog.VariantFields]
}

// changeVariant merges a variant's form into it, and leads back to its page.
func (d door) changeVariant(c *api.Call, v *visit, in *variantIn) (string, error) {
	merge := func(was catalog.VariantFields) (catalog.VariantFields, error) {
		now, err := api.Apply(c, in.Body, was)
		if err != nil {
			return now, err
		}
		return priced(c, now, was.PriceLevels)
	}
	w, err := d.Catalog().ChangeVariant(c, c.Unit(), in.ID, in.Variant,
		catalog.Patch[catalog.VariantFields]{Sent: in.Body.Get, Merge: merge})
	if err != nil {
		return "", err
	}
	x, _ := w.Variant(in.Variant)
	v.saysOf("saved.of", variantName(x))
	return productsPath + "/" + in.ID + "/variants/" + in.Variant, nil
}

// deleteVariant deletes a variant.
func (d door) deleteVariant(c *api.Call, v *visit, in *ofVariant) (string, error) {
	v.says("deleted")
	return productsPath + "/" + in.ID + "#variants", d.Catalog().DeleteVariant(c, c.Unit(), in.ID, in.Variant)
}
