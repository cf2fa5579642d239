package storefront

import (
	"html/template"
	"net/url"
	"strconv"

	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
)

// SearchPage is a page of what a search has found.
type SearchPage struct {
	Layout
	Min, Max   string
	InStock    bool
	Orders     []page.Option
	Count      string        // how many products there are, in words
	Cut        bool          // there are more than a search shows
	Loose      bool          // they are only like what was asked for
	Sifts      bool          // there is something to sort, or something is left out
	Products   template.HTML // cards
	Next, Home string        // "": there is no next page, or this is the first
}

// search is the page of what was found.
func (v Setting) search(f *foundProducts) *SearchPage {
	l := v.lang()
	title := l.say("searchTitle")
	if f.q != "" {
		title += ": " + f.q
	}
	p := &SearchPage{Layout: v.titled(pageSearch, title), Min: f.Min, Max: f.Max, InStock: f.InStock,
		Cut: f.cut, Loose: f.loose, Sifts: len(f.products) > 1 || f.InStock || f.Min+f.Max != "",
		Count: l.say("found") + ": " + grouped(int64(len(f.products)))}
	for _, order := range []string{byNewest, byPrice, byPriceDown} {
		p.Orders = append(p.Orders,
			page.Option{Value: order, Text: l.say("sort." + order), Chosen: order == f.Sort})
	}
	p.Asked = f.q
	some, next := f.page()
	p.Products = v.cards(&shelf.List{Products: some})
	p.Query = f.query(f.from)
	if f.from > 0 {
		p.Home = v.Path + "?" + f.query(0)
	}
	if next > 0 {
		p.Next = v.Path + "?" + f.query(next)
	}
	return p
}

// query is the query of a page of the search.
func (f *foundProducts) query(from int) string {
	values := url.Values{}
	for name, value := range map[string]string{"q": f.q, "sort": f.Sort, "min": f.Min, "max": f.Max} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if f.InStock {
		values.Set("inStock", "true")
	}
	if from > 0 {
		values.Set("from", strconv.Itoa(from))
	}
	return values.Encode()
}
