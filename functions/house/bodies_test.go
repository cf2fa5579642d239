package house_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// mostOfStrangers is how many bytes of a stranger's body are read, but one, which tells that there are more.
const mostOfStrangers = 64 << 10

// babble is a body without an end, and how much of it was read.
type babble struct {
	begin string
	read  int
}

func (e *babble) Read(b []byte) (int, error) {
	n := copy(b, e.begin[min(e.read, len(e.begin)):])
	for ; n < len(b); n++ {
		b[n] = 'x'
	}
	e.read += n
	return n, nil
}

// TestNoBodyIsReadOfWhoMayNotSendIt sends each operation of THE list a body without an end, without a
// token and with made-up cookies: nothing of it is read where somebody has to be known, and no more than a stranger may
// send where nobody has.
func TestNoBodyIsReadOfWhoMayNotSendIt(t *testing.T) {
	w := strangers(t)
	open, seen := map[string]bool{}, map[bool]int{}
	for _, o := range w.API.Open() {
		_, path, _ := strings.Cut(o.Route, " ")
		open[o.Route] = !strings.HasPrefix(path, "/admin/") || path == "/admin/sign-in" ||
			path == "/admin/sign-out" || path == "/admin/set-password"
	}
	for _, route := range w.API.Patterns() {
		method, path := addressed(route)
		if method == http.MethodGet {
			continue
		}
		for _, sent := range []struct{ contentType, begin string }{
			{"application/json", `{"name":"`}, {hosttest.FormType, "name="},
			{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"},
		} {
			ask := func(host string, want int, says string) {
				body := &babble{begin: sent.begin}
				r := httptest.NewRequest(method, path, io.NopCloser(body))
				r.Host = host
				r.Header.Set("Content-Type", sent.contentType)
				r.AddCookie(&http.Cookie{Name: "__Host-admin", Value: imported + ".made-up"})
				r.AddCookie(&http.Cookie{Name: "session", Value: "made-up"})
				a := w.Serve(r)
				require.LessOrEqual(t, body.read, want, "%s of %s %s: %d", says, route, sent.contentType, a.Status)
			}
			host, most := "example.com", 0
			if strings.HasPrefix(path, "/admin") {
				host = "admin.example.com"
			}
			if open[route] {
				most = mostOfStrangers + 1
			}
			seen[most > 0]++
			ask(host, most, "a stranger's body")
			path += "/no/where" // POST /basket/items/{id} is a form that may mean PATCH
			ask(host, 0, "a body sent to nowhere")
			_, path = addressed(route)
		}
	}
	require.Greater(t, seen[true], 20)
	require.Greater(t, seen[false], 100)
}
