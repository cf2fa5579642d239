package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
	"eshop/shared/record/field"
)

const notes = "/api-engine/notes"

func (w *world) create(title string) (id, etag string) {
	w.t.Helper()
	r := w.do("POST", notes, `{"title":"`+title+`"}`)
	require.Equal(w.t, 201, r.Code, r.Body.String())
	return r.body["id"].(string), r.Header().Get("ETag")
}

func TestAnswersCarryWhatTheContractPromises(t *testing.T) {
	w := open(t)
	r := w.do("POST", notes, `{"title":"  Tea\t\r\n","price":"12.50"}`, "X-Request-Id", "mine-1", "Content-Type",
		`APPLICATION/JSON; charset="UTF-8"`)
	require.Equal(t, 201, r.Code, r.Body.String())
	require.Equal(t, "Tea", r.body["title"])
	require.Equal(t, "12.50", r.body["price"])
	require.Equal(t, []any{}, r.body["tags"])
	require.Equal(t, "2026-11-21T12:30:00.000Z", r.body["created"])
	require.NotContains(t, r.body, "text")
	h := r.Header()
	require.Equal(t, notes+"/"+r.body["id"].(string), h.Get("Location"))
	require.Regexp(t, `^"[0-9A-Z]{26}"$`, h.Get("ETag"))
	require.Equal(t, "mine-1", h.Get("X-Request-Id"))
	require.Equal(t, events.APIVersion, h.Get("Api-Version"))
	require.Equal(t, []string{"1"}, r.exact("X-RateLimit-Request-Cost"))
	require.Equal(t, []string{"999"}, r.exact("X-RateLimit-Hourly-Remaining"))
	require.Equal(t, []string{"4999"}, r.exact("X-RateLimit-Daily-Remaining"))
	require.Equal(t, []string{"1000"}, r.exact("X-RateLimit-Hourly-Limit"))
	require.Equal(t, []string{"5000"}, r.exact("X-RateLimit-Daily-Limit"))
	require.Equal(t, []string{fmt.Sprint(time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC).Unix())},
		r.exact("X-RateLimit-Hourly-Reset"))
	require.Equal(t, []string{fmt.Sprint(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC).Unix())},
		r.exact("X-RateLimit-Daily-Reset"))
}

func TestTheChecksComeInTheContractsOrder(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	long := `{"title":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code                     string
	}{
		{"no token", "GET", notes, "", []string{"Authorization", ""}, 401, "unauthenticated"},
		{"a bad token before an unknown path", "GET", "/api-engine/none", "", []string{"Authorization", "Bearer bad"},
			401, "unauthenticated"},
		{"another scheme", "GET", notes, "", []string{"Authorization", "Basic good"}, 401, "unauthenticated"},
		{"a scheme alone", "GET", notes, "", []string{"Authorization", "Bearer   "}, 401, "unauthenticated"},
		{"an unknown version before an unknown path", "GET", "/api-engine/none", "",
			[]string{"Api-Version", "2020-01-01"}, 400, "unknown_api_version"},
		{"an unknown path", "GET", "/api-engine/none", "", nil, 404, "not_found"},
		{"the prefix alone", "GET", "/api-engine", "", nil, 404, "not_found"},
		{"a slash too many", "GET", notes + "/", "", nil, 404, "not_found"},
		{"an unclean path", "GET", "/api-engine//notes", "", nil, 404, "not_found"},
		{"an odd id", "GET", notes + "/42", "", nil, 404, "not_found"},
		{"an id with a slash in it", "GET", notes + "/a%2Fb", "", nil, 404, "not_found"},
		{"an unknown id", "GET", notes + "/01J0000000000000000000000Z", "", nil, 404, "not_found"},
		{"a wrong method", "PUT", notes, "", nil, 405, "method_not_allowed"},
		{"options is one", "OPTIONS", notes, "", nil, 405, "method_not_allowed"},
		{"no permission", "GET", "/api-engine/orders-only", "", nil, 403, "insufficient_permission"},
		{"a large body before its type", "POST", notes, long, []string{"Content-Type", "text/plain"}, 413,
			"body_too_large"},
		{"a wrong type before bad JSON", "POST", notes, "{", []string{"Content-Type", "text/plain"}, 415,
			"unsupported_media_type"},
		{"no type", "POST", notes, `{"title":"x"}`, []string{"Content-Type", ""}, 415, "unsupported_media_type"},
		{"another charset", "POST", notes, `{"title":"x"}`,
			[]string{"Content-Type", "application/json; charset=latin1"}, 415, "unsupported_media_type"},
		{"a merge patch is no POST", "POST", notes, `{"title":"x"}`,
			[]string{"Content-Type", "application/merge-patch+json"}, 415, "unsupported_media_type"},
		{"a large body before its compression", "POST", notes, long, []string{"Content-Encoding", "gzip"}, 413,
			"body_too_large"},
		{"a compressed body before bad JSON", "POST", notes, "\x1f\x8b", []string{"Content-Encoding", "gzip"}, 415,
			"unsupported_media_type"},
		{"a body compressed after all", "POST", notes, "\x1f\x8b", []string{"Content-Encoding", "identity, br"}, 415,
			"unsupported_media_type"},
		{"a body that is as it is", "POST", notes, "{", []string{"Content-Encoding", "Identity"}, 400,
			"malformed_json"},
		{"bad JSON", "POST", notes, `{"title":`, nil, 400, "malformed_json"},
		{"no body", "POST", notes, "", nil, 400, "malformed_json"},
		{"two values", "POST", notes, `{"title":"x"} {}`, nil, 400, "malformed_json"},
		{"a key twice", "POST", notes, `{"title":"x","title":"y"}`, nil, 400, "malformed_json"},
		{"bad UTF-8", "POST", notes, "{\"title\":\"\xff\"}", nil, 400, "malformed_json"},
		{"a lone surrogate", "POST", notes, `{"title":"\ud800"}`, nil, 400, "malformed_json"},
		{"a bad key after bad JSON", "POST", notes, `{`, []string{"Idempotency-Key", ""}, 400, "malformed_json"},
		{"fields", "POST", notes, `{}`, nil, 422, "invalid"},
		{"fields before the record", "PATCH", notes + "/01J0000000000000000000000Z", `{"nope":1}`, nil, 422, "invalid"},
		{"the record before its version", "PATCH", notes + "/01J0000000000000000000000Z", `{"title":"y"}`,
			[]string{"If-Match", `"x"`}, 404, "not_found"},
		{"its version", "PATCH", notes + "/" + id, `{"title":"y"}`, []string{"If-Match", `"x"`}, 412,
			"version_conflict"},
		{"a panic", "GET", "/api-engine/panic", "", nil, 500, "internal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(w.table.items)
			r := w.do(c.method, c.path, c.body, c.headers...)
			w.refused(r, c.status, c.code)
			require.Len(t, w.table.items, before)
			require.NotContains(t, r.Body.String(), "secret internals")
			require.Equal(t, "http://api.test/docs/errors#"+c.code, r.body["type"])
			require.EqualValues(t, c.status, r.body["status"])
			require.NotEmpty(t, r.body["detail"])
			require.Equal(t, r.Header().Get("X-Request-Id"), r.body["requestId"])
			require.Contains(t, r.Header(), "X-RateLimit-Request-Cost")
		})
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	w := open(t)
	require.Equal(t, "Bearer", w.do("GET", notes, "", "Authorization", "").Header().Get("WWW-Authenticate"))
	require.Equal(t, `Bearer error="invalid_token"`,
		w.do("GET", notes, "", "Authorization", "Bearer bad").Header().Get("WWW-Authenticate"))
	r := w.do("GET", notes, "", "Authorization", "Bearer bad")
	require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Request-Cost"))
	require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Hourly-Remaining"))
	require.Equal(t, "GET, HEAD, POST", w.do("PUT", notes, "").Header().Get("Allow"))
	require.Equal(t, "orders:read", w.do("GET", "/api-engine/orders-only", "").body["permission"])
	w.caller.Active = false
	r = w.refused(w.do("GET", notes, ""), 403, "package_inactive")
	require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Request-Cost"))
}

func TestEachFaultOfABodyIsNamed(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	for _, c := range []struct{ method, body, location, code string }{
		{"POST", `[]`, "body", "wrong_type"},
		{"POST", `{}`, "body.title", "required"},
		{"POST", `{"title":null}`, "body.title", "required"},
		{"POST", `{"title":" "}`, "body.title", "required"},
		{"POST", `{"title":7}`, "body.title", "wrong_type"},
		{"POST", `{"title":"a\u0000b"}`, "body.title", "bad_format"},
		{"POST", `{"title":"` + strings.Repeat("ž", 256) + `"}`, "body.title", "too_long"},
		{"POST", `{"title":"x","text":"` + strings.Repeat("x", 64<<10+1) + `"}`, "body.text", "too_long"},
		{"POST", `{"title":"x","text":"a\u0001"}`, "body.text", "bad_format"},
		{"POST", `{"title":"x","text":"a\u009f"}`, "body.text", "bad_format"},
		{"POST", `{"title":"a\u0080b"}`, "body.title", "bad_format"},
		{"POST", `{"title":"x","price":"1.5"}`, "body.price", "bad_format"},
		{"POST", `{"title":"x","price":"01.50"}`, "body.price", "bad_format"},
		{"POST", `{"title":"x","price":"-1.50"}`, "body.price", "bad_format"},
		{"POST", `{"title":"x","price":1.5}`, "body.price", "wrong_type"},
		{"POST", `{"title":"x","price":"1234567890123.00"}`, "body.price", "bad_format"},
		{"POST", `{"title":"x","count":-1}`, "body.count", "too_small"},
		{"POST", `{"title":"x","count":11}`, "body.count", "too_big"},
		{"POST", `{"title":"x","count":1.5}`, "body.count", "wrong_type"},
		{"POST", `{"title":"x","count":99999999999999999999}`, "body.count", "too_big"},
		{"POST", `{"title":"x","count":-99999999999999999999}`, "body.count", "too_small"},
		{"POST", `{"title":"x","count":1e30}`, "body.count", "too_big"},
		{"POST", `{"title":"x","count":1e1000000}`, "body.count", "wrong_type"},
		{"POST", `{"title":"x","count":1e-1}`, "body.count", "wrong_type"},
		{"POST", `{"title":"x","count":1.00000000000000000000000000001}`, "body.count", "wrong_type"},
		{"POST", `{"title":"x","tags":["a","b","c","d"]}`, "body.tags", "too_many"},
		{"POST", `{"title":"x","tags":["a",5]}`, "body.tags[1]", "wrong_type"},
		{"POST", `{"title":"x","address":{"city":"Brno"}}`, "body.address.zip", "required"},
		{"POST", `{"title":"x","nope":1}`, "body.nope", "unknown_field"},
		{"POST", `{"title":"x","Title":"y"}`, "body.Title", "unknown_field"},
		{"POST", `{"title":"x","id":"y"}`, "body.id", "read_only"},
		{"POST", `{"title":"x","changed":"y"}`, "body.changed", "read_only"},
		{"PATCH", `{"title":null}`, "body.title", "required"},
		{"PATCH", `{"created":"2026-01-01T00:00:00Z"}`, "body.created", "read_only"},
		{"PATCH", `{"address":{"city":"Brno"}}`, "body.address.zip", "required"},
		{"PATCH", `{"address":{"town":"Brno"}}`, "body.address.town", "unknown_field"},
		{"PATCH", `{"tags":null,"count":"x"}`, "body.count", "wrong_type"},
	} {
		t.Run(c.method+" "+c.location+" "+c.code, func(t *testing.T) {
			path := notes
			if c.method == "PATCH" {
				path += "/" + id
			}
			r := w.refused(w.do(c.method, path, c.body), 422, "invalid")
			f := r.fault(t, 0)
			require.Equal(t, c.location, f["location"])
			require.Equal(t, c.code, f["code"])
			require.NotEmpty(t, f["message"])
		})
	}
	r := w.do("POST", notes, `{"title":1,"count":-1,"nope":2}`)
	require.Len(t, r.body["errors"], 3, "one entry per fault")
	r = w.do("POST", notes+"?x=1", `{"title":1}`)
	require.Len(t, r.body["errors"], 2, "the query's beside the body's")
}

func TestAWholeNumberIsAnIntegerHoweverItIsWritten(t *testing.T) {
	w := open(t)
	for text, count := range map[string]float64{"5.0": 5, "1e0": 1, "0.1E+1": 1, "70e-1": 7, "-0": 0, "-0.0": 0,
		"10.00": 10} {
		made := w.do("POST", notes, `{"title":"<é>","count":`+text+`}`, "Idempotency-Key", text)
		require.Equal(t, 201, made.Code, text+": "+made.Body.String())
		require.Equal(t, count, made.body["count"], text)
		require.Equal(t, "<é>", made.body["title"], "what stands beside it stays as it is")
		changed := w.do("PATCH", notes+"/"+made.body["id"].(string), `{"count":`+text+`,"tags":["a"]}`)
		require.Equal(t, 200, changed.Code, changed.Body.String())
		require.Equal(t, count, changed.body["count"], text)
		w.refused(w.do("POST", notes, `{"title":"<é>","count":`+text+`.`, "Idempotency-Key", text), 400,
			"malformed_json")
		w.refused(w.do("POST", notes, `{"title":"<é>","count":`+text+` }`, "Idempotency-Key", text), 422,
			"idempotency_key_reused")
	}
}

func TestABoundIsToldAsPeopleWriteIt(t *testing.T) {
	w := open(t)
	r := w.refused(w.do("POST", notes, `{"title":"x","stock":3600001}`), 422, "invalid")
	require.Equal(t, "must be at most 3600000", r.fault(t, 0)["message"])
}

func TestNullInAPostIsAsAbsent(t *testing.T) {
	w := open(t)
	r := w.do("POST", notes, `{"title":"x","price":null,"fee":null,"until":null,"text":null,"tags":null,"address":null}`)
	require.Equal(t, 201, r.Code, r.Body.String())
	require.Equal(t, []any{}, r.body["tags"])
}

// A null that were taken would be 0 here.
func TestNullIsNoNumber(t *testing.T) {
	w := open(t)
	made := w.do("POST", notes, `{"title":"x","count":5}`)
	for _, r := range []reply{w.do("POST", notes, `{"title":"x","count":null}`),
		w.do("PATCH", made.Header().Get("Location"), `{"count":null}`)} {
		w.refused(r, 422, "invalid")
		require.Equal(t, "required", r.fault(t, 0)["code"])
	}
	require.EqualValues(t, 5, w.do("GET", made.Header().Get("Location"), "").body["count"])
}

func TestAMergePatchChangesWhatItNames(t *testing.T) {
	w := open(t)
	r := w.do("POST", notes, `{"title":"Tea","text":"t","price":"1.00","tags":["a","b"],"address":{"city":"Brno","zip":"60200"}}`)
	path := r.Header().Get("Location")
	r = w.do("PATCH", path, `{"text":null,"tags":["c"],"address":{"city":"Praha"}}`, "Content-Type",
		"application/merge-patch+json")
	require.Equal(t, 200, r.Code, r.Body.String())
	require.NotContains(t, r.body, "text")
	require.Equal(t, "1.00", r.body["price"])
	require.Equal(t, []any{"c"}, r.body["tags"])
	require.Equal(t, map[string]any{"city": "Praha", "zip": "60200"}, r.body["address"])
	require.Greater(t, r.body["changed"], "", "moved")
	require.NotContains(t, w.do("PATCH", path, `{"address":null}`).body, "address")
}

func TestConditionalRequests(t *testing.T) {
	w := open(t)
	id, etag := w.create("Tea")
	path := notes + "/" + id
	for _, match := range []string{etag, "*", `"other", ` + etag, "W/" + etag, strings.Trim(etag, `"`)} {
		r := w.do("GET", path, "", "If-None-Match", match)
		require.Equal(t, 304, r.Code, match)
		require.Empty(t, r.Body.String())
		require.Equal(t, etag, r.Header().Get("ETag"))
	}
	require.Equal(t, 200, w.do("GET", path, "", "If-None-Match", `"other"`).Code)
	w.refused(w.do("PATCH", path, `{"title":"b"}`, "If-Match", "W/"+etag), 412, "version_conflict")
	r := w.do("PATCH", path, `{"title":"b"}`, "If-Match", `"other", `+etag)
	require.Equal(t, 200, r.Code)
	require.NotEqual(t, etag, r.Header().Get("ETag"))
	w.refused(w.do("DELETE", path, "", "If-Match", etag), 412, "version_conflict")
	w.refused(w.do("DELETE", path, "", "If-Match", strings.Trim(etag, `"`)), 412, "version_conflict")
	bare := strings.Trim(r.Header().Get("ETag"), `"`)
	require.Equal(t, 200, w.do("PATCH", path, `{"title":"c"}`, "If-Match", bare).Code, "as the change feed has it")
	require.Equal(t, 204, w.do("DELETE", path, "", "If-Match", "*").Code)
	w.refused(w.do("GET", path, ""), 404, "not_found")
}

func TestAnAnswerWithoutABodyHasNoLength(t *testing.T) {
	w := open(t)
	id, tag := w.create("Tea")
	for _, r := range []reply{
		w.do("GET", notes+"/"+id, "", "If-None-Match", tag),
		w.do("DELETE", notes+"/"+id, ""),
	} {
		require.Contains(t, []int{204, 304}, r.Code)
		require.Empty(t, r.Header().Values("Content-Length"), "RFC 9110, section 8.6")
		require.Empty(t, r.Header().Values("Content-Type"))
		require.Empty(t, r.Body.String())
	}
}

func TestTheDocumentSaysWhatTheChainReads(t *testing.T) {
	paths := open(t).api.OpenAPI(api.Newest()).Paths
	headers := func(op *huma.Operation) (names []string) {
		for _, p := range op.Parameters {
			if p.In == "header" {
				names = append(names, p.Name)
			}
		}
		return names
	}
	all, one := paths[notes], paths[notes+"/{id}"]
	require.Equal(t, []string{"Idempotency-Key"}, headers(all.Post))
	require.Empty(t, headers(all.Get), "a page has no ETag")
	require.Equal(t, []string{"If-None-Match"}, headers(one.Get))
	require.Equal(t, []string{"Idempotency-Key", "If-Match"}, headers(one.Patch))
	require.Equal(t, []string{"If-Match"}, headers(one.Delete))
	require.Equal(t, []string{"Idempotency-Key"}, headers(paths[notes+"/batch/all"].Patch),
		"each item can be held to its version")
	require.Contains(t, one.Get.Responses, "304")
	require.NotContains(t, all.Get.Responses, "304")
	require.Contains(t, all.Post.Responses["201"].Headers, "Location")
	require.NotContains(t, one.Patch.Responses["200"].Headers, "Location")
	for _, header := range append([]string{"ETag", "Api-Version", "X-Request-Id"}, api.LimitHeaders...) {
		require.Contains(t, one.Get.Responses["200"].Headers, header)
	}
	require.NotContains(t, one.Get.Responses["200"].Headers, "Idempotent-Replayed")
	require.Len(t, paths[notes+"/batch/all"].Patch.Responses["200"].Headers, 4+len(api.LimitHeaders))
	require.Contains(t, one.Patch.RequestBody.Content, "application/merge-patch+json")
}

// TestTheDocumentSaysWhatIsRefused: an operation declares each refusal that it can answer, and no other.
func TestTheDocumentSaysWhatIsRefused(t *testing.T) {
	w := open(t)
	open := func(route, id string) {
		api.Add(w.api, api.Op{Route: route, ID: id, Open: true}, func(*api.Call, *struct{}) (*api.None, error) {
			return &api.None{}, nil
		})
	}
	open("GET /state", "readState")
	open("POST /signal", "signal")
	open("GET /states/{id}", "readOneState")
	api.Add(w.api, api.Op{Route: "POST /states", ID: "makeState", Open: true},
		func(*api.Call, *api.Create[noteFields]) (*api.None, error) { return &api.None{}, nil })
	paths := w.api.OpenAPI(api.Newest()).Paths
	for name, c := range map[string]struct {
		operation *huma.Operation
		refused   string
	}{
		"a read":                       {paths["/state"].Get, "422 500 503"},
		"a read of one":                {paths["/states/{id}"].Get, "404 422 500 503"},
		"a write without a body":       {paths["/signal"].Post, "409 422 500 503"},
		"a write":                      {paths["/states"].Post, "400 409 413 415 422 500 503"},
		"a read by an access":          {paths[notes].Get, "400 401 403 422 429 500 503"},
		"a read of one by an access":   {paths[notes+"/{id}"].Get, "400 401 403 404 422 429 500 503"},
		"a write by an access":         {paths[notes].Post, "400 401 403 409 413 415 422 429 500 503"},
		"a change of one by an access": {paths[notes+"/{id}"].Patch, "400 401 403 404 409 412 413 415 422 429 500 503"},
	} {
		t.Run(name, func(t *testing.T) {
			var refused []string
			for status := range c.operation.Responses {
				if status >= "400" {
					refused = append(refused, status)
				}
			}
			slices.Sort(refused)
			require.Equal(t, strings.Fields(c.refused), refused)
		})
	}
}

func TestAnAddressMakesSoManyOpenRequestsASecond(t *testing.T) {
	for _, alone := range []bool{true, false} {
		w := open(t)
		w.api.Alone = alone
		w.caller.Limits.Hourly = 2
		api.Add(w.api, api.Op{Route: "POST /api-engine/open", ID: "open", Open: true, Rate: 2},
			func(*api.Call, *struct{}) (*api.Plain[string], error) { return api.PlainOf("x"), nil })
		for range 2 {
			require.Equal(t, 201, w.do("POST", "/api-engine/open", "", "Authorization", "").Code)
		}
		r := w.refused(w.do("POST", "/api-engine/open", "", "Authorization", ""), 429, "rate_limited")
		require.Equal(t, "1", r.Header().Get("Retry-After"))
		for _, ofAnAccess := range []string{"limit", "cost", "remaining"} { // contract, "Rate limits"
			require.NotContains(t, r.body, ofAnAccess)
		}
		if alone { // elsewhere a counter of that second has counted
			w.now = w.now.Add(time.Second)
			require.Equal(t, 201, w.do("POST", "/api-engine/open", "", "Authorization", "").Code)
		}
	}
}

func TestAnUnexpectedErrorIsLoggedAndNothingOfItIsShown(t *testing.T) {
	w := open(t)
	var log bytes.Buffer
	w.api.Log = slog.New(slog.NewTextHandler(&log, nil))
	api.Add(w.api, api.Op{Route: "GET /api-engine/broken", ID: "broken"},
		func(*api.Call, *struct{}) (*api.None, error) { return nil, errors.New("internals") })
	r := w.refused(w.do("GET", "/api-engine/broken", "", "X-Request-Id", "mine"), 500, "internal")
	require.NotContains(t, r.Body.String(), "internals")
	require.Regexp(t, `"unexpected error" requestId=mine error=internals`, log.String())
}

// TestWhatIsUnavailableToWhoHasHungUpIsNoFault, whatever has made a problem of the end of the request's context.
func TestWhatIsUnavailableToWhoHasHungUpIsNoFault(t *testing.T) {
	w := open(t)
	told := 0
	w.api.Answered = func(_ string, status int, _ time.Duration) { told = status }
	ctx, cancel := context.WithCancel(t.Context())
	api.Add(w.api, api.Op{Route: "GET /api-engine/broken", ID: "broken"},
		func(*api.Call, *struct{}) (*api.None, error) { cancel(); return nil, problem.Unavailable(time.Second) })
	r := httptest.NewRequestWithContext(ctx, "GET", "/api-engine/broken", nil)
	r.Header.Set("Authorization", "Bearer good")
	w.api.ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, 499, told)
}

func TestARefusalBesideAnAnswerLeavesNothingOfIt(t *testing.T) {
	w := open(t)
	id, tag := w.create("Tea")
	w.api.Near, w.caller.Limits.Hourly = false, 1
	r := w.refused(w.do("GET", notes+"/"+id, "", "If-None-Match", tag), 429, "rate_limited")
	require.Empty(t, r.Header().Values("ETag"))
	require.NotContains(t, r.Body.String(), "Tea")
}

func TestOnlyAReadIsUnlessModified(t *testing.T) {
	w := open(t)
	id, tag := w.create("Tea")
	require.Equal(t, 304, w.do("HEAD", notes+"/"+id, "", "If-None-Match", tag).Code)
	require.Equal(t, 200, w.do("PATCH", notes+"/"+id, `{"title":"x"}`, "If-None-Match", "*").Code)
}

func TestHeadAnswersAsGet(t *testing.T) {
	w := open(t)
	id, etag := w.create("Tea")
	g, h := w.do("GET", notes+"/"+id, ""), w.do("HEAD", notes+"/"+id, "")
	require.Equal(t, 200, h.Code)
	require.Empty(t, h.Body.String())
	require.Equal(t, etag, h.Header().Get("ETag"))
	require.Equal(t, fmt.Sprint(g.Body.Len()), h.Header().Get("Content-Length"))
}

func TestWhoMayNotReadGetsIDAndChangedOfAPatch(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	w.caller.Permissions = []permission.Permission{permission.WriteCustomers}
	r := w.do("PATCH", notes+"/"+id, `{"title":"b"}`)
	require.Equal(t, 200, r.Code)
	require.Len(t, r.body, 2)
	require.Equal(t, id, r.body["id"])
	require.NotEmpty(t, r.body["changed"])
	require.NotEmpty(t, r.Header().Get("ETag"))
}

func TestABriefAnswerIsTheSameWhenItIsGivenAgain(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	api.Add(w.api, api.Op{Route: "PATCH /api-engine/notes/{id}/part", ID: "changePart",
		Needs: permission.WriteCustomers,
		Reads: permission.ReadCustomers},
		func(c *api.Call, in *api.Change[noteFields]) (*api.Answer[map[string]string], error) {
			return written(c, api.Of(map[string]string{"part": "secret"}, "v").Brief(in.ID, field.At(w.now)))
		})
	w.caller.Permissions = []permission.Permission{permission.WriteCustomers}
	want := map[string]any{"id": id, "changed": "2026-11-21T12:30:00.000Z"}
	for _, replayed := range []string{"", "true"} {
		r := w.do("PATCH", notes+"/"+id+"/part", `{"title":"x"}`, "Idempotency-Key", "k")
		require.Equal(t, 200, r.Code, r.Body.String())
		require.Equal(t, replayed, r.Header().Get("Idempotent-Replayed"))
		require.Equal(t, want, r.body)
	}
}

func TestLongAnswersAreGzippedForWhoTakesIt(t *testing.T) {
	w := open(t)
	for accept, want := range map[string]string{"": "", "gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "",
		"*": "gzip", "identity": "", "*, gzip;q=0": "", "gzip;q=0, *": "", "*;q=0": "", "identity, *;q=0.1": "gzip"} {
		r := w.do("GET", "/page", "", "Accept-Encoding", accept)
		require.Equal(t, want, r.Header().Get("Content-Encoding"), accept)
		require.Equal(t, "Accept-Encoding", r.Header().Get("Vary"))
		require.Equal(t, events.APIVersion, r.Header().Get("Api-Version"), "on every response")
		if want == "gzip" {
			z, err := gzip.NewReader(r.Body)
			require.NoError(t, err)
			b, err := io.ReadAll(z)
			require.NoError(t, err)
			require.Len(t, b, 5000)
		}
	}
	require.Empty(t, w.do("GET", "/page", "", "Authorization", "").Header().Get("X-RateLimit-Request-Cost"),
		"a page has no limit")
}

func TestARefusalSaysWhatIsAmiss(t *testing.T) {
	w := open(t)
	for _, c := range []struct{ path, token, says string }{
		{notes, "", "Send a valid token as Authorization: Bearer <token>."},
		{notes, "esk_live_x", "Send a valid token as Authorization: Bearer <token>."},
		{notes, "esk_dev_x", "This is a developer's token; this door takes an access's."},
		{"/developer/shops", "esk_test_x", "This is an access's token; this door takes a developer's."},
		{"/operator/shops", "esk_dev_x", "This is a developer's token; this door takes the operator's."},
		{"/developer/shops", "eop_x", "This is the operator's token; this door takes a developer's."},
		{notes + "/01J0000000000000000000000Z", "good", "There is no such record."},
		{notes + "/42", "good", "There is no such record."},
		{"/api-engine/customer", "good", "There is no such path: see /docs."},
	} {
		authorization := ""
		if c.token != "" {
			authorization = "Bearer " + c.token
		}
		r := w.do("GET", c.path, "", "Authorization", authorization)
		require.Equal(t, c.says, r.body["detail"], c)
		require.Contains(t, []int{401, 404}, r.Code)
	}
}

func TestAnIdempotencyKeyGivesTheFirstAnswerAgain(t *testing.T) {
	w := open(t)
	first := w.do("POST", notes, `{"title":"<Tea & \"milk\">"}`, "Idempotency-Key", "k")
	again := w.do("POST", notes, `{"title":"<Tea & \"milk\">"}`, "Idempotency-Key", "k")
	require.Equal(t, 201, again.Code)
	require.Equal(t, first.Body.String(), again.Body.String())
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	require.Empty(t, first.Header().Get("Idempotent-Replayed"))
	require.Equal(t, first.Header().Get("ETag"), again.Header().Get("ETag"))
	require.Equal(t, first.Header().Get("Location"), again.Header().Get("Location"))
	require.Equal(t, []string{"1"}, again.exact("X-RateLimit-Request-Cost"))
	require.Len(t, w.table.items, 2, "one record, one kept answer")

	w.refused(w.do("POST", notes, `{"title": "Tea"}`, "Idempotency-Key", "k"), 422, "idempotency_key_reused")
	w.refused(w.do("PATCH", first.Header().Get("Location"), `{"title":"Tea"}`, "Idempotency-Key", "k"), 422,
		"idempotency_key_reused")
	w.refused(w.do("POST", notes, `{`, "Idempotency-Key", "k"), 400, "malformed_json")
	w.caller.Access = "01J00000000000000000000002"
	require.Empty(t, w.do("POST", notes, `{"title":"Tea"}`, "Idempotency-Key", "k").Header().Get("Idempotent-Replayed"),
		"keys belong to the access")
	w.now = w.now.Add(24*time.Hour + time.Second)
	require.Empty(t, w.do("POST", notes, `{"title":"Tea"}`, "Idempotency-Key", "k").Header().
		Get("Idempotent-Replayed"), "for 24 h")
	for _, bad := range []string{" ", strings.Repeat("x", 256), "ž"} {
		r := w.refused(w.do("POST", notes, `{"title":"Tea"}`, "Idempotency-Key", bad), 422, "invalid")
		require.Equal(t, "header.Idempotency-Key", r.fault(t, 0)["location"])
	}
}

func TestRefusalsAreNotKept(t *testing.T) {
	w := open(t)
	w.refused(w.do("POST", notes, `{}`, "Idempotency-Key", "k"), 422, "invalid")
	require.Equal(t, 201, w.do("POST", notes, `{"title":"Tea"}`, "Idempotency-Key", "k").Code)
}

func TestAnAnswerThatWroteNothingIsKeptTooButNotWhatIsShownOnce(t *testing.T) {
	w := open(t)
	path := notes + "/01J0000000000000000000000Z/ping"
	first := w.do("POST", path, "", "Idempotency-Key", "k", "Content-Type", "")
	require.Equal(t, 202, first.Code, first.Body.String())
	require.Equal(t, "shown-once", first.body["token"])
	again := w.do("POST", path, "", "Idempotency-Key", "k", "Content-Type", "")
	require.Equal(t, 202, again.Code)
	require.Equal(t, first.body["at"], again.body["at"])
	require.NotContains(t, again.body, "token")
	for _, i := range w.table.items {
		require.NotContains(t, string(i.Doc), "shown-once")
	}
}

// TestARequestUnderAKeyEndsAsItsOperationDid: alone, once another request under the key was first, and while that one
// has no answer.
func TestARequestUnderAKeyEndsAsItsOperationDid(t *testing.T) {
	type answer = *api.Answer[map[string]string]
	answered := func(c *api.Call) (answer, error) { return api.Of(map[string]string{"of": c.RequestID}, "v"), nil }
	writes := func(c *api.Call) (answer, error) {
		a, _ := answered(c)
		return written(c, a)
	}
	fails := func(p *problem.Problem) func(*api.Call) (answer, error) {
		return func(*api.Call) (answer, error) { return nil, p }
	}
	for _, r := range []struct {
		name                     string
		ends                     func(*api.Call) (answer, error)
		alone, second, undecided int // statuses
	}{
		{"it writes", writes, 201, 201, 409},
		{"it writes nothing", answered, 201, 201, 409},
		{"it may not", fails(problem.Forbidden("no", "No.")), 403, 403, 403},
		{"it finds nothing", fails(problem.NotFound()), 404, 201, 404},
		{"it contradicts what is stored", fails(problem.Conflict("no", "No.")), 409, 201, 409},
	} {
		t.Run(r.name, func(t *testing.T) {
			w, run := open(t), r.ends
			api.Add(w.api, api.Op{Route: "POST /api-engine/ended", ID: "end", Needs: permission.WriteCustomers},
				func(c *api.Call, _ *struct{}) (answer, error) { return run(c) })
			post := func(key string) reply {
				return w.do("POST", "/api-engine/ended", "", "Idempotency-Key", key, "Content-Type", "")
			}
			require.Equal(t, r.alone, post("alone").Code)

			var first reply
			run = func(c *api.Call) (answer, error) {
				run = writes
				first = post("second")
				return r.ends(c)
			}
			second := post("second")
			require.Equal(t, r.second, second.Code)
			if r.second == 201 {
				require.Equal(t, first.body, second.body)
				require.Equal(t, "true", second.Header().Get("Idempotent-Replayed"))
			}

			run = func(c *api.Call) (answer, error) {
				require.NoError(t, c.Unit().Begin(c, time.Minute))
				held := maps.Clone(w.table.items)
				run = func(c *api.Call) (answer, error) {
					w.table.items = held // as if the request that holds the key went on
					return r.ends(c)
				}
				return nil, problem.NotFound()
			}
			require.Equal(t, 404, post("undecided").Code)
			require.Equal(t, r.undecided, post("undecided").Code)
		})
	}
}

func TestAnAnswerThatTheLimitRefusesIsNotKept(t *testing.T) {
	w, done := open(t), make(chan struct{})
	api.Add(w.api, api.Op{Route: "POST /api-engine/ended", ID: "end", Needs: permission.WriteCustomers},
		func(*api.Call, *struct{}) (*api.Answer[map[string]string], error) {
			close(done)
			return api.Of(map[string]string{}, "v"), nil
		})
	post := func() reply {
		return w.do("POST", "/api-engine/ended", "", "Idempotency-Key", "k", "Content-Type", "")
	}
	counters := w.api.Counters
	w.api.Near, w.api.Counters, w.caller.Limits.Hourly = false, late{counters, done}, 0
	require.Equal(t, 429, post().Code)

	done = make(chan struct{})
	w.api.Near, w.api.Counters, w.caller.Limits.Hourly = true, counters, 10
	again := post()
	require.Equal(t, 201, again.Code)
	require.Empty(t, again.Header().Get("Idempotent-Replayed"))
}

// late are counters that answer once an operation was done.
type late struct {
	limit.Counters
	done chan struct{}
}

func (l late) Charge(ctx context.Context, access string, all limit.Limits, cost int64, now time.Time) (
	limit.Standing, error,
) {
	<-l.done
	return l.Counters.Charge(ctx, access, all, cost, now)
}

func TestLongAnswersUnderAKeyFitAnItem(t *testing.T) {
	w := open(t)
	body := `{"title":"Tea","text":"` + strings.Repeat("tea ", 12_000) + `"}`
	first := w.do("POST", notes, body, "Idempotency-Key", "k")
	require.JSONEq(t, first.Body.String(), w.do("POST", notes, body, "Idempotency-Key", "k").Body.String())
}

func TestParallelRequestsWithOneKeyDoItOnce(t *testing.T) {
	w := open(t)
	replies := make(chan reply)
	for range 20 {
		go func() { replies <- w.do("POST", notes, `{"title":"Tea"}`, "Idempotency-Key", "k") }()
	}
	ids := map[any]bool{}
	for range 20 {
		r := <-replies
		require.Equal(t, 201, r.Code, r.Body.String())
		ids[r.body["id"]] = true
	}
	require.Len(t, ids, 1)
	require.Len(t, w.table.items, 2)
}

func TestTheLimitIsExactUnderParallelRequests(t *testing.T) {
	w := open(t)
	w.caller.Limits = limit.Limits{Hourly: 50, Daily: 100}
	codes := make(chan int)
	for range 80 {
		go func() { codes <- w.do("GET", notes, "").Code }()
	}
	count := map[int]int{}
	for range 80 {
		count[<-codes]++
	}
	require.Equal(t, map[int]int{200: 50, 429: 30}, count)
	r := w.refused(w.do("GET", notes, ""), 429, "rate_limited")
	require.Equal(t, "hourly", r.body["limit"])
	require.EqualValues(t, 1, r.body["cost"])
	require.Equal(t, map[string]any{"hourly": 0.0, "daily": 50.0}, r.body["remaining"])
	require.Equal(t, "1800", r.Header().Get("Retry-After"))
	require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Request-Cost"))
	require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Hourly-Remaining"))
}

func TestABatchIsChargedTheMostAndGivenBackWhatDidNotChange(t *testing.T) {
	w := open(t)
	w.caller.Limits = limit.Limits{Hourly: 10, Daily: 100}
	items := func(first, n int) string {
		return fmt.Sprintf(`{"items":[%d%s]}`, first, strings.Repeat(",0", n-1))
	}
	r := w.do("PATCH", notes+"/batch/all", items(12, 45))
	require.Equal(t, 200, r.Code, r.Body.String())
	require.Equal(t, []string{"2"}, r.exact("X-RateLimit-Request-Cost"))
	require.Equal(t, []string{"8"}, r.exact("X-RateLimit-Hourly-Remaining"))
	r = w.refused(w.do("PATCH", notes+"/batch/all", items(0, 90)), 429, "rate_limited")
	require.EqualValues(t, 9, r.body["cost"])
	require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Request-Cost"))
	require.Equal(t, []string{"8"}, r.exact("X-RateLimit-Hourly-Remaining"), "all of it is given back")
	require.Equal(t, map[string]any{"hourly": 8.0, "daily": 98.0}, r.body["remaining"], "and the body says the same")
	w.caller.Limits = limit.Limits{Hourly: 5, Daily: 100}
	w.refused(w.do("PATCH", notes+"/batch/all", items(0, 60)), 422, "batch_too_expensive")
}

func TestAnInactiveAccessIsChargedNothingAndShownItsStanding(t *testing.T) {
	w := open(t)
	w.do("GET", notes, "")
	w.caller.Active = false
	for _, down := range []error{nil, io.ErrUnexpectedEOF} {
		w.down = down
		r := w.refused(w.do("GET", notes, ""), 403, "package_inactive")
		require.Equal(t, []string{"0"}, r.exact("X-RateLimit-Request-Cost"))
		require.Equal(t, []string{"1000"}, r.exact("X-RateLimit-Hourly-Limit"))
	}
	w.down, w.caller.Active = nil, true
	require.Equal(t, []string{"998"}, w.do("GET", notes, "").exact("X-RateLimit-Hourly-Remaining"))
}

func TestCountersThatCannotBeReachedLetRequestsPass(t *testing.T) {
	w := open(t)
	w.down = io.ErrUnexpectedEOF
	r := w.do("GET", notes, "")
	require.Equal(t, 200, r.Code)
	require.Equal(t, []string{"1000"}, r.exact("X-RateLimit-Hourly-Remaining"))
}

// TestCountersThatAreForbiddenLetNothingPass: that is a wrong role, and no outage.
func TestCountersThatAreForbiddenLetNothingPass(t *testing.T) {
	w := open(t)
	w.down = fmt.Errorf("%w: no rights", limit.ErrForbidden)
	w.refused(w.do("GET", notes, ""), 500, "internal")
	w.caller.Active = false
	w.refused(w.do("GET", notes, ""), 500, "internal")
}

func TestAStoreThatCannotBeReachedIs503AndNothingIsHalfWritten(t *testing.T) {
	w := open(t)
	w.table.down = true
	r := w.refused(w.do("POST", notes, `{"title":"Tea"}`), 503, "unavailable")
	require.Equal(t, "1", r.Header().Get("Retry-After"))
	w.refused(w.do("POST", notes, `{"title":"Tea"}`, "Idempotency-Key", "k"), 503, "unavailable")
	require.Empty(t, w.table.items)
}

// titles walks a collection to its end.
func (w *world) titles(path string) (titles []string, pages int) {
	w.t.Helper()
	for path != "" {
		r := w.do("GET", path, "")
		require.Equal(w.t, 200, r.Code, r.Body.String())
		for _, i := range r.body["items"].([]any) {
			titles = append(titles, i.(map[string]any)["title"].(string))
		}
		pages++
		link := r.Header().Get("Link")
		next, has := r.body["nextCursor"].(string)
		path = ""
		if has {
			require.Contains(w.t, link, next)
			require.True(w.t, strings.HasSuffix(link, `; rel="next"`))
			path = strings.TrimPrefix(link[1:strings.Index(link, ">")], "http://api.test")
		} else {
			require.Empty(w.t, link)
		}
	}
	return titles, pages
}

func TestACollectionIsWalkedInOrder(t *testing.T) {
	w := open(t)
	var want []string
	for i := range 23 {
		w.now = w.now.Add(time.Second)
		want = append(want, fmt.Sprintf("n%02d", i))
		w.create(want[i])
	}
	got, pages := w.titles(notes + "?itemsPerPage=5")
	require.Equal(t, want, got)
	require.Equal(t, 5, pages)
	got, _ = w.titles(notes + "?itemsPerPage=4&order%5Bchanged%5D=desc")
	require.Len(t, got, 23)
	require.Equal(t, "n22", got[0])
	require.Equal(t, "n00", got[22])
	at := func(i int) string { return time.Date(2026, 11, 21, 12, 30, 1+i, 0, time.UTC).Format(time.RFC3339) }
	for query, want := range map[string][]string{
		"changed[after]=" + at(20):                                    {"n20", "n21", "n22"},
		"changed[strictly_after]=" + at(20):                           {"n21", "n22"},
		"changed[before]=" + at(1):                                    {"n00", "n01"},
		"changed[strictly_before]=" + at(1):                           {"n00"},
		"changed[after]=" + at(3) + "&changed[before]=" + at(4):       {"n03", "n04"},
		"changed[after]=2026-11-22":                                   nil,
		"changed[before]=2026-11-21":                                  nil,
		"changed[before]=1969-12-31":                                  nil,
		"changed[strictly_before]=1970-01-01":                         nil,
		"changed[before]=0001-01-01T00:00:00Z":                        nil,
		"changed[after]=0001-01-01&changed[before]=" + at(0):          {"n00"},
		"changed[strictly_after]=1960-01-01&changed[before]=" + at(0): {"n00"},
		"title=n07&itemsPerPage=3":                                    {"n07"},
		"changed[after]=2026-11-21T13:30:22%2B01:00&itemsPerPage=1":   {"n21", "n22"},
	} {
		got, _ := w.titles(notes + "?" + query)
		require.Equal(t, want, got, query)
	}
}

func TestACursorKeepsItsFiltersAndIsNobodyElses(t *testing.T) {
	w := open(t)
	for i := range 6 {
		w.now = w.now.Add(time.Second)
		w.create(fmt.Sprint("n", i))
	}
	r := w.do("GET", notes+"?itemsPerPage=2&order[changed]=desc", "")
	c := r.body["nextCursor"].(string)
	r = w.do("GET", notes+"?itemsPerPage=1&cursor="+c, "")
	require.Equal(t, "n3", r.body["items"].([]any)[0].(map[string]any)["title"], "the order is kept")
	require.Equal(t, 200, w.do("GET", notes+"?order[changed]=desc&cursor="+c, "").Code,
		"the same filters may stand beside it")
	r = w.do("GET", notes+"?itemsPerPage=2&changed[after]=2026-11-21", "")
	ascending := r.body["nextCursor"].(string)
	require.Equal(t, 200, w.do("GET", notes+"?order[changed]=asc&cursor="+ascending, "").Code,
		"no order is the default one")
	for name, path := range map[string]string{
		"another order":  notes + "?order[changed]=asc&cursor=" + c,
		"another moment": notes + "?changed[after]=2026-11-20&cursor=" + ascending,
		"a line end":     notes + "?cursor=" + c[:9] + "%0A" + c[9:],
		"another filter": notes + "?title=x&cursor=" + c,
		"tampered":       notes + "?cursor=A" + c[1:],
		"cut":            notes + "?cursor=" + c[:10],
		"noise":          notes + "?cursor=%00",
		"empty":          notes + "?cursor=",
	} {
		t.Run(name, func(t *testing.T) { w.t = t; w.refused(w.do("GET", path, ""), 422, "bad_cursor") })
	}
	w.t = t
	w.caller.Shop = "01J00000000000000000000009"
	w.refused(w.do("GET", notes+"?cursor="+c, ""), 422, "bad_cursor")
}

func TestQueriesThatNobodyKnowsAreRefused(t *testing.T) {
	w := open(t)
	id, _ := w.create("Tea")
	for query, code := range map[string]string{
		"nope=1":                                "unknown_field",
		"itemsPerPage=0":                        "too_small",
		"itemsPerPage=251":                      "too_big",
		"itemsPerPage=x":                        "wrong_type",
		"itemsPerPage=%2B5":                     "wrong_type",
		"itemsPerPage=99999999999999999999":     "too_big",
		"itemsPerPage=1&itemsPerPage=2":         "duplicate",
		"order[changed]=up":                     "bad_format",
		"changed[after]=yesterday":              "bad_format",
		"changed[after]=2026-11-21T10:00:00":    "bad_format",
		"changed[after]=2026-11-21T1:00:00Z":    "bad_format",
		"changed[after]=2026-11-21T10:00:00,5Z": "bad_format",
		"title=%ff":                             "bad_format",
		"title=%zz":                             "bad_format",
	} {
		r := w.refused(w.do("GET", notes+"?"+query, ""), 422, "invalid")
		require.Equal(t, code, r.fault(t, 0)["code"], query)
		require.True(t, strings.HasPrefix(r.fault(t, 0)["location"].(string), "query"), query)
	}
	r := w.refused(w.do("GET", notes+"?itemsPerPage=0&order[changed]=up&changed[after]=x&changed[before]=y&nope=1", ""),
		422, "invalid")
	require.Len(t, r.body["errors"], 5, "one entry per fault")
	r = w.do("GET", notes+"?changed[after]=2026-11-21T10:00:00+02:00", "")
	require.Contains(t, r.fault(t, 0)["message"], "%2B")
	require.Equal(t, "unknown_field", w.refused(w.do("GET", notes+"/"+id+"?x=1", ""), 422,
		"invalid").fault(t, 0)["code"])
	require.Equal(t, "unknown_field", w.refused(w.do("POST", notes+"?x=1", `{"title":"a"}`), 422,
		"invalid").fault(t, 0)["code"])
}

func TestRequestIDsOfCallersAreKeptWhenTheyCanBe(t *testing.T) {
	w := open(t)
	for sent, kept := range map[string]bool{"abc-1._X": true, strings.Repeat("x", 64): true,
		strings.Repeat("x", 65): false, "a b": false, "é": false} {
		got := w.do("GET", notes, "", "X-Request-Id", sent).Header().Get("X-Request-Id")
		require.Equal(t, kept, got == sent, sent)
		require.NotEmpty(t, got)
	}
}

func FuzzBodiesNeverBreakTheFrame(f *testing.F) {
	for _, s := range []string{`{"title":"x"}`, `{"title":null,"tags":[{}]}`, `{"address":{"city":{}}}`, `[[[[`,
		`{"count":1e999}`, `"\ud800"`, `{"price":"1.00","price":"2.00"}`} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, body string, patch bool) {
		w := open(t)
		id, _ := w.create("Tea")
		before := len(w.table.items)
		method, path := http.MethodPost, notes
		if patch {
			method, path = http.MethodPatch, notes+"/"+id
		}
		r := w.do(method, path, body, "Content-Type", "application/json")
		require.Less(t, r.Code, 500, r.Body.String())
		require.True(t, json.Valid(r.Body.Bytes()))
		if r.Code >= 400 {
			require.Len(t, w.table.items, before)
		}
	})
}

func FuzzCursorsNeverBreakTheFrame(f *testing.F) {
	f.Add("x")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, cursor string) {
		w := open(t)
		r := w.do("GET", notes+"?cursor="+url.QueryEscape(printable(cursor)), "")
		w.refused(r, 422, "bad_cursor")
	})
}

// printable keeps what httptest.NewRequest takes in a request line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, s)
}

// A handler may say nothing of its status, and may write nothing: that is 200, for the caller and for the figures.
func TestAnAnswerWithoutAStatusIsA200(t *testing.T) {
	w := open(t)
	var told []int
	w.api.Answered = func(route string, status int, _ time.Duration) {
		require.Contains(t, w.api.Patterns(), route)
		told = append(told, status)
	}
	for path, write := range map[string]func(http.ResponseWriter){
		"/quiet":  func(http.ResponseWriter) {},
		"/text":   func(rw http.ResponseWriter) { _, _ = io.WriteString(rw, "text") },
		"/bytes":  func(rw http.ResponseWriter) { _, _ = rw.Write([]byte("bytes")) },
		"/header": func(rw http.ResponseWriter) { rw.WriteHeader(http.StatusAccepted) },
	} {
		w.api.Handle("GET "+path, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { write(rw) }))
		want := map[bool]int{true: http.StatusAccepted, false: http.StatusOK}[path == "/header"]
		require.Equal(t, want, w.do("GET", path, "").Code, path)
		require.Equal(t, []int{want}, told, path)
		told = nil
	}
}

func TestACounterThatIsAskedTooOftenRefuses(t *testing.T) {
	w := open(t)
	w.down = limit.ErrThrottled
	r := w.do("GET", notes, "")
	require.Equal(t, 429, r.Code)
	require.Equal(t, "1", r.Header().Get("Retry-After"))
	w.down = nil
	require.Equal(t, 200, w.do("GET", notes, "").Code)
}
