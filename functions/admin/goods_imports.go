package admin

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/job/imports"
	"eshop/shared/page"
	"eshop/shared/ports/blob"
	"eshop/shared/record/job"
)

// importsPath is where imports are.
const importsPath = root + "/imports"

// maxImport is the most bytes of a file that is imported here: what a Lambda can be handed. Over the API a file goes to
// the store of files by itself and may have any size.
const maxImport = 4 << 20

// imports registers the imports of files: /admin/imports lists them and takes a new one as multipart `type format
// file`; …/{id} shows how far it has come, and the errors by row.
func (d door) imports() {
	refused := lookList(d, importsPath, api.List{Paging: firstPage}, d.importList)
	look(d, importsPath+"/{id}", d.showImport)
	actBy(d, api.Op{Route: "POST " + importsPath, MaxBody: maxImport, People: d.forSignedIn(refused)}, d.takeFile)
	d.columns()
}

// shownImport is an import in words and numbers.
type shownImport struct {
	ID, Type, Format, Made           string
	State                            shownState
	Read, Changed, Unchanged, Failed string
	Percent                          int
	Over                             bool // it goes on no more
}

// importsData is the list of imports with the form of a new one.
type importsData struct {
	table
	Fields  []page.Field
	File    page.Field
	Samples []page.Link
}

// importList lists the shop's imports, newest first, with the form of a new one. People see the imports of all
// accesses.
func (d door) importList(c *api.Call, v *visit, in api.List, s page.Sent) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	// Over the API an access sees imports of the types that it has the permissions for. People may see all types.
	rows, load := imports.List(d.Main, v.shop.ID, func(imports.Import) bool { return true })
	all, err := api.Page(c, in, rows, load)
	if err != nil {
		return screen{}, err
	}
	filler := v.filler(s)
	kind := filler.Named("type", "import.type", "off").OneOf(page.Option{Value: "products", Text: v.say("products")},
		page.Option{Value: "customers", Text: v.say("customers")}).Halved()
	format := filler.Field("format", "off", page.Must).OneOf(page.Option{Value: "csv", Text: "CSV"},
		page.Option{Value: "jsonl", Text: "JSON Lines"}).Halved()
	kind.Required = true
	file := filler.Field("file", "off", page.Must).Hinted(v.say("import.fileIs"))
	table := v.table(listed(v, listOf{c.Asked(), importsPath, nil}, all.Body, func(i imports.Import) row {
		shown := v.shownImport(i)
		return row{ID: i.ID, State: shown.State.Mark, Cells: []cell{{Text: shown.Made, Path: importsPath + "/" + i.ID},
			{Text: shown.Type + " (" + shown.Format + ")"}, {State: shown.State}, {Text: shown.Read},
			{Text: shown.Changed}, {Text: shown.Failed}}}
	}), []column{{Text: "import.when"}, {Text: "import.type"}, {Text: "state"}, {Text: "import.read", Right: true},
		{Text: "import.changed", Right: true}, {Text: "import.wrong", Right: true}})
	// Done gathers what is wrong with the fields, so it comes after the last of them.
	table.Form = filler.Done()
	return screen{name: "imports", title: v.say("imports"),
		data: importsData{table, []page.Field{kind, format}, file, v.samples()}}, nil
}

// importTypes are what can be brought in.
var importTypes = []imports.Type{imports.Products, imports.Customers}

// sampleFiles are files as people could bring them in: with headings in their language, parted by semicolons and marked
// as UTF-8, as spreadsheets want it.
//
//go:embed static/samples
var sampleFiles embed.FS

// samples are these files as assets, named by type and language.
func samples() (all page.Assets) {
	for _, kind := range importTypes {
		for _, l := range page.Languages {
			name := string(kind) + "." + l.Code() + ".csv"
			text, err := sampleFiles.ReadFile("static/samples/" + name)
			if err != nil {
				panic("admin: " + err.Error()) // each type has one in each language
			}
			all = append(all, page.Fixed(root+"/static", name, "text/csv; charset=utf-8", text))
		}
	}
	return all
}

// samples are links to them in the visitor's language.
func (v *visit) samples() (links []page.Link) {
	for _, kind := range importTypes {
		links = append(links, page.Link{Text: v.say(string(kind)),
			Path: assets.Address(string(kind) + "." + v.lang.Code() + ".csv")})
	}
	return links
}

// shownImport is an import in words and numbers, in the list and on its page.
func (v *visit) shownImport(one imports.Import) shownImport {
	number, state := v.lang.Number, shownAs(v, "import.", one.State, importLooks)
	switch {
	case one.State != job.Done || one.Rows.Failed == 0:
	case one.Rows.Changed+one.Rows.Unchanged == 0:
		state.Name, state.Look = v.say("import.none"), "bad"
	default:
		state.Name, state.Look = v.say("import.partly"), "warn"
	}
	return shownImport{ID: one.ID, Type: v.say(string(one.Type)), Format: strings.ToUpper(string(one.Format)),
		State: state, Made: v.moment(one.Created), Read: number(one.Rows.Read), Changed: number(one.Rows.Changed),
		Unchanged: number(one.Rows.Unchanged), Failed: number(one.Rows.Failed), Percent: int(one.Progress * 100),
		Over: one.State == job.Done || one.State == job.Failed}
}

// importLooks are how the states of imports look.
var importLooks = map[job.State]string{job.Done: "good", job.Failed: "bad", job.Running: "warn"}

// importOf is the input of an import's page: its errors are paged.
type importOf struct {
	api.ByID
	api.Paging
	File string `query:"file" enum:"wrong" doc:"The wrong rows as a file"`
}

// importError is what was wrong with a row. Column is what people call the field. Message says in English what no text
// has: the number of cells, for one.
type importError struct{ Row, Code, Location, Column, Text, Message, Key, Value string }

// importData is the page of an import.
type importData struct {
	list
	shownImport
	Fine bool // no fault is known
	More bool // more rows failed than have an error
	File bool // the wrong rows are to be had as a file
}

// showImport shows how far an import has come, and what was wrong with its rows. Where there is JavaScript the page
// brings itself up to date; without it a reload does.
func (d door) showImport(c *api.Call, v *visit, in *importOf) (screen, error) {
	its, err := imports.Read(c, d.Main, v.shop.ID, in.ID)
	if err != nil {
		return screen{}, err
	}
	if in.File != "" {
		file, err := its.WrongRows(c, d.Main, d.Files, v.lang.Code(), func(e imports.Error) string {
			return v.importError(its.Type, e).said()
		})
		if errors.Is(err, blob.ErrNotFound) {
			err = problem.NotFound()
		}
		return screen{name: string(its.Type), file: file}, err
	}
	rows, load := imports.Errors(d.Main, v.shop.ID, in.ID)
	errs, err := api.Page(c, in.Paging, rows, load)
	if err != nil {
		return screen{}, err
	}
	// The import may have gone on since it was read: what its errors know already it does not deny.
	its.Rows.Failed = max(its.Rows.Failed, int64(len(errs.Body.Items)))
	data := importData{shownImport: v.shownImport(its.Import), Fine: its.Rows.Failed == 0 && its.State != job.Failed,
		More: its.Rows.Failed > imports.MaxErrors, File: its.HasWrongRows() && !its.Over()}
	data.list = listed(v, listOf{c.Asked(), importsPath + "/" + in.ID, nil}, errs.Body,
		func(e imports.Error) importError { return v.importError(its.Type, e) })
	return screen{name: "import", title: fmt.Sprintf("%s: %s", v.say("import"), data.Type),
		above: v.above("imports", importsPath), data: data}, nil
}

// importError says what was wrong with a row in the visitor's language, where there is a text for it, else in the
// platform's English.
func (v *visit) importError(of imports.Type, bad imports.Error) importError {
	column := strings.TrimPrefix(bad.Location, "body.")
	shown := importError{Row: v.lang.Number(bad.Row), Code: bad.Code, Location: column, Key: bad.Key, Value: bad.Value}
	named := column
	if column == "priceLevels" { // none was sent
		named = imports.DefaultPrice
	}
	for _, h := range of.Headers() {
		if h.Field == named {
			shown.Column = h.In(v.lang.Code())
		}
	}
	switch {
	case bad.Code != "invalid":
		shown.Text = cmp.Or(v.say("refused."+bad.Code), v.say(bad.Code))
	case strings.HasPrefix(column, "priceLevels") && bad.Value != "" && bad.Fault != "":
		shown.Text = v.say("fault._importedPrice")
	case named == imports.DefaultPrice && bad.Fault == problem.Required:
		shown.Text = v.say("fault._importedNoPrice") + " " + v.say("fault._importedPrice")
	case strings.HasPrefix(bad.Fault, "file_"): // of the file itself, whatever the column is called
		shown.Text = texts().FaultIn(v.lang, "", bad.Fault)
	case bad.Fault != "":
		shown.Text = texts().FaultIn(v.lang, column, bad.Fault)
	}
	if shown.Text == "" {
		shown.Text, shown.Message = texts().FaultIn(v.lang, column, bad.Fault), bad.Message
	}
	return shown
}

// said is the error in a cell.
func (e importError) said() string {
	text := strings.TrimSpace(e.Text + " " + e.Message)
	if column := cmp.Or(e.Column, e.Location); column != "" {
		return column + ": " + text
	}
	return text
}

// importFields are the form of an import.
type importFields struct {
	Type   imports.Type   `json:"type" enum:"products,customers"`
	Format imports.Format `json:"format" enum:"csv,jsonl"`
	File   api.File       `json:"file"`
	Check  bool           `json:"check" required:"false"` // ask what the columns are in any case
}

// takeFile imports a file, or asks what the columns of a CSV are where they are not all known. A CSV may come as
// spreadsheets save it.
func (d door) takeFile(c *api.Call, v *visit, in *api.Create[importFields]) (string, error) {
	if len(in.Body.File) == 0 {
		return "", problem.InvalidAt("file", problem.Required, "is empty")
	}
	draft := imports.Draft{Type: in.Body.Type, File: in.Body.File}
	if in.Body.Format == imports.CSV {
		draft.File = imports.UTF8(draft.File)
		if asksColumns(in.Body, draft.File) {
			err := imports.KeepDraft(c, d.Files, v.shop.ID, v.admin.ID, draft)
			return columnsPath + "/" + string(draft.Type), err
		}
	}
	return d.beginImport(c, in.Body.Format, draft)
}

// beginImport begins an import and gives it its file in the same request. Over the API these are two steps.
func (d door) beginImport(c *api.Call, format imports.Format, draft imports.Draft) (string, error) {
	k, err := imports.Begin(c, c.Unit(), d.Files, c.Caller,
		imports.Fields{Type: draft.Type, Format: format, Mode: "upsert"})
	if err != nil {
		return "", err
	}
	return importsPath + "/" + k.ID, k.PutFile(c, d.Files, draft.File)
}
