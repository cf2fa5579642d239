package admin

import (
	"slices"

	"eshop/shared/api"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// What can be done with several products.
const (
	toShow  = "show" // in the shop
	toHide  = "hide"
	toJoin  = "join" // a category
	toLeave = "leave"
)

// productBulk is what is done with the products that somebody selects in the list back. s is what is chosen already.
func (v *visit) productBulk(s page.Sent, back string) (*bulk, page.Form) {
	filler := v.filler(s)
	do := filler.Named("do", "selected.do", "off")
	do.Required = true
	options := v.options("selected.choose", "", "selected.show", toShow, "selected.hide", toHide)
	b := &bulk{Path: productsPath + "/selected", Back: back, Name: "productId"}
	if categories := v.menuOptions(s.Values.Get("categoryId")); len(categories) > 0 {
		options = append(options, v.options("selected.join", toJoin, "selected.leave", toLeave)...)
		category := filler.Named("categoryId", "choice.categoryId", "off")
		category.Options = slices.Concat([]page.Option{{Text: "–"}}, categories)
		b.Fields = []page.Field{category}
	}
	b.Fields = slices.Insert(b.Fields, 0, do.OneOf(options...))
	return b, filler.Done()
}

// maxSelected is how many products a form selects at most: those of a page.
const maxSelected = 250

// selectedForm is several products, and what is to be done with them.
type selectedForm struct {
	ProductID  []string `json:"productId" required:"false" maxItems:"250"`
	Do         string   `json:"do" enum:"show,hide,join,leave"`
	CategoryID string   `json:"categoryId,omitempty" maxLength:"64"`
}

// changeSelected does one thing with several products, by the batches of the API. A product that is so already is left
// as it is, and nobody hears of it. The next page says with how many it was done, and with which not.
func (d door) changeSelected(c *api.Call, v *visit, in *api.Create[selectedForm]) (string, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(in.Body.ProductID)))
	if len(ids) == 0 {
		v.next.Not = v.say("bulk.none")
		return bulkBack(c, productsPath), nil
	}
	// A text that is no id may be of any length.
	if slices.ContainsFunc(ids, func(text string) bool { return !id.Valid(text) }) {
		return "", problem.InvalidAt("productId", problem.Unknown, "is no product of this shop")
	}
	results, err := d.editSelected(c, v, ids, in.Body)
	if err != nil {
		v.saysPart("selected.done", "selected.rest", results, err)
		return "", err
	}
	left := leftAlone{}
	for i, r := range results {
		if r.Status == catalog.StatusFailed {
			why := texts().FaultIn(v.lang, "", r.Error.Code)
			left[why] = append(left[why], ids[i])
		}
	}
	return bulkBack(c, productsPath), d.bulkSays(c, "selected.done", productsPath, len(ids), left)
}

// selectedRefused is the list again, of just the products that were selected, which still are.
func (d door) selectedRefused(c *api.Call, v *visit, sent page.Sent) (all screen, err error) {
	ids := slices.Compact(slices.Sorted(slices.Values(sent.Values["productId"])))
	if v.menu, err = d.Shelf.Menu(c, v.shop.ID); err != nil {
		return all, err
	}
	products, err := d.chosenBy(c, v, ids[:min(len(ids), maxSelected)])
	if err != nil {
		return all, err
	}
	t := v.productTable(listOf{path: productsPath}, products, sent, bulkBack(c, productsPath))
	t.Bulk.Selected = true
	t.Links = []link{{Text: v.say("toList"), Path: t.Bulk.Back}}
	return screen{name: "list", title: v.say("products"), data: t}, nil
}

// editSelected makes edits of the products, and does them.
func (d door) editSelected(c *api.Call, v *visit, ids []string, form selectedForm) ([]catalog.Result, error) {
	how := catalog.Batch{Room: store.MaxOperations, Life: timeout, Limit: c}
	if form.Do == toShow || form.Do == toHide {
		items := make(catalog.BasicItems, len(ids))
		for i, id := range ids {
			items[i] = catalog.BasicItem{Target: catalog.Target{ID: id},
				Active: field.Maybe[bool]{Sent: true, Value: form.Do == toShow}}
		}
		return catalog.EditMany(c, d.Catalog(), c.Unit(), how, items)
	}
	if form.CategoryID == "" {
		return nil, problem.InvalidAt("categoryId", problem.Required, "is missing")
	}
	if _, err := catalog.Categories.Read(c, d.Main, v.shop.ID, form.CategoryID); problem.Is(err, "not_found") {
		return nil, problem.InvalidAt("categoryId", problem.Unknown, "is not a category of this shop")
	} else if err != nil {
		return nil, err
	}
	items := make(catalog.CategoryEdits, len(ids))
	for i, id := range ids {
		items[i] = catalog.CategoryEdit{Product: id, Category: form.CategoryID, Leaves: form.Do == toLeave}
	}
	return catalog.EditMany(c, d.Catalog(), c.Unit(), how, items)
}
