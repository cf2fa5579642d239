package admin

import (
	"context"
	"net/url"
	"strings"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/guard"
	"eshop/shared/page"
	"eshop/shared/record"
)

const categoriesPath = root + "/categories"

// categories registers the categories: their list, a new one, one of them, and what is done there.
func (d door) categories() {
	look(d, categoriesPath, d.listCategories)
	look(d, categoriesPath+"/new", func(ctx context.Context, v *visit, _ *nothing) (screen, error) {
		return d.newCategory(ctx, v, page.Sent{})
	})
	look(d, categoriesPath+"/{id}", func(ctx context.Context, v *visit, in *api.ByID) (screen, error) {
		return d.categoryScreen(ctx, v, in.ID, page.Sent{})
	})
	act(d, categoriesPath, d.createCategory, d.newCategory)
	refused := func(ctx context.Context, v *visit, s page.Sent) (screen, error) {
		return d.categoryScreen(ctx, v, api.From(ctx).PathValue("id"), s)
	}
	act(d, categoriesPath+"/{id}", d.changeCategory, refused)
	act(d, categoriesPath+"/{id}/delete", d.deleteCategory, refused)
}

// categoryRow is a category in the list.
type categoryRow struct{ ID, Name, Inside, URL, Path, Changed string }

func (d door) listCategories(ctx context.Context, v *visit, in *api.List) (screen, error) {
	var all *api.Collection[catalog.StoredCategory]
	var menu *catalog.Menu
	err := guard.Beside(ctx, d.Near,
		func() (err error) { menu, err = d.Shelf.Menu(ctx, v.shop.ID); return },
		func() (err error) {
			rows, load := catalog.Categories.Listing(d.Main, v.shop.ID), record.Load(d.Main, catalog.Categories.Show)
			all, err = api.Page(ctx, *in, rows, load)
			return
		})
	if err != nil {
		return screen{}, err
	}
	q := query(ctx)
	row := func(k catalog.StoredCategory) categoryRow {
		c := k.Category(v.website)
		return categoryRow{ID: c.ID, Name: string(c.Name), Inside: namesOf(menu, c.Parent), URL: c.URL,
			Path:    strings.TrimPrefix(c.URL, v.website),
			Changed: v.moment(c.Changed)}
	}
	data := listed(v, q, categoriesPath, all.Body.Items, all.Body.NextCursor,
		v.filters(q, "changed[after]", "changed[before]"), row)
	return screen{name: "categories", title: v.say("categories"), data: data}, nil
}

// namesOf are the names of a category and of those above it; "" of none.
func namesOf(menu *catalog.Menu, id string) string {
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

// categoryForm is a category's form.
type categoryForm struct {
	page.Form
	Fields []page.Field
	ID     string // "" of a new one
	URL    string
	URLs   string // the page of its addresses
}

// categoryFields are the fields of a category, which lies in none of those that lie in itself.
func (v *visit) categoryFields(s page.Sent, menu *catalog.Menu, own string) (page.Form, []page.Field) {
	f := v.filler(s)
	options := []page.Option{{Text: v.say("category.top")}}
	for _, p := range menu.All() {
		if own == "" || !within(p, own) {
			options = append(options, page.Option{Value: p.ID, Text: namesOf(menu, p.ID)})
		}
	}
	fields := []page.Field{f.Field("name", "off", page.Must),
		f.Named("parentId", "category.parent", "off").Of(options...)}
	return f.Done(), fields
}

// within says whether a place lies in a category, or is it.
func within(p *catalog.MenuEntry, category string) bool {
	for _, at := range p.Path() {
		if at.ID == category {
			return true
		}
	}
	return false
}

func (d door) newCategory(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	menu, err := d.Shelf.Menu(ctx, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	form, fields := v.categoryFields(s, menu, "")
	return screen{name: "category", title: v.say("category.new"), above: v.above("categories", categoriesPath),
		data: categoryForm{Form: form, Fields: fields}}, nil
}

func (d door) categoryScreen(ctx context.Context, v *visit, id string, s page.Sent) (screen, error) {
	var k catalog.StoredCategory
	var menu *catalog.Menu
	err := guard.Beside(ctx, d.Near,
		func() (err error) { k, err = catalog.Categories.Read(ctx, d.Main, v.shop.ID, id); return },
		func() (err error) { menu, err = d.Shelf.Menu(ctx, v.shop.ID); return })
	if err != nil {
		return screen{}, err
	}
	s = s.Or(url.Values{"name": {string(k.Name)}, "parentId": {k.Parent}})
	form, fields := v.categoryFields(s, menu, id)
	return screen{name: "category", title: string(k.Name), above: v.above("categories", categoriesPath),
		data: categoryForm{Form: form, Fields: fields, ID: id, URL: k.Category(v.website).URL,
			URLs: urlsPath + "?urlItem=category:" + id}}, nil
}

func (d door) createCategory(ctx context.Context, v *visit, in *api.Create[catalog.CategoryFields]) (string, error) {
	v.says("created")
	k, err := d.Catalog().CreateCategory(ctx, unit(ctx), in.Body)
	return categoriesPath + "/" + k.ID, err
}

func (d door) changeCategory(ctx context.Context, v *visit, in *api.Change[catalog.CategoryFields]) (string, error) {
	v.says("saved")
	_, err := d.Catalog().ChangeCategory(ctx, unit(ctx), in.ID,
		func(was catalog.CategoryFields) (catalog.CategoryFields, error) {
			return api.Apply(ctx, in.Body, was)
		})
	return categoriesPath + "/" + in.ID, err
}

func (d door) deleteCategory(ctx context.Context, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	return categoriesPath, d.Catalog().DeleteCategory(ctx, unit(ctx), in.ID)
}
