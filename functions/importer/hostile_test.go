package importer_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/job/imports"
)

const notText = `The row is not UTF-8 text: save the file as "CSV UTF-8".`

func TestFilesThatCannotBeUsedFailBeforeAnyRow(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ name, file, location, message string }{
		{"an unknown column", "email,nic\na@example.cz,1\n", "nic",
			`Unknown columns: "nic". Name each as at /docs/import-a-file#columns, or "-" to leave it out.`},
		{"a column twice", "email,note,note\na@example.cz,1,2\n", "note",
			`The columns "note" and "note" are one field: name one of them "-" to leave it out.`},
		{"no key", "firstName\nJana\n", "email", `There is no column "email", which is the key of the rows.`},
		{"a column of answers", "email,shopId\na@example.cz,1\n", "shopId",
			`Unknown columns: "shopId". Name each as at /docs/import-a-file#columns, or "-" to leave it out.`},
		{"an object as a column", "email,billingAddress\n", "billingAddress",
			`Unknown columns: "billingAddress". Name each as at /docs/import-a-file#columns, or "-" to leave it out.`},
		{"an empty file", "", "", "The file is empty: its first row must hold the names of fields."},
		{"a BOM alone", "\ufeff", "", "The file is empty: its first row must hold the names of fields."},
		{"UTF-16", "\xff\xfee\x00m\x00", "", notText},
		{"UTF-16 without a BOM", "e\x00m\x00a\x00i\x00l\x00\n\x00", "", notText},
		{"windows-1250", "email,P\xf8\xedjmen\xed\na@example.cz,x\n", "", notText},
		{"a workbook", "PK\x03\x04\x14\x00\n", "",
			`The file is a ZIP, as a workbook of Excel is: save it as "CSV UTF-8".`},
		{"a column with a name of megabytes", "email," + strings.Repeat("x", 1_000_000), strings.Repeat("x", 100) + "…",
			`Unknown columns: "` + strings.Repeat("x", 100) +
				`…". Name each as at /docs/import-a-file#columns, or "-" to leave it out.`},
		{"a header of megabytes", strings.Repeat("email,", 400_000), "", "The row is longer than 1 MiB."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.T = t
			r := w.imported(imports.Customers, imports.CSV, c.file)
			require.Equal(t, "failed: 0 read, 0 changed, 0 unchanged, 0 failed", r.counts())
			require.Equal(t, []rowError{{0, "invalid", c.location, c.message}}, r.errors)
		})
	}
	r := w.imported(imports.Products, imports.CSV, "code,variants\nP,1\n")
	require.Equal(t, "variants", r.errors[0].Location, "variants, units and images by JSONL only")
	r = w.imported(imports.Products, imports.CSV, "code,priceLevels.vip,priceLevels. vip\nP,1.00,2.00\n")
	require.Equal(t, "failed: 0 read, 0 changed, 0 unchanged, 0 failed", r.counts())
	require.Equal(t, "priceLevels.vip", r.errors[0].Location)
}

func TestRowsThatAreHostile(t *testing.T) {
	w := newWorld(t)
	head := "\ufeffemail,firstName,lastName,note\r\n"
	const quoting = "invalid@: The row has a quote within a cell that is not quoted whole, or one that is never " +
		"closed; a quote within quotes is written twice."
	for _, c := range []struct{ name, rows, want string }{
		{"quotes, commas and line ends in cells",
			"a1@example.cz,\"Jana \"\"J\"\"\",\"Nová, ková\",\"two\r\nlines\"\r\n", "1 changed"},
		{"no line end at the end", "a2@example.cz,Jana,Nováková,", "1 changed"},
		{"blank lines", "\r\n\r\na3@example.cz,Jana,Nováková,\r\n\n", "1 changed"},
		{"formulas", "a4@example.cz,=HYPERLINK(1),@SUM(A1),\"-2+3\"\n", "1 changed"},
		{"too few cells", "a5@example.cz,Jana\n", "invalid@: The row has 2 cells, the first row of the file 4."},
		{"too many cells", "a6@example.cz,Jana,Nováková,,\n",
			"invalid@: The row has 5 cells, the first row of the file 4."},
		{"NUL", "a7@example.cz,Ja\x00na,Nováková,\n",
			"invalid@body.firstName: firstName must be without control characters but tab and line ends."},
		{"bytes that are no UTF-8", "a8@example.cz,Ja\xffna,Nováková,\n", "invalid@: " + notText},
		{"a quote within a cell", "a9@example.cz,Ja\"na,Nováková,\n", quoting},
		{"something behind a quoted cell", "a10@example.cz,\"Jana\"x,Nováková,\n", quoting},
		{"a quote that is never closed in the last line", "a11@example.cz,\"Jana,Nováková,\n", quoting},
		{"too few cells over lines", "a13@example.cz,\"Jana\nb@example.cz,1,2,3\"\n",
			"invalid@: The row has 2 cells, the first row of the file 4. It goes over 2 lines: is a quote not closed?"},
		{"control characters", "a12@example.cz,Ja\x07na,Nováková,\n",
			"invalid@body.firstName: firstName must be without control characters but tab and line ends."},
		{"no key", ",Jana,Nováková,\n", "invalid@body.email: email is required."},
		{"a key that is none", "nobody,Jana,Nováková,\n",
			"invalid@body.email: email must be an e-mail address: ASCII before the @, " +
				"and the name of a host behind it."},
		{"a key of a kilobyte", strings.Repeat("a", 1000) + "@example.cz,Jana,Nováková,\n",
			"invalid@body.email: email is longer than 254 characters."},
		{"a key with NUL", "a\x00@example.cz,Jana,Nováková,\n",
			"invalid@body.email: email must be an e-mail address: ASCII before the @, " +
				"and the name of a host behind it."},
		{"a key with controls", "a\x01@example.cz,Jana,Nováková,\n",
			"invalid@body.email: email must be an e-mail address: ASCII before the @, " +
				"and the name of a host behind it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.T = t
			r := w.imported(imports.Customers, imports.CSV, head+c.rows)
			got := fmt.Sprintf("%d changed", r.changed)
			for _, e := range r.errors {
				require.Equal(t, 1, e.Row)
				got = e.Code + "@" + e.Location + ": " + e.Message
			}
			require.Equal(t, c.want, got)
			require.Equal(t, 1, r.read)
			require.Equal(t, "done", r.state)
		})
	}
	require.Equal(t, "two\nlines", w.customer("a1@example.cz")["note"])
	require.Equal(t, `Jana "J"`, w.customer("a1@example.cz")["firstName"])
	require.Equal(t, "=HYPERLINK(1)", w.customer("a4@example.cz")["firstName"])
}

func TestARowOfMoreThanAMegabyteEndsItsImportThere(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	customer := func(n int) string {
		return fmt.Sprintf(`{"email":"c%d@example.cz","firstName":"Jana","lastName":"Nováková"}`+"\n", n)
	}
	for format, file := range map[imports.Format]string{
		imports.CSV: "email,firstName,lastName,note\n" + strings.Repeat("c1@example.cz,Jana,Nováková,1\n", 299) +
			"c1@example.cz,Jana\nc2@example.cz,Jana,Nováková,\"" + long + "\"\nc3@example.cz,Jana,Nováková,\n",
		imports.JSONL: strings.Repeat(customer(1), 299) + "[]\n" +
			`{"email":"c2@example.cz","note":"` + long + "\"}\n" + customer(3),
	} {
		t.Run(string(format), func(t *testing.T) {
			w := newWorld(t)
			r := w.imported(imports.Customers, format, file)
			require.Equal(t, "failed: 301 read, 1 changed, 298 unchanged, 2 failed", r.counts())
			require.Len(t, r.errors, 2)
			require.Equal(t, 300, r.errors[0].Row)
			require.Equal(t, rowError{301, "invalid", "", "The row is longer than 1 MiB."}, r.errors[1])
			require.Less(t, r.progress, 1.0)
			require.Len(t, w.get("/api-engine/customers").Items(), 1, "the rows before it stay done, none behind it is")
			_, err := w.files.Stat(t.Context(), imports.File(shop, r.id))
			require.Error(t, err, "the file is taken away")
		})
	}
}

// TestAnOpenQuoteSwallowsNoRows: which rows would be taken for a part of its cell, and which not, nobody can know.
func TestAnOpenQuoteSwallowsNoRows(t *testing.T) {
	const head, fine, behind = "email,firstName,lastName\n", "a%d@example.cz,Jana,Nováková\n", "b%d@example.cz,J,N\n"
	for name, open := range map[string]string{"for good": "x@example.cz,\"Jana,N\n",
		"to a quote of another row":                    "x@example.cz,\"Jana,N\ny@example.cz,\"Jana\",N\n",
		"behind a cell of two lines that closes right": "x@example.cz,\"Ja\nna\",\"N\n"} {
		file, n := strings.Builder{}, 0
		file.WriteString(head)
		for ; n < 300; n++ { // more than are read at once
			fmt.Fprintf(&file, fine, n)
		}
		file.WriteString(open)
		for range 300 {
			fmt.Fprintf(&file, behind, n)
		}
		w := newWorld(t)
		r := w.imported(imports.Customers, imports.CSV, file.String())
		require.Equal(t, "failed: 301 read, 300 changed, 0 unchanged, 1 failed", r.counts(), name)
		require.Len(t, r.errors, 1)
		require.Equal(t, 301, r.errors[0].Row)
		require.Contains(t, r.errors[0].Message, "A quote that the row opens is never closed")
	}
}

func TestACellOfManyEntriesIsRefusedForTheirNumber(t *testing.T) {
	w := newWorld(t)
	const head = "code,name,priceLevels.default"
	var levels, cells strings.Builder
	for i := range 60 {
		fmt.Fprintf(&levels, ",priceLevels.level%d", i)
		cells.WriteString(",1.00")
	}
	for file, location := range map[string]string{
		head + ",categoryIds\nP,Čaj,1.00," + strings.Repeat("|", 1_000_000) + "\n": "body.categoryIds",
		head + levels.String() + "\nP,Čaj,1.00" + cells.String() + "\n":            "body.priceLevels",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := w.imported(imports.Products, imports.CSV, file)
		runtime.ReadMemStats(&after)
		require.Equal(t, "done: 1 read, 0 changed, 0 unchanged, 1 failed", r.counts())
		require.Equal(t, location, r.errors[0].Location)
		require.Contains(t, r.errors[0].Message, "are allowed")
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "it is not taken apart")
	}
}

func TestLinesOfJSONThatAreHostile(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	r := w.imported(imports.Customers, imports.JSONL, "\ufeff"+strings.Join([]string{
		`{"email":"a@example.cz","firstName":"Jana","lastName":"Nováková"}` + "\r",
		``,
		`[1]`,
		`{"email":"b@example.cz"`,
		`{"email":"b@example.cz","email":"c@example.cz"}`,
		"{\"email\":\"\xff\"}",
		`{"email":"b@example.cz","firstName":"\ud800","lastName":"x"}`,
		deep,
		`{"email":7}`,
		`null`,
		`{"email":"b@example.cz","firstName":"Jana","lastName":"x","nic":1}`,
	}, "\n"))
	require.Equal(t, "done: 10 read, 1 changed, 0 unchanged, 9 failed", r.counts(), "the blank line is no row")
	var codes []string
	for _, e := range r.errors {
		codes = append(codes, fmt.Sprint(e.Row, " ", e.Code, " ", e.Location))
	}
	require.Equal(t, []string{"2 invalid body", "3 malformed_json ", "4 malformed_json ", "5 malformed_json ",
		"6 malformed_json ",
		"7 malformed_json ", "8 invalid body.email", "9 invalid body", "10 invalid body.nic"}, codes)
	require.Equal(t, "done: 0 read, 0 changed, 0 unchanged, 0 failed",
		w.imported(imports.Customers, imports.JSONL, "").counts())
	require.Equal(t, "done: 0 read, 0 changed, 0 unchanged, 0 failed",
		w.imported(imports.Customers, imports.CSV, "email,note\n").counts())
}

func TestSemicolonsSeparateWhereTheFirstRowHasNoComma(t *testing.T) {
	w := newWorld(t)
	r := w.imported(imports.Customers, imports.CSV, "email;firstName;lastName\na@example.cz;Jana, Anna;Nováková\n")
	require.Equal(t, "done: 1 read, 1 changed, 0 unchanged, 0 failed", r.counts(), r.errors)
	require.Equal(t, "Jana, Anna", w.customer("a@example.cz")["firstName"])
}

func TestCodesThatAreInAFileTwice(t *testing.T) {
	w := newWorld(t)
	price := `,"name":"N","priceLevels":[{"level":"default","price":"1.00"}]`
	r := w.imported(imports.Products, imports.JSONL, strings.Join([]string{
		`{"code":"A"` + price + `,"variants":[{"code":"X"}]}`,
		`{"code":"B"` + price + `,"variants":[{"code":"X"}]}`,
		`{"code":"X"` + price + `}`,
		`{"code":"A","manufacturer":"later"}`,
		`{"code":"C"` + price + `,"variants":[{"code":"A"}]}`,
		`{"code":" A ","ean":"1"}`,
	}, "\n"))
	require.Equal(t, "done: 6 read, 3 changed, 0 unchanged, 3 failed", r.counts(), r.errors)
	for i, row := range []int{2, 3, 5} {
		require.Equal(t, []any{row, "code_taken"}, []any{r.errors[i].Row, r.errors[i].Code})
	}
	require.Equal(t, "later", w.product("A")["manufacturer"])
	require.Equal(t, "1", w.product("A")["ean"])
	require.Equal(t, 200, w.do("GET", "/api-engine/products?code=B", nil).Status)
	require.Empty(t, w.get("/api-engine/products?code=B").Items())
}
