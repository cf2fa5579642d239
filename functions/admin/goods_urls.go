package admin

import (
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/page"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// urlsPath is where the addresses of products and categories are.
const urlsPath = root + "/urls"

// urls registers the addresses of products and categories: /admin/urls lists them, of one item with `urlItem`, and
// takes a new one, `urlItem url`; …/{id}/delete deletes a custom one.
func (d door) urls() {
	refused := lookList(d, urlsPath, urlsOf{List: api.List{Paging: firstPage}}, d.urlScreen)
	act(d, urlsPath, d.createURL, refused)
	act(d, urlsPath+"/{id}/delete", d.deleteURL, nil)
}

// urlsOf is the query of the list.
type urlsOf struct {
	api.List
	address.URLFilter
}

// urlScreen lists addresses, of one item if one is named, with the form of a new one. Items are shown by the names of
// their products and categories.
func (d door) urlScreen(c *api.Call, v *visit, in urlsOf, sent page.Sent) (screen, error) {
	// The item that a refused form names narrows the list. What cannot be one would be a fault of the list, and hide
	// the form's fault.
	if item := sent.Values.Get("urlItem"); ofPath(item) != "" {
		in.Item = item
	}
	menu, err := d.Shelf.Menu(c, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	rows, load, err := address.URLList(c, d.Main, v.shop.ID, in.URLFilter)
	if err != nil {
		return screen{}, err
	}
	all, err := api.Page(c, in.List, rows, load)
	if err != nil {
		return screen{}, err
	}
	values := c.Asked()
	filters := v.filters(values, "urlItem", "kind", "active")
	none := page.Option{Text: v.say("any")}
	filters[0] = filters[0].Hinted(v.say("url.itemIs"))
	filters[1] = filters[1].OneOf(none, page.Option{Value: "system", Text: v.say("url.system")},
		page.Option{Value: "custom", Text: v.say("url.custom")})
	filters[2] = filters[2].OneOf(none, page.Option{Value: "true", Text: v.say("yes")},
		page.Option{Value: "false", Text: v.say("no")})
	if sent.Values == nil {
		sent.Values = map[string][]string{"urlItem": {in.Item}}
	}
	filler := v.filler(sent)
	item := filler.Named("urlItem", "url.item", "off").Hinted(v.say("url.itemIs"))
	item.Required = true
	// Categories are few, so they are suggested by name; products are found by their own pages, which link here.
	for _, p := range menu.All() {
		item.Suggested = append(item.Suggested,
			page.Option{Value: string(address.Category) + ":" + p.ID, Text: namesOf(menu, p.ID)})
	}
	filters[0].Suggested = item.Suggested
	var of []string
	for _, u := range all.Body.Items {
		of = append(of, ofPath(string(u.Kind)+":"+u.Item))
	}
	names, err := d.recordNames(c, v, of)
	if err != nil {
		return screen{}, err
	}
	table := v.table(listed(v, listOf{values, urlsPath, filters}, all.Body,
		func(u address.URL) row { return v.urlRow(u, names) }),
		[]column{{Text: "address"}, {Text: "state"}, {Text: "filter.kind"}, {Text: "url.of", Wraps: true},
			{Text: "changed"}})
	if of := ofPath(in.Item); of != "" {
		table.Links = []link{{Text: v.say("url.back"), Path: of}}
	}
	table.Add = &action{Path: urlsPath, Heading: v.say("url.new"), About: v.say("url.newIs"), Button: v.say("url.new"),
		Fields: []page.Field{item, filler.Field("url", "off", page.Must).Hinted(v.say("url.is"))}}
	table.Form = filler.Done()
	return screen{name: "list", title: v.say("urls"), data: table}, nil
}

// ofPath is the admin's page of an item: product:<id>; "" of what is none.
func ofPath(item string) string {
	of, err := address.OwnerIn(item)
	switch {
	case err != nil:
		return ""
	case of.Kind == address.Product:
		return productsPath + "/" + of.Item
	}
	return categoriesPath + "/" + of.Item
}

// urlRow is an address in the list, with the name of what it is of. A system URL has no button to delete it, because it
// cannot be deleted.
func (v *visit) urlRow(entry address.URL, names map[string]string) row {
	of := ofPath(string(entry.Kind) + ":" + entry.Item)
	path, state, kind := "/"+entry.Slug, v.activity(entry.Active), cell{Text: v.say("url.custom"), Stands: "custom"}
	if !entry.Active {
		state.Name = v.say("url.leads")
	}
	var actions []action
	if entry.System {
		kind = cell{Text: v.say("url.system"), Stands: "system"}
	} else {
		actions = []action{{Path: urlsPath + "/" + entry.ID + "/delete", Button: v.say("delete"), To: path,
			About: v.say("url.deleteIs"), Danger: true}}
	}
	return row{ID: entry.ID, State: state.Mark, Actions: actions, Cells: []cell{{Text: path, Path: v.website + path},
		{State: state}, kind,
		{Text: called(v.say("url."+string(entry.Kind)), names[of]), Path: of},
		{Text: v.moment(record.ChangedAt(entry.Version))}}}
}

// urlFields are the form of a new URL.
type urlFields struct {
	Item string     `json:"urlItem" maxLength:"64"`
	URL  field.Text `json:"url"`
}

// createURL makes an address the active one of its item. If its slug is not what was typed, the next page says so.
func (d door) createURL(c *api.Call, v *visit, in *api.Create[urlFields]) (string, error) {
	of, err := address.OwnerIn(strings.TrimSpace(in.Body.Item))
	if err != nil {
		return "", problem.InvalidAt("urlItem", problem.BadFormat, "must be product:<id> or category:<id>")
	}
	made, err := d.URLs().AddURL(c, c.Unit(), of, string(in.Body.URL))
	if err != nil {
		return "", err
	}
	v.says("created")
	if made.Adjusted(string(in.Body.URL)) {
		v.says("url.adjusted")
	}
	return urlsPath + "?urlItem=" + string(of.Kind) + ":" + of.Item, nil
}

// deleteURL deletes a custom URL, and leads back to the addresses of its item.
func (d door) deleteURL(c *api.Call, v *visit, in *api.ByID) (string, error) {
	was, err := d.URLs().ReadURL(c, c.Unit(), in.ID)
	if err != nil {
		return "", err
	}
	v.says("deleted")
	return urlsPath + "?urlItem=" + string(was.Kind) + ":" + was.Item, d.URLs().DeleteURL(c, c.Unit(), in.ID)
}
