package imports

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"time"

	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/record/job"
)

// The file of an import of which rows were wrong is kept for so long, so that these rows can be had as a file; a larger
// file than MaxKept is not.
const (
	FileLife = 24 * time.Hour
	MaxKept  = 4 << 20
)

// ended says whether no rows are brought in any more.
func (k *Job) ended() bool { return k.State == job.Done || k.State == job.Failed }

// HasWrongRows says whether the wrong rows are to be had as a file, once the import is done.
func (k *Job) HasWrongRows() bool {
	return k.State == job.Done && k.Format == CSV && k.Rows.Failed > 0 && k.Size <= MaxKept
}

// WrongRows are the wrong rows of an import as they stand in its file, below its first row, each with what is wrong
// with it in a column behind the file's own. Spreadsheets take none of their cells for a formula. say says what is
// wrong. An import passes over that column, so that the file can be mended and sent again. Columns that somebody was
// asked for are called as in the pages of the language. It is cut where it would be longer than an import takes. It is
// blob.ErrNotFound where there is no such file, or no more.
func (k *Job) WrongRows(
	ctx context.Context, t store.Table, files blob.Bucket, language string, say func(Error) string,
) ([]byte, error) {
	if !k.HasWrongRows() || k.Over() {
		return nil, blob.ErrNotFound
	}
	faults, err := k.faults(ctx, t, say)
	if err != nil {
		return nil, err
	}
	file, err := files.Open(ctx, File(k.Shop, k.ID), k.Tag, 0)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	called := func(column string) string { return k.Type.Called(column, language) }
	return wrongRows(begun(text), called, Wrong.In(language), faults), nil
}

// faults are what is wrong with rows, by their numbers.
func (k *Job) faults(ctx context.Context, t store.Table, say func(Error) string) (map[int64]string, error) {
	faults := map[int64]string{}
	for query := (store.Query{PK: Key(k.Shop, k.ID).PK, From: ErrorsFrom, To: ErrorsTo}); ; {
		found, err := t.Query(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, item := range found.Items {
			errs, err := ErrorsOf(&item)
			if err != nil {
				return nil, err
			}
			for _, e := range errs {
				faults[e.Row] = say(e)
			}
		}
		if query.After = found.Next; found.Next == "" {
			return faults, nil
		}
	}
}

// wrongRows copies the first row of a CSV and those with a fault, none with a cell that a spreadsheet would take for a
// formula. A row that cannot be read is copied byte by byte but for that: what is wrong is how it is written.
func wrongRows(file []byte, called func(column string) string, heading string, faults map[int64]string) []byte {
	comma := Separator(file)
	reader := csv.NewReader(bytes.NewReader(file))
	reader.Comma, reader.FieldsPerRecord = comma, -1
	out, columns := []byte(markUTF8), 0
	for row := int64(0); len(faults) > 0 || row == 0; row++ {
		from := reader.InputOffset()
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		fault, wrong := faults[row]
		if row == 0 {
			fault, wrong, columns = heading, true, len(cells)
			for i, column := range cells {
				cells[i] = called(column)
			}
		}
		if !wrong {
			continue
		}
		delete(faults, row)
		said := append(make([]string, max(0, columns-len(cells))), fault)
		line := written(comma, append(cells, said...))
		if err != nil {
			raw := string(bytes.Trim(file[from:reader.InputOffset()], "\r\n"))
			line = guardedRaw(raw, string(comma)) + string(comma) + written(comma, said)
		}
		if len(out)+len(line) > MaxKept {
			break
		}
		out = append(out, line...)
	}
	return out
}

// written is a row of a CSV with these cells. One that is guarded already is not guarded twice.
func written(comma rune, cells []string) string {
	for i, cell := range cells {
		cells[i] = Guarded(Cell(cell))
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	w.Comma = comma
	_ = w.Write(cells) // a buffer takes all
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n") + "\r\n"
}

// guardedRaw is a row that cannot be read, guarded behind each sign that may begin a cell.
func guardedRaw(row, comma string) string {
	cells := strings.Split(row, comma)
	for i, cell := range cells {
		text := strings.TrimLeft(cell, `"`)
		cells[i] = cell[:len(cell)-len(text)] + Guarded(text)
	}
	return strings.Join(cells, comma)
}
