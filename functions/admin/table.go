package admin

import (
	"slices"

	"eshop/shared/page"
)

// table is a list as the template list shows it, or the template rows within a screen of its own. On a phone each row
// is a block of its own, in which each value has the name of its column before it.
type table struct {
	list
	page.Form             // of Add
	Tabs      []page.Link // of an access
	About     string
	Warning   *warning
	Links     []link
	Columns   []column
	Pictured  bool    // a row begins with its picture
	Acting    bool    // a row has actions
	Add       *action // makes a record of the list
	Export    string  // the type of an export of all; "": there is none
	Bulk      *bulk   // what can be done with the rows that somebody selects; nil: none is selected
}

// bulk is a form around a table: what is done with the rows that are selected, and with what.
type bulk struct {
	Path, Back string // Back: the list, to which it leads back
	Name       string // of the field with the ids of the rows
	Fields     []page.Field
	Selected   bool // all rows are selected already
}

// warning is what is not as it should be, and where people do something about it.
type warning struct {
	Text string
	To   page.Link
}

// column names a column by its text.
type column struct {
	Text  string
	Right bool // what is in it ends at the right, as numbers do
	Wraps bool // what is in it may be broken anywhere, as addresses are
}

// row is a record in a table.
type row struct {
	ID, State string // data-id and data-state
	Picture   string // of a table that is Pictured; "": the record has none
	Cells     []cell // by column; the first one names the record
	Actions   []action
}

// cell is what a table says of a record in one column.
type cell struct {
	Text, Path string // Path: where the text leads to; "": nowhere
	Color      string // of a dot before it
	Small      string // behind all else
	Aside      string // the same, dim
	Stands     string // the code for which the text stands: data-code
	Event      string // the event for which it stands: data-event
	Status     string // what the state stands for: data-status
	Cleanup    string // the cleanup order that it is about: data-cleanup
	State      shownState
	Code       string // source text, shown when somebody unfolds it
	Cut        bool   // Code is the beginning of it
}

// link leads somewhere; Look is its class.
type link struct{ Text, Path, Look string }

// action is a button and what it does. An action that has fields, or cannot be taken back, says before it is done what
// people should know.
type action struct {
	Path, Heading, About, Button string
	To                           string // whom it is done to, where there are several
	Name, Value                  string // what it sends; only a button of a row without Danger sends anything
	Danger                       bool   // it asks once more
	Fields                       []page.Field
}

// table makes the table of a list whose Rows are a []row, its columns named in the visitor's language.
func (v *visit) table(l list, columns []column) table {
	// Cloned: the columns are shared by all visitors, and get the texts of this one.
	t := table{list: l, Columns: slices.Clone(columns)}
	for i := range columns {
		t.Columns[i].Text = v.say(columns[i].Text)
	}
	t.Acting = slices.ContainsFunc(l.Rows.([]row), func(r row) bool { return len(r.Actions) > 0 })
	return t
}

// activity is what lists say of a record that is active, or not, and data-state.
func (v *visit) activity(active bool) shownState {
	return v.onOff(active, "state.active", "state.inactive")
}

// onOff is activity in other words, where shoppers see what is active.
func (v *visit) onOff(active bool, on, off string) shownState {
	if active {
		return shownState{Mark: "active", Name: v.say(on), Look: "good"}
	}
	return shownState{Mark: "inactive", Name: v.say(off)}
}

// shownState is a state as it is shown: Mark is what data-state has (contract, "Admin markup"), Name is the state in
// words, and Look is how it looks: "good", "warn", "bad" or "". Color is that of an order state; "" where it has none
// that every browser knows.
type shownState struct{ Mark, Name, Look, Color string }

// shownAs is a state in words. The name of its text is a prefix and the state.
func shownAs[S ~string](v *visit, prefix string, state S, looks map[S]string) shownState {
	return shownState{Mark: string(state), Name: v.say(prefix + string(state)), Look: looks[state]}
}
