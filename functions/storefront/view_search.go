package storefront

import (
	"html/template"
	"net/url"
	"strconv"

	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
)

// Chosen is a page of products that can be sorted and sifted: what a search has found, or what is in a category.
type Chosen struct {
	Min, Max   string
	InStock    bool
	Orders     []page.Option
	Count      string        // how many products there are, in words
	Cut        string        // "": the list has all there is
	Sifts      bool          // there is something to sort, or something is left out
	Sifted     bool          // something is left out
	Products   template.HTML // cards
	Next, Home string        // "": there is no next page, or this is the first
}

// chosen is the page of a list, which can have these orders, at its address.
func (v Setting) chosen(f *foundProducts, orders ...string) Chosen {
	l := v.lang()
	c := Chosen{Min: f.Min, Max: f.Max, InStock: f.InStock, Sifts: f.count > 1 || f.sifted(), Sifted: f.sifted(),
		Count:    l.say("found") + ": " + grouped(int64(f.count)),
		Products: v.cards(&shelf.List{Products: f.products})}
	if f.cut {
		c.Cut = l.say("listCut")
	}
	for _, order := range orders {
		c.Orders = append(c.Orders,
			page.Option{Value: order, Text: l.say("sort." + order), Chosen: order == f.Sort})
	}
	if f.from > 0 {
		c.Home = v.Path + f.address(0)
	}
	if f.next > 0 {
		c.Next = v.Path + f.address(f.next)
	}
	return c
}

// SearchPage is a page of what a search has found.
type SearchPage struct {
	Layout
	Chosen
}

// search is the page of what was found.
func (v Setting) search(f *foundProducts) *SearchPage {
	title := v.lang().say("searchTitle")
	if f.q != "" {
		title += ": " + f.q
	}
	p := &SearchPage{Layout: v.titled(pageSearch, title), Chosen: v.chosen(f, "", byNewest, byPrice, byPriceDown)}
	p.Asked, p.Query = f.q, f.query(f.from)
	return p
}

// sifted says whether something may be left out of what was found.
func (s searchQuery) sifted() bool { return s.InStock || s.Min+s.Max != "" }

// address is what stands behind the path of a page of the list.
func (s searchQuery) address(from int) string {
	if q := s.query(from); q != "" {
		return "?" + q
	}
	return ""
}

// query is the query of a page of the list.
func (s searchQuery) query(from int) string {
	values := url.Values{}
	for name, value := range map[string]string{"q": s.q, "sort": s.Sort, "min": s.Min, "max": s.Max} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if s.InStock {
		values.Set("inStock", "true")
	}
	if from > 0 {
		values.Set("from", strconv.Itoa(from))
	}
	return values.Encode()
}
