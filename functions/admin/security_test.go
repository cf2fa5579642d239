package admin

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
)

// operations are the patterns of the admin that need somebody who is signed in.
func (w *world) operations() (all []string) {
	for _, pattern := range w.API.Patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		switch path {
		case signInPath, setPasswordPath, "/admin/sign-out":
			continue
		}
		if path == "/admin" || strings.HasPrefix(path, "/admin/") && !strings.HasPrefix(path, "/admin/static/") {
			all = append(all, pattern)
		}
	}
	return all
}

// everywhere are all patterns of the admin, and addresses that it does not have.
func (w *world) everywhere() []string {
	return append(w.operations(), "GET "+signInPath, "POST "+signInPath, "GET "+setPasswordPath,
		"POST "+setPasswordPath,
		"POST /admin/sign-out", "GET /admin/nowhere", "POST /admin/nowhere")
}

// ask sends a request to an operation as a browser does, for a page; fields are those of its form.
func ask(b *hosttest.Browser, pattern, path string, header ...string) hosttest.Answer {
	b.W.T.Helper()
	method, _, _ := strings.Cut(pattern, " ")
	header = append([]string{"Accept", hosttest.PageType}, header...)
	if method == http.MethodGet {
		return b.Ask(method, path, "", "", header...)
	}
	return b.Ask(method, path, hosttest.FormType, "odd=1", header...)
}

// pathOf is a pattern's path with an id of nothing in each place for one.
func pathOf(pattern string) string {
	_, path, _ := strings.Cut(pattern, " ")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = noID
		}
	}
	return strings.Join(parts, "/")
}

// sessionOf is a browser's session cookie.
func sessionOf(b *hosttest.Browser) string { return b.Cookies[hostOnly+sessionCookie] }

// TestNobodyWithoutASessionReachesAnything asks each operation without a session, and with cookies of what is none:
// what it is asked with is wrong, too, and that is nobody's to learn.
func TestNobodyWithoutASessionReachesAnything(t *testing.T) { onBoth(t, nobodyReachesAnything) }

func nobodyReachesAnything(t *testing.T, w *world) {
	ada, other := w.ada(tea), w.ada(toys)
	person, text, _ := strings.Cut(sessionOf(ada), ".")
	_, foreign, _ := strings.Cut(sessionOf(other), ".")
	out := w.ada(tea)
	ended := sessionOf(out)
	done := func(b *hosttest.Browser) hosttest.Answer {
		return b.Ask("POST", "/admin/coupons", hosttest.FormType, "code=TEN&type=amount&value=10.00&active=true",
			"Idempotency-Key", "k", "Sec-Fetch-Site", "same-origin")
	}
	done(out).Is(303) // the walk below uses this key: what was kept under it was for a session that is over by then
	require.Equal(t, "true", done(out).Is(303).Header.Get("Idempotent-Replayed"))
	out.Form("/admin/sign-out").Leads(303, signInPath)
	require.Empty(t, sessionOf(out))
	for name, cookie := range map[string]string{"none": "", "a person's id": person, "no text": person + ".",
		"a made up one":    person + ".made-up",
		"another person's": noID + "." + text, "a foreign one": sessionOf(other),
		"a foreign text": person + "." + foreign, "an ended one": ended,
		"odd": "..", "long": strings.Repeat("x", 3_000) + "." + text} {
		b := w.merchant(tea)
		if cookie != "" {
			b.Cookies[hostOnly+sessionCookie] = cookie
		}
		writes := w.Main.Writes()
		for _, pattern := range w.operations() {
			for _, query := range []string{"", "?odd=1"} {
				path := pathOf(pattern) + query
				a := ask(b, pattern, path, "Idempotency-Key", "k", "Sec-Fetch-Site", "same-origin")
				if strings.HasPrefix(pattern, "GET ") {
					a.Leads(303, signInPath+"?to="+escaped(path))
				} else {
					require.Contains(t, a.Shown(401).Text, `data-code="unauthenticated"`, "%s, %s", name, pattern)
				}
				require.NotContains(t, a.Text, "ada@", pattern)
			}
		}
		require.Contains(t, done(b).Shown(401).Text, `data-code="unauthenticated"`, name)
		require.Equal(t, writes, w.Main.Writes(), name)
	}
	ada.Page("/admin/people").Shown(200)
}

// TestAnotherSitesRequestIsRefusedBeforeAnythingElse: whoever is signed in, and wherever it goes.
func TestAnotherSitesRequestIsRefusedBeforeAnythingElse(t *testing.T) {
	w := open(t)
	for name, b := range map[string]*hosttest.Browser{"ada": w.ada(tea), "nobody": w.merchant(tea)} {
		writes, cookies := w.Main.Writes(), maps.Clone(b.Cookies)
		for _, pattern := range w.everywhere() {
			if strings.HasPrefix(pattern, "GET ") {
				continue
			}
			for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
				{"Origin", "https://evil.example"},
				{"Origin", "null"}, {"Origin", "https://tea.example.evil.example"}} {
				a := ask(b, pattern, pathOf(pattern), from...).Shown(403)
				require.Contains(t, a.Text, `role="alert" data-code="cross_site"`, "%s of %s", pattern, name)
			}
		}
		require.Equal(t, writes, w.Main.Writes())
		require.Equal(t, cookies, b.Cookies)
	}
	b := w.merchant(tea)
	b.Ask("POST", signInPath, hosttest.FormType, "email=ada%40tea.example&password=hunter2+hunter2", "Sec-Fetch-Site",
		"cross-site").Shown(403)
	require.Empty(t, b.Cookies, "no other site signs anybody in")
}

// TestAnotherSiteMayLeadToAPageAndLoadsNone: how long a page takes tells a script of the shop nothing that it wants to
// know.
func TestAnotherSiteMayLeadToAPageAndLoadsNone(t *testing.T) {
	w := open(t)
	for name, b := range map[string]*hosttest.Browser{"ada": w.ada(tea), "nobody": w.merchant(tea)} {
		for _, pattern := range w.everywhere() {
			if !strings.HasPrefix(pattern, "GET ") {
				continue
			}
			path, led := pathOf(pattern), ask(b, pattern, pathOf(pattern)).Status
			for _, site := range []string{"same-site", "cross-site"} {
				for _, as := range [][]string{{"cors", "empty"}, {"no-cors", "image"}, {"no-cors", "script"},
					{"navigate", "iframe"}, {"navigate", "object"}} {
					before := maps.Clone(b.Cookies)
					for _, method := range []string{"GET", "HEAD"} {
						b.Ask(method, path, "", "", "Accept", hosttest.PageType, "Sec-Fetch-Site", site,
							"Sec-Fetch-Mode", as[0], "Sec-Fetch-Dest", as[1]).Is(403)
					}
					require.Equal(t, before, b.Cookies)
				}
				require.NotEqual(t, 403, ask(b, pattern, path, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate",
					"Sec-Fetch-Dest", "document").Status, "%s of %s", pattern, name)
			}
			own := ask(b, pattern, path, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors")
			require.Equal(t, led, own.Status, pattern)
		}
	}
}

// TestNoPageIsFramedKeptOrTold: each page says so, refusals too.
func TestNoPageIsFramedKeptOrTold(t *testing.T) {
	w := open(t)
	for _, b := range []*hosttest.Browser{w.ada(tea), w.merchant(tea)} {
		for _, pattern := range w.everywhere() {
			h := ask(b, pattern, pathOf(pattern), "Sec-Fetch-Site", "same-origin").Header
			if pattern == "POST /admin/sign-out" && len(b.Cookies) == 0 {
				b = w.ada(tea)
			}
			require.Equal(t, "no-store", h.Get("Cache-Control"), pattern)
			require.Equal(t, "DENY", h.Get("X-Frame-Options"), pattern)
			require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), pattern)
			require.Equal(t, "same-origin", h.Get("Referrer-Policy"), pattern)
			csp := h.Get("Content-Security-Policy")
			for _, directive := range []string{"default-src 'none'", "script-src 'self'", "form-action 'self'",
				"base-uri 'none'", "frame-ancestors 'none'"} {
				require.Contains(t, csp, directive, pattern)
			}
			require.NotContains(t, csp, "unsafe", pattern)
		}
	}
}

// cookieOf is the cookie of a name that an answer sets.
func cookieOf(t *testing.T, a hosttest.Answer, name string) *http.Cookie {
	t.Helper()
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "no cookie", name)
	return nil
}

func TestTheSessionsCookieIsForTheServerAlone(t *testing.T) {
	for website, secure := range map[string]bool{"https": true, "http": false} {
		w := open(t, func(p *host.Parts) {
			p.Shops.Scheme = website
		})
		named := (&visit{secure: secure}).cookie
		b := w.merchant(tea)
		a := b.Form(signInPath, "email", "ada@tea.example", "password", password).Is(303)
		c := cookieOf(t, a, named(sessionCookie))
		require.Equal(t, []any{"/", "", true, http.SameSiteLaxMode, secure, int((12 * time.Hour).Seconds())},
			[]any{c.Path, c.Domain, c.HttpOnly, c.SameSite, c.Secure, c.MaxAge})
		require.NotContains(t, a.Header.Get("Location")+a.Text, c.Value)

		b.Form("/admin/people", "email", "eva@tea.example", "name", "Eva").Is(303)
		a = b.Page("/admin/people?lang=en").Shown(200)
		for _, name := range []string{noteCookie, langCookie} {
			c := cookieOf(t, a, named(name))
			require.Equal(t, []any{true, http.SameSiteLaxMode, secure}, []any{c.HttpOnly, c.SameSite, c.Secure}, name)
		}
		a = b.Form("/admin/sign-out").Is(303)
		require.Equal(t, -1, cookieOf(t, a, named(sessionCookie)).MaxAge)
	}
}

// TestASessionIsNewAtEachSignIn: one that somebody else has planted, good or not, is never taken over.
func TestASessionIsNewAtEachSignIn(t *testing.T) {
	w := open(t)
	w.person(tea, "mallory@tea.example", "Mallory")
	mallory := w.merchant(tea)
	mallory.Form(signInPath, "email", "mallory@tea.example", "password", password).Is(303)
	w.Clock.Pass(tries)
	first := sessionOf(w.ada(tea))
	for _, planted := range []string{sessionOf(mallory), w.admins[tea] + ".of-my-own-making", first} {
		b := w.merchant(tea)
		b.Cookies[hostOnly+sessionCookie] = planted
		b.Form(signInPath, "email", "ada@tea.example", "password", "wrong").Shown(401)
		require.Equal(t, planted, sessionOf(b))
		b.Form(signInPath, "email", "ada@tea.example", "password", password).Is(303)
		require.NotEqual(t, planted, sessionOf(b))
		require.Contains(t, b.Page("/admin/people").Shown(200).Text, `<span class="word">Ada `)
		old := w.merchant(tea)
		old.Cookies[hostOnly+sessionCookie] = planted
		old.Page("/admin/people").Is(303)
		w.Clock.Pass(tries)
	}
}

func TestSigningInIsThrottled(t *testing.T) {
	w := open(t)
	ada := w.ada(tea)
	for i := range signin.MostOfAccount {
		b := w.merchant(tea)
		b.Address = fmt.Sprintf("192.0.2.%d:1", i)
		b.Form(signInPath, "email", "ADA@tea.example", "password", "wrong").Shown(401)
	}
	b := w.merchant(tea)
	a := b.Form(signInPath, "email", "ada@tea.example", "password", password).Shown(429)
	require.Contains(t, a.Text, `role="alert" data-code="too_many_tries"`)
	require.Equal(t, "60", a.Header.Get("Retry-After"))
	require.Empty(t, b.Cookies)
	ada.Page("/admin/people").Shown(200)
	w.merchant(toys).Form(signInPath, "email", "ada@toys.example", "password", password).Leads(303, "/admin")
	w.Clock.Pass(tries)

	for i := range signin.MostOfAddress {
		w.merchant(tea).Form(signInPath, "email", fmt.Sprintf("%d@tea.example", i), "password", "wrong").Shown(401)
	}
	w.merchant(tea).Form(signInPath, "email", "ada@tea.example", "password", password).Shown(429)
	w.merchant(toys).Form(signInPath, "email", "ada@toys.example", "password", password).Shown(429)
	b.Address = "192.0.2.99:1"
	b.Form(signInPath, "email", "ada@tea.example", "password", password, "to", "/x").Shown(422)
	b.Form(signInPath, "email", "ada@tea.example", "password", password).Leads(303, "/admin")
}

func TestASignOutEndsThisSessionOrAll(t *testing.T) {
	w := open(t)
	here, there := w.ada(tea), w.ada(tea)
	kept := w.merchant(tea)
	kept.Cookies[hostOnly+sessionCookie] = sessionOf(here)
	here.Form("/admin/sign-out").Leads(303, signInPath)
	kept.Page("/admin/people").Is(303)
	there.Page("/admin/people").Shown(200)

	here = w.ada(tea)
	kept.Cookies[hostOnly+sessionCookie] = sessionOf(here)
	here.Form("/admin/sign-out", "everywhere", "true").Leads(303, signInPath)
	kept.Page("/admin/people").Is(303)
	there.Page("/admin/people").Is(303)
	there.Form("/admin/sign-out", "everywhere", "true").Leads(303, signInPath)
	require.Contains(t, w.ada(tea).Page("/admin/people").Shown(200).Text, "Ada", "the password stays")
}

// TestASessionEndsWithItsUse: twelve hours after the last one, whatever the cookie says.
func TestASessionEndsWithItsUse(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	for range 3 {
		w.Clock.Pass(12*time.Hour - 10*time.Minute)
		b.Page("/admin/people").Shown(200)
	}
	w.Clock.Pass(12 * time.Hour)
	b.Page("/admin/people").Is(303)
	require.NotEmpty(t, sessionOf(b), "not by the cookie's own end")
}

func TestWhoWasDeletedIsSignedOutAtOnce(t *testing.T) { onBoth(t, deletedIsSignedOut) }

func deletedIsSignedOut(t *testing.T, w *world) {
	b := w.ada(tea)
	w.operator("DELETE", "/operator/shops/"+w.shops[tea]+"/admins/"+w.admins[tea], nil)
	b.Page("/admin/people").Is(303)
	b.Form("/admin/people", "email", "x@tea.example", "name", "X").Shown(401)
	all, err := staff.Admins.Read(t.Context(), w.P.Main, w.shops[toys], w.admins[toys])
	require.NoError(t, err)
	require.Equal(t, w.admins[toys], all.ID)
	w.merchant(tea).Form(signInPath, "email", "ada@tea.example", "password", password).Shown(401)
}

func TestSigningInLeadsToOwnPathsOnly(t *testing.T) {
	w := open(t)
	for _, to := range []string{"https://evil.example/admin", "//evil.example", `/\evil.example`, `\\evil.example`,
		"/\t/evil.example", "javascript:alert(1)",
		"evil.example", "/admin/../../x", "/" + strings.Repeat("x", 4_000), "/a\r\nSet-Cookie: x=1"} {
		b := w.merchant(tea)
		page := b.Page(signInPath + "?to=" + escaped(to))
		require.NotContains(t, page.Text, "evil", to)
		require.NotContains(t, page.Text, `name="_to"`, to)
		b.Form(signInPath, "email", "ada@tea.example", "password", password, "_to", to).Leads(303, "/admin")
		w.Clock.Pass(tries)
	}
	b := w.merchant(tea)
	b.Form(signInPath, "email", "ada@tea.example", "password", password, "_to", "/admin/coupons?code=a%26b").Leads(303,
		"/admin/coupons?code=a%26b")
}
