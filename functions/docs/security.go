package docs

import (
	"net/http"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
)

// securityPath is where whoever finds a hole looks for whom to tell (RFC 9116).
const securityPath = "/.well-known/security.txt"

// contactFor is how long the contact may be believed without another look: RFC 9116 wants less than a year.
const contactFor = 364 * 24 * time.Hour

// securityText serves /.well-known/security.txt. Without a contact there is no such file, since one without it says
// nothing. Expires is a midnight, so the file stays the same for a day and never expires while it is served.
func securityText(p *host.Platform) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.SecurityContact == "" {
			api.Refuse(r, problem.NoPath())
			return
		}
		expires := p.Wall().UTC().Add(contactFor).Truncate(24 * time.Hour)
		text := "Contact: " + p.SecurityContact + "\nExpires: " + expires.Format(time.RFC3339) +
			"\nPreferred-Languages: en\nCanonical: " + p.BaseURL + securityPath + "\n"
		newFile("text/plain; charset=utf-8", shortly, []byte(text)).ServeHTTP(w, r)
	})
}
