package admin

import (
	"context"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/record"
)

// customCodes registers what a package has put into the shop's pages: the list of its codes, switching one on or off,
// and deleting one.
func (d door) customCodes() {
	all := accessesPath + "/{accessId}/codes"
	look(d, all, d.listCodes)
	act(d, all+"/{id}/switch", d.switchCode, nil)
	act(d, all+"/{id}/delete", d.deleteCode, nil)
}

type codesOf struct {
	ofAccess
	api.List
}

// codeRow is a custom code in a list.
type codeRow struct {
	ID, Name, Position, Changed, Text string
	Package, Access                   string // of an orphan
	Active                            bool
	Cleanup                           string // the id of its cleanup order; "" without one
	Cut                               bool   // Text is the beginning of it
}

// codesData is the page of a package's codes.
type codesData struct {
	list
	ID      string
	Tabs    []page.Link
	Orphans bool // the package is not active
}

// maxCodeShown is how many characters of a code a list shows.
const maxCodeShown = 2_000

func (v *visit) codeRow(c addon.CustomCode) codeRow {
	row := codeRow{ID: c.ID, Name: string(c.Name), Position: v.say("code.at." + string(c.Position)),
		Changed: v.moment(c.Changed),
		Active:  c.Active, Cleanup: c.Cleanup, Text: string(c.Code)}
	if text := []rune(row.Text); len(text) > maxCodeShown {
		row.Text, row.Cut = string(text[:maxCodeShown])+"…", true
	}
	return row
}

func (d door) listCodes(ctx context.Context, v *visit, in *codesOf) (screen, error) {
	var all *api.Collection[addon.CustomCode]
	i, err := d.installed(ctx, v, in.Access, func(a addon.Access) (err error) {
		kind := addon.CustomCodes(a.Package)
		all, err = api.Page(ctx, in.List, kind.Listing(d.Main, v.shop.ID), record.Load(d.Main, kind.Show))
		return
	})
	if err != nil {
		return screen{}, err
	}
	path := accessesPath + "/" + i.ID + "/codes"
	data := codesData{ID: i.ID, Tabs: v.tabs(i.ID, "codes"), Orphans: i.State != addon.Active,
		list: listed(v, query(ctx), path, all.Body.Items, all.Body.NextCursor, nil, v.codeRow)}
	return screen{name: "codes", title: v.say("tab.codes"), above: v.aboveAccess(i), data: data}, nil
}

// switchForm switches a code of a package.
type switchForm struct {
	oneOf
	Body codeSwitch
}

// codeSwitch says whether the storefront puts a code in.
type codeSwitch struct {
	Active bool `json:"active"`
}

func (d door) switchCode(ctx context.Context, v *visit, in *switchForm) (string, error) {
	v.says("saved")
	a, err := addon.Accesses.Read(ctx, d.Main, v.shop.ID, in.Access)
	if err != nil {
		return "", err
	}
	_, err = addon.CustomCodes(a.Package).Change(ctx, unit(ctx), in.ID,
		func(f addon.CodeFields) (addon.CodeFields, error) {
			f.Active = in.Body.Active
			return f, nil
		})
	return accessesPath + "/" + in.Access + "/codes", err
}

func (d door) deleteCode(ctx context.Context, v *visit, in *oneOf) (string, error) {
	v.says("deleted")
	a, err := addon.Accesses.Read(ctx, d.Main, v.shop.ID, in.Access)
	if err != nil {
		return "", err
	}
	return accessesPath + "/" + in.Access + "/codes", addon.CustomCodes(a.Package).Delete(ctx, unit(ctx), in.ID)
}
