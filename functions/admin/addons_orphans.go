package admin

import (
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/record"
)

// orphansPath is where orphaned codes are.
const orphansPath = root + "/orphans"

// orphans registers the orphaned codes: their package is not active, and no cleanup order has removed them. They still
// run in the shop's pages, so the dashboard counts them and people can delete them here.
func (d door) orphans() {
	look(d, orphansPath, d.listOrphans)
	act(d, orphansPath+"/{id}/delete", d.deleteOrphan, nil)
}

// listOrphans lists the codes of all packages that are not active, with their packages' names: nobody but the shop's
// people can delete these.
func (d door) listOrphans(c *api.Call, v *visit, in *api.List) (screen, error) {
	accesses, err := addon.AccessesOf(c, d.Main, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	inactive := addon.Inactive(accesses)
	// ids are the packages to read, of the access that the link of a package leads to.
	ids, of := make([]string, 0, len(inactive)), map[string]string{}
	for _, a := range inactive {
		ids, of[a.Package] = append(ids, a.Package), a.ID
	}
	rows, load := addon.OrphanRows(d.Main, v.shop.ID, inactive), record.Load(d.Main, addon.CustomCodes("").Show)
	all, err := api.Page(c, *in, rows, load)
	if err != nil {
		return screen{}, err
	}
	packages, err := addon.ReadPackages(c, d.Main, ids)
	if err != nil {
		return screen{}, err
	}
	table := v.table(listed(v, listOf{c.Asked(), orphansPath, nil}, all.Body,
		func(c addon.CustomCode) row {
			shown := v.codeRow(c)
			shown.Cells = append(shown.Cells,
				cell{Text: string(packages[c.Package].Name), Path: packagesPath + "/" + of[c.Package]})
			shown.Actions = []action{{Path: orphansPath + "/" + c.ID + "/delete", Button: v.say("delete"),
				To: string(c.Name), About: v.say("orphans.deleteIs"), Danger: true}}
			return shown
		}), []column{{Text: "name"}, {Text: "state"}, {Text: "code.position"}, {Text: "tab.package"}})
	table.About = v.say("orphans.about")
	return screen{name: "list", title: v.say("orphans"), data: table}, nil
}

// deleteOrphan deletes an orphaned code. A code of an active package is 404 here.
func (d door) deleteOrphan(c *api.Call, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	return orphansPath, addon.DeleteOrphan(c, c.Unit(), in.ID)
}
