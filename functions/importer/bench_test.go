package importer_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/job/imports"
)

// BenchmarkImport is whole imports of rows that make records, on disk, without what hears of them.
func BenchmarkImport(b *testing.B) {
	for _, c := range []struct {
		of   imports.Type
		head string
		row  func(i int) string
	}{
		{imports.Customers, "email,firstName,lastName,phone,billingAddress.street," +
			"billingAddress.city,billingAddress.zip,billingAddress.country\n",
			func(i int) string {
				return fmt.Sprintf("jana%d@example.cz,Jana,Nováková,+420 601 123 456,Dlouhá 12,Brno,602 00,CZ\n", i)
			}},
		{imports.Products, "code,name,shortDescription,vatRate,stock.quantity,priceLevels.default\n",
			func(i int) string {
				return fmt.Sprintf("B-%d,Zkušební výrobek číslo %d,Výrobek pro měření.,21.00,10,199.00\n", i, i)
			}},
	} {
		b.Run(string(c.of), func(b *testing.B) {
			w := newWorld(b)
			w.P.Traits = host.OneProcess
			id, to := w.asked(c.of, imports.CSV)
			var file strings.Builder
			file.WriteString(c.head)
			for i := range b.N {
				file.WriteString(c.row(i))
			}
			require.NoError(b, w.upload(to, io.Reader(strings.NewReader(file.String()))))
			b.ResetTimer()
			require.NoError(b, w.run(context.Background(), imports.File(shop, id)))
			b.StopTimer()
			r := w.report(id)
			require.Equal(b, b.N, r.changed, r.counts())
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
