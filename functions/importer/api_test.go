package importer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
	"eshop/shared/record"
)

func TestAnImportIsAskedForAndWaitsForItsFile(t *testing.T) {
	w := newWorld(t)
	a := w.do("POST", "/api-engine/imports", fields{"type": "products", "format": "csv", "mode": "upsert"})
	require.Equal(t, 201, a.Status)
	id := a.Body["id"].(string)
	require.Equal(t, "/api-engine/imports/"+id, a.Header.Get("Location"))
	require.NotEmpty(t, a.Header.Get("ETag"))
	require.Contains(t, a.Body["uploadUrl"], "https://files.example/uploads/imports/")
	require.Equal(t, fields{"read": 0.0, "changed": 0.0, "unchanged": 0.0, "failed": 0.0}, a.Body["rows"])
	one := w.get("/api-engine/imports/" + id)
	delete(a.Body, "uploadUrl")
	require.Equal(t, a.Body, one.Body, "only the answer to the POST has the address")
	require.Equal(t, "waiting", one.Body["state"])
	require.EqualValues(t, 0, one.Body["progress"])
	require.Equal(t, []any{one.Body}, w.get("/api-engine/imports").Body["items"])
	require.Equal(t, fields{"items": []any{}}, w.get("/api-engine/imports/"+id+"/errors").Body)
}

func TestWhatIsWrongWithTheRequestIsRefused(t *testing.T) {
	w := newWorld(t)
	good := func(with fields) fields {
		f := fields{"type": "products", "format": "csv", "mode": "upsert"}
		for k, v := range with {
			f[k] = v
			if v == nil {
				delete(f, k)
			}
		}
		return f
	}
	for _, c := range []struct {
		token, method, path string
		body                any
		status              int
		code                string
	}{
		{shop, "POST", "", good(fields{"type": "orders"}), 422, "invalid"},
		{shop, "POST", "", good(fields{"format": "xml"}), 422, "invalid"},
		{shop, "POST", "", good(fields{"mode": "replace"}), 422, "invalid"},
		{shop, "POST", "", good(fields{"mode": nil}), 422, "invalid"},
		{shop, "POST", "", good(fields{"state": "done"}), 422, "invalid"},
		{shop + " customers:write", "POST", "", good(nil), 403, "insufficient_permission"},
		{shop + " products:read", "GET", "", nil, 403, "insufficient_permission"},
		{shop + " products:read", "POST", "", good(fields{"type": "orders"}), 403, "insufficient_permission"},
		{shop + " products:read", "GET", "/01KYFXV0000000000000000001", nil, 403, "insufficient_permission"},
		{shop + " products:read", "GET", "/01KYFXV0000000000000000001/errors", nil, 403, "insufficient_permission"},
		{shop, "GET", "/nic", nil, 404, "not_found"},
		{shop, "GET", "/01KYFXV0000000000000000001", nil, 404, "not_found"},
		{shop, "GET", "/01KYFXV0000000000000000001/errors", nil, 404, "not_found"},
		{shop, "DELETE", "/01KYFXV0000000000000000001", nil, 405, "method_not_allowed"},
	} {
		a := w.As(c.token, c.method, "/api-engine/imports"+c.path, c.body)
		require.Equal(t, c.status, a.Status, "%v", c)
		require.Equal(t, c.code, a.Body["code"], "%v", c)
	}
	denied := w.As(shop+" customers:write", "POST", "/api-engine/imports", good(nil))
	require.Equal(t, "products:write", denied.Body["permission"])
}

func TestAnAccessSeesImportsOfTheTypesThatItMayWrite(t *testing.T) {
	w := newWorld(t)
	id, _ := w.asked(imports.Products, imports.CSV)
	other, _ := w.asked(imports.Customers, imports.CSV)
	items := w.As(shop+" customers:write", "GET", "/api-engine/imports", nil).Body["items"].([]any)
	require.Len(t, items, 1)
	require.Equal(t, other, items[0].(fields)["id"])
	require.Equal(t, 403, w.As(shop+" customers:write", "GET", "/api-engine/imports/"+id, nil).Status)
	require.Equal(t, 403, w.As(shop+" customers:write", "GET", "/api-engine/imports/"+id+"/errors", nil).Status)
	require.Equal(t, 200, w.As(shop+" customers:write", "GET", "/api-engine/imports/"+other+"/errors", nil).Status)
}

func TestAnAddressIsGoodForOneUploadWithinAnHour(t *testing.T) {
	w := newWorld(t)
	id, to := w.asked(imports.Customers, imports.CSV)
	require.NoError(t, w.upload(to, strings.NewReader("email\n")))
	require.ErrorIs(t, w.upload(to, strings.NewReader("email\n")), blob.ErrForbidden)
	w.work()
	require.ErrorIs(t, w.upload(to, strings.NewReader("email\n")), blob.ErrForbidden, "also when the import is over")
	require.Equal(t, "done", w.report(id).state)
	_, late := w.asked(imports.Customers, imports.CSV)
	w.Clock.Pass(61 * time.Minute)
	require.ErrorIs(t, w.upload(late, strings.NewReader("email\n")), blob.ErrForbidden)
}

func TestErrorsComeInPagesByRow(t *testing.T) {
	w := newWorld(t)
	r := w.imported(imports.Customers, imports.CSV, "email,firstName,lastName\n"+strings.Repeat("nobody,Jana,x\n", 620))
	require.Equal(t, "done: 620 read, 0 changed, 0 unchanged, 620 failed", r.counts())
	require.Len(t, r.errors, 620)
	for i, e := range r.errors {
		require.Equal(t, i+1, e.Row)
	}
	page := w.get("/api-engine/imports/" + r.id + "/errors?itemsPerPage=2").Body
	require.Len(t, page["items"], 2)
	require.Equal(t, 422, w.do("GET", "/api-engine/imports/"+r.id+"/errors?changed[after]=2026-01-01", nil).Status)
}

func TestEventsOfImportsThatAreOverOrNoneDoNothing(t *testing.T) {
	w := newWorld(t)
	r := w.imported(imports.Customers, imports.CSV, "email,firstName,lastName\na@example.cz,Jana,x\n")
	before := w.get("/api-engine/imports/" + r.id).Header.Get("ETag")
	for _, key := range []string{imports.File(shop, r.id), imports.WakeKey(shop, r.id),
		imports.File(shop, "01KYFXV0000000000000000001"), "imports/odd", "other/a/b/c"} {
		require.NoError(t, w.run(context.Background(), key))
	}
	require.Equal(t, before, w.get("/api-engine/imports/"+r.id).Header.Get("ETag"))
	require.Empty(t, w.keys())
}

func TestProductsOfOneNameGetAddressesOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	var file strings.Builder
	file.WriteString("code,name,priceLevels.default\n")
	for i := range 120 {
		file.WriteString("S" + strings.Repeat("x", i%60) + string(rune('a'+i/60)) + ",Čaj,1.00\n")
	}
	r := w.imported(imports.Products, imports.CSV, file.String())
	require.Equal(t, "done: 120 read, 120 changed, 0 unchanged, 0 failed", r.counts(), r.errors)
	seen := map[any]bool{}
	for _, p := range w.get("/api-engine/products?itemsPerPage=250").Body["items"].([]any) {
		require.False(t, seen[p.(fields)["url"]])
		seen[p.(fields)["url"]] = true
	}
	require.Len(t, seen, 120)
}

func TestAnExternalIdGoesFromRowToRow(t *testing.T) {
	w := newWorld(t)
	r := w.imported(imports.Customers, imports.JSONL, strings.Join([]string{
		`{"email":"a@example.cz","firstName":"A","lastName":"x","externalId":"1"}`,
		`{"email":"a@example.cz","externalId":"2"}`,
		`{"email":"b@example.cz","firstName":"B","lastName":"x","externalId":"1"}`,
		`{"email":"c@example.cz","firstName":"C","lastName":"x","externalId":"1"}`,
	}, "\n"))
	require.Equal(t, "done: 4 read, 3 changed, 0 unchanged, 1 failed", r.counts())
	require.Equal(t, []rowError{{4, "external_id_taken", "",
		"Another customer of this shop has this externalId."}}, r.errors)
	require.Equal(t, "1", w.customer("b@example.cz")["externalId"])
}

// TestAnErrorKeepsTheFaultOfItsField, for the admin, which says it in another language. Answers of the API have no more
// than the contract names.
func TestAnErrorKeepsTheFaultOfItsField(t *testing.T) {
	w := newWorld(t)
	r := w.imported(imports.Customers, imports.JSONL, `{"email":"a@example.cz","firstName":"A"}`)
	require.Equal(t, []rowError{{1, "invalid", "body.lastName", "lastName is required."}}, r.errors)
	at, load := imports.Errors(w.DB.Table("main"), shop, r.id)
	kept, _, err := record.Page(t.Context(), at, record.Asked{Limit: 1}, load)
	require.NoError(t, err)
	require.Equal(t, problem.Required, kept[0].Fault)
}

// TestAnErrorNamesTheProductAndTheValue, for the admin; of customers it names neither.
func TestAnErrorNamesTheProductAndTheValue(t *testing.T) {
	w := newWorld(t)
	kept := func(of imports.Type, file string) (all []string) {
		r := w.imported(of, imports.CSV, file)
		at, load := imports.Errors(w.DB.Table("main"), shop, r.id)
		errs, _, err := record.Page(t.Context(), at, record.Asked{Limit: 9}, load)
		require.NoError(t, err)
		for _, e := range errs {
			all = append(all, e.Key+"|"+e.Value)
		}
		return all
	}
	want := []string{"A|od 119", "B|na dotaz", "C|200.00", "D|"}
	require.Equal(t, want, kept(imports.Products,
		"code,name,priceLevels.default,priceLevels.vip,vatRate\n"+
			"A,Čaj,od 119,,\nB,Čaj,1,na dotaz,\nC,Čaj,,,200\nD,,,,\n"))
	require.Equal(t, []string{"|"}, kept(imports.Customers, "email,firstName,lastName\njana@,Jana,Nová\n"))
}
