package storefront

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// ProductPage is the page of a product: what is shown of it, and the form that puts it into the basket.
type ProductPage struct {
	Layout
	page.Form
	ID, Name, Price, Short string
	Manufacturer           string
	Paragraphs             []string
	Pictures               []Picture
	Choices                []Choice // none: the product itself is sold
	Axes                   []Axis   // none: the variants are one list
	Picked                 Choice   // the variant that is chosen; the zero one: none
	Many                   bool     // so many that they are a list to open
	Stock                  Stock    // of the product itself
	Sold                   bool     // something of it can be put into the basket
	Facts                  []Fact
	Variant, Quantity      page.Field // the zero one where there is nothing to choose, or nothing is sold
}

// Choice is a variant that can be chosen, with its price and its stock.
type Choice struct {
	ID, Name, Price string
	Stock           Stock
	Chosen          bool
}

// Axis is a parameter by which the variants differ, with its values.
type Axis struct {
	Name   string
	Values []Value
}

// Value is a value of a parameter. Path leads to the variant that has it and is like the chosen one else; "": there is
// none.
type Value struct {
	Text, Path string
	Chosen     bool
	InStock    bool
}

// Stock is how much there is of something, in words, and whether any can be sold.
type Stock struct {
	Words   string
	InStock bool
	LastFew bool
}

// Fact is a name and its value, one line in a list of them. Path is where the value leads; "" nowhere.
type Fact struct{ Name, Value, Path string }

// maxRadios is how many variants are shown side by side. If there are more, one is chosen from a list.
const maxRadios = 12

// stock says what there is of a product: in the merchant's words (`availability`), else in ours.
func (s Setting) stock(stock catalog.Stock) Stock {
	lang := s.lang()
	out := Stock{InStock: stock.Quantity > 0, LastFew: stock.Quantity > 0 && stock.Quantity <= shelf.FewLeft}
	switch {
	case stock.Availability != "":
		out.Words = string(stock.Availability)
	case out.LastFew:
		out.Words = lang.say("inStock") + ": " + lang.pieces(stock.Quantity)
	case out.InStock:
		out.Words = lang.say("inStock")
	default:
		out.Words = lang.say("soldOut")
	}
	return out
}

// productShown is a product's page as it was made, for all visitors who see the same prices.
type productShown struct {
	about   About
	content template.HTML
}

// product is the page of a product, with some of the list that it stands in. sent is its form, the zero
// value when none was.
func (s Setting) product(w *catalog.Whole, in *shelf.List, sent page.Sent) *ProductPage {
	p := s.kept(w, sent)
	p.Content += s.related(w.ID, in)
	return p
}

// maxRelated is how many other products the page of a product shows.
const maxRelated = 4

// related are the products in stock that follow a product in a list, round to its beginning; "" if there are none.
func (s Setting) related(id string, in *shelf.List) template.HTML {
	at := slices.IndexFunc(in.Products, func(p *shelf.ListedProduct) bool { return p.ID == id })
	others := &shelf.List{}
	for i := range in.Products {
		p := in.Products[(at+1+i)%len(in.Products)]
		if p.ID != id && p.InStock && len(others.Products) < maxRelated {
			others.Products = append(others.Products, p)
		}
	}
	if len(others.Products) == 0 {
		return ""
	}
	return s.Pages.make(s.lang(), "related", s.cards(others))
}

// kept is the page of a product without others. If no form was sent, it is the same for all visitors at one price
// level, so it is made once and kept under the product's version.
func (s Setting) kept(whole *catalog.Whole, sent page.Sent) *ProductPage {
	if sent.Values != nil {
		p := s.productOf(whole, sent)
		p.Content = s.Pages.make(s.lang(), "product", p)
		return p
	}
	at := productKey{piece: piece{lang: s.lang(), what: "product", shop: s.Shop.ID, of: whole.ID,
		version: whole.Version, seller: s.seller()},
		website: s.Website, name: string(s.Shop.Name), chosen: s.Chosen}
	if s.Menu != nil {
		at.menu = s.Menu.Version
	}
	shown, has := s.Pages.products.Get(at)
	if !has {
		p := s.productOf(whole, sent)
		shown = productShown{p.About, s.Pages.make(s.lang(), "product", p)}
		s.Pages.products.Set(at, shown)
	}
	p := &ProductPage{Layout: s.titled("product", "")}
	p.About, p.Content = shown.about, shown.content
	return p
}

// productOf makes the page of a product: its way through the categories, pictures, variants, price, form and facts, and
// what search engines read.
func (s Setting) productOf(whole *catalog.Whole, sent page.Sent) *ProductPage {
	details := whole.Details()
	var path []*shelf.MenuEntry
	// A product may lie in several categories. Its page shows the way through the first one, wherever the visitor came
	// from: the page is the same for all.
	if s.Menu != nil && len(details.CategoryIDs) > 0 {
		if place := s.Menu.Entry(details.CategoryIDs[0]); place != nil {
			path = place.Path()
		}
	}
	name := string(details.Name)
	// The canonical address is the product's active one, whichever was asked for.
	s.Path = "/" + whole.Address.Active
	p := &ProductPage{Layout: s.titled("product", name).at(s, path,
		page.Link{Text: name, Path: s.Path}), ID: whole.ID, Name: name,
		Short: string(details.ShortDescription), Manufacturer: string(details.Manufacturer),
		Stock: s.stock(details.Stock), Paragraphs: paragraphs(string(details.Description))}
	p.About.Kind, p.About.Description = "product", cut(cmp.Or(p.Short, string(details.Description), name), 160)
	offer := shelf.OfferOf(whole)
	price, others, sold := offer.PriceAt(s.Level)
	if sold {
		p.Price = s.money(price)
	}
	if others {
		p.Price = s.lang().say("from") + page.NBSP + p.Price
	}
	p.pictures(details.Images)
	// There is always a first picture; that of a product without images has no URL.
	p.About.Image = s.absolute(p.Pictures[0].URL)
	p.choices(s, whole, cmp.Or(sent.Values.Get("variantId"), s.Chosen))
	p.Sold = sold && offer.InStock && (p.Axes == nil || p.Picked.Stock.InStock)
	p.fields(s.lang().form(sent))
	p.facts(s.lang(), details)
	p.About.Data = linked(p.crumbs(s)) + linked(schemaOf(s, p, details, offer))
	return p
}

// fields are the fields of the form that puts the product into the basket. A product without variants has none to
// choose.
func (p *ProductPage) fields(filler *page.Filler) {
	if len(p.Choices) > 0 {
		p.Variant = filler.Named("variantId", "chooseOne", "off")
	}
	// What cannot be sold has no field for a quantity.
	if p.Sold {
		p.Quantity = filler.Named("quantity", "quantity", "off")
		p.Quantity.Value = cmp.Or(p.Quantity.Value, "1")
	}
	p.Form = filler.Done()
}

// pictures are the product's images, or a tile if it has none.
func (p *ProductPage) pictures(images []catalog.Image) {
	for _, image := range images {
		if picture := pictureOf(p.Name, image); picture.URL != "" {
			picture.Alt = cmp.Or(picture.Alt, p.Name)
			p.Pictures = append(p.Pictures, picture)
		}
	}
	if len(p.Pictures) == 0 {
		p.Pictures = []Picture{{Letters: initials(p.Name)}}
	}
}

// choices are the active variants. The variant that was sent is chosen if it is in stock, else the first one that is.
func (p *ProductPage) choices(view Setting, whole *catalog.Whole, chosen string) {
	d := whole.Details()
	first := -1
	for _, variant := range whole.Variants() {
		if !variant.Active {
			continue
		}
		c := Choice{ID: variant.ID, Name: variantName(variant), Stock: view.stock(variant.Stock),
			Price:  view.money(catalog.PriceOf(d, variant.VariantDetails, view.Level)),
			Chosen: variant.ID == chosen}
		// The first one in stock, until the chosen one comes by and takes its place.
		if c.Stock.InStock && (first < 0 || c.Chosen) {
			first = len(p.Choices)
		}
		p.Choices = append(p.Choices, c)
	}
	for i := range p.Choices {
		p.Choices[i].Chosen = i == first
	}
	p.Many = len(p.Choices) > maxRadios
	p.axes(view, whole, chosen, max(0, first))
	if first >= 0 || p.Axes != nil {
		p.Price = p.Picked.Price
	}
}

// axes makes a choice for each parameter, if the variants differ by several and each has all of them, in one order. The
// chosen variant is the one of that id, in stock or not, or else the one at the index.
func (p *ProductPage) axes(view Setting, w *catalog.Whole, chosen string, otherwise int) {
	if len(p.Choices) == 0 {
		return
	}
	var variants []catalog.Variant
	at := map[string]int{} // by the values of all parameters
	p.Picked = p.Choices[otherwise]
	for _, variant := range w.Variants() {
		if !variant.Active {
			continue
		}
		if variant.ID == chosen {
			otherwise = len(variants)
		}
		at[valuesOf(variant.Parameters)] = len(variants)
		variants = append(variants, variant)
	}
	names := namesIn(variants[0].Parameters)
	if len(names) < 2 || len(at) < len(variants) || slices.ContainsFunc(variants, func(o catalog.Variant) bool {
		return !slices.Equal(namesIn(o.Parameters), names)
	}) {
		return
	}
	p.Picked = p.Choices[otherwise]
	picked := variants[otherwise].Parameters
	for n, name := range names {
		axis, seen := Axis{Name: name}, map[field.Line]bool{}
		for _, variant := range variants {
			value := variant.Parameters[n].Value
			if seen[value] {
				continue
			}
			seen[value] = true
			like := slices.Clone(picked)
			like[n].Value = value
			i, is := at[valuesOf(like)]
			if !is {
				i = nearest(variants, like, n)
			}
			axis.Values = append(axis.Values, Value{Text: string(value), Chosen: value == picked[n].Value,
				Path: view.Path + "?variantId=" + variants[i].ID, InStock: is && p.Choices[i].Stock.InStock})
		}
		p.Axes = append(p.Axes, axis)
	}
}

// nearest is the variant that has most of these values, the one of the parameter at n among them.
func nearest(variants []catalog.Variant, like []catalog.Parameter, n int) (nearest int) {
	most := 0
	for i, variant := range variants {
		same := 0
		for m, parameter := range variant.Parameters {
			if parameter.Value == like[m].Value {
				same++
			}
		}
		if variant.Parameters[n].Value == like[n].Value && same > most {
			nearest, most = i, same
		}
	}
	return nearest
}

// namesIn are the names of parameters, and valuesOf their values as one text.
func namesIn(all []catalog.Parameter) (names []string) {
	for _, p := range all {
		names = append(names, string(p.Name))
	}
	return names
}

func valuesOf(all []catalog.Parameter) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(string(p.Value) + "\x00")
	}
	return b.String()
}

// variantName is the variant's name, or else what its parameters say.
func variantName(v catalog.Variant) string {
	var values []string
	for _, p := range v.Parameters {
		values = append(values, string(p.Value))
	}
	return cmp.Or(string(v.Name), strings.Join(values, ", "), string(v.Code))
}

// facts are the product's further fields that have a value, under their names.
func (p *ProductPage) facts(lang language, details catalog.ProductDetails) {
	fact := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, Fact{Name: name, Value: value})
		}
	}
	fact(lang.say("manufacturer"), string(details.Manufacturer))
	fact(lang.say("code"), string(details.Code))
	fact(lang.say("ean"), string(details.EAN))
	for _, u := range details.Units {
		fact(lang.say("packing"), string(u.Unit)+": "+lang.pieces(u.Quantity))
	}
}

// paragraphs are the parts of a plain text between blank lines.
func paragraphs(text string) (all []string) {
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// cut is a text in one line of at most so many characters. It ends between words.
func cut(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	// One character is left for the ellipsis.
	short := string(letters[:most-1])
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return short + "…"
}

// schemaOf is the product as search engines read it (schema.org): an offer with one price, or with the lowest of
// several.
func schemaOf(view Setting, p *ProductPage, details catalog.ProductDetails, offer shelf.Offer) map[string]any {
	price, others, _ := offer.PriceAt(view.Level)
	available := "https://schema.org/OutOfStock"
	if offer.InStock {
		available = "https://schema.org/InStock"
	}
	offered := map[string]any{"@type": "Offer", "url": p.About.Canonical, "priceCurrency": view.Shop.Currency,
		"price": price.String(), "availability": available}
	if others {
		// schema.org has one `price` in an Offer. Several prices are an AggregateOffer, which has a `lowPrice` instead.
		offered["@type"], offered["lowPrice"], offered["offerCount"] = "AggregateOffer", price.String(), len(p.Choices)
		delete(offered, "price")
	}
	product := map[string]any{"@context": "https://schema.org", "@type": "Product", "name": p.Name, "sku": details.Code,
		"description": p.About.Description, "url": p.About.Canonical}
	// Where nothing is sold there is no price, and so no offer.
	if p.Price != "" {
		product["offers"] = offered
	}
	if details.EAN != "" {
		product["gtin"] = details.EAN
	}
	if p.Manufacturer != "" {
		product["brand"] = map[string]any{"@type": "Brand", "name": p.Manufacturer}
	}
	var images []string
	for _, i := range p.Pictures {
		if i.URL != "" {
			images = append(images, view.absolute(i.URL))
		}
	}
	if images != nil {
		product["image"] = images
	}
	return product
}

// absolute is an address on the shop's own host with that host; any other stays.
func (s Setting) absolute(url string) string {
	if strings.HasPrefix(url, "/") {
		return s.Website + url
	}
	return url
}

// linked is data as a script of JSON-LD, which browsers do not run. encoding/json writes <, > and & as escapes, so
// nothing in the data can end the script.
func linked(data any) template.HTML {
	b, err := json.Marshal(data)
	if err != nil {
		panic("storefront: " + err.Error()) // it holds nothing that JSON cannot
	}
	return template.HTML(`<script type="application/ld+json">` + string(b) + `</script>`)
}

// sitemapIndex lists the parts of a sitemap (sitemaps.org).
func sitemapIndex(website string, parts []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, part := range parts {
		b.WriteString("<sitemap><loc>" + template.HTMLEscapeString(website+"/sitemap.xml?part="+part) +
			"</loc></sitemap>\n")
	}
	b.WriteString("</sitemapindex>\n")
	return b.String()
}

// sitemap lists pages, with the moment of their last change where it is known (sitemaps.org).
func sitemap(website string, urls []shelf.SitemapEntry) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range urls {
		b.WriteString("<url><loc>" + template.HTMLEscapeString(website+"/"+u.Slug) + "</loc>")
		if u.Changed != "" {
			b.WriteString("<lastmod>" + record.ChangedAt(u.Changed).String() + "</lastmod>")
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>\n")
	return b.String()
}
