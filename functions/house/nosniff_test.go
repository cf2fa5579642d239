package house_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
)

// wildcard is a part of a route that stands for anything.
var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// TestEveryAnswerForbidsSniffing asks for each operation of THE list as who may and as nobody, for JSON and for a page,
// by its own method and by others, and for what no operation answers: a browser must take no body for another type than
// the answer says, whatever the answer is.
//
// At https every answer keeps its host there, too.
func TestEveryAnswerForbidsSniffing(t *testing.T) {
	w := openWith(t, func(p *host.Parts) { p.BaseURL = "https://api.example" })
	domain := w.made["POST /operator/shops"].Get("domain")
	statuses := map[int]bool{}
	holds := func(a hosttest.Answer, what string) {
		t.Helper()
		statuses[a.Status] = true
		require.Equal(t, []string{"max-age=31536000"}, a.Header["Strict-Transport-Security"], "%s: %d", what, a.Status)
		require.Equal(t, []string{"nosniff"}, a.Header["X-Content-Type-Options"], "%s: %d", what, a.Status)
	}
	for _, route := range w.API.Patterns() {
		if route == "POST /account/sign-out" || route == "POST /admin/sign-out" {
			continue // the requests behind it would be nobody's; asked without a cookie below
		}
		own, path, _ := strings.Cut(route, " ")
		path = wildcard.ReplaceAllString(strings.TrimSuffix(path, "{$}"), "01KAJ0000000000000000000S1")
		if w.sample(route) != nil {
			holds(w.ask(route, w.sample(route)), route)
		}
		for _, host := range []string{domain, "api.example", w.AdminOf(domain), "nobody.example"} {
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", own} {
				for _, accept := range []string{"application/json", hosttest.PageType} {
					r := w.Request("", method, path, nil, "Accept", accept)
					r.Host = host
					holds(w.Serve(r), method+" "+path+" at "+host)
				}
			}
		}
	}
	for _, path := range []string{"/", "/nowhere", "/a//b", "/api-engine/nothing", "/operator/nothing",
		"/" + strings.Repeat("a", 9000), "/%ff", "/images/none"} {
		holds(w.As(w.token, "GET", path, nil), path)
		holds(w.As(w.token, "POST", path, `{`), path)
	}
	holds(w.As(w.token, "POST", "/api-engine/customers", strings.Repeat(" ", 3<<20)), "a body that is too large")
	r := w.Request("", "POST", "/basket/items", nil, "Sec-Fetch-Site", "cross-site")
	r.Host = domain
	holds(w.Serve(r), "what another site has sent")
	for _, status := range []int{200, 201, 303, 400, 401, 403, 404, 405, 413, 422} {
		require.True(t, statuses[status], "no answer was a %d: %v", status, http.StatusText(status))
	}
}
