package admin

import (
	"net/url"
	"slices"
	"strings"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
)

// categoriesPath is where the categories are.
const categoriesPath = root + "/categories"

// categoryPages is the tree in which products lie.
var categoryPages = recordPages[catalog.StoredCategory, catalog.CategoryFields]{
	records: api.Records[catalog.StoredCategory, catalog.CategoryFields]{Kind: catalog.Categories},
	by: func(d door) commands[catalog.StoredCategory, catalog.CategoryFields] {
		all := d.Catalog()
		return commands[catalog.StoredCategory, catalog.CategoryFields]{
			create: all.CreateCategory, change: all.ChangeCategory, delete: all.DeleteCategory}
	},
	path: categoriesPath, many: "categories", one: "category", menu: true,
	filters: []string{"changed[after]", "changed[before]"},
	columns: []column{{Text: "name"}, {Text: "category.inside", Wraps: true},
		{Text: "address", Wraps: true}, {Text: "changed"}},
	row: func(v *visit, k catalog.StoredCategory) row {
		url := k.Category(v.website).URL
		return row{ID: k.ID, State: "active", Cells: []cell{{Text: string(k.Name), Path: categoriesPath + "/" + k.ID},
			{Text: namesOf(v.menu, k.Parent)}, {Text: strings.TrimPrefix(url, v.website), Path: url},
			{Text: v.moment(k.Changed)}}}
	},
	values: func(k catalog.StoredCategory) url.Values {
		return url.Values{"name": {string(k.Name)}, "parentId": {k.Parent}}
	},
	fields: func(v *visit, p *sheet, id string, f *page.Filler) {
		above := []page.Option{{Text: v.say("category.top")}}
		for _, at := range v.menu.All() { // a category lies in none of those that lie in itself
			if !slices.ContainsFunc(at.Path(), func(k *shelf.MenuEntry) bool { return k.ID == id }) {
				above = append(above, page.Option{Value: at.ID, Text: namesOf(v.menu, at.ID)})
			}
		}
		p.Fields = []page.Field{f.Field("name", "off", page.Must),
			f.Named("parentId", "category.parent", "off").OneOf(above...)}
	},
	show: func(v *visit, p *sheet, k catalog.StoredCategory) {
		url := k.Category(v.website).URL
		p.title = string(k.Name)
		p.Links = []link{{Text: url, Path: url},
			{Text: v.say("addresses"), Path: urlsPath + "?urlItem=category:" + k.ID}}
	},
}

// namesOf are the names of a category and of those above it; "" for none.
func namesOf(menu *shelf.Menu, id string) string {
	at := menu.Entry(id)
	if at == nil {
		return ""
	}
	var names []string
	for _, p := range at.Path() {
		names = append(names, p.Name)
	}
	return strings.Join(names, " › ")
}
