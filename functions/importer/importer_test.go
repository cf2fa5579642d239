package importer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/job/imports"
)

const someone = `{"email":"jana@example.cz","firstName":"Jana","lastName":"Nováková","note":"VIP"}`

func TestRowsMakeAndChangeCustomers(t *testing.T) {
	w := newWorld(t)
	r := w.imported(imports.Customers, imports.JSONL,
		someone+"\n"+`{"email":"petr@example.cz","firstName":"Petr","lastName":"Malý"}`+"\n")
	require.Equal(t, "done: 2 read, 2 changed, 0 unchanged, 0 failed", r.counts())
	require.EqualValues(t, 1, r.progress)
	r = w.imported(imports.Customers, imports.CSV,
		"email,firstName,note,billingAddress.street,billingAddress.city,billingAddress.zip,billingAddress.country\n"+
			"Jana@Example.cz,Jana,,Dlouhá 1,Brno,602 00,CZ\n"+
			"petr@example.cz,Petr,,,,,\n"+
			"eva@example.cz,Eva,,,,,\n")
	require.Equal(t, "done: 3 read, 1 changed, 1 unchanged, 1 failed", r.counts())
	require.Equal(t, []rowError{{3, "invalid", "body.lastName", "lastName is required."}}, r.errors)
	jana := w.customer("jana@example.cz")
	require.Equal(t, "Jana@Example.cz", jana["email"])
	require.Equal(t, "VIP", jana["note"], "an empty cell leaves the field as it is")
	require.Equal(t, "Brno", jana["billingAddress"].(fields)["city"])
}

// TestAFileWithWrongRowsIsKeptForADay, so that these rows can be had of it, and changes nothing meanwhile.
func TestAFileWithWrongRowsIsKeptForADay(t *testing.T) {
	for name, c := range map[string]struct {
		format imports.Format
		file   string
		kept   bool
	}{
		"wrong rows": {imports.CSV, "email,firstName,lastName\na@example.cz,A,B\nb,A,B\n", true},
		"none":       {imports.CSV, "email,firstName,lastName\na@example.cz,A,B\n", false},
		"not a CSV":  {imports.JSONL, "{}\n", false},
		"a larger file": {imports.CSV,
			"email,firstName,lastName\nb,A," + strings.Repeat("x", imports.MaxKept), false},
		"unusable at once": {imports.CSV, "birds\nx\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.imported(imports.Customers, c.format, c.file)
			has := func() bool {
				_, err := w.files.Stat(t.Context(), imports.File(shop, r.id))
				return err == nil
			}
			require.Equal(t, c.kept, has())
			before := w.get("/api-engine/imports/" + r.id)
			w.Clock.Pass(imports.FileLife - time.Minute)
			w.sweep()
			require.NoError(t, w.run(t.Context(), imports.File(shop, r.id)), "S3's event is handed again")
			require.Equal(t, c.kept, has())
			w.Clock.Pass(time.Minute)
			w.sweep()
			require.False(t, has())
			after := w.get("/api-engine/imports/" + r.id)
			require.Equal(t, before.Text, after.Text)
			require.Equal(t, before.Header.Get("ETag"), after.Header.Get("ETag"))
			items, err := w.DB.Table("main").Get(t.Context(), imports.Key(shop, r.id))
			require.NoError(t, err)
			require.NotZero(t, items[0].Expires)
			require.Zero(t, items[0].Index2, "it waits for nothing")
		})
	}
}

func TestRowsMakeAndChangeProducts(t *testing.T) {
	w := newWorld(t)
	category := w.do("POST", "/api-engine/categories", fields{"name": "Čaje"}).Body["id"].(string)
	other := w.do("POST", "/api-engine/categories", fields{"name": "Bylinky"}).Body["id"].(string)
	r := w.imported(imports.Products, imports.CSV,
		"code,name,priceLevels.default,priceLevels.vip,stock.quantity,active,categoryIds\n"+
			"C1,Čaj,99.00,89.00,5,true,"+category+"|"+other+"\n"+
			"C2,=1+1,10.00,,,false,\n"+
			"C3,Čaj,1.00,,1.5,true,\n"+
			"C4,Čaj,1.00,,,TRUE,\n"+
			"C5,Čaj,1.00,1.0,,true,\n"+
			"C6,Čaj,1.00,,,true,nic\n")
	require.Equal(t, "done: 6 read, 2 changed, 0 unchanged, 4 failed", r.counts())
	require.Equal(t, []string{"body.stock.quantity", "body.active", "body.priceLevels.vip",
		"body.categoryIds[0]"}, places(r))
	c1 := w.product("C1")
	require.Equal(t, []any{category, other}, c1["categoryIds"])
	require.Equal(t, "https://"+strings.ToLower(shop)+".example/caj", c1["url"])
	require.Equal(t, "=1+1", w.product("C2")["name"], "a formula is text")
	require.Equal(t, false, w.product("C2")["active"])
	r = w.imported(imports.Products, imports.CSV, "code,priceLevels.vip,name\nC1,79.50,Zelený čaj\nC2,,\n")
	require.Equal(t, "done: 2 read, 1 changed, 1 unchanged, 0 failed", r.counts())
	c1 = w.product("C1")
	require.Equal(t, []any{fields{"level": "default", "price": "99.00"}, fields{"level": "vip", "price": "79.50"}},
		c1["priceLevels"])
	require.Equal(t, "https://"+strings.ToLower(shop)+".example/zeleny-caj", c1["url"])
	require.EqualValues(t, 5, c1["stock"].(fields)["quantity"])
}

// TestAllThatIsWrongWithARowIsSaid, by the names of the file's columns, and as its cells may be typed.
func TestAllThatIsWrongWithARowIsSaid(t *testing.T) {
	w := newWorld(t)
	const amount = "Cena s DPH must be an amount such as 1290.50 or 1 290,50 Kč: not negative, with at most " +
		"two decimal places and 12 digits before them"
	r := w.imported(imports.Products, imports.CSV, `Kód;Název;Cena s DPH;Skladem;DPH;Aktivní;ID kategorií
Q1;;abc;-5;;;
Q2;a;-1;;;;
Q3;a;1234567890123,00;;;;
Q4;a;;;;;
Q5;a;1 290,50 Kč;;101;možná;
Q6;a;12,5;;;;x
;a;1;;;;
`)
	require.Equal(t, "done: 7 read, 0 changed, 0 unchanged, 7 failed", r.counts())
	var is []string
	for _, e := range w.get("/api-engine/imports/" + r.id + "/errors").Items() {
		is = append(is, fmt.Sprintf("%v %v %v %v %v", e["key"], e["location"], e["fault"], e["value"], e["message"]))
	}
	require.Equal(t, []string{
		"Q1 body.priceLevels.default bad_format abc " + amount + "; Skladem must be at least 0; Název is required.",
		"Q2 body.priceLevels.default bad_format -1 " + amount + ".",
		"Q3 body.priceLevels.default bad_format 1234567890123.00 " + amount + ".",
		"Q4 body.priceLevels required <nil> Cena s DPH is required.",
		"Q5 body.active wrong_type možná Aktivní must be true or false, or yes or no; DPH must be a percentage " +
			"from 0 to 100 with at most two decimal places, such as 21 or 21 %.",
		"Q6 body.categoryIds[0] not_found <nil> ID kategorií[0] is not a category of this shop.",
		"<nil> body.code required <nil> Kód is required.",
	}, is)
	long := w.imported(imports.Products, imports.CSV, "code,priceLevels.a,priceLevels.b,priceLevels.c,priceLevels.d,"+
		"priceLevels.e,priceLevels.f\nQ,x,x,x,x,x,x\n")
	require.Contains(t, long.errors[0].Message, "; priceLevels.e must be")
	require.Contains(t, long.errors[0].Message, "; and more.")
	none := w.imported(imports.Products, imports.CSV, "code,name\nQ,a\n")
	require.Equal(t, "priceLevels.default is required.", none.errors[0].Message)
	someone := w.imported(imports.Customers, imports.CSV, "E-mail,Jméno\nx,y\n")
	fault := w.get("/api-engine/imports/" + someone.id + "/errors").Items()[0]
	require.NotContains(t, fault, "key", "an erasure does not look into it")
	require.NotContains(t, fault, "value")
}

func places(r report) (all []string) {
	for _, e := range r.errors {
		all = append(all, e.Location)
	}
	return all
}

func TestVariantsAreUpsertedByTheirCodes(t *testing.T) {
	w := newWorld(t)
	body := `{"code":"T","name":"Tričko","priceLevels":[{"level":"default","price":"299.00"}],"units":[{"unit":"ks","quantity":1}],"hasUnits":true,"variants":[{"code":"T-M","name":"M","stock":{"quantity":1}},{"code":"T-L","name":"L"}]}`
	r := w.imported(imports.Products, imports.JSONL, body+"\n")
	require.Equal(t, "done: 1 read, 1 changed, 0 unchanged, 0 failed", r.counts(), r.errors)
	r = w.imported(imports.Products, imports.JSONL, strings.Join([]string{
		`{"code":"T","variants":[{"code":"T-L","stock":{"quantity":7}},{"code":"T-XL","name":"XL"}]}`,
		`{"code":"T","variants":[{"code":"T-S"},{"code":"T-S"}]}`,
		`{"code":"T","variants":[{"name":"bez kódu"}]}`,
		`{"code":"T","variants":[{"code":"T"}]}`,
		`{"code":"T-M","name":"Jiné","priceLevels":[{"level":"default","price":"1.00"}]}`,
		`{"code":"T","id":"01"}`,
		`{"code":"T","name":null}`,
	}, "\n"))
	require.Equal(t, "done: 7 read, 1 changed, 1 unchanged, 5 failed", r.counts())
	require.Equal(t, []rowError{
		{2, "invalid", "body.variants[1].code", "variants[1].code is in the list twice."},
		{3, "invalid", "body.variants[0].code", "variants[0].code is required."},
		{4, "code_taken", "", "The code T belongs to another product or variant of this shop."},
		{5, "code_taken", "", "The code T-M belongs to another product or variant of this shop."},
		{7, "invalid", "body.name", "name is required and cannot be null."},
	}, r.errors)
	var codes []string
	for _, v := range w.product("T")["variants"].([]any) {
		codes = append(codes, v.(fields)["code"].(string))
	}
	require.Equal(t, []string{"T-M", "T-L", "T-XL"}, codes, "none is removed")
	require.EqualValues(t, 7, w.product("T")["variants"].([]any)[1].(fields)["stock"].(fields)["quantity"])
}
