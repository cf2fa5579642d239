package admin

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/images/picture"
	"eshop/shared/job/exports"
	"eshop/shared/page"
	"eshop/shared/record/field"
)

// productsPath is where the products are.
const productsPath = root + "/products"

// products registers the products with their variants: their list, a new one, one of them, and what is done there.
//
// A product's page has one form of its own, one with a table of its variants (goods_variants.go), and one for a new
// variant; a variant has a page. Fields of the forms are named by the API's fields, with dots: `stock.quantity`,
// `images.0.url`, `units.0.unit`, `parameters.0.name`. A price is `priceLevels.<level>`, and an empty one takes its
// level away; a level that is new comes as `_level` and `_price`. The number in a name is only the row's: empty rows
// are left out, so the API's list has fewer entries (see filledIndex).
func (d door) products() {
	lookAt(d, productsPath, []api.Param{api.SearchParam}, d.listProducts)
	lookForm(d, productsPath+"/new", d.newProduct)
	look(d, productsPath+"/{id}", func(c *api.Call, v *visit, in *productOf) (screen, error) {
		return d.productScreen(c, v, in, "", page.Sent{})
	})
	act(d, productsPath+"/selected", d.changeSelected, d.selectedRefused)
	actBy(d, api.Op{Route: "POST " + productsPath, MaxBody: picture.MaxFile, People: d.forSignedIn(d.newProduct)},
		d.createProduct)
	act(d, productsPath+"/{id}", d.changeProduct, d.productRefused(""))
	act(d, productsPath+"/{id}/delete", d.deleteProduct, nil)
	d.pictures()
	d.variants()
	d.generator()
}

// productRefused shows a form that is refused on the product's page; of says which form it is (productScreen).
func (d door) productRefused(of string) formScreen {
	return func(c *api.Call, v *visit, s page.Sent) (screen, error) {
		in := &productOf{ByID: api.ByID{ID: c.PathValue("id")}}
		in.From, _ = strconv.Atoi(s.Values.Get("_from"))
		return d.productScreen(c, v, in, of, s)
	}
}

// listProducts lists the products, newest first unless another order is asked for.
func (d door) listProducts(c *api.Call, v *visit, in *productsOf) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	all, err := d.readProducts(c, v, in, func(catalog.Product) int { return 0 })
	if err != nil {
		return screen{}, err
	}
	q := c.Asked()
	fields := v.choiceFields(q, v.selected(q, "sort", v.options("choice.changed", "", "choice.newest", "newest",
		"choice.name", "name", "choice.cheapest", "price", "choice.dearest", "-price", "choice.least", "stock")...))
	fields = append(fields, v.filters(q, "externalId", "changed[after]", "changed[before]")...)
	if q.Get("code") != "" {
		fields = append(fields, v.filters(q, "code")...)
	}
	s := page.Sent{Values: url.Values{"categoryId": {in.Category}}}
	t := v.productTable(listOf{q, productsPath, fields}, all, s, c.HTTP().URL.RequestURI())
	t.Export = string(exports.Products)
	t.Links = []link{{Text: v.say("product.new"), Path: productsPath + "/new", Look: "button"},
		{Text: v.say("prices"), Path: pricesPath}, {Text: v.say("stock"), Path: stockPath}}
	return screen{name: "list", title: v.say("products"), data: t}, nil
}

// productTable is a list of products. s is what is chosen of what is done with them, and back the list's address.
func (v *visit) productTable(of listOf, all chosen, s page.Sent, back string) table {
	t := v.table(listed(v, of, all.Items, v.productRow), []column{{Text: "name"}, {Text: "code"}, {Text: "state"},
		{Text: "price", Right: true}, {Text: "stock", Right: true}, {Text: "changed"}})
	t.Pictured, t.Cut = true, all.cut
	t.Bulk, t.Form = v.productBulk(s, back)
	return t
}

// productRow is a product in the list, with its price at the default level; the lowest of its active variants.
func (v *visit) productRow(p catalog.Product) row {
	name, price := cell{Text: string(p.Name), Path: productsPath + "/" + p.ID}, cell{}
	state := v.onOff(p.Active, "state.visible", "state.hidden")
	least, others, sold := shelf.OfferWith(p.ProductDetails, p.Variants).PriceAt(catalog.DefaultLevel)
	if sold {
		price.Text = v.money(least)
	}
	if others {
		price.Text = v.say("price.from") + page.NBSP + price.Text
	}
	stock := p.Stock.Quantity
	// A product with variants has the sum of theirs: its own stock does not count then (contract, "Products").
	if n := len(p.Variants); n > 0 {
		name.Aside, stock = v.say("variants")+": "+strconv.Itoa(n), 0
	}
	for _, variant := range p.Variants {
		stock += variant.Stock.Quantity
	}
	return row{ID: p.ID, State: state.Mark, Picture: v.thumb(p.FirstImage().URL), Cells: []cell{name,
		{Text: string(p.Code)}, {State: state}, price, {Text: v.lang.Number(stock)}, {Text: v.moment(p.Changed)}}}
}

// productOf is the input of a product's page: where its variants begin.
type productOf struct {
	api.ByID
	From int `query:"from" minimum:"0" maximum:"500" default:"0"`
}

// productData is the page of a product, or the form of a new one.
type productData struct {
	page.Form
	ID                      string // "" of a new one
	URL, URLs               string
	Currency                string
	Active                  bool
	Basic, Codes, Sale      []page.Field
	Images, Units           []page.Field
	UnitsOpen               bool // something is in its units, or wrong with them
	Prices, Store, NewLevel []page.Field
	Categories              []page.Option
	CategoryFault           page.Field // which says what is wrong with them
	InShown                 []string   // what is sent of the categories where nobody touches them
	Variants                variantTable
	New                     variantForm
	Generate                string // the address of the page that makes variants of parameters
	Pictures                picturesData
	Delete                  action
}

// newProduct is the form of a new product: active, with nothing in stock, as a POST over the API would have it.
func (d door) newProduct(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	menu, err := d.Shelf.Menu(c, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	// A new form; a refused one shows what was sent.
	if sent.Values == nil {
		sent.Values = url.Values{"active": {"true"}, "stock.quantity": {"0"}}
	}
	data := v.productData(sent, menu)
	return screen{name: "product", title: v.say("product.new"),
		above: v.above("products", productsPath), data: data}, nil
}

// productScreen is the page of a product. A form that was refused is shown as it was sent; of names that form: "" is
// the form of the product itself, ofVariants the table of variants, newVariant the form of a new variant, and
// ofPictures the form that adds images.
func (d door) productScreen(ctx context.Context, v *visit, in *productOf, of string, sent page.Sent) (screen, error) {
	w, err := catalog.ReadProduct(ctx, d.Main, v.shop.ID, in.ID)
	if err != nil {
		return screen{}, err
	}
	menu, err := d.Shelf.Menu(ctx, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	p := w.Product(v.website)
	sentTo := func(form string) page.Sent {
		if form == of {
			return sent
		}
		return page.Sent{}
	}
	data := v.productData(sentTo("").Or(productValues(p)), menu)
	data.ID, data.URL, data.URLs, data.Active = p.ID, p.URL, urlsPath+"?urlItem=product:"+p.ID, p.Active
	data.Generate = productsPath + "/" + p.ID + "/generate"
	data.Delete = action{Path: productsPath + "/" + p.ID + "/delete", To: string(p.Name),
		Heading: v.say("product.delete"), Button: v.say("delete"), About: v.say("product.deleteIs"), Danger: true}
	data.Variants = v.variantTable(p, in.From, sentTo(ofVariants))
	data.New = v.newVariantForm(sentTo(newVariant))
	data.Pictures = v.picturesData(p, sentTo(ofPictures))
	return screen{name: "product", title: string(p.Name), above: v.above("products", productsPath), data: data}, nil
}

// productData are the fields of a product. Its lists have room for two more images and units, so that some can be added
// without a script.
func (v *visit) productData(sent page.Sent, menu *shelf.Menu) productData {
	f := v.filler(sent)
	data := productData{Currency: v.shop.Currency}
	data.Basic = []page.Field{f.Field("name", "off", page.Must), f.Long("shortDescription", 65_536, page.May),
		f.Long("description", 65_536, page.May)}
	data.Codes = []page.Field{f.Field("code", "off", page.Must).Halved(), f.Field("ean", "off", page.May).Halved(),
		f.Field("manufacturer", "off", page.May).Halved(), f.Field("externalId", "off", page.May).Halved()}
	data.Sale = []page.Field{f.Box("active", "product.active")}
	data.Prices = append(v.priceFields(f, ""), f.Number("vatRate", page.May).Halved().Hinted(v.say("vatRateIs")))
	data.NewLevel = newLevel(f)
	data.Store = []page.Field{f.Number("stock.quantity", page.May).Halved(),
		f.Field("stock.availability", "off", page.May).Halved()}
	data.Pictures.File = f.Named("file", "pictures.file", "off").Hinted(v.say("pictures.fileIs")) // of a new product
	// Two more rows than are filled.
	for i := range min(entries(sent.Values, "images", maxEntries)+2, maxEntries) {
		at := "images." + strconv.Itoa(i)
		data.Images = append(data.Images, f.Named(at+".url", "image.url", "off").Halved(),
			f.Named(at+".alt", "image.alt", "off").Halved())
	}
	data.CategoryFault = f.Named("categoryIds", "categories", "off")
	data.Units = []page.Field{f.Box("hasUnits", "product.hasUnits")}
	for i := range min(entries(sent.Values, "units", maxEntries)+2, maxEntries) {
		at := "units." + strconv.Itoa(i)
		data.Units = append(data.Units, f.Named(at+".unit", "unit.unit", "off").Halved(),
			f.Named(at+".quantity", "unit.quantity", "off").Halved())
	}
	data.UnitsOpen = data.Units[0].Value == "true" || data.Units[0].Fault != "" || page.Filled(data.Units[1:])
	if sent.Shown != nil {
		// What the form shows is sent back with it (page.Sent.Shown), so that the next request knows which boxes nobody
		// touched.
		data.InShown = []string{""} // an empty one stands before the boxes
	}
	for _, place := range menu.All() {
		data.Categories = append(data.Categories,
			page.Option{Value: place.ID, Text: namesOf(menu, place.ID),
				Chosen: slices.Contains(sent.Values["categoryIds"], place.ID)})
		if slices.Contains(sent.Shown["categoryIds"], place.ID) {
			data.InShown = append(data.InShown, place.ID)
		}
	}
	data.Form = f.Done()
	return data
}

// The most images and units of a product, and parameters of a variant (contract, "Bounds").
const (
	maxEntries    = 20
	maxParameters = 50
)

// entries is how many entries a list in a form has: the highest index that was sent, and never more than limit.
func entries(values url.Values, list string, limit int) int {
	most := 0
	for name := range values {
		rest, is := strings.CutPrefix(name, list+".")
		index, _, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(index); is && err == nil && n >= most && n < limit && values.Get(name) != "" {
			most = n + 1
		}
	}
	return most
}

// priceFields are the prices at the levels that were sent, the default one first.
func (v *visit) priceFields(filler *page.Filler, hint string) []page.Field {
	levels := []string{catalog.DefaultLevel}
	var others []string
	for name := range filler.Values {
		if level, is := strings.CutPrefix(name, "priceLevels."); is && level != catalog.DefaultLevel {
			others = append(others, level)
		}
	}
	slices.Sort(others)
	var fields []page.Field
	for _, level := range append(levels, others...) {
		d := filler.Amount(filler.Named("priceLevels."+level, "price", "off").Halved())
		d.Required = level == catalog.DefaultLevel && hint == ""
		if level != catalog.DefaultLevel {
			d.Label += ": " + level
		}
		if hint != "" && level == catalog.DefaultLevel {
			d = d.Hinted(hint)
		}
		fields = append(fields, d)
	}
	return fields
}

// newLevel are the fields of a price at a level that there is not yet.
func newLevel(f *page.Filler) []page.Field {
	level, price := f.Named("_level", "price.newLevel", "off").Halved(),
		f.Amount(f.Named("_price", "price.newPrice", "off").Halved())
	return []page.Field{level, price}
}

// pricesInto are prices as a form shows them.
func pricesInto(values url.Values, prices []catalog.Price) {
	for _, p := range prices {
		values.Set("priceLevels."+string(p.Level), p.Price.String())
	}
}

// productValues are what a product's form shows.
func productValues(product catalog.Product) url.Values {
	values := url.Values{"name": {string(product.Name)}, "code": {string(product.Code)},
		"externalId": {string(product.ExternalID)}, "ean": {string(product.EAN)},
		"manufacturer": {string(product.Manufacturer)}, "active": {strconv.FormatBool(product.Active)},
		"hasUnits":         {strconv.FormatBool(product.HasUnits)},
		"shortDescription": {string(product.ShortDescription)}, "description": {string(product.Description)},
		"categoryIds": product.CategoryIDs,
		"vatRate":     {string(product.VATRate)}, "stock.quantity": {strconv.FormatInt(product.Stock.Quantity, 10)},
		"stock.availability": {string(product.Stock.Availability)}}
	pricesInto(values, product.PriceLevels)
	for i, image := range product.Images {
		at := "images." + strconv.Itoa(i)
		values[at+".url"], values[at+".alt"] = []string{image.URL}, []string{string(image.Alt)}
	}
	for i, u := range product.Units {
		at := "units." + strconv.Itoa(i)
		values[at+".unit"], values[at+".quantity"] = []string{string(u.Unit)},
			[]string{strconv.FormatInt(u.Quantity, 10)}
	}
	return values
}

// sentPrices are the prices that a form sets, by their levels. An empty price takes its level away. A new level beside
// them comes last.
func sentPrices(form url.Values) catalog.SetPrices {
	var set catalog.SetPrices
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if level, is := strings.CutPrefix(name, "priceLevels."); is {
			var price any
			// nil takes the level's price away.
			if text := strings.TrimSpace(form.Get(name)); text != "" {
				price = field.NormalizeAmount(text)
			}
			set = append(set, catalog.SetPrice{Level: level, Price: price})
		}
	}
	level, price := strings.TrimSpace(form.Get("_level")), strings.TrimSpace(form.Get("_price"))
	if level != "" || price != "" {
		set = append(set, catalog.SetPrice{Level: level, Price: field.NormalizeAmount(price)})
	}
	return set
}

// priced are the fields with the prices that the form sets. Levels that the form does not name keep their price.
func priced[F any](c *api.Call, fields F, was []catalog.Price) (F, error) {
	form := c.Form()
	set := sentPrices(form)
	// The form said nothing of prices, so they stay.
	if len(set) == 0 {
		return fields, nil
	}
	// The API's own check names prices by their place in the list. Here each fault goes to the field that holds the
	// price: the level's own, or the two fields of a new level.
	all := set.Over(was)
	prices := api.PatchOf[F](map[string]any{"priceLevels": all.Body()})
	now, err := api.Apply(c, prices, fields)
	if refusal, is := problem.As(err); is {
		for i, f := range refusal.Errors {
			if strings.HasSuffix(f.Location, "].level") { // the others were looked at as the form came in
				refusal.Errors[i].Location = "body._level"
			}
		}
		all.Name(refusal.Errors)
		for i, f := range refusal.Errors {
			if level, is := strings.CutPrefix(f.Location, "body.priceLevels."); is && !form.Has("priceLevels."+level) {
				refusal.Errors[i].Location = "body._price"
			}
		}
	}
	return now, err
}

// productNew is the form of a new product, with its pictures.
type productNew struct {
	catalog.ProductNew
	File api.Files `json:"file" required:"false" maxItems:"20"`
}

// createProduct makes a product, and leads to its page.
func (d door) createProduct(c *api.Call, v *visit, in *api.Create[productNew]) (string, error) {
	var err error
	if in.Body.ProductNew, err = priced(c, in.Body.ProductNew, nil); err != nil {
		return "", err
	}
	added, err := d.keepPictures(c, slices.DeleteFunc(in.Body.File, isEmpty))
	if err != nil {
		return "", err
	}
	if in.Body.Images = append(in.Body.Images, added...); len(in.Body.Images) > maxEntries {
		return "", tooManyPictures()
	}
	v.saysOf("created", string(in.Body.Name))
	w, err := d.Catalog().CreateProduct(c, c.Unit(), in.Body.ProductNew)
	if err != nil {
		return "", err
	}
	return productsPath + "/" + w.ID, nil
}

// changeProduct merges the form into the product.
func (d door) changeProduct(c *api.Call, v *visit, in *api.Change[catalog.ProductFields]) (string, error) {
	merge := func(was catalog.ProductFields) (catalog.ProductFields, error) {
		now, err := api.Apply(c, in.Body, was)
		if err != nil {
			return now, err
		}
		return priced(c, now, was.PriceLevels)
	}
	w, err := d.Catalog().ChangeProduct(c, c.Unit(), in.ID,
		catalog.Patch[catalog.ProductFields]{Sent: in.Body.Get, Merge: merge})
	if err == nil {
		v.saysOf("saved.of", string(w.Details().Name))
	}
	return productsPath + "/" + in.ID, err
}

// deleteProduct deletes a product with its variants and URLs.
func (d door) deleteProduct(c *api.Call, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	return productsPath, d.Catalog().DeleteProduct(c, c.Unit(), in.ID)
}
