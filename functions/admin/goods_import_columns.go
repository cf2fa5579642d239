package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/base/words"
	"eshop/shared/job/imports"
	"eshop/shared/page"
	"eshop/shared/record/field"
)

// columnsPath is where somebody says what the columns of their draft of a type are.
const columnsPath = importsPath + "/columns"

// columns registers that page. A draft is of the person who uploaded it: nobody else is shown it.
func (d door) columns() {
	lookForm(d, columnsPath+"/{type}", d.columnsScreen)
	act(d, columnsPath+"/{type}", d.chooseColumns, d.columnsScreen)
}

// maxColumns is how many columns a file has at most that somebody is asked about: each is a field of the page.
const maxColumns = 200

// asksColumns says whether somebody is asked what the columns of a CSV are before it is imported: one is not known, two
// are the same, the key is missing, or who sends it wants to check. A file whose first row cannot be read, or has too
// many columns, is imported as it is: the import says what is wrong.
func asksColumns(in importFields, file []byte) bool {
	head, readable := imports.HeadOf(file)
	if !readable || len(head.Names) > maxColumns {
		return false
	}
	_, sure := in.Type.Guess(head.Names)
	return in.Check || !sure
}

// columnsData is the page of a draft.
type columnsData struct {
	page.Form
	Type   imports.Type
	Tag    string
	Fields []page.Field
}

// columnsScreen shows the columns of a draft with a few values of each, and the field that each of them is: what was
// sent, else what its name says.
func (d door) columnsScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	of := imports.Type(c.PathValue("type"))
	draft, err := imports.ReadDraft(c, d.Files, v.shop.ID, v.admin.ID, of)
	if err != nil {
		return screen{}, err
	}
	head, _ := imports.HeadOf(draft.File) // only a file with a head is kept
	guessed, _ := of.Guess(head.Names)
	if sent.Values = c.Form(); sent.Values == nil { // nobody has chosen anything yet
		sent.Values = url.Values{}
		for i, field := range guessed {
			sent.Values.Set(columnField(i), field)
		}
	}
	f := v.filler(sent)
	data := columnsData{Type: of, Tag: draft.Tag}
	for i, name := range head.Names {
		label := cmp.Or(words.Cut(name, maxSampleCell), v.say("import.nameless")+page.NBSP+strconv.Itoa(i+1))
		field := f.Labelled(columnField(i), label, "off").OneOf(v.fieldsOf(of, guessed[i])...).Hinted(sampleOf(head, i))
		data.Fields = append(data.Fields, field.Depending())
	}
	data.Form = f.Done()
	return screen{name: "import-columns", title: v.say("import") + ": " + v.say(string(of)),
		above: v.above("imports", importsPath), data: data}, nil
}

// fieldsOf are the fields that a column can be, with the price level that its name says.
func (v *visit) fieldsOf(of imports.Type, guessed string) []page.Option {
	options := []page.Option{{Text: v.say("import.leftOut")}}
	for _, h := range of.Headers() {
		options = append(options, page.Option{Value: h.Field, Text: h.In(v.lang.Code())})
	}
	if strings.HasPrefix(guessed, imports.PriceLevels) && guessed != imports.DefaultPrice {
		options = append(options, page.Option{Value: guessed, Text: guessed})
	}
	return options
}

// maxSampleCell is how many characters of a cell are shown.
const maxSampleCell = 40

// sampleOf are the values of the nth column in the first rows.
func sampleOf(h imports.Head, n int) string {
	var values []string
	for _, row := range h.Rows {
		if value := strings.TrimSpace(row[n]); value != "" {
			values = append(values, words.Cut(value, maxSampleCell))
		}
	}
	return cmp.Or(strings.Join(values, " · "), "–")
}

// columnField is the name of the form's field for the nth column.
func columnField(n int) string { return "column." + strconv.Itoa(n) }

// chosenColumns reads which field the form says of each column; "" is a column that is left out. It refuses a field
// that is chosen twice, and, at the first column, a form in which no column is the key.
func chosenColumns(of imports.Type, form url.Values, columns int) ([]string, error) {
	var faults problem.Faults
	var chosen []string
	set := map[string]bool{}
	for i := range columns {
		field := form.Get(columnField(i))
		switch {
		case field != "" && !of.Has(field):
			faults.Add(columnField(i), problem.Unknown, "is no field of a file")
		case field != "" && set[imports.Sets(field)]:
			faults.Add(columnField(i), problem.Duplicate, "is chosen for another column, too")
		}
		chosen, set[imports.Sets(field)] = append(chosen, field), true
	}
	if !slices.Contains(chosen, of.Key()) {
		faults.Add(columnField(0), noKey[of], "must be the key of the rows, or another column")
	}
	return chosen, faults.Err()
}

// noKey are the faults of forms in which no column is the key.
var noKey = map[imports.Type]string{imports.Products: "no_code", imports.Customers: "no_email"}

// columnsIn is the input of what the columns are. Its fields are numbered: chosenColumns reads them.
type columnsIn struct {
	Type imports.Type `path:"type"`
	Body field.Object
}

// chooseColumns imports the draft with the columns that the form says. A draft that another file has replaced since is
// shown again.
func (d door) chooseColumns(c *api.Call, v *visit, in *columnsIn) (string, error) {
	at, form := columnsPath+"/"+string(in.Type), c.Form()
	draft, err := imports.ReadDraft(c, d.Files, v.shop.ID, v.admin.ID, in.Type)
	if err != nil || form.Get("tag") != draft.Tag {
		return at, err
	}
	head, _ := imports.HeadOf(draft.File) // only a file with a head is kept
	columns, err := chosenColumns(in.Type, form, len(head.Names))
	if err != nil {
		return "", err
	}
	to, err := d.beginImport(c, imports.CSV, imports.Draft{Type: in.Type, File: imports.Renamed(draft.File, columns)})
	if err != nil {
		return "", err
	}
	// The import has begun, so a draft that stays is no fault of the request: the next one takes its place.
	if err := imports.DropDraft(c, d.Files, v.shop.ID, v.admin.ID, in.Type); err != nil {
		d.Log.WarnContext(c, "the draft of an import could not be deleted", "error", err)
	}
	return to, nil
}
