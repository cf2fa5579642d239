package exporter_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/exporter"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
)

// table is a CSV, its first row apart.
func table(t *testing.T, file string, comma rune) (rows []map[string]string) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\xef\xbb\xbf")))
	r.Comma = comma
	all, err := r.ReadAll()
	require.NoError(t, err, file)
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestWhatIsExportedIsImportedUnchanged(t *testing.T) {
	w := newWorld(t)
	w.goods()
	for _, kind := range []string{"customers", "products"} {
		for _, format := range []string{"csv", "jsonl"} {
			file := w.export(kind, format)
			require.JSONEq(t, `["done",{"read":2,"changed":0,"unchanged":2,"failed":0}]`,
				w.imported(kind, format, file), file)
		}
	}
}

// TestAWholeShopIsExportedForTheOperator: each record is what an export of its type has, and nobody else sees the file.
func TestAWholeShopIsExportedForTheOperator(t *testing.T) {
	w := newWorld(t)
	w.goods()
	w.do("POST", "/api-engine/categories", object{"name": "Čaje"}).Is(201)
	who := w.do("GET", "/api-engine/customers", nil).Each("id")[0]
	w.do("PUT", "/api-engine/customers/"+who+"/data", object{"crmId": 7}).Is(200)
	all := "/operator/shops/" + shop + "/exports"
	begun := w.As(hosttest.OperatorToken, "POST", all, nil).Is(201)
	require.Equal(t, all+"/"+begun.ID(), begun.Header.Get("Location"))
	w.work()
	done := w.As(hosttest.OperatorToken, "GET", all+"/"+begun.ID(), nil).Is(200)
	require.Equal(t, "done", done.Get("state"))
	w.do("GET", path+"/"+begun.ID(), nil).Is(404)
	require.Empty(t, w.do("GET", path, nil).Is(200).Items())
	file := w.fetch(done.Get("downloadUrl"))
	byType := map[string]string{}
	var order []string
	for line := range strings.Lines(file) {
		var l exports.Line
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		if _, has := byType[l.Type]; !has {
			order = append(order, l.Type)
		}
		byType[l.Type] += string(l.Record) + "\n"
	}
	require.Equal(t, []string{"shop", "accesses", "states", "categories", "products", "urls", "customers", "orders",
		"data"}, order)
	require.Regexp(t, `^{"packageId":"`+pkg+`","type":"customers","id":"`+who+`","changed":"[^"]+","data":{"crmId":7}}\n$`,
		byType["data"])
	for _, kind := range []string{"customers", "products", "orders"} {
		require.Equal(t, w.export(kind, "jsonl"), byType[kind])
	}
	require.Contains(t, byType["shop"], `"domain":"`+strings.ToLower(shop))
	w.As(hosttest.OperatorToken, "GET", all+"/"+w.asked("orders", "csv"), nil).Is(404)
	w.As(hosttest.OperatorToken, "POST", "/operator/shops/"+pkg+"/exports", nil).Is(404)
}

func TestALineOfJSONIsWhatTheAPIAnswers(t *testing.T) {
	w := newWorld(t)
	w.goods()
	for _, kind := range []string{"customers", "products", "orders"} {
		file := w.export(kind, "jsonl")
		var lines []any
		for _, line := range bytes.Split(bytes.TrimSpace([]byte(file)), []byte("\n")) {
			var record any
			require.NoError(t, json.Unmarshal(line, &record))
			lines = append(lines, record)
		}
		require.Equal(t, w.do("GET", "/api-engine/"+kind, nil).Is(200).Body["items"], lines)
	}
}

func TestACSVHasAColumnForEachField(t *testing.T) {
	w := newWorld(t)
	w.goods()
	customers := table(t, w.export("customers", "csv"), ',')
	require.Equal(t, "jana@example.com", customers[0]["email"])
	require.Equal(t, "Brno", customers[0]["billingAddress.city"])
	require.Equal(t, "calls \"before\" noon,\nnever later; ok", customers[0]["note"])
	require.Equal(t, "=1+1", customers[1]["firstName"], "programs read it as it is")
	products := table(t, w.export("products", "csv"), ',') // the tea was sold, and so changed last
	require.Equal(t, []string{"1290.50", "1000.00", "2", "true"}, []string{products[1]["priceLevels.default"],
		products[1]["priceLevels.v.i.p"], products[1]["stock.quantity"], products[1]["active"]})
	orders := table(t, w.export("orders", "csv"), ',')
	require.Len(t, orders, 2, "a row for each line")
	require.Equal(t, []string{"1", "2"}, []string{orders[0]["items.quantity"], orders[1]["items.quantity"]})
	require.Equal(t, orders[0]["number"], orders[1]["number"])
	require.Equal(t, []string{"3871.50", ""}, []string{orders[0]["totals.total"], orders[1]["totals.total"]},
		"once, so that a column can be added up")
}

// forPeople is the file of an export for a person's spreadsheet.
func (w *world) forPeople(kind exports.Type) string {
	w.T.Helper()
	u := w.P.Unit()
	u.Shop = shop
	caller, err := installed(w.T.Context(), shop)
	require.NoError(w.T, err)
	j, err := w.P.Exports().Begin(w.T.Context(), u, caller, exports.Wish{Language: "cs",
		Fields: exports.Fields{Type: kind, Format: imports.CSV}})
	require.NoError(w.T, err)
	w.work()
	return w.fetch(w.do("GET", path+"/"+j.ID, nil).Is(200).Get("downloadUrl"))
}

func TestASpreadsheetTakesThePeoplesFile(t *testing.T) {
	w := newWorld(t)
	w.goods()
	file := w.forPeople(exports.Products)
	require.True(t, strings.HasPrefix(file, "\xef\xbb\xbfID;Kód;Název;Cena;"), file)
	tea := table(t, file, ';')[1]
	require.Equal(t, []string{"1290,50", "ano"}, []string{tea["Cena"], tea["Aktivní"]})
	require.JSONEq(t, `["done",{"read":2,"changed":0,"unchanged":2,"failed":0}]`, w.imported("products", "csv", file))
	file = w.forPeople(exports.Customers)
	petr := table(t, file, ';')[1]
	require.Equal(t, []string{"'=1+1", "'-Petr"}, []string{petr["Jméno"], petr["Příjmení"]}, "no formula")
	require.Equal(t, "+420 601 123 456", table(t, file, ';')[0]["Telefon"])
	require.JSONEq(t, `["done",{"read":2,"changed":0,"unchanged":2,"failed":0}]`, w.imported("customers", "csv", file))
	order := table(t, w.forPeople(exports.Orders), ';')[0]
	require.Equal(t, []string{"Nová", "3871,50"}, []string{order["Stav"], order["Celkem"]})
}

// TestCategoriesComeBackByTheirNames: people's files name them, programs' have their ids. A product may be in two
// categories of one name.
func TestCategoriesComeBackByTheirNames(t *testing.T) {
	w := newWorld(t)
	category := func(name string, in ...string) string {
		body := object{"name": name}
		if len(in) > 0 {
			body["parentId"] = in[0]
		}
		return w.do("POST", "/api-engine/categories", body).Is(201).ID()
	}
	home := category("Domov")
	mugs, other, odd := category("Hrnky", home), category("Hrnky", home), category("=1|2 > 3")
	for code, in := range map[string][]string{"A": {odd, mugs}, "B": {mugs, other}, "C": {other}, "D": {}} {
		w.do("POST", "/api-engine/products", object{"code": code, "name": code, "categoryIds": in,
			"priceLevels": []object{{"level": "default", "price": "1.00"}}}).Is(201)
	}
	file := w.forPeople(exports.Products)
	cells := map[string]string{}
	for _, row := range table(t, file, ';') {
		cells[row["Kód"]] = row["Kategorie"]
		require.NotContains(t, row, "ID kategorií")
	}
	require.Equal(t, map[string]string{"A": `'=1\|2 \> 3|Domov > Hrnky`, "B": "Domov > Hrnky|Domov > Hrnky",
		"C": "Domov > Hrnky", "D": ""}, cells)
	for _, f := range []string{file, w.export("products", "csv")} {
		require.JSONEq(t, `["done",{"read":4,"changed":0,"unchanged":4,"failed":0}]`, w.imported("products", "csv", f), f)
	}
	for _, row := range table(t, w.export("products", "csv"), ',') {
		if row["code"] == "B" {
			require.Equal(t, mugs+"|"+other, row["categoryIds"])
		}
	}
}

func TestAnExportOfNothingHasItsFirstRow(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, table(t, w.export("customers", "csv"), ','))
	require.Empty(t, w.export("customers", "jsonl"))
}

func TestManyRecordsAreEachThereOnce(t *testing.T) {
	w := newWorld(t)
	for n := range 601 {
		w.do("POST", "/api-engine/customers", object{"email": fmt.Sprintf("c%d@example.com", n), "firstName": "C",
			"lastName": "D"}).Is(201)
	}
	id := w.asked("customers", "csv")
	w.work()
	done := w.do("GET", path+"/"+id, nil).Is(200)
	require.Equal(t, []any{"done", 601.0, 1.0}, []any{done.Body["state"], done.Body["rows"], done.Body["progress"]})
	seen := map[string]bool{}
	for _, row := range table(t, w.fetch(done.Get("downloadUrl")), ',') {
		require.False(t, seen[row["email"]])
		seen[row["email"]] = true
	}
	require.Len(t, seen, 601)
	require.Equal(t, id, w.do("GET", path, nil).Is(200).Body["items"].([]any)[0].(object)["id"])
}

func TestWhoMayNotReadGetsNoFile(t *testing.T) {
	w := newWorld(t)
	w.goods()
	reader := shop + " products:read"
	w.As(reader, "POST", path, object{"type": "customers", "format": "csv"}).Is(403, "insufficient_permission")
	w.As(shop+" customers:write", "POST", path, object{"type": "customers", "format": "csv"}).Is(403)
	id := w.asked("customers", "csv")
	w.As(reader, "GET", path+"/"+id, nil).Is(403, "insufficient_permission")
	require.Empty(t, w.As(reader, "GET", path, nil).Is(200).Body["items"])
	w.As("01KYFXV0000000000000000TER", "GET", path+"/"+id, nil).Is(404)
	w.work()
	address := w.do("GET", path+"/"+id, nil).Is(200).Get("downloadUrl")
	w.follow(strings.Replace(address, "key=", "key=x", 1)).Is(404)
	w.follow(strings.Replace(address, "shop=", "shop=x", 1)).Is(404)
	w.follow(strings.Replace(address, "shop=", "shop="+strings.Repeat("A", 5_000), 1)).Is(404)
	w.follow(strings.Replace(address, id, w.asked("customers", "csv"), 1)).Is(404)
	w.installs(addon.Active, []permission.Permission{permission.ReadProducts})
	w.follow(address).Is(403, "insufficient_permission")
	w.work() // the one that waited
	list := w.do("GET", path, nil).Is(200).Body["items"].([]any)
	failed := list[len(list)-1].(object)
	require.Equal(t, "failed", failed["state"])
	require.Equal(t, "insufficient_permission", failed["error"].(object)["code"])
}

// TestAFileIsOverAfterADay: its end is a change of its export, whose address is gone.
func TestAFileIsOverAfterADay(t *testing.T) {
	for _, c := range []struct {
		whose, token, path string
		wish               any
	}{
		{"an access's", shop, path, object{"type": "customers", "format": "csv"}},
		{"the operator's", hosttest.OperatorToken, "/operator/shops/" + shop + "/exports", nil},
	} {
		t.Run(c.whose, func(t *testing.T) {
			w := newWorld(t)
			w.goods()
			at := c.path + "/" + w.As(c.token, "POST", c.path, c.wish).Is(201).ID()
			w.work()
			done := w.As(c.token, "GET", at, nil).Is(200)
			address := done.Get("downloadUrl")
			w.Clock.Pass(23 * time.Hour)
			w.sweep()
			w.fetch(address)
			w.As(c.token, "GET", at, nil, "If-None-Match", done.ETag()).Is(304)
			w.Clock.Pass(2 * time.Hour)
			w.follow(address).Is(404)
			over := w.As(c.token, "GET", at, nil, "If-None-Match", done.ETag()).Is(200)
			require.NotContains(t, over.Body, "downloadUrl")
			was, err := time.Parse(time.RFC3339, done.Get("changed"))
			require.NoError(t, err)
			is, err := time.Parse(time.RFC3339, over.Get("changed"))
			require.NoError(t, err)
			require.WithinDuration(t, was.Add(24*time.Hour), is, time.Minute, "when the address ended")
			w.sweep()
			require.Equal(t, over.Text, w.As(c.token, "GET", at, nil).Is(200).Text)
			w.As(c.token, "GET", at, nil, "If-None-Match", over.ETag()).Is(304)
			if c.token == shop {
				since := c.path + "?changed[after]=" + over.Get("changed")
				require.Equal(t, []string{over.ID()}, w.As(c.token, "GET", since, nil).Is(200).Each("id"))
			}
			left, err := w.files.Keys("")
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestAnExportThatWasLeftIsMadeBySomebodyElse(t *testing.T) {
	w := newWorld(t)
	w.goods()
	id := w.asked("customers", "csv")
	w.put = nil // nobody heard of it
	w.sweep()
	require.Empty(t, w.put, "not yet")
	w.Clock.Pass(8 * time.Minute)
	w.sweep()
	require.Equal(t, []string{exports.AskKey(shop, id)}, w.put)
	w.work()
	require.Equal(t, "done", w.do("GET", path+"/"+id, nil).Is(200).Get("state"))
}

func TestAnExportThatBreaksItsExporterFails(t *testing.T) {
	w := newWorld(t)
	id := w.asked("customers", "csv")
	w.P.Files = brokenBucket{w.files, errors.New("broken")}
	for range 5 {
		require.Error(t, exporter.Function.Upload.Handler(w.P)(t.Context(), exports.AskKey(shop, id)))
	}
	w.P.Files = w.files
	w.work()
	failed := w.do("GET", path+"/"+id, nil).Is(200)
	require.Equal(t, "failed", failed.Get("state"))
	require.Equal(t, "internal", failed.Body["error"].(object)["code"])
	left, err := w.files.Keys("")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAnExportCostsAHundredCalls(t *testing.T) {
	w := newWorld(t)
	a := w.do("POST", path, object{"type": "customers", "format": "csv"}).Is(201)
	require.Equal(t, "100", a.Raw("X-RateLimit-Request-Cost"))
}

// slowBucket is a bucket in whose Write something happens when a part of the file has come.
type slowBucket struct {
	blob.Bucket
	between func()
}

func (b slowBucket) Write(ctx context.Context, key string, from io.Reader) error {
	first := make([]byte, 1000)
	if _, err := io.ReadFull(from, first); err != nil {
		return err
	}
	b.between()
	return b.Bucket.Write(ctx, key, io.MultiReader(bytes.NewReader(first), from))
}

func TestARecordThatIsChangedMeanwhileIsNotMissed(t *testing.T) {
	for _, instant := range []bool{true, false} {
		t.Run(fmt.Sprint("instant ", instant), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.P.Instant = instant
				var ids []string
				for n := range 1001 {
					ids = append(ids, w.do("POST", "/api-engine/customers", object{
						"email":     fmt.Sprintf("c%d@example.com", n),
						"firstName": "C", "lastName": "D"}).Is(201).ID())
				}
				w.P.Files = slowBucket{w.files, func() {
					for _, n := range []int{0, 700, 1000} { // one that was read, and two that were not
						w.do("PATCH", "/api-engine/customers/"+ids[n], object{"lastName": "Changed"}).Is(200)
					}
				}}
				last := map[string]string{}
				for _, row := range table(t, w.export("customers", "csv"), ',') {
					last[row["email"]] = row["lastName"]
				}
				require.Len(t, last, 1001)
				for _, n := range []int{0, 700, 1000} {
					require.Equal(t, "Changed", last[fmt.Sprintf("c%d@example.com", n)])
				}
			})
		})
	}
}

func TestAFileThatBreaksOffIsNone(t *testing.T) {
	w := newWorld(t)
	w.goods()
	id := w.asked("customers", "csv")
	w.P.Files = brokenBucket{w.files, blob.ErrUnavailable}
	require.Error(t, exporter.Function.Upload.Handler(w.P)(t.Context(), exports.AskKey(shop, id)))
	w.P.Files = w.files
	require.NotContains(t, w.do("GET", path+"/"+id, nil).Is(200).Body, "downloadUrl")
	w.Clock.Pass(8 * time.Minute)
	w.work()
	require.Equal(t, "done", w.do("GET", path+"/"+id, nil).Is(200).Get("state"))
}

// brokenBucket is a bucket that takes no stream.
type brokenBucket struct {
	blob.Bucket
	why error
}

func (b brokenBucket) Write(context.Context, string, io.Reader) error { return b.why }

// TestLargeRecordsAreEachThereOnce: a page ends before its records take more than some megabytes, in the middle of what
// was loaded for it.
func TestLargeRecordsAreEachThereOnce(t *testing.T) {
	w := newWorld(t)
	for n := range 120 {
		w.do("POST", "/api-engine/products", object{"code": fmt.Sprint("P-", n), "name": "P",
			"description": strings.Repeat("x", 60_000),
			"priceLevels": []object{{"level": "default", "price": "1.00"}}}).Is(201)
	}
	file := w.export("products", "jsonl")
	require.Equal(t, 120, strings.Count(file, "\n"))
	for n := range 120 {
		require.Equal(t, 1, strings.Count(file, fmt.Sprintf(`"code":"P-%d"`, n)))
	}
}
