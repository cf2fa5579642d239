package page

import (
	"net/http"

	"eshop/shared/problem"
)

// sameOrigin lets pass what reads, and of what changes something only what the host's own pages have sent: by
// Sec-Fetch-Site, or, of browsers without it, by Origin. Programs send neither.
var sameOrigin = http.NewCrossOriginProtection()

// SameSite is the problem cross_site of a request that another site had a browser send.
func SameSite(r *http.Request) error {
	if sameOrigin.Check(r) != nil {
		return problem.Forbidden("cross_site", "Another site has sent this request: nothing was done.")
	}
	return nil
}

// Protect sets the headers that every page has: what is shown is what was sent, and no other site frames it.
func Protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	if h.Get("Referrer-Policy") == "" {
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	}
}
