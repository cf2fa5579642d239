package lambda

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"
)

// seen is what a handler sees of a recorded event.
type seen struct {
	Method, Path, RequestURI, Host, Remote, Body string
	Query                                        map[string][]string
	Header                                       map[string]string
	Length                                       int64
}

// see is the event of a file through the adapter, as a handler sees it.
func see(t *testing.T, file string) seen {
	var s seen
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		s = seen{Method: r.Method, Path: r.URL.Path, RequestURI: r.RequestURI, Host: r.Host, Remote: r.RemoteAddr,
			Body: string(body), Query: r.URL.Query(), Header: map[string]string{}, Length: r.ContentLength}
		for name, values := range r.Header {
			require.Len(t, values, 1, "each header is one value, commas and all: %s", name)
			s.Header[name] = values[0]
		}
	})
	r, err := HTTP(h)(t.Context(), recorded(t, file))
	require.NoError(t, err)
	require.Equal(t, 200, r.StatusCode, r.Body)
	return s
}

func recorded(t testing.TB, file string) (e events.APIGatewayV2HTTPRequest) {
	raw, err := os.ReadFile(filepath.Join("testdata", "http", file+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &e))
	return e
}

func TestOddEvents(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       func(*testing.T, seen)
	}{
		{"a query in brackets survives as it was sent", "query-brackets", func(t *testing.T, s seen) {
			require.Equal(t, "/api-engine/customers?changed%5Bafter%5D=2026-11-21T02%3A05%3A12.583Z"+
				"&order[changed]=desc", s.RequestURI)
			require.Equal(t, []string{"2026-11-21T02:05:12.583Z"}, s.Query["changed[after]"])
			require.Equal(t, []string{"desc"}, s.Query["order[changed]"])
		}},
		{"a key given twice is two values, which the gateway's own map has joined", "query-twice",
			func(t *testing.T, s seen) {
				require.Equal(t, []string{"1", "2,3"}, s.Query["itemsPerPage"])
			}},
		{"a named stage is no part of the path", "stage", func(t *testing.T, s seen) {
			require.Equal(t, "/api-engine/products", s.Path)
		}},
		{"a path that begins like the stage keeps its own", "stage-alike", func(t *testing.T, s seen) {
			require.Equal(t, "/production-lines", s.Path)
		}},
		{"what the gateway decoded is not decoded again", "path-decoded", func(t *testing.T, s seen) {
			require.Equal(t, "/api-engine/customers/100%/a b%41", s.Path)
			require.Equal(t, "/api-engine/customers/100%25/a%20b%2541", s.RequestURI)
		}},
		{"a slash that was %2F is a slash of the path", "path-slash", func(t *testing.T, s seen) {
			require.Equal(t, "/api-engine/customers/a/b", s.Path)
		}},
		{"letters with hooks", "unicode", func(t *testing.T, s seen) {
			require.Equal(t, "/kategorie/žluťoučký-kůň", s.Path)
			require.Equal(t, []string{"čaj"}, s.Query["q"])
			require.Equal(t, `{"name":"Příliš žluťoučký 🐎"}`, s.Body)
			require.Equal(t, int64(len(s.Body)), s.Length)
		}},
		{"no body with a content type has length 0", "empty-body", func(t *testing.T, s seen) {
			require.Equal(t, "application/json", s.Header["Content-Type"])
			require.Zero(t, s.Length)
			require.Empty(t, s.Body)
		}},
		{"no headers at all: the host is the gateway's", "no-headers", func(t *testing.T, s seen) {
			require.Equal(t, "abc123.execute-api.eu-central-1.amazonaws.com", s.Host)
			require.Equal(t, "[2001:db8::7]:0", s.Remote)
			require.Equal(t, "/", s.Path)
			require.Empty(t, s.Header)
		}},
		{"a body in base64 is its bytes", "binary", func(t *testing.T, s seen) {
			require.Equal(t, "\x89PNG\r\n\x1a\n\x00\xff", s.Body)
			require.EqualValues(t, 10, s.Length)
		}},
		{"a header of 10 KB, and one whose commas are its own", "long-header", func(t *testing.T, s seen) {
			require.Len(t, s.Header["X-Long"], 9_000)
			require.Equal(t, "Fri, 20 Nov 2026 10:00:00 GMT", s.Header["If-Modified-Since"])
			require.Equal(t, `"a,b", W/"c"`, s.Header["If-None-Match"])
		}},
		{"OPTIONS is a method as any", "options", func(t *testing.T, s seen) {
			require.Equal(t, http.MethodOptions, s.Method)
			require.Equal(t, "https://partner.example", s.Header["Origin"])
		}},
		{"cookies come back as one header, the custom domain as the host", "cookies", func(t *testing.T, s seen) {
			require.Equal(t, "basket=abc; theme=dark%2Cblue", s.Header["Cookie"])
			require.Equal(t, "api.example.com", s.Host)
			require.NotContains(t, s.Header, "Host")
			require.Equal(t, "203.0.113.9:0", s.Remote)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.want(t, see(t, c.file)) })
	}
}

// answered is what the adapter makes of a handler's answer.
func answered(t *testing.T, h http.HandlerFunc) events.APIGatewayV2HTTPResponse {
	r, err := HTTP(h)(t.Context(), recorded(t, "no-headers"))
	require.NoError(t, err)
	return r
}

func TestAnswers(t *testing.T) {
	t.Run("a text is a text", func(t *testing.T) {
		r := answered(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"name":"Čaj\u2028"}`)
		})
		require.Equal(t, events.APIGatewayV2HTTPResponse{StatusCode: 201, Body: `{"name":"Čaj\u2028"}`,
			Headers: map[string]string{"Content-Type": "application/json"}}, r)
	})
	t.Run("what is no text is base64", func(t *testing.T) {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		io.WriteString(z, strings.Repeat("a", 2000))
		require.NoError(t, z.Close())
		r := answered(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped.Bytes())
		})
		require.True(t, r.IsBase64Encoded)
		got, err := base64.StdEncoding.DecodeString(r.Body)
		require.NoError(t, err)
		require.Equal(t, zipped.Bytes(), got)
	})
	t.Run("cookies stand apart, other headers of one name are joined", func(t *testing.T) {
		r := answered(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Set-Cookie"] = []string{"a=1; Expires=Fri, 20 Nov 2026 10:00:00 GMT", "b=2"}
			w.Header()["Vary"] = []string{"Accept-Encoding", "Accept"}
		})
		require.Equal(t, []string{"a=1; Expires=Fri, 20 Nov 2026 10:00:00 GMT", "b=2"}, r.Cookies)
		require.Equal(t, map[string]string{"Vary": "Accept-Encoding, Accept"}, r.Headers)
		require.Equal(t, 200, r.StatusCode)
	})
	t.Run("the first status counts, headers after it do not, hints are not sent", func(t *testing.T) {
		r := answered(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusNoContent)
			w.WriteHeader(http.StatusTeapot)
			w.Header().Set("X-Late", "1")
		})
		require.Equal(t, events.APIGatewayV2HTTPResponse{StatusCode: 204, Headers: map[string]string{}}, r)
	})
	t.Run("a panic is a 500 with nothing of it, even after a part of the answer", func(t *testing.T) {
		r := answered(t, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			panic("secret")
		})
		require.Equal(t, 500, r.StatusCode)
		require.Equal(t, "application/problem+json", r.Headers["Content-Type"])
		require.Equal(t, "nosniff", r.Headers["X-Content-Type-Options"])
		require.NotContains(t, r.Body, "secret")
		require.True(t, json.Valid([]byte(r.Body)), r.Body)
	})
	t.Run("a body whose base64 is broken is a 400", func(t *testing.T) {
		e := recorded(t, "binary")
		e.Body = "***"
		r, err := HTTP(http.NotFoundHandler())(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, 400, r.StatusCode)
		require.Equal(t, "nosniff", r.Headers["X-Content-Type-Options"])
		require.True(t, json.Valid([]byte(r.Body)), r.Body)
	})
}

// FuzzHTTP: whatever the gateway sends, the handler gets a request that net/http could have read, and what it echoes
// comes out as it went in.
func FuzzHTTP(f *testing.F) {
	files, err := filepath.Glob("testdata/http/*.json")
	require.NoError(f, err)
	for _, file := range files {
		e := recorded(f, strings.TrimSuffix(filepath.Base(file), ".json"))
		f.Add(e.RequestContext.HTTP.Method, e.RequestContext.Stage, e.RawPath, e.RawQueryString, "x-name", "value",
			e.Body, e.IsBase64Encoded)
	}
	f.Fuzz(func(t *testing.T, method, stage, path, query, name, value, body string, encoded bool) {
		e := events.APIGatewayV2HTTPRequest{RawPath: path, RawQueryString: query,
			Headers: map[string]string{name: value},
			Body:    body, IsBase64Encoded: encoded}
		e.RequestContext.Stage, e.RequestContext.HTTP.Method = stage, method
		var got []byte
		r, err := HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.True(t, strings.HasPrefix(r.URL.Path, "/"))
			require.Equal(t, query, r.URL.RawQuery)
			http.NewServeMux().Handler(r)
			got, _ = io.ReadAll(r.Body)
			require.EqualValues(t, len(got), r.ContentLength)
			w.Write(got)
		}))(t.Context(), e)
		require.NoError(t, err)
		if r.StatusCode == http.StatusBadRequest {
			require.True(t, encoded)
			return
		}
		require.Equal(t, 200, r.StatusCode, r.Body)
		sent, err := json.Marshal(r)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(sent, &r))
		out := []byte(r.Body)
		if r.IsBase64Encoded {
			out, err = base64.StdEncoding.DecodeString(r.Body)
			require.NoError(t, err)
		}
		require.Equal(t, string(got), string(out))
		require.Equal(t, utf8.Valid(got), !r.IsBase64Encoded)
	})
}
