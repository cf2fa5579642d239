package admin

import (
	"context"
	"net/url"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/search"
)

// productsOf is the query of a list of products: the API's own, and what only people choose by.
type productsOf struct {
	api.List
	catalog.ProductFilter
	Category string `query:"categoryId" maxLength:"64"` // those of the categories below it, too
	Active   string `query:"active" enum:"true,false"`
	InStock  string `query:"inStock" enum:"true,false"`
	Sort     string `query:"sort" enum:"name,price,-price,newest,stock"`
}

// chosen is a page of the products that somebody has chosen.
type chosen struct {
	api.Items[catalog.Product]
	cut bool // there are more than the index looks at
}

// readProducts reads the page of the products that are asked for, each of which takes its size of it, and the menu, of
// whose categories one is chosen.
func (d door) readProducts(
	c *api.Call, v *visit, in *productsOf, size func(catalog.Product) int,
) (all chosen, err error) {
	if v.menu, err = d.Shelf.Menu(c, v.shop.ID); err != nil {
		return all, err
	}
	// A filter by code or externalId finds one product at most, without a list.
	if in.One() {
		w, err := in.Find(c, d.Main, v.shop.ID)
		all.Items = api.One(in.List, w.Shown(v.website)).Body
		return all, err
	}
	rows, load := catalog.ProductList(d.Main, v.shop.ID, v.website)
	cut := func() bool { return false }
	if text := c.Query(api.SearchParam.Name); text != "" || in.chooses() {
		rows, cut = d.Search().Choose(v.shop.ID, in.choice(v, text))
	}
	found, err := api.Page(c, in.List, rows,
		func(ctx context.Context, rows []store.Item) ([]record.Shown[catalog.Product], error) {
			shown, err := load(ctx, rows)
			for i := range shown {
				shown[i].Size = size(shown[i].Record)
			}
			return shown, err
		})
	if err == nil {
		all = chosen{found.Body, cut()}
	}
	return all, err
}

// chosenBy are the products of these ids, as a page of a list.
func (d door) chosenBy(ctx context.Context, v *visit, ids []string) (all chosen, err error) {
	wholes, err := catalog.ReadProducts(ctx, d.Main, v.shop.ID, ids)
	for _, w := range wholes {
		all.Items.Items = append(all.Items.Items, w.Product(v.website))
	}
	return all, err
}

// chooses says whether the list is narrowed or ordered by what the index has.
func (in *productsOf) chooses() bool { return in.Category+in.Active+in.InStock+in.Sort != "" }

// choice is what the list shows, by the index. It gives the list the direction of its order.
func (in *productsOf) choice(v *visit, text string) search.Choice {
	choice := search.Choice{Text: text}
	switch in.Sort {
	case "name", "price", "stock":
		choice.By, in.Order = search.Order(in.Sort), "asc"
	case "-price":
		choice.By, in.Order = search.ByPrice, "desc"
	case "newest":
		choice.By, in.Order = search.ByMaking, "desc"
	}
	if in.Category != "" {
		choice.In = []string{in.Category}
		if at := v.menu.Entry(in.Category); at != nil {
			choice.In = at.Below()
		}
	}
	if in.Active+in.InStock != "" {
		choice.Fits = func(h search.Hit) bool {
			var o search.Offer
			if h.Offer != nil {
				o = *h.Offer
			}
			return (in.Active == "" || o.Hidden == (in.Active == "false")) &&
				(in.InStock == "" || o.InStock == (in.InStock == "true"))
		}
	}
	return choice
}

// choiceFields are the fields by which people choose products: by words, category, whether they are visible, and
// whether they are there. Others follow.
func (v *visit) choiceFields(query url.Values, others ...page.Field) []page.Field {
	fields := v.filters(query, "q")
	fields[0].Label = v.say("stock.find")
	if categories := v.menuOptions(query.Get("categoryId")); len(categories) > 0 {
		any := page.Option{Text: v.say("choice.anyCategory")}
		fields = append(fields, v.selected(query, "categoryId", append([]page.Option{any}, categories...)...))
	}
	fields = append(fields,
		v.selected(query, "active", v.options("choice.all", "", "state.visible", "true", "state.hidden", "false")...),
		v.selected(query, "inStock", v.options("choice.all", "", "choice.there", "true", "choice.soldOut", "false")...))
	return append(fields, others...)
}

// selected is a field of a list's filters whose values are options. Its label is the text choice.<name>.
func (v *visit) selected(q url.Values, name string, options ...page.Option) page.Field {
	f := v.filter(q, name, "choice."+name)
	f.ID, f.Depends = "filter-"+name, true
	return f.OneOf(options...)
}

// options are those of pairs of texts' names and values.
func (v *visit) options(pairs ...string) (all []page.Option) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, page.Option{Text: v.say(pairs[i]), Value: pairs[i+1]})
	}
	return all
}

// menuOptions are the categories of the menu that was read, one of them chosen.
func (v *visit) menuOptions(id string) (all []page.Option) {
	for _, place := range v.menu.All() {
		all = append(all, page.Option{Value: place.ID, Text: namesOf(v.menu, place.ID), Chosen: place.ID == id})
	}
	return all
}
