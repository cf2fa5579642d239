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
func (s Setting) chosen(found *foundProducts, orders ...string) Chosen {
	lang := s.lang()
	list := Chosen{Min: found.Min, Max: found.Max, InStock: found.InStock, Sifts: found.count > 1 || found.sifted(),
		Sifted: found.sifted(), Count: lang.say("found") + ": " + grouped(int64(found.count)),
		Products: s.cards(&shelf.List{Products: found.products})}
	if found.cut {
		list.Cut = lang.say("listCut")
	}
	for _, order := range orders {
		list.Orders = append(list.Orders,
			page.Option{Value: order, Text: lang.say("sort." + order), Chosen: order == found.Sort})
	}
	if found.from > 0 {
		list.Home = s.Path + found.address(0)
	}
	if found.next > 0 {
		list.Next = s.Path + found.address(found.next)
	}
	return list
}

// SearchPage is a page of what a search has found.
type SearchPage struct {
	Layout
	Chosen
	Roots template.HTML // the first categories, where nothing was found
}

// search is the page of what was found.
func (s Setting) search(f *foundProducts) *SearchPage {
	title := s.lang().say("searchTitle")
	if f.q != "" {
		title += ": " + f.q
	}
	p := &SearchPage{Layout: s.titled("search", title), Chosen: s.chosen(f, "", byNewest, byPrice, byPriceDown)}
	p.Asked, p.Query = f.q, f.query(f.from)
	if f.count == 0 && f.q != "" {
		p.Roots = s.roots()
	}
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
