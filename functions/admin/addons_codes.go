package admin

import (
	"strconv"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/words"
	"eshop/shared/page"
	"eshop/shared/record"
	"eshop/shared/webhook"
)

// customCodes registers what a package has put into the shop's pages: …/codes lists the codes with their positions and
// cleanup orders, …/{id}/switch takes `active`, …/{id}/delete deletes one.
func (d door) customCodes() {
	all := accessPath("{accessId}", "codes")
	look(d, all, d.listCodes)
	act(d, all+"/{id}/switch", d.switchCode, nil)
	act(d, all+"/{id}/delete", d.deleteCode, nil)
}

// maxCodeShown is how many characters of a code a list shows; a code may have 64 KiB.
const maxCodeShown = 2_000

// codeRow is a custom code in a list, with the cells that all lists of codes begin with.
func (v *visit) codeRow(code addon.CustomCode) row {
	name := cell{Text: string(code.Name), Code: words.Cut(string(code.Code), maxCodeShown)}
	name.Cut = name.Code != string(code.Code)
	state := v.onOff(code.Active, "code.shown", "code.hidden")
	return row{ID: code.ID, State: state.Mark, Cells: []cell{name, {State: state},
		{Text: v.say("code.at." + string(code.Position)), Stands: string(code.Position)}}}
}

// codeOf is a custom code in the list of its access at a path: people switch it and delete it.
func (v *visit) codeOf(code addon.CustomCode, path string) row {
	shown, cleanup, name := v.codeRow(code), cell{Text: v.say("code.stays")}, string(code.Name)
	if code.Cleanup != "" {
		// A code with a cleanup order goes when its package is deactivated; all others stay in the shop's pages.
		cleanup = cell{Text: v.say("code.goes"), Cleanup: code.Cleanup}
	}
	shown.Cells = append(shown.Cells, cleanup, cell{Text: v.moment(code.Changed)})
	path += "/" + code.ID
	button := v.say("code.show")
	if code.Active {
		button = v.say("code.hide")
	}
	shown.Actions = []action{{Path: path + "/switch", Button: button, To: name,
		Name: "active", Value: strconv.FormatBool(!code.Active)},
		{Path: path + "/delete", Button: v.say("delete"), To: name, About: v.say("code.deleteIs"), Danger: true}}
	return shown
}

// listCodes lists what a package has put into the shop's pages, by (changed, id).
func (d door) listCodes(c *api.Call, v *visit, in *api.List) (screen, error) {
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	kind := addon.CustomCodes(addOn.Access.Package)
	all, err := api.Page(c, *in, kind.Listing(d.Main, v.shop.ID), record.Load(d.Main, kind.Show))
	if err != nil {
		return screen{}, err
	}
	path := accessPath(addOn.ID, "codes")
	table := v.table(listed(v, listOf{c.Asked(), path, nil}, all.Body,
		func(c addon.CustomCode) row { return v.codeOf(c, path) }), []column{{Text: "name"}, {Text: "state"},
		{Text: "code.position"}, {Text: "code.cleanup"}, {Text: "changed"}})
	table.Tabs, table.About = v.tabs(addOn.ID, "codes"), v.say("code.about")
	// Codes of a package that is not active any more are in the pages nevertheless. The warning leads to the list of
	// all such codes.
	if addOn.State != addon.Active && !table.Empty {
		table.Warning = &warning{v.say("code.orphans"), page.Link{Text: v.say("orphans"), Path: orphansPath}}
	}
	return screen{name: "list", title: v.say("tab.codes"), above: v.aboveAccess(addOn), data: table}, nil
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

// switchCode switches a code on or off. The storefront leaves a switched-off code out; its cleanup order stays.
func (d door) switchCode(c *api.Call, v *visit, in *switchForm) (string, error) {
	// The access is read for the name of its package, under which the codes are kept. It also keeps people from another
	// shop's accesses.
	a, err := addon.Accesses.Read(c, d.Main, v.shop.ID, in.Access)
	if err != nil {
		return "", err
	}
	now, err := addon.CustomCodes(a.Package).Change(c, c.Unit(), in.ID,
		func(f addon.CodeFields) (addon.CodeFields, error) {
			f.Active = in.Body.Active
			return f, nil
		})
	v.saysOf("saved", string(now.Name))
	return accessesPath + "/" + in.Access + "/codes", err
}

// deleteCode deletes a code, which cancels its cleanup order.
func (d door) deleteCode(c *api.Call, v *visit, in *oneOf) (string, error) {
	return d.doing(c, v, "codes", "deleted", func(o webhook.Owner) error {
		return addon.CustomCodes(o.Package).Delete(c, c.Unit(), in.ID)
	})
}
