package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// imports measures whole imports of rows that make records, from the begin of the upload to the end of the last row,
// and the memory that they take.
func (b *bench) imports() error {
	for _, kind := range []struct{ of, head, row string }{
		{"customers", "email,firstName,lastName,phone," +
			"billingAddress.street,billingAddress.city,billingAddress.zip,billingAddress.country\n",
			"import%d@example.com,Jana,Nováková,+420 601 123 456,Dlouhá 12,Praha,110 00,CZ\n"},
		{"products", "code,name,shortDescription,vatRate,stock.quantity,priceLevels.default\n",
			"I-%d,Dovezený výrobek číslo %[1]d,\"Výrobek pro měření, s popisem.\",21.00,10,199.00\n"},
	} {
		file := []byte(kind.head)
		for i := range b.importing {
			file = fmt.Appendf(file, kind.row, i)
		}
		b.p.most()
		cpu, began := b.p.cpu(), time.Now()
		if err := b.imported(kind.of, string(file)); err != nil {
			return err
		}
		took := time.Since(began)
		pss, anon := b.p.most()
		rows := float64(b.importing)
		b.tells(fmt.Sprintf("import of %d %s", b.importing, kind.of), append([]Figure{
			figure(rows/took.Seconds(), "rows/s", 0),
			figure(float64((b.p.cpu()-cpu).Microseconds())/rows, "CPU µs each", 0)}, memoryOf(pss, anon)...)...)
	}
	return nil
}

// imported uploads the file as an import and waits for its end. An import with failed rows is an error.
func (b *bench) imported(of, file string) error {
	var made struct{ ID, UploadURL string }
	if err := b.make("/api-engine/imports",
		map[string]any{"type": of, "format": "csv", "mode": "upsert"}, &made); err != nil {
		return err
	}
	put, err := http.NewRequest("PUT", made.UploadURL, strings.NewReader(file))
	if err != nil {
		return err
	}
	if err := send(put); err != nil {
		return err
	}
	for ; ; time.Sleep(20 * time.Millisecond) {
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
	}
}
