package admin

import (
	"cmp"
	"fmt"

	"eshop/shared/api"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/page"
	"eshop/shared/record/job"
)

// exportsPath is where exports are.
const exportsPath = root + "/exports"

// exports registers the exports: /admin/exports lists them and begins one of the `type` that is sent; …/{id} shows how
// far it has come, and leads to its file. Lists of orders, customers and products have a button for it. The file is a
// CSV as spreadsheets here take it, which an import takes, too.
func (d door) exports() {
	refused := lookList(d, exportsPath, api.List{Paging: firstPage}, d.exportList)
	act(d, exportsPath, d.beginExport, refused)
	look(d, exportsPath+"/{id}", d.showExport)
}

// shownExport is an export in words.
type shownExport struct {
	ID, Type, Made, Rows string
	File                 cell // leads to the file, or says that it is gone
	State                shownState
	Percent              int
	Over                 bool // it goes on no more
}

// exportList lists the shop's exports, newest first, with the form of a new one. People see those of all accesses.
func (d door) exportList(c *api.Call, v *visit, in api.List, sent page.Sent) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	rows, load := d.Exports().List(v.shop.ID, func(j *exports.Job) (exports.Export, bool) {
		e, _ := d.Exports().Show(j, d.BaseURL, d.Now())
		return e, true
	})
	all, err := api.Page(c, in, rows, load)
	if err != nil {
		return screen{}, err
	}
	filler := v.filler(sent)
	kind := filler.Named("type", "export.type", "off")
	kind.Required = true
	for _, t := range []exports.Type{exports.Orders, exports.Customers, exports.Products} {
		kind.Options = append(kind.Options, page.Option{Value: string(t), Text: v.say(string(t))})
	}
	t := v.table(listed(v, listOf{c.Asked(), exportsPath, nil}, all.Body, func(e exports.Export) row {
		shown := v.shownExport(e)
		return row{ID: e.ID, State: shown.State.Mark, Cells: []cell{{Text: shown.Made, Path: exportsPath + "/" + e.ID},
			{Text: shown.Type}, {State: shown.State}, {Text: shown.Rows}, shown.File}}
	}), []column{{Text: "import.when"}, {Text: "export.type"}, {Text: "state"}, {Text: "export.rows", Right: true},
		{Text: "export.file"}})
	t.Form, t.Add = filler.Done(), &action{Path: exportsPath, Heading: v.say("export.new"), About: v.say("export.is"),
		Button: v.say("export.begin"), Fields: []page.Field{kind}}
	return screen{name: "exports", title: v.say("exports"), data: t}, nil
}

// shownExport is an export in words, in the list and on its page.
func (v *visit) shownExport(e exports.Export) shownExport {
	shown := shownExport{ID: e.ID, Type: v.say(string(e.Type)), Made: v.moment(e.Created), Rows: v.lang.Number(e.Rows),
		State: shownAs(v, "import.", e.State, importLooks), Percent: int(e.Progress * 100),
		Over: e.State == job.Done || e.State == job.Failed}
	if e.DownloadURL != "" {
		shown.File = cell{Text: v.say("export.download"), Path: e.DownloadURL}
	} else if shown.Over {
		shown.File.Text = v.say("export.over")
	}
	return shown
}

// showExport shows how far an export has come, and the link to its file. Where there is JavaScript the page brings
// itself up to date; without it a reload does.
func (d door) showExport(c *api.Call, v *visit, in *api.ByID) (screen, error) {
	j, err := d.Exports().Read(c, v.shop.ID, in.ID)
	if err != nil {
		return screen{}, err
	}
	e, _ := d.Exports().Show(j, d.BaseURL, d.Now())
	shown := v.shownExport(e)
	return screen{name: "export", title: fmt.Sprintf("%s: %s", v.say("export"), shown.Type),
		above: v.above("exports", exportsPath), data: shown}, nil
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
