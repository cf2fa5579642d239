package bench

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// imports measures whole imports of rows that make records, from the begin of the upload to the end of the last row,
// and the memory that they take.
func (b *bench) imports() error {
	for _, f := range []struct{ of, head, row string }{
		{"customers", "email,firstName,lastName,phone," +
			"billingAddress.street,billingAddress.city,billingAddress.zip,billingAddress.country\n",
			"import%d@example.com,Jana,Nováková,+420 601 123 456,Dlouhá 12,Praha,110 00,CZ\n"},
		{"products", productColumns, "I" + productRow},
	} {
		b.p.most()
		cpu, began := b.p.cpu(), time.Now()
		if err := b.imported(f.of, io.MultiReader(strings.NewReader(f.head),
			&lines{row: f.row, left: b.Importing})); err != nil {
			return err
		}
		took := time.Since(began)
		pss, anon := b.p.most()
		rows := float64(b.Importing)
		b.tells(fmt.Sprintf("import of %d %s", b.Importing, f.of), append([]Figure{
			figure(rows/took.Seconds(), "rows/s", 0),
			figure(float64((b.p.cpu()-cpu).Microseconds())/rows, "CPU µs each", 0)}, memoryOf(pss, anon)...)...)
	}
	return nil
}

// The columns of a file of products, and a row without the begin of its code.
const (
	productColumns = "code,name,shortDescription,vatRate,stock.quantity,priceLevels.default\n"
	productRow     = "-%d,Dovezený výrobek číslo %[1]d,\"Výrobek pro měření, s popisem.\",21.00,10,199.00\n"
)

// lines is a file of left rows, from number n on. They are made as they are read, so a file of a million rows needs
// neither a disk nor memory.
type lines struct {
	row     string
	n, left int
	now     []byte
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.now) < len(p) && l.left > 0 {
		l.now = fmt.Appendf(l.now, l.row, l.n)
		l.n, l.left = l.n+1, l.left-1
	}
	if len(l.now) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.now)
	l.now = l.now[n:]
	return n, nil
}

// imported uploads the file as an import and waits for its end. An import with failed rows is an error.
func (b *bench) imported(of string, file io.Reader) error {
	var made struct{ ID, UploadURL string }
	if err := decode(b.partner("POST", "/api-engine/imports",
		fmt.Appendf(nil, `{"type":%q,"format":"csv","mode":"upsert"}`, of)), &made); err != nil {
		return err
	}
	put, err := http.NewRequest("PUT", made.UploadURL, file)
	if err != nil {
		return err
	}
	uploaded, err := (&http.Client{}).Do(put) // a large file takes longer than any request
	if err != nil {
		return err
	}
	uploaded.Body.Close()
	if uploaded.StatusCode >= 300 {
		return fmt.Errorf("the upload: %d", uploaded.StatusCode)
	}
	for {
		var now struct {
			State string
			Rows  struct{ Changed, Failed int }
		}
		if err := b.get("/api-engine/imports/"+made.ID, &now); err != nil {
			return err
		}
		switch {
		case now.State == "done" && now.Rows.Failed == 0:
			return nil
		case now.State == "done" || now.State == "failed":
			return errors.New("an import failed")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
