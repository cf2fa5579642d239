package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/functions/docs"
	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenGuideHasEachEventOfRecords writes, by "make golden", the rows of the guide's table that events.Subjects
// has.
func TestGoldenGuideHasEachEventOfRecords(t *testing.T) {
	guide, err := os.ReadFile("webhooks.md")
	require.NoError(t, err)
	const columns, next = "| Event | `data` | Needs |\n|---|---|---|\n", "| `shopOwnerChange` |"
	head, rest, found := strings.Cut(string(guide), columns)
	require.True(t, found)
	rows, behind, found := strings.Cut(rest, next)
	require.True(t, found)
	var made strings.Builder
	for _, s := range events.Subjects {
		if len(s.Events) == 0 {
			continue
		}
		var names []string
		for _, e := range s.Events {
			names = append(names, "`"+string(e.Name)+"`")
		}
		listed := "ids"
		if s.Variants {
			listed = "of each `id` and `variantIds` (all of them on create and delete, on change those touched)"
		}
		fmt.Fprintf(&made, "| %s | `%s`: %s | `%s` |\n", strings.Join(names, " "), s.IDs, listed, s.Needs)
	}
	if *update {
		whole := head + columns + made.String() + next + behind
		require.NoError(t, os.WriteFile("webhooks.md", []byte(whole), 0o644))
		return
	}
	require.Equal(t, made.String(), rows, "events.Subjects has changed: run `make golden`")
}

// pages serves the documentation alone.
var pages = sync.OnceValue(func() *api.API {
	a := api.New(api.Config{Now: time.Now, Random: rand.NewChaCha8([32]byte{}), Log: slog.New(slog.DiscardHandler),
		BaseURL: "http://api.test"})
	docs.Function.HTTP(&host.Platform{Parts: host.Parts{Addresses: host.Addresses{BaseURL: "http://api.test"}}}, a)
	return a
})

// listed is the frame with all operations of THE list.
func listed() *api.API {
	a := api.New(api.Config{})
	for _, f := range functions.List {
		if f.HTTP != nil {
			f.HTTP(&host.Platform{}, a)
		}
	}
	return a
}

// decoded is the document, as it is served.
func decoded(t *testing.T) map[string]any {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(get(t, "GET", "/openapi.json").Body.Bytes(), &d))
	return d
}

func get(t *testing.T, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	pages().ServeHTTP(rec, r)
	return rec
}

func TestEachPageNeedsNoTokenAndIsKept(t *testing.T) {
	for path, kind := range map[string]string{"/docs": "text/html; charset=utf-8",
		"/docs/events": "text/html; charset=utf-8", "/docs/products": "text/html; charset=utf-8",
		"/docs/errors": "text/html; charset=utf-8", "/docs/webhooks": "text/html; charset=utf-8",
		"/docs/conventions": "text/html; charset=utf-8", "/docs/frontend": "text/html; charset=utf-8",
		"/docs/operations": "text/html; charset=utf-8", "/openapi.json": "application/json",
		"/docs/openapi-2026-11-01.json": "application/json", "/docs/openapi-2027-01-01.json": "application/json"} {
		r := get(t, "GET", path)
		require.Equal(t, 200, r.Code, path)
		require.Equal(t, kind, r.Header().Get("Content-Type"))
		require.Equal(t, "public, max-age=300", r.Header().Get("Cache-Control"))
		require.NotEmpty(t, r.Header().Get("X-Request-Id"))
		tag := r.Header().Get("ETag")
		require.NotEmpty(t, tag)

		head := get(t, "HEAD", path)
		require.Equal(t, 200, head.Code)
		require.Empty(t, head.Body.String())
		require.Equal(t, r.Header().Get("Content-Length"), head.Header().Get("Content-Length"))
		require.Equal(t, 304, get(t, "GET", path, "If-None-Match", tag).Code)
		require.Equal(t, 405, get(t, "POST", path).Code)
	}
}

// TestAMistypedAddressIsOfHelp: it leads to the page that is meant, or a browser is told by a page, a program by JSON.
func TestAMistypedAddressIsOfHelp(t *testing.T) {
	for path, to := range map[string]string{"/docs/": "/docs", "/docs/Webhooks": "/docs/webhooks",
		"/docs/webhooks/": "/docs/webhooks", "/docs/Webhooks.md": "/docs/webhooks.md",
		"/docs/%0d%0aSet-Cookie:x/": "/docs/%0D%0ASet-Cookie:x", "/docs/a%2F": "/docs/a"} {
		r := get(t, "GET", path)
		require.Equal(t, 308, r.Code, path)
		require.Equal(t, to, r.Header().Get("Location"))
	}
	for _, path := range []string{"/docs/nothing", "/docs/no/thing"} {
		r := get(t, "GET", path)
		require.Equal(t, 404, r.Code, path)
		require.Equal(t, "application/problem+json", r.Header().Get("Content-Type"))
		r = get(t, "GET", path, "Accept", "text/html,*/*;q=0.8")
		require.Equal(t, 404, r.Code, path)
		require.Equal(t, "text/html; charset=utf-8", r.Header().Get("Content-Type"))
		require.Equal(t, "no-store", r.Header().Get("Cache-Control"))
		require.Contains(t, r.Body.String(), `<a href="/docs">The first page</a>`)
		require.Contains(t, r.Body.String(), `id="search"`)
	}
}

func TestEachVersionHasADocumentAtAnAddressOfItsOwn(t *testing.T) {
	for _, v := range api.Versions {
		at := "/docs/openapi-" + v.Name + ".json"
		served := get(t, "GET", at).Body.Bytes()
		require.True(t, bytes.Equal(openapi.Document(listed(), v), served), "run `make golden`")
		require.Equal(t, v == api.Newest(), bytes.Equal(served, get(t, "GET", "/openapi.json").Body.Bytes()))
		require.Contains(t, get(t, "GET", "/docs/customers").Body.String(), `href="`+at+`"`)
		require.Contains(t, get(t, "GET", "/llms.txt").Body.String(), "(http://api.test"+at+")")
		var d struct {
			Paths map[string]struct {
				Patch struct {
					Responses map[string]struct {
						Content map[string]struct{ Schema map[string]any }
						Headers map[string]any
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(served, &d))
		patches := 0
		for path, item := range d.Paths {
			ok, abridged := item.Patch.Responses["200"], item.Patch.Responses["204"]
			_, either := ok.Content["application/json"].Schema["anyOf"]
			switch {
			case v == api.Newest():
				require.False(t, either, path)
				require.NotContains(t, ok.Headers, "Deprecation", path)
			case either:
				require.Empty(t, abridged, path)
				require.Contains(t, ok.Headers, "Deprecation", path)
			}
			if either || len(abridged.Headers) > 0 {
				patches++
			}
		}
		require.Equal(t, 9, patches, "the operations that differ, in either version")
	}
}

func TestNoPageLoadsAnythingFromElsewhere(t *testing.T) {
	loads := regexp.MustCompile(`(?i)<(img|iframe|object|embed|video|audio)|src\s*=\s*"?[^"/]|@import|\burl\(|(href|action|src)\s*=\s*"?(https?:)?//|\bstyle=|<[^>]*\bon\w+=`)
	for path := range everyPage(t) {
		r := get(t, "GET", path)
		require.Empty(t, loads.FindString(r.Body.String()), path)
		require.Contains(t, r.Header().Get("Content-Security-Policy"), "default-src 'none'")
	}
}

func TestTheReferenceMarksWhatMustBeSentAndWhatMayBeAbsent(t *testing.T) {
	article := func(path, id string) (body, answer string) {
		_, part, found := strings.Cut(get(t, "GET", path).Body.String(), `<article class="op" id="`+id+`"`)
		require.True(t, found, id)
		part, _, _ = strings.Cut(part, "</article>")
		request, answer, _ := strings.Cut(part, "<h3>Answer")
		_, body, _ = strings.Cut(request, "<h3>Body</h3>")
		return body, answer
	}
	batch, _ := article("/docs/products-in-batches", "changeProductsStock")
	_, report := article("/docs/products-in-batches", "changeProductsBasic") // the first of those that answer so
	require.Contains(t, batch, `<code>items[].id</code> <strong>required</strong>`)
	require.NotContains(t, batch, `<code>items[].quantity</code> <strong`)
	require.Contains(t, report, `<code>results[].variantId</code> <em>optional</em>`)
	require.NotContains(t, report, `<strong>required`)
	patch, _ := article("/docs/customers", "changeCustomer")
	require.NotContains(t, patch, `<strong>required`, "what is merged in may lack what the record has")
	create, _ := article("/docs/customers", "createCustomer")
	require.Contains(t, create, `<code>email</code> <strong>required</strong>`)
}

func TestTheReferenceHasEachOperation(t *testing.T) {
	articles, whole := map[string]int{}, ""
	for path, page := range everyPage(t) {
		for _, m := range regexp.MustCompile(`<article class="op" id="(\w+)"`).FindAllStringSubmatch(page, -1) {
			articles[m[1]]++
		}
		if path != "/docs/operations" {
			whole += page
		}
	}
	first := get(t, "GET", "/docs").Body.String()
	for path, methods := range decoded(t)["paths"].(map[string]any) {
		require.Contains(t, whole, path)
		for _, op := range methods.(map[string]any) {
			id := op.(map[string]any)["operationId"].(string)
			require.Equal(t, 1, articles[id], id)
			require.Contains(t, first, `<li id="`+id+`"><a href="`, "/docs#<operation> leads to it")
		}
	}
	for _, e := range events.Sent {
		require.Equal(t, 1, articles[string(e)], e)
	}
	require.Contains(t, whole, "billingAddress.city")
	require.NotContains(t, first, "/operator/", "its operations are in a guide of its own")
}

func TestEachCodeHasAnAnchor(t *testing.T) {
	page := get(t, "GET", "/docs/errors").Body.String()
	seen := map[string]bool{}
	for _, c := range openapi.Codes {
		require.Contains(t, page, `id="`+c.Name+`"`)
		require.False(t, seen[c.Name], c.Name)
		require.NotEmpty(t, c.Status)
		seen[c.Name] = true
	}
}

// inCode are the ways in which the program makes a problem with a code.
var inCode = []*regexp.Regexp{
	regexp.MustCompile(`(?s)\bProblem\{[^{}]*?Code:\s*"(\w+)"`),
	regexp.MustCompile(`\b(?:Conflict|Refused|Forbidden)\(\s*"(\w+)"`),
}

func TestEachCodeOfTheProgramIsExplained(t *testing.T) {
	explained, used := map[string]bool{}, 0
	for _, c := range openapi.Codes {
		explained[c.Name] = true
	}
	root := filepath.Join("..", "..")
	for _, folder := range []string{"functions", "shared", "infra"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
					return err
				}
				source, err := os.ReadFile(path)
				require.NoError(t, err)
				for _, way := range inCode {
					for _, m := range way.FindAllStringSubmatch(string(source), -1) {
						used++
						require.True(t, explained[m[1]], "%s in %s is not explained at /docs/errors", m[1], path)
					}
				}
				return nil
			}))
	}
	require.Greater(t, used, 15, "the ways no longer find the program's codes")
}

func TestFaultCodesAreTheFramesOwn(t *testing.T) {
	want := []string{problem.Required, problem.UnknownField, problem.ReadOnly, problem.WrongType, problem.TooLong,
		problem.TooMany, problem.TooSmall, problem.TooBig,
		problem.BadFormat, problem.Unknown, problem.Inactive, problem.Duplicate, problem.Conflicting}
	var have []string
	for _, c := range openapi.FaultCodes {
		have = append(have, c.Name)
	}
	require.Equal(t, want, have)
}

// TestTheDevelopersDocumentIsForEverybody: at the platform's own host, without a token, and told of.
func TestTheDevelopersDocumentIsForEverybody(t *testing.T) {
	const at = "/developer/openapi.json"
	served := get(t, "GET", at)
	require.Equal(t, 200, served.Code)
	require.Equal(t, "application/json", served.Header().Get("Content-Type"))
	require.True(t, bytes.Equal(openapi.DeveloperDocument(listed()), served.Body.Bytes()))
	require.Contains(t, get(t, "GET", "/docs/developer").Body.String(), `href="`+at+`"`)
	require.Contains(t, get(t, "GET", "/llms.txt").Body.String(), "http://api.test"+at)
}
