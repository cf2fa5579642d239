package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// supplier is a record to which nothing is special.
type supplier struct {
	record.Head
	supplierFields
	Label string `json:"label,omitempty"`
}

type supplierFields struct {
	Code  field.Code `json:"code"`
	Phone field.Line `json:"phone,omitempty"`
}

func claimOf(name string) func(shop, value string) store.Key {
	return func(shop, value string) store.Key {
		return store.Key{PK: "S#" + shop + "#=" + name + "#" + value, SK: "A"}
	}
}

var suppliers = &record.Kind[supplier, supplierFields]{
	PublishedAs: "suppliers",
	Key:         func(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#SUP#" + id, SK: "A"} },
	List:        func(shop string) string { return "S#" + shop + "#SUP" },
	Split:       func(s *supplier) (*record.Head, *supplierFields) { return &s.Head, &s.supplierFields },
	Claims: func(shop string, f supplierFields) []record.Claim {
		return []record.Claim{
			{Key: claimOf("code")(shop, string(f.Code)), Taken: problem.Conflict("code_taken", "Another one has it.")},
			{Key: claimOf("phone")(shop, string(f.Phone)),
				Taken: problem.Conflict("phone_taken", "Another one has it.")}}
	},
	Filters: []record.Filter[supplier]{
		{Name: "code", Most: 64, Claim: claimOf("code"),
			Has: func(s supplier, v string) bool { return string(s.Code) == v }},
		{Name: "phone", Most: 64, Claim: claimOf("phone"),
			Has: func(s supplier, v string) bool { return string(s.Phone) == v }}},
}

const path = "/api-engine/suppliers"

func TestRecordsHaveTheirOperationsAndFilters(t *testing.T) {
	w := open(t)
	api.AddRecords(w.api, api.Records[supplier, supplierFields]{Kind: suppliers, Path: path, ID: "Supplier",
		One:  "a supplier",
		Many: "suppliers", NeedsToRead: permission.ReadCustomers, NeedsToWrite: permission.WriteCustomers,
		Lasting: true,
		Show:    func(s supplier) supplier { s.Label = "supplier " + string(s.Code); return s }})
	made := w.do("POST", path, `{"code":"a","phone":"1"}`)
	require.Equal(t, 201, made.Code, made.Body.String())
	at := made.Header().Get("Location")
	require.Equal(t, path+"/"+made.body["id"].(string), at)
	require.Equal(t, 201, w.do("POST", path, `{"code":"b","phone":"2"}`).Code)
	for query, want := range map[string][]string{
		"": {"supplier a", "supplier b"}, "?code=a": {"supplier a"}, "?phone=2": {"supplier b"}, "?code=c": nil,
		"?code=a&phone=1": {"supplier a"}, "?code=a&phone=2": nil, "?phone=1&changed[after]=2027-01-01": nil,
	} {
		var got []string
		for _, s := range w.do("GET", path+query, "").body["items"].([]any) {
			got = append(got, s.(map[string]any)["label"].(string))
		}
		require.Equal(t, want, got, query)
	}
	changed := w.do("PATCH", at, `{"phone":"3"}`, "If-Match", made.Header().Get("ETag"))
	require.Equal(t, 200, changed.Code, changed.Body.String())
	read := w.do("GET", at, "")
	require.Equal(t, changed.body, read.body)
	require.Equal(t, "supplier a", read.body["label"])
	require.Equal(t, changed.Header().Get("ETag"), read.Header().Get("ETag"))
	w.refused(w.do("PATCH", at, `{"phone":"4"}`, "If-Match", made.Header().Get("ETag")), 412, "version_conflict")
	w.refused(w.do("DELETE", at, ""), 405, "method_not_allowed")
	w.caller.Permissions = []permission.Permission{permission.WriteCustomers}
	w.refused(w.do("GET", path, ""), 403, "insufficient_permission")
	brief := w.do("PATCH", at, `{"phone":"5"}`)
	require.Equal(t, []any{brief.body["id"], 2}, []any{made.body["id"], len(brief.body)})
}

func TestACallerMayHaveRecordsOfItsOwn(t *testing.T) {
	w := open(t)
	own := func(c *change.Caller) *record.Kind[supplier, supplierFields] {
		k := *suppliers
		k.Claims = nil
		k.Key = func(shop, id string) store.Key {
			return store.Key{PK: "S#" + shop + "#SUP#" + c.Package + "#" + id, SK: "A"}
		}
		k.List = func(shop string) string { return "S#" + shop + "#SUP#" + c.Package }
		return &k
	}
	api.AddRecords(w.api, api.Records[supplier, supplierFields]{Kind: suppliers, KindOf: own, Path: path,
		ID:  "Supplier",
		One: "a supplier", Many: "suppliers"})
	api.AddRecords(w.api, api.Records[supplier, supplierFields]{Kind: suppliers, Path: path + "-fixed",
		ID:  "FixedSupplier",
		One: "a supplier", Many: "suppliers", Fixed: true})
	w.caller.Package = "mine"
	made := w.do("POST", path, `{"code":"a"}`)
	require.Equal(t, 201, made.Code, made.Body.String())
	at := made.Header().Get("Location")
	count := func() int { return len(w.do("GET", path, "").body["items"].([]any)) }
	require.Equal(t, 1, count())
	w.caller.Package = "another"
	require.Zero(t, count())
	w.refused(w.do("GET", at, ""), 404, "not_found")
	w.refused(w.do("PATCH", at, `{"code":"b"}`), 404, "not_found")
	w.refused(w.do("DELETE", at, ""), 404, "not_found")
	w.caller.Package = "mine"
	require.Equal(t, 200, w.do("PATCH", at, `{"code":"b"}`).Code)
	require.Equal(t, 204, w.do("DELETE", at, "").Code)
	fixed := w.do("POST", path+"-fixed", `{"code":"a"}`)
	w.refused(w.do("PATCH", fixed.Header().Get("Location"), `{"code":"b"}`), 405, "method_not_allowed")
}

func TestTextsAndListsWithoutABoundOfTheirOwnHaveTheFrames(t *testing.T) {
	w := open(t)
	type within struct {
		Text  string   `json:"text"`
		Parts []string `json:"parts,omitempty"`
	}
	type free struct {
		Texts  []string `json:"texts,omitempty"`
		Within []within `json:"within,omitempty"`
	}
	api.Add(w.api, api.Op{Route: "POST /api-engine/free", ID: "free"},
		func(_ *api.Call, in *api.Create[free]) (*api.Plain[int], error) {
			return api.PlainOf(len(in.Body.Texts)), nil
		})
	bounds := map[string]int{}
	for _, in := range w.api.Inputs() {
		for _, p := range in.Paths {
			if in.Route == "POST /api-engine/free" && p.MaxLength != nil {
				bounds[p.Path] = *p.MaxLength
			}
		}
	}
	require.Equal(t, map[string]int{"body.texts[]": 255, "body.within[].text": 255,
		"body.within[].parts[]": 255}, bounds,
		"the document says so")
	long := strings.Repeat("ž", 255)
	many := `""` + strings.Repeat(`,""`, 99)
	require.Equal(t, 201, w.do("POST", "/api-engine/free",
		`{"texts":["`+long+`"],"within":[{"text":"`+long+`"}]}`).Code)
	require.Equal(t, 201, w.do("POST", "/api-engine/free", `{"texts":[`+many+`]}`).Code)
	for sent, at := range map[string]string{
		`{"texts":["` + long + `ž"]}`: "body.texts[0]", `{"within":[{"text":"` + long + `ž"}]}`: "body.within[0].text",
		`{"texts":[` + many + `,""]}`:                        "body.texts",
		`{"within":[{"text":"","parts":[` + many + `,""]}]}`: "body.within[0].parts",
	} {
		r := w.refused(w.do("POST", "/api-engine/free", sent), 422, "invalid")
		require.Equal(t, at, r.fault(t, 0)["location"])
	}
}
