// Package docs is what a partner's programmer reads: the OpenAPI document, its reference as a page for each group of
// operations, what each error code means (contract, "Errors") and each event tells, and guides to webhooks and to
// scripts of storefronts.
//
// # A tour
//
// All is made of one file: openapi.json, which package openapi writes by `make golden` and a test holds against THE
// list of functions. Beside it openapi-<version>.json are the documents of older versions, and openapi-developer.json
// is what developers do under /developer. Begin with docs.go, the function itself, and site.go, which makes all files
// at the first request.
//
//	reference.go  reads the document into groups of operations, with their fields and answers in words
//	pages.go      what each page says; samples.go the example of an operation in four languages
//	guide.go      the pages of the Markdown files beside it
//	markdown.go   what a page says, as Markdown and as HTML of it
//	search.go     what the search box looks in
//	plain.go      who is answered Markdown, and the list of pages, for programs that read
//	security.go   whom to tell of a hole
//
// # Promises
//
//   - Nothing here needs a token, and no page loads anything from elsewhere.
//   - The pages are at the platform's own host alone, where no scripts of shops run, and no page of another origin that
//     has opened one can look into it. So a token that is pasted there to try an operation stays there.
//   - The reference says what openapi.json says, and openapi.json what the operations are: a new field is in both by
//     itself.
//   - /docs/errors#<code> exists for every code: a problem's `type` leads there.
//   - No page is long: at most 60 KiB between its menu and its end. No link in it is dead. A test walks through all of
//     them.
//   - Every example runs as it stands against a new demo shop, unless it says what must be made first.
package docs

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
)

// Function is the documentation. It is the same for everybody and all in the program, so it needs nothing.
var Function = host.Function{
	Name: "docs", Doc: "The OpenAPI document, the reference, the pages of errors and events, and guides.",
	HTTP: register, Timeout: 5 * time.Second, Memory: 256,
}

// document describes the newest version. It is written from THE list by `make golden`; a test holds it against the
// list. The pages are made of it.
//
//go:embed openapi.json
var document []byte

// older are the documents of the versions before the newest, openapi-<version>.json, and the developers', written and
// held likewise.
//
//go:embed openapi-*.json
var older embed.FS

// openAPI is the document as it is: who fetches it does not wait for the pages that are made of it.
var openAPI = sync.OnceValue(func() file { return newFile("application/json", shortly, document) })

// documentAddress is where the document of a version stays.
func documentAddress(v api.Version) string { return "/docs/openapi-" + v.Name + ".json" }

// documentOf is the document of a version.
func documentOf(v api.Version) []byte {
	if v == api.Newest() {
		return document
	}
	return openapi.Must(older.ReadFile(path.Base(documentAddress(v))))
}

// register serves the document, and the pages made of it. Both are made at the first request and kept: a process that
// nobody asks for a page never pays for one.
//
// Nothing here is under /api-engine, so no limit is charged and no token asked for (contract, "Documents").
func register(p *host.Platform, a *api.API) {
	// The pages are made at the first request for one.
	files := sync.OnceValue(func() map[string]file { return site(p.BaseURL) })
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, found := files()[r.URL.Path]
		w.Header().Add("Vary", "Accept")
		if text, is := files()[r.URL.Path+plainEnd]; is && acceptsMarkdown(r) {
			file = text
		}
		if !found {
			file, found = files()[unmarked(r.URL.Path)]
		}
		if found {
			file.ServeHTTP(w, r)
			return
		}
		address := strings.ToLower(r.URL.Path)
		if _, found = files()[address]; found {
			http.Redirect(w, r, address, http.StatusPermanentRedirect)
		} else if api.AcceptsHTML(r) {
			w.WriteHeader(http.StatusNotFound)
			files()[missing].ServeHTTP(w, r)
		} else {
			api.Refuse(r, problem.NoPath())
		}
	})
	a.Handle("GET /openapi.json", http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		openAPI().ServeHTTP(w, r)
	}))
	a.HandleDocument("GET "+api.DocsPath, serve)
	a.HandleDocument("GET "+api.DocsPath+"/{page...}", serve)
	a.HandleDocument("GET "+api.DocsPath+plainEnd, serve)
	a.HandleDocument("GET "+listPath, serve)
	a.HandleDocument("GET "+api.DevelopersDocument, serve)
	a.Handle("GET "+securityPath, securityText(p))
}

// unmarked is the address of a file without the fingerprint of its content. While two releases serve side by side, a
// page of one may ask the other for its style: it gets the other's style, for five minutes at most.
func unmarked(at string) string {
	before, rest, _ := strings.Cut(at, ".")
	_, after, _ := strings.Cut(rest, ".")
	return before + "." + after
}

// file is one file as it is served. It stays as it is until the next release. The frame answers HEAD, 304 and gzip.
type file struct {
	contentType, cache, tag string
	body                    []byte
}

// How long copies of files may be kept: until the next release may have come, or for ever, where the content is in the
// address.
const (
	shortly = "public, max-age=300"
	forever = "public, max-age=31536000, immutable"
)

// newFile is a file with its ETag, a hash of its bytes: it moves at a release that changes the file, and only then.
func newFile(contentType, cache string, body []byte) file {
	return file{contentType, cache, `"` + fingerprint(body) + `"`, body}
}

// fingerprint stands for the bytes in tags and addresses: 104 bits of their SHA-256, more than enough where nobody has
// a reason to look for a second file with the same one.
func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:13])
}

// ServeHTTP answers the file with headers that keep it at the reader: how long it may be copied, that a page may load
// nothing from elsewhere, and that pages of other origins have no hold of its window.
func (f file) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", f.cache)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	_, _ = w.Write(f.body)
}
