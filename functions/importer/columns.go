package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/base/words"
	"eshop/shared/catalog"
	"eshop/shared/job/imports"
	"eshop/shared/record"
	values "eshop/shared/record/field"
)

// cell is what the cells of a column hold.
type cell int

// The kinds of cells.
const (
	text cell = iota
	truth
	number
	several // separated by |
	priced  // the price at the column's level
	rate    // a rate in per cent, which people type as they type amounts
	country // a country's code, or its name
	byNames // categories by their names
	leftOut // nothing that is brought in
)

// prices stands among the fields for the columns of prices, one for each level.
const prices = imports.PriceLevels

// field is one of a body that a cell can hold.
type field struct {
	cell cell
	most int // entries of a list that are looked at one by one: a cell with more is refused for their number
}

// column is one of a file.
type column struct {
	field
	name   string
	path   []string // of the field in a body; of a price level its name
	called string   // by the file
}

// fieldsOf are the fields of a body that a cell can hold, nested ones with dots. Lists of objects (variants, images,
// units) it leaves out: the contract has them in JSONL only.
func fieldsOf(t reflect.Type, prefix string, into map[string]field) map[string]field {
	for i := range t.NumField() {
		member := t.Field(i)
		if member.Anonymous {
			fieldsOf(member.Type, prefix, into)
			continue
		}
		tag, _, _ := strings.Cut(member.Tag.Get("json"), ",")
		name, of := prefix+tag, member.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch of.Kind() {
		case reflect.String:
			into[name] = field{cell: text}
			switch {
			case of == reflect.TypeFor[values.Rate]():
				into[name] = field{cell: rate}
			case tag == "country":
				into[name] = field{cell: country}
			}
		case reflect.Bool:
			into[name] = field{cell: truth}
		case reflect.Int64:
			into[name] = field{cell: number}
		case reflect.Struct:
			fieldsOf(of, name+".", into)
		case reflect.Slice:
			most, err := strconv.Atoi(member.Tag.Get("maxItems"))
			if err != nil {
				panic("importer: the list " + name + " has no bound")
			}
			if of.Elem().Kind() == reflect.String {
				into[name] = field{several, most}
				if name == imports.CategoryIDs {
					into[imports.Category] = field{byNames, most}
				}
			} else if name+"." == prices {
				into[prices] = field{priced, most}
			}
		}
	}
	return into
}

// columns are the columns that a file's first row names, by the fields' names or by what people call them. One with the
// name imports.LeftOut is passed over, and so is one that the platform makes. Unknown names, a field twice, or a file
// without the key's column fail the import before any row, so the fault is the file's own, of row 0.
func columns(names []string, fields map[string]field, of imports.Type) ([]column, *fault) {
	all := make([]column, len(names))
	seen, key := map[string]bool{}, of.Key()
	var unknown []string
	for i, name := range names {
		if len(unknown) > maxSaid {
			break // a row of a million names is refused as soon
		}
		name = strings.TrimSpace(name)
		found, known := columnOf(cmp.Or(of.Field(name), name), fields)
		switch {
		case name == imports.LeftOut || !known && imports.IsMade(name):
			all[i].cell = leftOut
			continue
		case !known:
			unknown = append(unknown, cut(name))
			continue
		case seen[imports.Sets(found.name)]:
			sets := func(other column) bool { return imports.Sets(other.name) == imports.Sets(found.name) }
			return nil, &fault{code: "invalid", location: cut(found.name), of: "file_column_twice",
				message: fmt.Sprintf("The columns %q and %q are one field: name one of them %q to leave it out.",
					all[slices.IndexFunc(all, sets)].called, cut(name), imports.LeftOut)}
		}
		found.called = cut(name)
		all[i], seen[imports.Sets(found.name)] = found, true
	}
	if len(unknown) > 0 {
		return nil, &fault{code: "invalid", location: unknown[0], of: "file_unknown_column",
			message: fmt.Sprintf("Unknown columns: %s. Name each as at /docs/import-a-file#columns, or %q to leave it "+
				"out.", some(each.Of(unknown, strconv.Quote), ", "), imports.LeftOut)}
	}
	if !seen[key] {
		return nil, &fault{code: "invalid", location: key, of: "file_no_key",
			message: fmt.Sprintf("There is no column %q, which is the key of the rows.", key)}
	}
	return all, nil
}

// columnOf is the column of a field; false if a file cannot hold it.
func columnOf(name string, fields map[string]field) (column, bool) {
	if level, isPrice := strings.CutPrefix(name, imports.PriceLevels); isPrice {
		price, has := fields[prices]
		return column{field: price, name: name, path: []string{level}}, has && level != ""
	}
	f, known := fields[name]
	return column{field: f, name: name, path: strings.Split(name, ".")}, known
}

// cut is a name as a message repeats it.
func cut(name string) string { return words.Cut(name, 100) }

// maxSaid is how many entries a list in a message has.
const maxSaid = 5

// some joins the first maxSaid entries.
func some(all []string, between string) string {
	if len(all) > maxSaid {
		all = append(slices.Clone(all[:maxSaid]), "and more")
	}
	return strings.Join(all, between)
}

// read makes a row's body of its cells, one for each column. An empty cell says nothing: it leaves the field as it is.
func read(columns []column, cells []string) record.Row {
	row := record.Row{Fields: map[string]any{}}
	for i, column := range columns {
		if cells[i] == "" || column.cell == leftOut {
			continue // leaves the field as it is
		}
		if column.cell == priced {
			if set, _ := row.Fields["priceLevels"].(catalog.SetPrices); len(set) <= column.most {
				price := catalog.SetPrice{Level: column.path[0], Price: typedAmount(cells[i], currencies)}
				row.Fields["priceLevels"] = append(set, price)
			}
			continue
		}
		if column.cell == byNames {
			if paths := catalog.ParseCategoryPaths(imports.Cell(cells[i]), column.most); len(paths) > 0 {
				row.Fields[imports.CategoryIDs] = paths
			}
			continue
		}
		into := row.Fields
		for _, name := range column.path[:len(column.path)-1] {
			if into[name] == nil {
				into[name] = map[string]any{}
			}
			into = into[name].(map[string]any)
		}
		into[column.path[len(column.path)-1]] = column.value(cells[i])
	}
	return row
}

// value is what a cell says. A text that is not of the cell's kind stays text: the rules of the record then refuse it
// as wrong_type, as they would in a request.
func (f field) value(text string) any {
	text = imports.Cell(text)
	switch trimmed := strings.TrimSpace(text); {
	case f.cell == truth && (trimmed == "true" || trimmed == "false"):
		return trimmed == "true"
	case f.cell == truth:
		if is, known := truths[slug.Fold(trimmed)]; known {
			return is
		}
	case f.cell == rate:
		return typedAmount(text, percent)
	case f.cell == country:
		return typedCountry(text)
	case f.cell == number && strings.IndexAny(trimmed, "-0123456789") == 0 && json.Valid([]byte(trimmed)):
		return json.Number(trimmed)
	case f.cell == several:
		var all []any
		for _, part := range strings.SplitN(text, "|", f.most+1) {
			all = append(all, strings.TrimSpace(part))
		}
		return all
	}
	return text
}

// fault is what is wrong with a row, or ends an import.
type fault struct {
	code, location, message string
	of                      string          // the code of the field's fault, or of the file's; "": it has none
	all                     []problem.Fault // of a row, which said has in words
	row                     bool            // it ends an import, and is of the row behind those that are done
}

// ofRow is the fault as one of the row behind all rows that are done.
func (f fault) ofRow() *fault { f.row = true; return &f }

func (f *fault) Error() string { return f.code + ": " + f.message }

// faultOf is a problem as the fault of a row: at the place of the first one that it tells.
func faultOf(cause *problem.Problem) *fault {
	bad := &fault{code: cause.Code, message: cause.Detail, all: cause.Errors}
	if len(bad.all) > 0 {
		bad.location, bad.of = bad.all[0].Location, bad.all[0].Code
	}
	if len(bad.location) > problem.MaxLocation {
		bad.location = cut(bad.location)
	}
	return bad
}

// said is the fault in words, which name fields as the file with these columns does; nil: it has none.
func (f *fault) said(columns []column) string {
	if len(f.all) == 0 {
		return f.message
	}
	return some(each.Of(f.all, func(one problem.Fault) string { return sentence(one, columns) }), "; ") + "."
}

// sentence is what is wrong with one field.
func sentence(bad problem.Fault, columns []column) string {
	field := strings.TrimPrefix(strings.TrimPrefix(bad.Location, "body"), ".")
	if field == "priceLevels" && bad.Code == problem.Required && columns != nil { // a CSV has them one by one
		field = imports.DefaultPrice
	}
	name, _, _ := strings.Cut(field, "[")
	for _, c := range columns {
		if c.name == name && name != "" {
			field = c.called + strings.TrimPrefix(field, name)
			if bad.Code == problem.BadFormat || bad.Code == problem.WrongType {
				bad.Message = cmp.Or(typedRules[c.cell], bad.Message)
			}
		}
	}
	return cut(cmp.Or(field, "The row")) + " " + bad.Message
}
