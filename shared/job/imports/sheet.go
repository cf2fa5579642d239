package imports

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Separator is what parts the cells of a CSV that begins so: of comma, semicolon and tab the one that its first line
// has most of, outside quotes. Spreadsheets write semicolons in the Czech and Slovak locales.
func Separator(begin []byte) rune {
	count, quoted := map[rune]int{}, false
	for _, b := range begun(begin) {
		if b == '"' {
			quoted = !quoted
		}
		if b == '\n' && !quoted {
			break
		}
		if !quoted {
			count[rune(b)]++
		}
	}
	most := ','
	for _, r := range ";\t" {
		if count[r] > count[most] {
			most = r
		}
	}
	return most
}

// marks are the byte order marks of UTF-8 and of both kinds of UTF-16.
const (
	markUTF8    = "\xef\xbb\xbf"
	markUTF16LE = "\xff\xfe"
	markUTF16BE = "\xfe\xff"
)

// UTF8 is a CSV as UTF-8, whether it is that already, UTF-16 with its mark, or what spreadsheets here call plain CSV:
// windows-1250. A file that is UTF-8 but for a few bytes stays as it is: its bad rows are refused one by one.
func UTF8(file []byte) []byte {
	switch {
	case bytes.HasPrefix(file, []byte(markUTF16LE)):
		return fromUTF16(file[len(markUTF16LE):], binary.LittleEndian)
	case bytes.HasPrefix(file, []byte(markUTF16BE)):
		return fromUTF16(file[len(markUTF16BE):], binary.BigEndian)
	case bytes.HasPrefix(file, []byte(markUTF8)), !isWindows(file):
		return file
	}
	text, err := charmap.Windows1250.NewDecoder().Bytes(file)
	if err != nil {
		return file // the rows say what is wrong with them
	}
	return text
}

// isWindows says whether a file is rather windows-1250 than UTF-8: more of its letters with accents are none in UTF-8
// than are.
func isWindows(file []byte) bool {
	bad, good := 0, 0
	for len(file) > 0 {
		r, size := utf8.DecodeRune(file)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		file = file[size:]
	}
	return bad > good
}

// fromUTF16 is UTF-16 as UTF-8. Half a unit at the end is lost.
func fromUTF16(file []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(file)/2)
	for i := range units {
		units[i] = order.Uint16(file[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// SampleRows is how many rows of a file its head has at most.
const SampleRows = 3

// Head is the beginning of a CSV: the names of its columns, and a few rows.
type Head struct {
	Names []string
	Rows  [][]string
}

// HeadOf is the head of a CSV that begins so; false if its first row cannot be read. Rows that are not whole, or have
// other cells than the first one, are left out.
func HeadOf(begin []byte) (head Head, ok bool) {
	reader := sheetReader(begun(begin), Separator(begin))
	names, err := reader.Read()
	if text := strings.Join(names, ""); err != nil || !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return head, false
	}
	for _, name := range names {
		head.Names = append(head.Names, strings.TrimSpace(name))
	}
	for len(head.Rows) < SampleRows {
		row, err := reader.Read()
		if err != nil {
			break
		}
		head.Rows = append(head.Rows, row)
	}
	return head, true
}

// Guess is the field of each column by its name, "" where that is not known, or made by the platform; sure says that
// all are known, that none is there twice, and that the key is among them.
func (t Type) Guess(names []string) (fields []string, sure bool) {
	sure = true
	set := map[string]bool{}
	for _, name := range names {
		field := t.Field(name)
		if field == "" && !IsMade(name) || field != "" && set[Sets(field)] {
			field, sure = "", false
		}
		fields = append(fields, field)
		set[Sets(field)] = true
	}
	return fields, sure && slices.Contains(fields, t.Key())
}

// NoFormula stands before a cell that a spreadsheet would take for a formula (Formula).
const NoFormula = "'"

// Formula says whether a spreadsheet would take a cell for a formula: shoppers choose their own names, and a formula
// can send what is in a sheet away. A number is none, nor is a phone number.
func Formula(cell string) bool {
	cell = strings.TrimLeft(cell, NoFormula) // one that looks guarded is guarded once more, and comes back whole
	return cell != "" && strings.ContainsRune("=@+-\t\r", rune(cell[0])) &&
		strings.Trim(cell, "+-.,/() 0123456789") != ""
}

// Guarded is a cell that no spreadsheet takes for a formula.
func Guarded(cell string) string {
	if Formula(cell) {
		return NoFormula + cell
	}
	return cell
}

// Cell is a cell without what an export has put before it.
func Cell(cell string) string {
	if rest, is := strings.CutPrefix(cell, NoFormula); is && Formula(rest) {
		return rest
	}
	return cell
}

// Has says whether a column of the type's CSV can hold the field of that name.
func (t Type) Has(field string) bool { return field != "" && t.Field(field) == field }

// Renamed is a CSV whose columns have the names of these fields; one with none is left out.
func Renamed(file []byte, fields []string) []byte {
	begin, comma := begun(file), Separator(file)
	reader := sheetReader(begin, comma)
	_, _ = reader.Read() // who renames columns has read their names
	var head bytes.Buffer
	w := csv.NewWriter(&head)
	w.Comma = comma
	names := slices.Clone(fields)
	for i, name := range names {
		names[i] = cmp.Or(name, LeftOut)
	}
	_ = w.Write(names) // a buffer takes all
	w.Flush()
	return append(head.Bytes(), begin[reader.InputOffset():]...)
}

// begun is a file without its mark, and without blank lines before its first row.
func begun(file []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(file, []byte(markUTF8)), "\r\n")
}

// sheetReader reads the rows of a CSV from its begin on.
func sheetReader(begin []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(begin))
	r.Comma, r.FieldsPerRecord = comma, 0
	return r
}
