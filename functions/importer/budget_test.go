package importer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/addon"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
)

// TestTheBudgetsAreKept counts what rows of less than 1 KB cost on AWS, where nobody else works on their shop: a row's
// units are those of the POST or PATCH that it stands for, and less for what rows share; its calls are those of a block
// (a Get of the claims of 100 rows, one of their records) and of a batch (a transaction of 100 operations).
func TestTheBudgetsAreKept(t *testing.T) {
	const rows, fixed = 1024, 6 // four blocks; the calls of an import itself, a look at its access each 30 s among them
	w := newWorld(t)
	file := func(head, row string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range rows {
			fmt.Fprintf(&b, row, i)
		}
		return b.String()
	}
	customers := func(email, phone string) string {
		return file("email,firstName,lastName,phone\n", email+",Jana,Nováková,"+phone+"\n")
	}
	products := func(quantity string) string {
		return file("code,name,stock.quantity,priceLevels.default\n", "P%d,Čaj %[1]d,"+quantity+",1.00\n")
	}
	for _, b := range []struct {
		name        string
		of          imports.Type
		file        string
		calls       int     // of 1,000 rows
		read, write float64 // units of a row
	}{
		{"customers that are new", imports.Customers, customers("c%d@example.cz", "1"), 45, 1.1, 6},
		{"customers as they are", imports.Customers, customers("c%d@example.cz", "1"), 30, 2.1, 0.1},
		{"customers that change", imports.Customers, customers("c%d@example.cz", "2"), 50, 2.1, 5},
		{"customers that are none", imports.Customers, customers("c%d", "1"), 30, 1.1, 2.1},
		{"products that are new", imports.Products, products("1"), 65, 1.1, 13},
		{"products as they are", imports.Products, products("1"), 30, 2.1, 0.1},
		{"products whose stock changes", imports.Products, products("2"), 50, 2.1, 5},
	} {
		t.Run(b.name, func(t *testing.T) {
			w.P.Accesses = addon.NewResolver(w.Main, w.Clock.Now, w.P.Shops, 30*time.Second)
			id := w.begin(b.of, imports.CSV, b.file)
			w.keys()
			ctx, m := store.WithMeter(context.Background())
			require.NoError(t, w.run(ctx, imports.File(shop, id)))
			require.Equal(t, rows, w.report(id).read)
			read, write := m.Units()
			require.LessOrEqual(t, m.Calls()-fixed, b.calls*rows/1000)
			require.LessOrEqual(t, read/rows, b.read)
			require.LessOrEqual(t, write/rows, b.write)
		})
	}
}

// TestTheBudgetsOfRequestsAreKept holds what partners ask of imports to its budgets.
func TestTheBudgetsOfRequestsAreKept(t *testing.T) {
	w := newWorld(t)
	ask := fields{"type": "customers", "format": "csv", "mode": "upsert"}
	at := "/api-engine/imports/" + w.imported(imports.Customers, imports.CSV, "email\nnobody\n").id
	for _, b := range []struct {
		name, method, path string
		body               any
		waves              []int
		write              float64
	}{
		{"ask for one", "POST", "/api-engine/imports", ask, []int{1, 1}, 4},
		{"read one", "GET", at, nil, []int{2}, 1},
		{"a page", "GET", "/api-engine/imports", nil, []int{2, 1}, 1},
		{"a page of errors", "GET", at + "/errors", nil, []int{2, 1}, 1},
	} {
		t.Run(b.name, func(t *testing.T) {
			w.InWaves(b.waves, func() { require.Less(t, w.do(b.method, b.path, b.body).Status, 300) })
			_, write := w.Meter().Units()
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}
