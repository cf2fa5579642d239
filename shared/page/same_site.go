package page

import (
	"net/http"
	"slices"
	"strings"

	"eshop/shared/base/problem"
)

// sameOrigin lets pass what reads, and of what changes something only what the host's own pages have sent: by
// Sec-Fetch-Site, or, of browsers without it, by Origin. Programs send neither.
var sameOrigin = http.NewCrossOriginProtection()

// SameSite is the problem cross_site of a request that another site had a browser send. secure says whether the site is
// at https: its own pages never come from http, nor those of a site at http from https.
func SameSite(r *http.Request, secure bool) error {
	if sameOrigin.Check(r) != nil || otherScheme(r, secure) {
		return problem.Forbidden("cross_site", "Another site has sent this request: nothing was done.")
	}
	return nil
}

// SameOrigin is SameSite for pages to which other sites may lead, and with which they may do nothing else. It also
// refuses what another site's page loads, as by fetch, as a script, a picture or a frame: the page could not read the
// answer, but it could measure how long that takes. Browsers without Sec-Fetch-Site do not tell, and pass.
func SameOrigin(r *http.Request, secure bool) error {
	if err := SameSite(r, secure); err != nil {
		return err
	}
	switch dest := r.Header.Get("Sec-Fetch-Dest"); r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	default:
		if r.Header.Get("Sec-Fetch-Mode") == "navigate" && (dest == "" || dest == "document") {
			return nil
		}
	}
	return problem.Forbidden("cross_site", "A page of another site has loaded this: it may only lead here.")
}

// otherScheme says whether a browser that tells no more than Origin sends a change from a page of another scheme, which
// sameOrigin does not compare.
func otherScheme(r *http.Request, secure bool) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || r.Header.Get("Sec-Fetch-Site") != "" || r.Method == http.MethodGet ||
		r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return false
	}
	return strings.HasPrefix(origin, "https://") != secure
}

// OwnNavigation refuses a GET with an effect as cross_site, unless somebody has opened it as a page: by typing its
// address, or by a link of the host's own pages. It refuses a link from another site, and a picture or frame that
// embeds the address. Browsers without Sec-Fetch-Site tell neither, and pass.
func OwnNavigation(r *http.Request, secure bool) error {
	if embedded := r.Header.Get("Sec-Fetch-Dest"); embedded != "" && embedded != "document" {
		return problem.Forbidden("cross_site", "A page has embedded this request: nothing was done.")
	}
	as := *r
	as.Method = http.MethodPost
	return SameSite(&as, secure)
}

// Protect sets the headers that every page has beside those of every answer: no other site frames it, and no other site
// is told its whole address.
func Protect(h http.Header) {
	h.Set("X-Frame-Options", "SAMEORIGIN")
	if h.Get("Referrer-Policy") == "" {
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	}
}

// maxLocalPath is how many bytes an address has to which a form leads: a header with it has room for no more.
const maxLocalPath = 4_000

// LocalPath is an address if it is a path of this host, else "".
func LocalPath(path string) string {
	if len(path) > maxLocalPath || !strings.HasPrefix(path, "/") ||
		strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '\\' }) ||
		strings.HasPrefix(path, "//") || slices.Contains(strings.Split(path, "/"), "..") {
		return ""
	}
	return path
}
