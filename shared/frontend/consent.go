package frontend

import (
	"net/http"
	"strings"
	"time"
)

// Answer is what a shopper says to one part of the consent.
type Answer string

// The answers.
const (
	Granted Answer = "granted"
	Denied  Answer = "denied"
	Unknown Answer = "unknown"
)

// Consent is what the shopper consents to. The script reads it from the cookie, so a page's PageState does not have it.
type Consent struct {
	Analytics, Marketing, Preferences Answer
}

// ConsentCookie is the name of the cookie that keeps the consent: a letter for each part, in the order of Consent's
// fields, `g` granted, `d` denied, `u` unknown. Scripts read and write it too.
const ConsentCookie = "consent"

const consentAge = 180 * 24 * time.Hour

// ConsentOf is the consent that a request's cookie keeps. What is not there, or not an answer, is unknown.
func ConsentOf(r *http.Request) Consent {
	c, err := r.Cookie(ConsentCookie)
	if err != nil {
		return ParseConsent("")
	}
	return ParseConsent(c.Value)
}

// ParseConsent reads a cookie's value.
func ParseConsent(value string) Consent {
	part := func(i int) Answer {
		switch {
		case i >= len(value):
		case value[i] == 'g':
			return Granted
		case value[i] == 'd':
			return Denied
		}
		return Unknown
	}
	return Consent{part(0), part(1), part(2)}
}

// ConsentTo is the answer of the banner's buttons, the same to all parts; false if the value is neither granted nor
// denied.
func ConsentTo(value string) (Consent, bool) {
	a := Answer(value)
	return Consent{a, a, a}, a == Granted || a == Denied
}

// String is the cookie's value.
func (c Consent) String() string {
	var b strings.Builder
	for _, a := range []Answer{c.Analytics, c.Marketing, c.Preferences} {
		switch a {
		case Granted:
			b.WriteByte('g')
		case Denied:
			b.WriteByte('d')
		default:
			b.WriteByte('u')
		}
	}
	return b.String()
}

// Answered says whether the shopper has said anything, here or in a partner's own banner: ours is not shown any more.
func (c Consent) Answered() bool { return c.String() != "uuu" }

// Cookie keeps the consent for 180 days. It is not HttpOnly: scripts tell and set it.
func (c Consent) Cookie(secure bool) *http.Cookie {
	return &http.Cookie{Name: ConsentCookie, Value: c.String(), Path: "/", MaxAge: int(consentAge / time.Second),
		Secure: secure, SameSite: http.SameSiteLaxMode}
}
