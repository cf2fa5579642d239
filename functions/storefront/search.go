package storefront

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/words"
	"eshop/shared/catalog/shelf"
	"eshop/shared/frontend"
	"eshop/shared/images"
	"eshop/shared/record/field"
	"eshop/shared/search"
)

// registerSearch registers the search for products (contract, "Search").
func (d door) registerSearch(a *api.API) {
	api.Add(a, d.op(api.Op{Route: "GET /search", ID: "searchProducts", Tag: "Storefront",
		Query: []api.Param{api.SearchParam}, Summary: "Search for products",
		Doc: "Those of which each word of `q` begins a word, without case or accents: of the name, the " +
			"manufacturer, the short description, the code or the EAN, a variant's too. " +
			"Of more than a hundred, the newest hundred are shown, sorted and filtered. " +
			"`price` is the lowest at the visitor's price level."},
		answers{page: door.searchPage, back: true}), d.search)
}

// maxFound is how many products a search shows. So many heads are one call of the store.
const maxFound = 100

// The orders of what is found.
const (
	byPrice     = "price"
	byPriceDown = "-price"
	byNewest    = "newest"
)

// searchQuery is what is searched for.
type searchQuery struct {
	Sort    string `query:"sort" enum:"price,-price,newest" doc:"Else what was changed last comes first"`
	InStock bool   `query:"inStock" doc:"true: only what is in stock"`
	Min     string `query:"min" maxLength:"20" pattern:"^[0-9]{1,12}([.,][0-9]{1,2})?$" patternDescription:"an amount" doc:"The lowest price"`
	Max     string `query:"max" maxLength:"20" pattern:"^[0-9]{1,12}([.,][0-9]{1,2})?$" patternDescription:"an amount" doc:"The highest price"`
	Cursor  string `query:"cursor" maxLength:"8192" doc:"Where to go on: nextCursor of the answer before"`

	q      string // SearchParam
	from   int    // so many of the products found were shown before
	people bool   // a person has typed it, and is shown what is like it where nothing is found
}

// FoundProduct is a product that was found.
type FoundProduct struct {
	ProductID string      `json:"productId"`
	Name      string      `json:"name"`
	URL       string      `json:"url"`
	Price     field.Money `json:"price"`
	Image     string      `json:"image,omitempty" example:"https://www.example.cz/images/earl-grey.jpg"`
	InStock   bool        `json:"inStock"`
}

// search answers the products that are found, at the visitor's prices.
func (d door) search(c *api.Call, in *searchQuery) (*api.Collection[FoundProduct], error) {
	v, asked := visitOf(c), *in
	asked.q = c.Query(api.SearchParam.Name)
	asked.from, _ = strconv.Atoi(c.Position())
	if c.WantsPage() {
		asked = lenient(c.HTTP().URL.Query())
	}
	if err := d.readVisitor(c, v); err != nil {
		return nil, err
	}
	found := foundProducts{searchQuery: asked}
	if err := d.find(c, v.shop.ID, &found); err != nil {
		return nil, err
	}
	found.choose(v.level())
	v.found = &found
	return found.answer(c, v), nil
}

// find finds products and reads them.
func (d door) find(ctx context.Context, shop string, f *foundProducts) error {
	asked := words.Ask(f.q)
	ids, err := d.Search().Found(ctx, search.Products, shop, asked)
	if looser, ok := asked.Looser(); ok && err == nil && len(ids) == 0 && f.people {
		ids, err = d.Search().Found(ctx, search.Products, shop, looser)
		f.loose = len(ids) > 0
	}
	if err != nil {
		return err
	}
	f.cut = len(ids) > maxFound
	f.products, err = d.Shelf.Products(ctx, shop, ids[:min(len(ids), maxFound)])
	return err
}

// lenient is what somebody has typed, or put behind the address of the page: what cannot be meant is left out.
func lenient(q url.Values) (s searchQuery) {
	s.q, s.Sort, s.people = words.Shortened(q.Get(api.SearchParam.Name)), byNewest, true
	if sort := q.Get("sort"); sort == byPrice || sort == byPriceDown {
		s.Sort = sort
	}
	s.InStock = q.Get("inStock") == "true"
	s.Min, s.Max = strings.TrimSpace(q.Get("min")), strings.TrimSpace(q.Get("max"))
	if n, err := strconv.Atoi(q.Get("from")); err == nil && n > 0 && n < maxFound {
		s.from = n
	}
	return s
}

// amount is a price that somebody has typed; false when it is none, or nothing.
func amount(text string) (m field.Money, ok bool) {
	whole, cents, _ := strings.Cut(strings.ReplaceAll(text, ",", "."), ".")
	if len(cents) > 2 || whole == "" {
		return 0, false
	}
	err := m.UnmarshalJSON([]byte(`"` + whole + "." + (cents + "00")[:2] + `"`))
	return m, err == nil && m >= 0
}

// foundProducts is what a search has found.
type foundProducts struct {
	searchQuery
	cut      bool // there are more than were read
	loose    bool // they are only like what was asked for
	products []*shelf.ListedProduct
}

// choose leaves those products that are sold at the level and pass the filters, in the order that is asked for.
func (f *foundProducts) choose(level string) {
	least, hasLeast := amount(f.Min)
	most, hasMost := amount(f.Max)
	price := func(p *shelf.ListedProduct) field.Money { m, _, _ := p.PriceAt(level); return m }
	f.products = slices.DeleteFunc(f.products, func(p *shelf.ListedProduct) bool {
		m, _, sold := p.PriceAt(level)
		return !sold || f.InStock && !p.InStock || hasLeast && m < least || hasMost && m > most
	})
	slices.SortStableFunc(f.products, func(a, b *shelf.ListedProduct) int {
		switch f.Sort {
		case byPrice:
			return cmp.Compare(price(a), price(b))
		case byPriceDown:
			return cmp.Compare(price(b), price(a))
		case byNewest: // as they were found
			return 0
		}
		return cmp.Compare(b.Version, a.Version)
	})
}

// page are the products that come next, as many as a list shows, and where the next page begins; 0 without one.
func (f *foundProducts) page() (some []*shelf.ListedProduct, next int) {
	some = f.products[min(f.from, len(f.products)):]
	if len(some) > shelf.ListSize {
		return some[:shelf.ListSize], f.from + shelf.ListSize
	}
	return some, 0
}

// answer is the page as JSON.
func (f *foundProducts) answer(c *api.Call, v *visit) *api.Collection[FoundProduct] {
	some, next := f.page()
	r := &api.Collection[FoundProduct]{}
	r.Body.Items = make([]FoundProduct, len(some))
	for i, p := range some {
		price, _, _ := p.PriceAt(v.level())
		r.Body.Items[i] = FoundProduct{ProductID: p.ID, Name: p.Name, URL: v.website + "/" + p.Slug, Price: price,
			Image: p.Image.URL, InStock: p.InStock}
		if key := images.KeyOf(p.Image.URL); key != "" {
			r.Body.Items[i].Image = images.URL(v.website, key)
		}
	}
	if next > 0 && !c.WantsPage() {
		r.GoOn(c, strconv.Itoa(next))
		r.Link = "" // its host would be the API's
	}
	return r
}

// searchPage shows what was found.
func (d door) searchPage(_ *api.Call, v *visit, _ api.Outcome) (response, error) {
	return response{page: d.view(v, frontend.Page{Type: frontend.Other}).search(v.found)}, nil
}
