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

// TestWhoComesThroughTheEdge is let in at the host, and with the address, that the edge has seen, and nobody else is.
func TestWhoComesThroughTheEdge(t *testing.T) {
	hash := func(secret string) string { h := host.TokenHash(secret); return hex.EncodeToString(h[:]) }
	const door = "203.0.113.9:0 at door.example"
	for _, c := range []struct {
		name, hashes string
		headers      map[string]string
		want         string // the visitor's address and the host; "": refused
	}{
		{"without an edge", "", nil, door},
		{"without an edge nobody is believed an address, or a host", "",
			map[string]string{"x-viewer-address": "198.51.100.7", "x-viewer-host": "tea.example.com"}, door},
		{"round the edge", hash("one"), nil, ""},
		{"round the edge with a host of one's own", hash("one"), map[string]string{"x-viewer-host": "tea.example.com"},
			""},
		{"with a wrong secret", hash("one"), map[string]string{"x-origin-secret": "two"}, ""},
		{"with an empty secret", hash("one") + ",", map[string]string{"x-origin-secret": ""}, ""},
		{"with the hash itself", hash("one"), map[string]string{"x-origin-secret": hash("one")}, ""},
		{"through the edge", hash("one"), map[string]string{"x-origin-secret": "one",
			"x-viewer-address": "198.51.100.7", "x-viewer-host": "tea.example.com"},
			"198.51.100.7:0 at tea.example.com"},
		{"for what the edge keeps", hash("one"), map[string]string{"x-origin-secret": "one",
			"x-viewer-host": "tea.example.com"}, "203.0.113.9:0 at tea.example.com"},
		{"from IPv6", hash("one"), map[string]string{"x-origin-secret": "one", "x-viewer-address": "2001:db8::7"},
			"[2001:db8::7]:0 at door.example"},
		{"while the secret is changed, with the old one", hash("new") + "," + hash("old"),
			map[string]string{"x-origin-secret": "old"}, door},
		{"while the secret is changed, with the new one", hash("new") + "," + hash("old"),
			map[string]string{"x-origin-secret": "new"}, door},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := events.APIGatewayV2HTTPRequest{RawPath: "/", Headers: c.headers}
			e.RequestContext.HTTP.Method, e.RequestContext.HTTP.SourceIP = http.MethodGet, "203.0.113.9"
			e.RequestContext.DomainName = "door.example"
			behind := throughEdge(c.hashes, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				require.Empty(t, r.Header.Get(EdgeHeader), "the secret goes no further")
				io.WriteString(w, r.RemoteAddr+" at "+r.Host)
			}))
			got, err := HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				behind.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // another handler's writer may stand between
			}))(t.Context(), e)
			require.NoError(t, err)
			if c.want == "" {
				require.Equal(t, http.StatusForbidden, got.StatusCode)
				require.Contains(t, got.Body, `"code":"forbidden"`)
				require.Equal(t, "nosniff", got.Headers["X-Content-Type-Options"])
				return
			}
			require.Equal(t, c.want, got.Body)
		})
	}
}
