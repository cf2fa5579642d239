package frontend

import (
	"net/http"
	"strings"
	"time"
)

// The cookie that keeps what the shopper consents to, for 180 days: a letter for each part (analytics, marketing,
// preferences), `g` granted, `d` denied, anything else unknown. Scripts read and write it too; a page's PageState does
// not have it.
const (
	consentCookie = "consent"
	consentParts  = 3
	consentAge    = 180 * 24 * time.Hour
)

// ConsentAnswered says whether the shopper has said anything about consent, here or in a partner's own banner: ours is
// not shown any more.
func ConsentAnswered(r *http.Request) bool {
	c, err := r.Cookie(consentCookie)
	return err == nil && strings.ContainsAny(c.Value[:min(len(c.Value), consentParts)], "gd")
}

// ConsentCookie is the cookie that keeps the answer of the banner's buttons, the same to all parts. It is not HttpOnly:
// scripts tell and set it.
func ConsentCookie(granted, secure bool) *http.Cookie {
	answer := "d"
	if granted {
		answer = "g"
	}
	return &http.Cookie{Name: consentCookie, Value: strings.Repeat(answer, consentParts), Path: "/",
		MaxAge: int(consentAge / time.Second), Secure: secure, SameSite: http.SameSiteLaxMode}
}
