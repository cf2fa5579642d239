package admin

import (
	"fmt"

	"eshop/shared/api"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/page"
	"eshop/shared/record/job"
)

// exportsPath is where exports are.
const exportsPath = root + "/exports"

// exports registers the exports (contract, section 10): /admin/exports lists them and begins one of the `type` that is
// sent; …/{id} shows how far it has come, and leads to its file. Lists of orders, customers and products have a
// button for it. The file is a CSV as spreadsheets here take it, which an import takes, too.
func (d door) exports() {
	look(d, exportsPath, func(c *api.Call, v *visit, in *api.List) (screen, error) {
		return d.exportList(c, v, in, page.Sent{})
	})
	look(d, exportsPath+"/{id}", d.showExport)
	act(d, exportsPath, d.beginExport, func(c *api.Call, v *visit, s page.Sent) (screen, error) {
		return d.exportList(c, v, &api.List{Paging: api.Paging{ItemsPerPage: 50}}, s)
	})
}

// exportRow is an export in the list, and on its page.
type exportRow struct {
	ID, Type, Format, Made, Rows, Download string
	State                                  shownState
	Percent                                int
	Over                                   bool // it goes on no more
}

// exportsData is the list of exports with the form of a new one.
type exportsData struct {
	list
	page.Form
	Fields []page.Field
}

// exportList lists the shop's exports, newest first, with the form of a new one. People see those of all accesses.
func (d door) exportList(c *api.Call, v *visit, in *api.List, s page.Sent) (screen, error) {
	if in.Order == "" {
		in.Order = "desc"
	}
	rows, load := d.Exports().List(v.shop.ID, func(j *exports.Job) (exports.Export, bool) {
		return d.shownExport(j), true
	})
	all, err := api.Page(c, *in, rows, load)
	if err != nil {
		return screen{}, err
	}
	f := v.filler(s)
	kind := f.Named("type", "export.type", "off")
	kind.Required = true
	for _, t := range []exports.Type{exports.Orders, exports.Customers, exports.Products} {
		kind.Options = append(kind.Options, page.Option{Value: string(t), Text: v.say(string(t))})
	}
	data := exportsData{Fields: []page.Field{kind}}
	data.Form = f.Done()
	data.list = listed(v, listOf{c.Asked(), exportsPath, nil}, all.Body, v.exportRow)
	return screen{name: "exports", title: v.say("exports"), data: data}, nil
}

// shownExport is an export with the address of its file.
func (d door) shownExport(j *exports.Job) exports.Export {
	e, _ := d.Exports().Show(j, d.BaseURL, d.Now())
	return e
}

// exportRow is an export in words and numbers.
func (v *visit) exportRow(e exports.Export) exportRow {
	return exportRow{ID: e.ID, Type: v.say(string(e.Type)), Format: string(e.Format), Made: v.moment(e.Created),
		Rows: v.lang.Number(e.Rows), Download: e.DownloadURL, State: shownAs(v, "import.", e.State, importLooks),
		Percent: int(e.Progress * 100), Over: e.State == job.Done || e.State == job.Failed}
}

// showExport shows how far an export has come, and the link to its file. Where there is JavaScript the page brings
// itself up to date; without it a reload does.
func (d door) showExport(c *api.Call, v *visit, in *api.ByID) (screen, error) {
	j, err := d.Exports().Read(c, v.shop.ID, in.ID)
	if err != nil {
		return screen{}, err
	}
	row := v.exportRow(d.shownExport(j))
	return screen{name: "export", title: fmt.Sprintf("%s: %s", v.say("export"), row.Type),
		above: v.above("exports", exportsPath), data: row}, nil
}

// exportWish is what is asked for.
type exportWish struct {
	Type exports.Type `json:"type" enum:"customers,products,orders"`
}

// beginExport begins an export in the language of whoever asks. People are charged nothing, as for everything here.
func (d door) beginExport(c *api.Call, v *visit, in *api.Create[exportWish]) (string, error) {
	j, err := d.Exports().Begin(c, c.Unit(), c.Caller, exports.Wish{Language: v.lang.Code(),
		Fields: exports.Fields{Type: in.Body.Type, Format: imports.CSV}})
	if err != nil {
		return "", err
	}
	return exportsPath + "/" + j.ID, nil
}
