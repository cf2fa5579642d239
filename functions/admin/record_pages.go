package admin

import (
	"context"
	"net/url"

	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/record/change"
)

// recordPages are the pages of an area in which people list the records of a kind, make, change and delete them. They
// are a table: what it says is all that the screens show, by the templates list and record.
type recordPages[R, F any] struct {
	records api.Records[R, F]           // as the API has them
	by      func(d door) commands[R, F] // who writes them; nil: the kind itself
	path    string                      // "/admin/coupons"
	menu    bool                        // its forms offer the storefront's categories: visit.menu is read

	// Names of texts: many is the list's, one begins those of coupon.new, coupon.delete and coupon.deleteIs.
	many, one string

	// The list: the page of it that is asked for (nil: the collection's), what completes its head (nil: nothing does),
	// the parameters of its query that have a field, and its columns with what a row has in them.
	list    func(c *api.Call, in *api.List) (*api.Collection[R], error)
	head    func(v *visit, t *table)
	filters []string
	columns []column
	row     func(v *visit, r R) row

	// The record's page and its form: what a new one begins with, the values of a stored one by the fields' names, the
	// fields (id is "" of a new one), and what is not a field, with the title.
	first  url.Values
	values func(r R) url.Values
	fields func(v *visit, p *sheet, id string, f *page.Filler)
	show   func(v *visit, p *sheet, r R)
	// what reads and adds what else a stored record's page shows; nil: nothing
	more func(d door, ctx context.Context, v *visit, p *sheet) error
}

// commands write the records of an area: those of their record.Kind, or a noun's own.
type commands[R, F any] struct {
	create func(ctx context.Context, u *change.Unit, fields F) (R, error)
	change func(ctx context.Context, u *change.Unit, id string, edit func(F) (F, error)) (R, error)
	delete func(ctx context.Context, u *change.Unit, id string) error
}

// sheet is the page of a record, as the template record shows it.
type sheet struct {
	page.Form
	Path, ID, State string // ID is "" of a new one
	Links           []link
	Aside           string // a remark beside the links
	Warning         string // why nothing can be changed; "": it can
	Fields          []page.Field
	Parts           []part
	Actions         []action
	Orders          *customerOrders // of a customer
	title           string
}

// part is fields below a heading that few records have filled in. It is open where something is in them.
type part struct {
	Heading string
	Fields  []page.Field
	Open    bool
}

// open registers the area's operations: the list, the form of a new record, one record, and what is done there. An
// area without commands of its own writes by the records' kind, as the API does.
func (r recordPages[R, F]) open(d door) {
	lookAt(d, r.path, r.records.Query(), func(c *api.Call, v *visit, in *api.List) (screen, error) {
		return r.listed(c, d, v, in)
	})
	newForm := func(c *api.Call, v *visit, s page.Sent) (screen, error) { return r.sheet(c, d, v, "", s) }
	form := func(c *api.Call, v *visit, s page.Sent) (screen, error) {
		return r.sheet(c, d, v, c.PathValue("id"), s)
	}
	lookForm(d, r.path+"/new", newForm)
	lookForm(d, r.path+"/{id}", form)
	// Records whose change is more than a write, like categories, come with commands of their own.
	kind := r.records.Kind
	by := commands[R, F]{kind.Create, kind.Change, kind.Delete}
	if r.by != nil {
		by = r.by(d)
	}
	act(d, r.path, func(c *api.Call, v *visit, in *api.Create[F]) (string, error) {
		made, err := by.create(c, c.Unit(), in.Body)
		v.saysOf("created", r.title(v, made))
		head, _ := kind.Split(&made)
		return r.path + "/" + head.ID, err
	}, newForm)
	act(d, r.path+"/{id}", func(c *api.Call, v *visit, in *api.Change[F]) (string, error) {
		now, err := by.change(c, c.Unit(), in.ID, func(was F) (F, error) { return api.Apply(c, in.Body, was) })
		v.saysOf("saved", r.title(v, now))
		return r.path + "/" + in.ID, err
	}, form)
	act(d, r.path+"/{id}/delete", func(c *api.Call, v *visit, in *api.ByID) (string, error) {
		v.says("deleted")
		return r.path, by.delete(c, c.Unit(), in.ID)
	}, func(c *api.Call, v *visit, s page.Sent) (screen, error) {
		s.Values = nil // the record that was not deleted is shown as it is
		return form(c, v, s)
	})
}

// title is the name of a record, as its page has it.
func (r recordPages[R, F]) title(v *visit, record R) string {
	var p sheet
	r.show(v, &p, record)
	return p.title
}

// readMenu reads the menu if the area needs it.
func (r recordPages[R, F]) readMenu(ctx context.Context, d door, v *visit) (err error) {
	if r.menu {
		v.menu, err = d.Shelf.Menu(ctx, v.shop.ID)
	}
	return err
}

// listed is the area's list, with its filters, and the address of its next page.
func (r recordPages[R, F]) listed(c *api.Call, d door, v *visit, in *api.List) (screen, error) {
	list := r.list
	if list == nil {
		list = r.records.List
	}
	if err := r.readMenu(c, d, v); err != nil {
		return screen{}, err
	}
	all, err := list(c, in)
	if err != nil {
		return screen{}, err
	}
	q := c.Asked()
	t := v.table(listed(v, listOf{q, r.path, v.filters(q, r.filters...)}, all.Body,
		func(one R) row { return r.row(v, one) }), r.columns)
	// Before head, which may add further ones.
	t.Links = []link{{Text: v.say(r.one + ".new"), Path: r.path + "/new", Look: "button"}}
	if r.head != nil {
		r.head(v, &t)
	}
	return screen{name: "list", title: v.say(r.many), data: t}, nil
}

// sheet is the page of a record. id "" is the form of a new one.
func (r recordPages[R, F]) sheet(ctx context.Context, d door, v *visit, id string, sent page.Sent) (screen, error) {
	if err := r.readMenu(ctx, d, v); err != nil {
		return screen{}, err
	}
	data := sheet{Path: r.path, ID: id, State: "active", title: v.say(r.one + ".new")}
	switch {
	case id != "":
		one, err := r.records.Kind.Read(ctx, d.Main, v.shop.ID, id)
		if err != nil {
			return screen{}, err
		}
		// What was sent, where something was; else what is stored.
		sent = sent.Or(r.values(one))
		data.Path += "/" + id
		data.Actions = []action{{Path: data.Path + "/delete", Heading: v.say(r.one + ".delete"),
			About: v.say(r.one + ".deleteIs"), Button: v.say("delete"), Danger: true}}
		r.show(v, &data, one)
		data.Actions[0].To = data.title
		if r.more != nil {
			if err := r.more(d, ctx, v, &data); err != nil {
				return screen{}, err
			}
		}
	case sent.Values == nil:
		sent.Values = r.first
	}
	f := v.filler(sent)
	r.fields(v, &data, id, f)
	data.Form = f.Done()
	return screen{name: "record", title: data.title, above: v.above(r.many, r.path), data: data}, nil
}
