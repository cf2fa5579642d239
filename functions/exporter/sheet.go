package exporter

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"time"

	"eshop/shared/catalog"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// file takes records of a type as answers show them. end comes behind the last.
type file interface {
	put(of string, doc []byte) error
	end() error
}

// newFile begins the file in the export's format. A CSV has its first row then, also where there are no records.
func (r *run) newFile(to io.Writer) (file, error) {
	if r.j.Format == imports.JSONL {
		return lines{to, r.j.Type == exports.Whole}, nil
	}
	s := sheet{writer: csv.NewWriter(to), columns: r.j.Type.Columns(r.levels, r.j.Language),
		language: r.j.Language, states: r.states, categories: r.categories}
	if s.language != "" {
		// What spreadsheets want in this part of the world.
		s.writer.Comma, s.writer.UseCRLF = ';', true
		if _, err := io.WriteString(to, mark); err != nil {
			return nil, err
		}
	}
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.In(s.language)
	}
	return s, s.writer.Write(names)
}

// lines is JSONL: a record in each line, as answers show it. Typed lines say what they are of.
type lines struct {
	to    io.Writer
	typed bool
}

func (l lines) put(of string, doc []byte) error {
	if l.typed {
		doc = record.Document(exports.Line{Type: of, Record: doc})
	}
	_, err := l.to.Write(append(doc, '\n'))
	return err
}

func (l lines) end() error { return nil }

// sheet is CSV: for programs as imports have it, for people as spreadsheets take it.
type sheet struct {
	writer   *csv.Writer
	columns  []exports.Column
	language string // "": for programs
	states   map[string]string

	categories map[string]string // see run
}

// mark is the byte order mark by which spreadsheets know UTF-8.
const mark = "\xef\xbb\xbf"

// end writes what is left.
func (s sheet) end() error {
	s.writer.Flush()
	return s.writer.Error()
}

// put writes the rows of a record. An order has a row for each of its lines, any other record has one row.
func (s sheet) put(_ string, doc []byte) error {
	fields, err := fieldsOf(doc)
	if err != nil {
		return err
	}
	rows := []any{nil}
	if list, of := fields[strings.TrimSuffix(exports.Lines, ".")].([]any); of {
		rows = list
	}
	for i, line := range rows {
		cells := make([]string, len(s.columns))
		for n, c := range s.columns {
			switch {
			case c.OfLine():
				cells[n] = s.cell(c, at(line, strings.TrimPrefix(c.Field, exports.Lines)))
			case i == 0 || !c.Once():
				cells[n] = s.cell(c, s.value(fields, c.Field))
			}
		}
		if err := s.writer.Write(cells); err != nil {
			return err
		}
	}
	return nil
}

// fieldsOf are the fields of a record as answers name them.
func fieldsOf(doc []byte) (fields map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber() // an amount keeps its digits
	err = d.Decode(&fields)
	return fields, err
}

// value is the value of a field. A price level's value is its price. Where the file is for people, the value of an
// order's state is the state's name, and that of categories their names.
func (s sheet) value(fields map[string]any, name string) any {
	if level, is := strings.CutPrefix(name, imports.PriceLevels); is {
		list, _ := fields["priceLevels"].([]any)
		for _, entry := range list {
			if price, _ := entry.(map[string]any); price["level"] == level {
				return price["price"]
			}
		}
		return nil
	}
	if name == imports.Category {
		ids, _ := fields[imports.CategoryIDs].([]any)
		names := make([]string, 0, len(ids))
		for _, id := range ids {
			if name := s.categories[id.(string)]; name != "" {
				names = append(names, name)
			}
		}
		return catalog.CategoriesCell(names)
	}
	v := at(fields, name)
	if id, _ := v.(string); name == exports.State && s.states[id] != "" {
		return s.states[id]
	}
	return v
}

// at is the value of a field of v, nested ones dotted. If v is a list, it is the list of what its entries have there.
func at(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		first, rest, nested := strings.Cut(name, ".")
		if !nested {
			return v[first]
		}
		return at(v[first], rest)
	case []any:
		var all []any
		for _, entry := range v {
			all = append(all, at(entry, name))
		}
		return all
	}
	return nil
}

// cell is a value as a cell holds it. A list is separated by |, as imports read it.
func (s sheet) cell(column exports.Column, v any) string {
	text := ""
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		words := truths[s.language]
		if v {
			return words[1]
		}
		return words[0]
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = s.cell(exports.Column{}, x)
		}
		text = strings.Join(parts, "|")
	}
	if s.language == "" {
		return text
	}
	return s.forPeople(column, text)
}

// truths are yes and no in people's languages, no first.
var truths = map[string][2]string{"": {"false", "true"}, "cs": {"ne", "ano"}, "sk": {"nie", "áno"},
	"en": {"no", "yes"}}

// forPeople is a text as a spreadsheet here understands it: a number with a decimal comma, a moment in the shop's time,
// and nothing that it would take for a formula, because shoppers choose their own names.
func (s sheet) forPeople(c exports.Column, text string) string {
	if c.Decimal() {
		return strings.Replace(text, ".", ",", 1)
	}
	if c.Field == "created" || c.Field == "changed" {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t.In(field.Zone()).Format(time.DateTime)
		}
	}
	return imports.Guarded(text)
}
