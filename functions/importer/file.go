package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"eshop/shared/api"
	"eshop/shared/upsert"
)

// maxRow is how many bytes a row has at most, as a body has. A longer one is passed over without being held in memory.
const maxRow = 1 << 20

// row is one of a file, as far as the file alone says what it is.
type row struct {
	upsert.Row
	end   int64  // where the next one begins, in bytes from the file's begin
	fault *fault // nil: it can be read
}

// rows reads a file row by row; io.EOF behind the last.
type rows interface{ next() (row, error) }

// reader counts the bytes that were read.
type reader struct {
	*bufio.Reader
	at int64
}

func newReader(r io.Reader, at int64) *reader { return &reader{bufio.NewReaderSize(r, 64<<10), at} }

// ReadByte is the next byte.
func (r *reader) ReadByte() (byte, error) {
	b, err := r.Reader.ReadByte()
	if err == nil {
		r.at++
	}
	return b, err
}

// mark passes over a byte order mark.
func (r *reader) mark() error {
	b, err := r.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(b) == "\xef\xbb\xbf" {
		n, err := r.Discard(3)
		r.at += int64(n)
		return err
	}
	return nil
}

var (
	tooLong = &fault{code: "invalid", message: "The row is longer than 1 MiB."}
	notText = &fault{code: "invalid", message: "The row is not UTF-8 text."}
	quoting = &fault{code: "invalid", message: "The row has a quote within a cell that is not quoted whole; a quote within quotes is written twice."}
	endless = &fault{code: "invalid", message: "The row has a quote that is never closed: everything behind it is one cell."}
)

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// csv reads RFC 4180: cells with commas, line ends and quotes (doubled) in quotes, lines that end in LF or CRLF.
type csv struct {
	*reader
	separator byte
	columns   []column
	cell      []byte
}

// header reads a file's first row. The fault is the file's.
func (c *csv) header(fields map[string]cell, key string) (*fault, error) {
	if err := c.mark(); err != nil {
		return nil, err
	}
	if err := c.sniff(); err != nil {
		return nil, err
	}
	cells, bad, err := c.record()
	switch {
	case errors.Is(err, io.EOF):
		return &fault{code: "invalid", message: "The file is empty: its first row must hold the names of fields."}, nil
	case err != nil || bad != nil:
		return bad, err
	}
	c.columns, bad = columns(cells, fields, key)
	return bad, nil
}

// sniff takes semicolons for commas where the first line has no comma.
func (c *csv) sniff() error {
	first, err := c.Peek(32 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first, _, _ = bytes.Cut(first, []byte("\n"))
	c.separator = ','
	if bytes.IndexByte(first, ',') < 0 && bytes.IndexByte(first, ';') >= 0 {
		c.separator = ';'
	}
	return nil
}

func (c *csv) next() (row, error) {
	cells, bad, err := c.record()
	r := row{end: c.at, fault: bad}
	switch {
	case err != nil || bad != nil:
	case len(cells) != len(c.columns):
		r.fault = &fault{code: "invalid", message: fmt.Sprintf("The row has %d cells, the first row of the file %d.", len(cells), len(c.columns))}
	default:
		r.Row = read(c.columns, cells)
	}
	return r, err
}

// Where in a record a byte stands.
const (
	begin = iota // of a cell
	plain
	quoted
	closed // behind a quote within quotes: the cell's end, or the first of two
)

// record is the next row's cells that is not blank.
func (c *csv) record() ([]string, *fault, error) {
	for {
		begun := c.at
		cells, bad, err := c.line()
		if err != nil && (!errors.Is(err, io.EOF) || c.at == begun) {
			return nil, nil, err
		}
		if bad != nil || len(cells) > 1 || len(cells) == 1 && cells[0] != "" {
			return cells, bad, nil
		}
	}
}

// line reads up to the end of a row, or of the file (io.EOF).
func (c *csv) line() (cells []string, bad *fault, err error) {
	state, begun := begin, c.at
	c.cell = c.cell[:0]
	for {
		c.bulk(state, bad == nil)
		b, end, err := c.char(state)
		if err != nil {
			if state == quoted && errors.Is(err, io.EOF) {
				bad = endless
			}
			end = true
		}
		if c.at-begun > maxRow {
			cells, bad, c.cell = nil, tooLong, c.cell[:0]
		}
		if end || state != quoted && b == c.separator {
			if state = begin; bad == nil {
				cells = append(cells, string(c.cell))
				if !isText(cells[len(cells)-1]) {
					bad = notText
				}
			}
			c.cell = c.cell[:0]
			if end {
				return cells, bad, err
			}
			continue
		}
		var keep, fits bool
		state, keep, fits = step(state, b)
		if !fits && bad == nil {
			bad = quoting
		}
		if keep && bad == nil {
			c.cell = append(c.cell, b)
		}
	}
}

// bulk takes what is buffered up to the next byte that means something, so that a cell of a gigabyte costs no more than
// reading it.
func (c *csv) bulk(state int, keep bool) {
	if state != quoted && state != plain {
		return
	}
	ahead, err := c.Peek(c.Buffered())
	if err != nil {
		return // nothing is buffered: char reads on
	}
	n := bytes.IndexByte(ahead, '"')
	if n < 0 {
		n = len(ahead)
	}
	for i := 0; state == plain && i < n; i++ {
		if b := ahead[i]; b == c.separator || b == '\n' || b == '\r' {
			n = i
		}
	}
	if keep {
		c.cell = append(c.cell, ahead[:n]...)
	}
	_, _ = c.Discard(n) // it is buffered
	c.at += int64(n)
}

// char is the next byte; end says that it ends the row: LF, CRLF, or a CR at the file's end.
func (c *csv) char(state int) (b byte, end bool, err error) {
	if b, err = c.ReadByte(); err != nil || state == quoted {
		return b, false, err
	}
	if b == '\r' {
		next, err := c.Peek(1)
		if err == nil && next[0] == '\n' || errors.Is(err, io.EOF) {
			if err == nil {
				b, _ = c.ReadByte() // it is buffered
			}
			return b, true, nil
		}
		return b, false, nil
	}
	return b, b == '\n', nil
}

// step is where a byte leads that neither ends a cell nor a row, whether it belongs to the cell, and whether it may stand
// there.
func step(state int, b byte) (next int, keep, fits bool) {
	switch {
	case state == begin && b == '"':
		return quoted, false, true
	case state == quoted && b == '"':
		return closed, false, true
	case state == closed && b == '"':
		return quoted, true, true
	case state == quoted:
		return quoted, true, true
	}
	return plain, true, b != '"' && state != closed
}

// jsonl reads one body in each line.
type jsonl struct {
	*reader
	line []byte
}

func (j *jsonl) next() (row, error) {
	for {
		long, err := j.read()
		blank := !long && len(bytes.TrimSpace(j.line)) == 0
		if err != nil && (!errors.Is(err, io.EOF) || blank) {
			return row{}, err
		}
		if blank {
			continue
		}
		r := row{end: j.at}
		if long {
			r.fault = tooLong
		} else {
			r.Fields, r.fault = body(j.line)
		}
		return r, nil
	}
}

// read reads a line, or passes over one that is too long.
func (j *jsonl) read() (long bool, err error) {
	j.line = j.line[:0]
	for {
		part, err := j.ReadSlice('\n')
		j.at += int64(len(part))
		if long = long || len(j.line)+len(part) > maxRow; !long {
			j.line = append(j.line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
	}
}

// body is a line as a POST's body.
func body(line []byte) (map[string]any, *fault) {
	v, err := api.Parse(line)
	var p *api.Problem
	if errors.As(err, &p) {
		return nil, &fault{code: p.Code, message: strings.Replace(p.Detail, "The body", "The row", 1)}
	}
	fields, is := v.(map[string]any)
	if !is {
		return nil, &fault{code: "invalid", location: "body", message: "The row must be an object."}
	}
	return fields, nil
}
