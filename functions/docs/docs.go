// Package docs is what a partner's programmer reads: the OpenAPI document, its reference as a page, what each error code
// means (contract, section 2), and guides to webhooks and to scripts of storefronts. Nothing here needs a token, and no
// page loads anything from elsewhere.
package docs

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"eshop/shared/api"
	"eshop/shared/host"
)

// Function is the documentation. It is the same for everybody and all in the program, so it needs nothing.
var Function = host.Function{
	Name: "docs", Doc: "The OpenAPI document, the reference, the page of error codes, and the guides to webhooks and storefronts.",
	HTTP: register, Timeout: 5 * time.Second, Memory: 256,
}

// document is written from THE list by `make golden`; a test holds it against the list.
//
//go:embed openapi.json
var document []byte

func register(_ *host.Platform, a *api.API) {
	a.Handle("GET /openapi.json", page("application/json", func() []byte { return document }))
	a.Handle("GET /docs", page("text/html; charset=utf-8", referencePage))
	a.Handle("GET /docs/errors", page("text/html; charset=utf-8", errorsPage))
	a.Handle("GET /docs/webhooks", page("text/html; charset=utf-8", guidePage("webhooks.md", "Webhooks")))
	a.Handle("GET /docs/operations", page("text/html; charset=utf-8", guidePage("operations.md", "Operations")))
	a.Handle("GET /docs/frontend", page("text/html; charset=utf-8", guidePage("frontend.md", "Frontend")))
}

// page serves bytes that are made at the first request and stay as they are until the next release. The frame answers
// HEAD, 304 and gzip.
func page(contentType string, make func() []byte) http.Handler {
	once := sync.OnceValues(func() ([]byte, string) {
		b := make()
		sum := sha256.Sum256(b)
		return b, `"` + hex.EncodeToString(sum[:13]) + `"`
	})
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b, tag := once()
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("ETag", tag)
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(b)
	})
}
