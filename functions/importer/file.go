package importer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"eshop/shared/base/problem"
	"eshop/shared/job/imports"
	"eshop/shared/record"
)

// maxRow is how many bytes a row has at most without its line end, as a body has. A longer one ends its import.
const maxRow = 1 << 20

// maxLine is a row's length with the longest line end.
const maxLine = maxRow + len("\r\n")

// row is one of a file, as far as the file alone says what it is.
type row struct {
	record.Row
	end   int64  // where the next one begins, in bytes from the file's begin
	fault *fault // nil: it can be read
}

// rows reads a file row by row: io.EOF behind the last, a *fault of its row at one that is too long or has no end.
type rows interface {
	next() (row, error)
	Close() error
}

// Faults of a row, or of the file, that the file alone shows.
var (
	tooLong = &fault{code: "invalid", of: "file_row_too_long", message: "The row is longer than 1 MiB."}
	notText = &fault{code: "invalid", of: "file_not_text",
		message: `The row is not UTF-8 text: save the file as "CSV UTF-8".`}
	workbook = &fault{code: "invalid", of: "file_workbook",
		message: `The file is a ZIP, as a workbook of Excel is: save it as "CSV UTF-8".`}
	quoting = &fault{code: "invalid", of: "file_quoting", message: "The row has a quote within a cell that is " +
		"not quoted whole, or one that is never closed; a quote within quotes is written twice."}
	openQuote = &fault{code: "invalid", of: "file_open_quote", message: "A quote that the row opens is never closed, " +
		"or only lines later and within a cell: close it and send the file again. Neither this row nor any behind it " +
		"is in."}
)

// source is a file from a position on, buffered. It is read no further than a row may go, so that a line, or a cell in
// quotes, that never ends is not held in memory either.
type source struct {
	*bufio.Reader
	at   int64 // where the next row begins, in bytes from the file's begin
	file limited
}

// limited is a file that can be read up to a limit. It keeps the error that ended it for good, tooLong at the limit:
// who reads rows of it may see another one first.
type limited struct {
	io.ReadCloser
	at, limit int64
	last      []byte // the last bytes read, as many as a line end has and one more
	err       error
}

// newSource reads a file from a byte on, and passes over a byte order mark at its beginning.
func newSource(file io.ReadCloser, at int64) (*source, error) {
	source := &source{at: at, file: limited{ReadCloser: file, at: at}}
	source.Reader = bufio.NewReaderSize(&source.file, 64<<10)
	source.begin()
	if at > 0 {
		return source, nil
	}
	first, err := source.Peek(len(mark))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, source.Close())
	}
	if string(first) == mark {
		source.at += int64(len(mark))
		_, err = source.Discard(len(mark))
		return source, err
	}
	return source, nil
}

// mark is the byte order mark of UTF-8.
const mark = "\xef\xbb\xbf"

// Close closes the file.
func (s *source) Close() error { return s.file.Close() }

// begin lets a row be read that begins here.
func (s *source) begin() { s.file.limit = s.at + int64(maxLine) }

// tooLong says whether the row that began there, and was read just now, is longer than a row may be. The reader stops
// at the limit, or one byte before it: so the end of such a row is among the last bytes of the file that were read.
func (s *source) tooLong(begun int64) bool {
	if s.at-begun <= maxRow {
		return false
	}
	row := s.file.last[:len(s.file.last)-int(s.file.at-s.at)]
	lineEnd := len(row) - len(bytes.TrimSuffix(bytes.TrimSuffix(row, []byte("\n")), []byte("\r")))
	return s.at-begun-int64(lineEnd) > maxRow
}

// skipBlank passes over lines with nothing in them.
func (s *source) skipBlank() {
	for {
		s.begin()
		next, _ := s.Peek(len("\r\n")) // why there is no more is found by who reads the row
		blank := 0
		switch {
		case bytes.HasPrefix(next, []byte("\n")):
			blank = 1
		case string(next) == "\r\n":
			blank = 2
		default:
			return
		}
		s.at += int64(blank)
		_, _ = s.Discard(blank) // it was peeked at, so it is there
	}
}

// Read reads up to the limit, and from then on fails with tooLong. It keeps the last three bytes that it has read.
func (l *limited) Read(p []byte) (n int, err error) {
	if l.err == nil && l.at >= l.limit {
		l.err = tooLong
	}
	if l.err != nil {
		return 0, l.err
	}
	n, err = l.ReadCloser.Read(p[:min(int64(len(p)), l.limit-l.at)])
	l.at += int64(n)
	l.last = append(l.last, p[max(0, n-3):n]...)
	l.last = l.last[max(0, len(l.last)-3):]
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	return n, err
}

// csvRows reads CSV: RFC 4180, lines that end in LF or CRLF, blank ones passed over.
type csvRows struct {
	*source
	reader  *csv.Reader
	columns []column
}

// newCSV reads a file's first row, which names its columns and shows what parts its cells. A *fault is the file's.
func newCSV(s *source, fields map[string]field, of imports.Type) (*csvRows, error) {
	s.skipBlank()
	first, err := s.Peek(32 << 10) // as much of the first line as is looked at for its separator
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(first, []byte("PK\x03\x04")) {
		return nil, workbook
	}
	rows := &csvRows{}
	rows.goOn(s, imports.Separator(first))
	names, bad, err := rows.record()
	switch {
	case errors.Is(err, io.EOF):
		return nil, &fault{code: "invalid", of: "file_empty",
			message: "The file is empty: its first row must hold the names of fields."}
	case err != nil:
		return nil, err
	case bad != nil:
		return nil, bad
	case strings.Contains(strings.Join(names, ""), "\x00"): // UTF-16 has it, which may be UTF-8 else
		return nil, notText
	}
	if rows.columns, bad = columns(names, fields, of); bad != nil {
		return nil, bad
	}
	return rows, nil
}

// goOn reads rows of that source from now on.
func (c *csvRows) goOn(s *source, comma rune) {
	c.source = s
	c.reader = csv.NewReader(s.Reader)
	c.reader.Comma, c.reader.FieldsPerRecord, c.reader.ReuseRecord = comma, -1, true
}

// next reads the next row. A row of too few or too many cells is a fault of that row alone; a row over 1 MiB ends the
// file, and so does a quote that is not closed in its line, and not well behind it: rows that were taken for its cells
// would be gone without a word.
func (c *csvRows) next() (row, error) {
	cells, bad, err := c.record()
	row := row{end: c.at, fault: bad}
	ends, is := errors.AsType[*fault](err)
	switch {
	case is:
		return row, ends.ofRow()
	case err != nil || bad != nil:
	case len(cells) != len(c.columns):
		row.fault = &fault{code: "invalid", of: "file_cells",
			message: fmt.Sprintf("The row has %d cells, the first row of the file %d.", len(cells), len(c.columns))}
		if lines := strings.Count(strings.Join(cells, ""), "\n"); lines > 0 {
			row.fault.message += fmt.Sprintf(" It goes over %d lines: is a quote not closed?", lines+1)
		}
	default:
		row.Row = read(c.columns, cells)
	}
	return row, err
}

// record is the cells of the next row that is not blank, good until the one after it is read.
func (c *csvRows) record() ([]string, *fault, error) {
	c.skipBlank()
	begun, before := c.at, c.reader.InputOffset()
	cells, err := c.reader.Read()
	unread, isUnread := errors.AsType[*csv.ParseError](err)
	c.at += c.reader.InputOffset() - before
	switch {
	case c.file.err != nil:
		return nil, nil, c.file.err
	case c.tooLong(begun):
		return nil, nil, tooLong
	case isUnread && unread.Line > unread.StartLine:
		return nil, nil, openQuote
	case isUnread:
		return nil, quoting, nil
	case err != nil:
		return nil, nil, err
	}
	for _, cell := range cells {
		if !utf8.ValidString(cell) {
			return nil, notText, nil
		}
	}
	return cells, nil, nil
}

// jsonRows reads one body in each line, blank ones passed over.
type jsonRows struct {
	*source
	parse func(line []byte) (any, error) // a record.Form's
}

// next reads the next line that is not blank. A line over 1 MiB ends the file.
func (j jsonRows) next() (row, error) {
	for {
		j.begin()
		begun := j.at
		line, err := j.ReadBytes('\n')
		j.at += int64(len(line))
		switch blank := len(bytes.TrimSpace(line)) == 0; {
		case errors.Is(err, tooLong) || j.tooLong(begun):
			return row{}, tooLong.ofRow()
		case err != nil && (blank || !errors.Is(err, io.EOF)):
			return row{}, err
		case !blank:
			fields, bad, err := j.body(line)
			return row{Row: record.Row{Fields: fields}, end: j.at, fault: bad}, err
		}
	}
}

// body is a line as a POST's body.
func (j jsonRows) body(line []byte) (map[string]any, *fault, error) {
	v, err := j.parse(line)
	if p, is := problem.As(err); is {
		return nil, &fault{code: p.Code, message: strings.Replace(p.Detail, "The body", "The row", 1)}, nil
	}
	fields, is := v.(map[string]any)
	if !is && err == nil {
		return nil, &fault{code: "invalid", location: "body", of: "file_not_object",
			message: "The row must be an object."}, nil
	}
	return fields, nil, err
}
