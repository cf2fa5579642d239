package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const megabyte = 1 << 20

// nasty are texts of nearly a megabyte that something could take long over.
var nasty = map[string]string{
	"CJK":           strings.Repeat("漢字", megabyte/7),
	"an address":    "a@" + strings.Repeat("漢", megabyte/4) + ".cz",
	"dots":          strings.Repeat(".", megabyte-1000),
	"a time":        "2026-11-21T02:05:12." + strings.Repeat("1", megabyte-1000) + "Z",
	"digits":        strings.Repeat("9", megabyte-1000),
	"combining":     "a" + strings.Repeat("\u0301", megabyte/3),
	"quotes":        strings.Repeat("'", megabyte-1000),
	"wide capitals": strings.Repeat("İ", megabyte/3),
}

func TestABoundIsCheckedBeforeAnythingElseLooksAtAText(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	for name, text := range nasty {
		for _, field := range []string{"title", "text", "until", "price", "mail"} {
			sent, err := json.Marshal(map[string]string{field: text})
			require.NoError(t, err)
			before := w.api.Looked()
			r := w.refused(w.do("PATCH", notes+"/"+id, string(sent)), 422, "invalid")
			require.Equal(t, "body."+field, r.fault(t, 0)["location"], name)
			require.Equal(t, "too_long", r.fault(t, 0)["code"], name)
			require.Equal(t, before, w.api.Looked(), "%s in %s", name, field)
		}
		before := w.api.Looked()
		r := w.refused(w.do("GET", notes+"?title="+url.QueryEscape(strings.ToValidUTF8(text[:4200], "")), ""),
			422, "invalid")
		require.Equal(t, "query.title", r.fault(t, 0)["location"], name)
		require.Equal(t, "too_long", r.fault(t, 0)["code"], name)
		require.Equal(t, before, w.api.Looked(), name)
	}
}

func TestBlanksAroundAnAddressCountAsMuchAsTheAddress(t *testing.T) {
	w := open(t)
	before := w.api.Looked()
	r := w.refused(w.do("POST", notes, `{"title":"x","mail":"a@é.cz`+strings.Repeat(" ", megabyte-1000)+`"}`),
		422, "invalid")
	require.Equal(t, "too_long", r.fault(t, 0)["code"])
	require.Less(t, w.api.Looked()-before, int64(100))
	require.Equal(t, 201, w.do("POST", notes, `{"title":"`+strings.Repeat(" ", 300)+`x"}`).Code,
		"those around a name do not")
}

func TestQueriesAndPathsOfAMegabyteAreRefusedUnread(t *testing.T) {
	w := open(t)
	for _, query := range []string{
		"title=" + strings.Repeat("x", megabyte),
		strings.Repeat("title=x&", megabyte/8),
		strings.Repeat("%zz", megabyte/3),
		"cursor=" + strings.Repeat("x", megabyte),
	} {
		r := w.refused(w.do("GET", notes+"?"+query, ""), 422, "invalid")
		require.Equal(t, []any{"query", "too_long"}, []any{r.fault(t, 0)["location"], r.fault(t, 0)["code"]})
		require.Less(t, r.Body.Len(), 1000)
	}
	w.refused(w.do("GET", notes+"?cursor="+strings.Repeat("x", 10_000), ""), 422, "bad_cursor")
	r := w.refused(w.do("GET", notes+strings.Repeat("/x", megabyte/2), ""), 404, "not_found")
	require.Less(t, r.Body.Len(), 4000)
}

func TestAListIsNotLookedIntoBeforeItsBound(t *testing.T) {
	w := open(t)
	before := w.api.Looked()
	r := w.refused(w.do("POST", notes, `{"title":"x","tags":["`+strings.Repeat(`a","`, megabyte/5)+`a"]}`),
		422, "invalid")
	require.Len(t, r.body["errors"], 1)
	require.Equal(t, []any{"body.tags", "too_many"}, []any{r.fault(t, 0)["location"], r.fault(t, 0)["code"]})
	require.Equal(t, before+1, w.api.Looked(), "the title")
}

func TestTooManyItemsOfABatchAre413(t *testing.T) {
	w := open(t)
	of := func(n int, item string) string { return `{"items":[` + item + strings.Repeat(","+item, n-1) + `]}` }
	for name, body := range map[string]string{"sound ones": of(101, "1"), "faulty ones": of(101, `"x"`),
		"a megabyte": of(300_000, "{}")} {
		r := w.refused(w.do("PATCH", notes+"/batch/all", body), 413, "too_many_items")
		require.NotContains(t, r.body, "errors", name)
	}
	w.refused(w.do("PATCH", notes+"/batch/all", of(100, `"x"`)), 422, "invalid")
}

func TestAnAnswerIsNoLargerForALargerFault(t *testing.T) {
	w := open(t)
	fields := strings.Builder{}
	for i := range 100_000 {
		fmt.Fprintf(&fields, `"%d":0,`, i)
	}
	for name, body := range map[string]string{
		"unknown fields":       `{` + fields.String() + `"title":"x"}`,
		"a name of a megabyte": `{"` + strings.Repeat(`\u0000`, megabyte/7) + `":0,"title":"x"}`,
		"one given twice": `{"` + strings.Repeat("x", megabyte/3) + `":0,"` +
			strings.Repeat("x", megabyte/3) + `":0}`,
		"a number":     `{"title":"x","count":1` + strings.Repeat("0", 5000) + `}`,
		"a text":       `{"title":"` + strings.Repeat(`\u0001`, 200) + `"}`,
		"a wrong type": `{"title":[` + strings.Repeat("0,", megabyte/3) + `0]}`,
		"no JSON":      `{"title":` + strings.Repeat(`"x" `, megabyte/5) + `}`,
	} {
		r := w.do("POST", notes, body)
		require.GreaterOrEqual(t, r.Code, 400, name)
		require.LessOrEqual(t, r.Body.Len(), 32<<10, name)
		errors, _ := r.body["errors"].([]any)
		require.LessOrEqual(t, len(errors), 100, name)
	}
}

func TestAFaultRepeatsWhatWasSentWhereThatIsShort(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	for _, c := range []struct{ method, body, location, value string }{
		{"POST", `{"title":7}`, "body.title", `7`},
		{"POST", `{"title":null}`, "body.title", `null`},
		{"POST", `{"title":""}`, "body.title", `""`},
		{"POST", `{"title":"x","count":false}`, "body.count", `false`},
		{"POST", `{"title":{"a":[1,"ž"]}}`, "body.title", `{"a":[1,"ž"]}`},
		{"POST", `{"title":"x","tags":["a","b","c","d"]}`, "body.tags", `["a","b","c","d"]`},
		{"POST", `{"title":"x","tags":["a","b","c","d","e","f"]}`, "body.tags", `["a","b","c","d","e","f"]`},
		{"POST", `{"title":"x","tags":["a"` + strings.Repeat(`,"b"`, 1000) + `]}`, "body.tags", ``},
		{"POST", `{"title":"x","tags":["` + strings.Repeat("a", 65) + `"]}`, "body.tags[0]",
			`"` + strings.Repeat("a", 65) + `"`},
		{"POST", `{"title":"x","nope":{"b":1}}`, "body.nope", `{"b":1}`},
		{"POST", `{"title":"x","address":{"city":"Brno"}}`, "body.address.zip", ``},
		{"POST", `{"title":"x","count":1` + strings.Repeat("0", 190) + `}`, "body.count",
			`1` + strings.Repeat("0", 190)},
		{"POST", `{"title":"x","count":1` + strings.Repeat("0", 200) + `}`, "body.count", ``},
		{"POST", `{"title":"x","nope":"` + strings.Repeat(`\n`, 99) + `"}`, "body.nope",
			`"` + strings.Repeat(`\n`, 99) + `"`},
		{"POST", `{"title":"x","nope":"` + strings.Repeat(`\n`, 100) + `"}`, "body.nope", ``},
		{"PATCH", `{"address":{"city":"Brno"}}`, "body.address.zip", ``},
		{"PATCH", `{"until":"soon"}`, "body.until", `"soon"`},
		{"GET", `?itemsPerPage=251`, "query.itemsPerPage", `"251"`},
		{"GET", `?title=` + strings.Repeat("x", 300), "query.title", ``},
		{"GET", `?title=a&title=b`, "query.title", `["a","b"]`},
	} {
		path, body := notes, c.body
		switch c.method {
		case "PATCH":
			path += "/" + id
		case "GET":
			path, body = notes+c.body, ""
		}
		f := w.refused(w.do(c.method, path, body), 422, "invalid").fault(t, 0)
		require.Equal(t, c.location, f["location"], c.body)
		value, told := f["value"]
		require.Equal(t, c.value != "", told, c.body)
		if told {
			var want any
			require.NoError(t, json.Unmarshal([]byte(c.value), &want))
			require.Equal(t, want, value, c.body)
		}
	}
	r := w.refused(w.do("POST", notes, `{"title":"x"}`, "Idempotency-Key", "a b"), 422, "invalid")
	require.Equal(t, "a b", r.fault(t, 0)["value"])
}

func TestAnIDInAPathIsOnePartOfIt(t *testing.T) {
	w := open(t)
	known, _ := w.create("Tea")
	path := notes + "/" + known
	require.Equal(t, 200, w.do("GET", path, "").Code)
	require.Equal(t, 200, w.do("GET", notes+"/%30"+known[1:], "").Code, "another spelling of it")
	for _, suffix := range []string{"%2F", "%2Fx", "%2fbatch", "%23", "%23A", "%3F", "%00", "%20", "%252F", "%C5%BE"} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			body := map[string]string{"PATCH": `{"title":"y"}`}[method]
			w.refused(w.do(method, path+suffix, body), 404, "not_found")
		}
		w.refused(w.do("POST", path+suffix+"/ping", ""), 404, "not_found")
	}
}

// gone is a request whose caller leaves while its body is sent.
type gone struct {
	io.Reader
	leave context.CancelFunc
}

func (g gone) Read(b []byte) (int, error) {
	n, err := g.Reader.Read(b)
	if err == io.EOF {
		g.leave()
	}
	return n, err
}

func TestARequestWhoseCallerHasGoneStops(t *testing.T) {
	w := open(t)
	for name, body := range map[string]string{"a small one": `{"title":"x"}`,
		"a large one": `{"title":"x","text":"` + strings.Repeat("x", 60_000) + `"}`} {
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", notes, gone{strings.NewReader(body), leave})
		r.Header.Set("Authorization", "Bearer good")
		r.Header.Set("Content-Type", "application/json")
		before := w.api.Looked()
		rec := httptest.NewRecorder()
		w.api.ServeHTTP(rec, r)
		require.Equal(t, 499, rec.Code, name)
		require.Empty(t, w.table.items, name)
		require.Equal(t, before, w.api.Looked(), "nothing of it was checked")
	}
}
