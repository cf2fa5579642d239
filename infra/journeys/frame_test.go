package journeys

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// frame is what every answer has, whichever function gives it and whatever carries it there.
func frame(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	stranger := client{t, w.url, "esk_test_" + strings.Repeat("0", 43)}
	for _, path := range []string{"/api-engine/customers", "/api-engine/nowhere", "/api-engine/products/1/variants/2",
		"/operator/shops"} {
		r, err := stranger.send("GET", path, nil)
		require.NoError(t, err)
		r.problem(401, "unauthenticated")
		require.Equal(t, `Bearer error="invalid_token"`, r.header.Get("WWW-Authenticate"), path)
	}
	r := tn.do(404, "GET", "/api-engine/nowhere?x=1", nil, "X-Request-Id", "mine.1_a-b").problem(404, "not_found")
	require.Equal(t, "mine.1_a-b", r.header.Get("X-Request-Id"))
	require.Equal(t, "mine.1_a-b", r.text("requestId"))
	require.Equal(t, "1", r.header.Get("X-RateLimit-Request-Cost"))
	require.Equal(t, "2026-11-01", r.header.Get("Api-Version"))
	tn.do(404, "GET", "/api-engine/customers/%25zz%20x", nil).problem(404, "not_found")
	r = tn.do(405, "PUT", "/api-engine/customers", fields{}).problem(405, "method_not_allowed")
	for _, method := range []string{"GET", "HEAD", "POST"} {
		require.Contains(t, r.header.Get("Allow"), method)
	}
	require.Empty(t, tn.do(200, "HEAD", "/api-engine/customers", nil).body)
	tn.do(413, "POST", "/api-engine/customers", fields{"note": strings.Repeat("x", 1<<20)}).problem(413,
		"body_too_large")
	tn.do(415, "POST", "/api-engine/customers", fields{}, "Content-Type", "text/plain").problem(415,
		"unsupported_media_type")
	if !w.mangles {
		tn.raw("POST", "/api-engine/customers", []byte("{\"email\":\"\xff\xfe\"}")).problem(400, "malformed_json")
	}
	tn.raw("POST", "/api-engine/customers", []byte(`{"email":"a@b.cz","email":"a@b.cz"}`)).problem(400,
		"malformed_json")
	conditions(t, tn)
	lists(t, tn)
	open := client{t, w.url, ""}
	require.Contains(t, open.get("/openapi.json").fields()["paths"], "/api-engine/customers/{id}")
	for _, page := range []string{"/docs", "/docs/errors", "/docs/webhooks", "/docs/frontend", "/docs/operator",
		"/docs/operations", "/"} {
		require.Contains(t, open.get(page).header.Get("Content-Type"), "text/html")
	}
	for _, path := range []string{"/nowhere", "/docs/nowhere", "/docs/../api-engine/customers"} {
		open.do(404, "GET", path, nil).problem(404, "not_found")
	}
}

// raw posts bytes that may be no JSON.
func (c client) raw(method, path string, body []byte) answer {
	c.t.Helper()
	r, err := http.NewRequest(method, c.base+path, bytes.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	got, err := caller.Do(r)
	require.NoError(c.t, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(c.t, err)
	return answer{c.t, got.StatusCode, got.Header, b}
}

func conditions(t *testing.T, tn *tenant) {
	made := tn.post("/api-engine/customers", someone())
	at, tag := made.header.Get("Location"), made.header.Get("ETag")
	at = strings.TrimPrefix(at, tn.base)
	require.Equal(t, "/api-engine/customers/"+made.id(), at)
	require.Regexp(t, `^"[^"]+"$`, tag)
	require.Empty(t, tn.do(304, "GET", at, nil, "If-None-Match", `"other", W/`+tag).body)
	changed := tn.do(200, "PATCH", at, fields{"note": "a, \"b\""}, "If-Match", `"other", `+tag)
	require.NotEqual(t, tag, changed.header.Get("ETag"))
	tn.do(412, "PATCH", at, fields{"note": "b"}, "If-Match", tag).problem(412, "version_conflict")
	tn.do(412, "DELETE", at, nil, "If-Match", tag).problem(412, "version_conflict")
	require.Equal(t, "a, \"b\"", tn.get(at).text("note"))
}

// lists of more than one page, with the brackets of their parameters as they are, or escaped.
func lists(t *testing.T, tn *tenant) {
	var all []string
	for range 6 {
		body := someone()
		body["note"] = strings.Repeat("žluťoučký ", 50)
		made := tn.post("/api-engine/customers", body)
		all = append(all, made.text("changed")+" "+made.id())
	}
	slices.Sort(all) // by (changed, id): two of one millisecond may have come in the other order
	for i := range all {
		_, all[i], _ = strings.Cut(all[i], " ")
	}
	var got []string
	next := "/api-engine/customers?itemsPerPage=4&order[changed]=desc&changed%5Bafter%5D=2026-01-01T00:00:00%2B01:00"
	for pages := 0; next != ""; pages++ {
		require.Less(t, pages, 10)
		page := tn.get(next)
		for _, x := range page.items("items") {
			got = append(got, x["id"].(string))
		}
		cursor := page.text("nextCursor")
		require.Equal(t, cursor != "", page.header.Get("Link") != "")
		if next = ""; cursor != "" {
			next = "/api-engine/customers?cursor=" + cursor
		}
	}
	require.Len(t, got, 7)
	for i, id := range all {
		require.Equal(t, id, got[5-i])
	}
	tn.do(422, "GET", "/api-engine/customers?changed[later]=1", nil).problem(422, "invalid")
	zipped := tn.do(200, "GET", "/api-engine/customers", nil, "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", zipped.header.Get("Content-Encoding"))
	z, err := gzip.NewReader(bytes.NewReader(zipped.body))
	require.NoError(t, err)
	plain, err := io.ReadAll(z)
	require.NoError(t, err)
	require.True(t, json.Valid(plain))
	require.Contains(t, string(plain), "žluťoučký")
}

// limited: limits are exact, however many requests come at once.
func limited(t *testing.T, w *world) {
	const daily = 30
	parallel := 2 * daily
	if w.emulated {
		parallel = daily + 2
	}
	for try := 1; ; try++ {
		tn := w.shopWith(t, everything...)
		w.operate(t).patch(tn.accessPath(), fields{"dailyLimit": daily})
		w.counts()
		day := tn.get("/api-engine/status").header.Get("X-RateLimit-Daily-Reset")
		var passed, unserved atomic.Int64
		var work sync.WaitGroup
		for range parallel {
			work.Go(func() {
				r, err := tn.send("GET", "/api-engine/customers", nil)
				switch {
				case err != nil:
					t.Error(err)
				case r.status == 200:
					passed.Add(1)
				case r.status == 503 && w.emulated:
					unserved.Add(1)
				case r.status != 429:
					t.Errorf("%d %s", r.status, r.body)
				}
			})
		}
		work.Wait()
		if w.emulated && (passed.Load() > daily-1 || unserved.Load() > 0) && try < 5 {
			continue
		}
		use := w.operate(t).get("/operator/accesses?shopId=" + tn.shop).items("items")[0]
		over := tn.do(429, "PATCH", "/api-engine/products/batch/stock",
			fields{"items": []fields{{"id": "x", "quantity": 1}}}).problem(429, "rate_limited")
		require.Equal(t, "daily", over.text("limit"))
		require.Equal(t, "0", over.header.Get("X-RateLimit-Request-Cost"))
		require.Equal(t, "0", over.header.Get("X-RateLimit-Daily-Remaining"))
		require.Regexp(t, `^[1-9]\d*$`, over.header.Get("Retry-After"))
		if over.header.Get("X-RateLimit-Daily-Reset") == day { // else midnight came between
			require.EqualValues(t, daily-1, passed.Load())
			require.EqualValues(t, daily, use["usedToday"])
			return
		}
	}
}
