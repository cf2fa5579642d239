package lambda

import (
	"encoding/hex"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/shared/host"
)

// TestWhoComesThroughTheEdge is let in with the address that the edge has seen, and nobody else is.
func TestWhoComesThroughTheEdge(t *testing.T) {
	hash := func(secret string) string { h := host.TokenHash(secret); return hex.EncodeToString(h[:]) }
	for _, c := range []struct {
		name, hashes string
		headers      map[string]string
		address      string // "": refused
	}{
		{"without an edge", "", nil, "203.0.113.9:0"},
		{"without an edge nobody is believed an address", "",
			map[string]string{"cloudfront-viewer-address": "198.51.100.7:1"}, "203.0.113.9:0"},
		{"round the edge", hash("one"), nil, ""},
		{"with a wrong secret", hash("one"), map[string]string{"x-origin-secret": "two"}, ""},
		{"with an empty secret", hash("one") + ",", map[string]string{"x-origin-secret": ""}, ""},
		{"with the hash itself", hash("one"), map[string]string{"x-origin-secret": hash("one")}, ""},
		{"through the edge", hash("one"), map[string]string{"x-origin-secret": "one",
			"cloudfront-viewer-address": "198.51.100.7:4711"}, "198.51.100.7:4711"},
		{"from IPv6", hash("one"), map[string]string{"x-origin-secret": "one",
			"cloudfront-viewer-address": "2001:db8::7:4711"}, "[2001:db8::7]:4711"},
		{"while the secret is changed, with the old one", hash("new") + "," + hash("old"),
			map[string]string{"x-origin-secret": "old"}, "203.0.113.9:0"},
		{"while the secret is changed, with the new one", hash("new") + "," + hash("old"),
			map[string]string{"x-origin-secret": "new"}, "203.0.113.9:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := events.APIGatewayV2HTTPRequest{RawPath: "/", Headers: c.headers}
			e.RequestContext.HTTP.Method, e.RequestContext.HTTP.SourceIP = http.MethodGet, "203.0.113.9"
			behind := throughEdge(c.hashes, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				require.Empty(t, r.Header.Get(EdgeHeader), "the secret goes no further")
				io.WriteString(w, r.RemoteAddr)
			}))
			got, err := HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				behind.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // another handler's writer may stand between
			}))(t.Context(), e)
			require.NoError(t, err)
			if c.address == "" {
				require.Equal(t, http.StatusForbidden, got.StatusCode)
				require.Contains(t, got.Body, `"code":"forbidden"`)
				require.Equal(t, "nosniff", got.Headers["X-Content-Type-Options"])
				return
			}
			require.Equal(t, c.address, got.Body)
		})
	}
}
