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
		Doc: "Those of which each word of `q` begins a word, without case or accents: of the name, the code or " +
			"the EAN, a variant's too. Endings of Czech and Slovak words are no obstacle. What is found by a " +
			"variant's code comes last. Sorted and filtered are the first 5,000. " +
			"`price` is the lowest at the visitor's price level."},
		answers{page: door.searchPage, back: true}), d.search)
}

// maxSorted is how many of the products found come newest changed first: so many heads are one call of the store.
const maxSorted = 100

// The orders of what is found. Without one the nearest comes first.
const (
	byPrice     = "price"
	byPriceDown = "-price"
	byNewest    = "newest"
)

// searchQuery is what is searched for, or chosen of a category.
type searchQuery struct {
	Sort    string `query:"sort" enum:"price,-price,newest" doc:"The order of what is found. Without it name and code come before variants, and what was changed last first, of more than a hundred what was made last"`
	InStock bool   `query:"inStock" doc:"Whether only what is in stock is shown"`
	Min     string `query:"min" maxLength:"20" pattern:"^[0-9]{1,12}([.,][0-9]{1,2})?$" patternDescription:"an amount" doc:"The lowest price of what is shown"`
	Max     string `query:"max" maxLength:"20" pattern:"^[0-9]{1,12}([.,][0-9]{1,2})?$" patternDescription:"an amount" doc:"The highest price of what is shown"`
	Cursor  string `query:"cursor" maxLength:"8192" doc:"The place where the answer begins: nextCursor of the answer before"`

	q    string // SearchParam
	from int    // so many of the products found were shown before
}

// FoundPage is a page of what a search has found.
type FoundPage struct {
	Items      []FoundProduct `json:"items"`
	NextCursor string         `json:"nextCursor,omitempty"`
	Cut        bool           `json:"cut,omitempty" doc:"Whether there is more than the first 5,000, so that another word may find what is missing here"`
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
func (d door) search(c *api.Call, in *searchQuery) (*api.Plain[FoundPage], error) {
	v, asked := visitOf(c), *in
	asked.q = c.Query(api.SearchParam.Name)
	asked.from, _ = strconv.Atoi(c.Position())
	if c.WantsPage() {
		asked = lenient(c.HTTP().URL.Query())
	}
	if err := d.readVisitor(c, v); err != nil {
		return nil, err
	}
	if v.customer == nil && asked.q != "" {
		if err := d.countSearch(c); err != nil {
			return nil, err
		}
	}
	found, err := d.Search().Find(c, search.Products, v.shop.ID, words.Ask(asked.q).Loosely())
	if err != nil {
		return nil, err
	}
	if v.found, err = d.choose(c, v, found, asked); err != nil {
		return nil, err
	}
	return v.found.answer(c, v), nil
}

// lenient is what somebody has typed, or put behind the address of the page: what cannot be meant is left out.
func lenient(q url.Values) (asked searchQuery) {
	asked.q = words.Shortened(q.Get(api.SearchParam.Name))
	if sort := q.Get("sort"); sort == byPrice || sort == byPriceDown || sort == byNewest {
		asked.Sort = sort
	}
	asked.InStock = q.Get("inStock") == "true"
	asked.Min, asked.Max = strings.TrimSpace(q.Get("min")), strings.TrimSpace(q.Get("max"))
	if n, err := strconv.Atoi(q.Get("from")); err == nil && n > 0 && n < search.MaxRows {
		asked.from = n
	}
	return asked
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

// foundProducts is a page of what a search has found, or of what is in a category.
type foundProducts struct {
	searchQuery
	count    int  // how many there are, on all pages
	cut      bool // there is more than was looked at
	products []*shelf.ListedProduct
	next     int // where the next page begins; 0: this is the last one
}

// choose reads the page that is asked for of what was found: of what is sold at the visitor's level and passes the
// filters. Only what is on the page is read, but to put up to maxSorted in the order of their changes.
func (d door) choose(ctx context.Context, v *visit, found search.Found, asked searchQuery) (*foundProducts, error) {
	hits := asked.sift(found.Hits, v.level())
	chosen := &foundProducts{searchQuery: asked, count: len(hits), cut: found.Cut}
	changed := asked.q != "" && asked.Sort == "" && len(hits) <= maxSorted
	if !changed {
		hits = turned(chosen, hits)
	}
	ids, rank := make([]string, len(hits)), make(map[string]int, len(hits))
	for i, hit := range hits {
		ids[i], rank[hit.ID] = hit.ID, hit.Rank
	}
	var err error
	if chosen.products, err = d.Shelf.Products(ctx, v.shop.ID, ids); changed {
		slices.SortStableFunc(chosen.products, func(a, b *shelf.ListedProduct) int {
			return cmp.Or(cmp.Compare(rank[a.ID], rank[b.ID]), cmp.Compare(b.Version, a.Version))
		})
		chosen.products = turned(chosen, chosen.products)
	}
	return chosen, err
}

// sift leaves those that are sold at the level and pass the filters, in the order that is asked for.
func (s searchQuery) sift(hits []search.Hit, level string) []search.Hit {
	least, hasLeast := amount(s.Min)
	most, hasMost := amount(s.Max)
	hits = slices.DeleteFunc(slices.Clone(hits), func(h search.Hit) bool {
		m, sold := h.PriceAt(level)
		return !sold || s.InStock && !h.InStock || hasLeast && m < least || hasMost && m > most
	})
	slices.SortStableFunc(hits, func(a, b search.Hit) int {
		switch s.Sort {
		case byPrice, byPriceDown:
			first, _ := a.PriceAt(level)
			second, _ := b.PriceAt(level)
			if s.Sort == byPriceDown {
				first, second = second, first
			}
			return cmp.Compare(first, second)
		case byNewest: // as they were found
			return 0
		}
		return cmp.Compare(a.Rank, b.Rank)
	})
	return hits
}

// turned are those of the page, as many as a list shows.
func turned[T any](f *foundProducts, all []T) []T {
	all = all[min(f.from, len(all)):]
	if len(all) > shelf.ListSize {
		f.next = f.from + shelf.ListSize
		return all[:shelf.ListSize]
	}
	return all
}

// answer is the page as JSON.
func (f *foundProducts) answer(c *api.Call, v *visit) *api.Plain[FoundPage] {
	page := FoundPage{Items: make([]FoundProduct, len(f.products)), Cut: f.cut}
	for i, p := range f.products {
		price, _, _ := p.PriceAt(v.level())
		page.Items[i] = FoundProduct{ProductID: p.ID, Name: p.Name, URL: v.website + "/" + p.Slug, Price: price,
			Image: p.Image.URL, InStock: p.InStock}
		if key := images.KeyOf(p.Image.URL); key != "" {
			page.Items[i].Image = images.URL(v.website, key)
		}
	}
	if f.next > 0 && !c.WantsPage() {
		page.NextCursor = c.Cursor(strconv.Itoa(f.next))
	}
	return api.PlainOf(page)
}

// searchPage shows what was found. A search that was one too many has found nothing to show.
func (d door) searchPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	if v.found == nil {
		return d.refused(c, v, outcome.Refused)
	}
	return response{page: d.view(v, frontend.Page{Type: frontend.Other}).search(v.found)}, nil
}
