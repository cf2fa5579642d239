package admin

import (
	"net/http"
	"net/url"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/shop"

	"golang.org/x/text/language"
)

// The cookies, by the names that v.cookie completes.
const (
	sessionCookie = "admin"
	langCookie    = "lang"
	noteCookie    = "admin-note"
	langLife      = 365 * 24 * time.Hour // of the choice of a language
)

// visit is one request of somebody who runs a shop, or who is about to sign in.
type visit struct {
	shop    *shop.Shop
	website string // the storefront's address without a slash at its end
	secure  bool   // of cookies: the website is https
	lang    page.Language
	now     time.Time  // when the request came
	path    string     // of the request
	reads   bool       // the request is a GET
	query   url.Values // of the request

	sessionText string         // the text of the session's cookie; "": there is none
	session     signin.Session // of who is signed in
	admin       *staff.Admin   // who is signed in; nil: nobody, or nobody has asked
	note        page.Note      // of the action before, for this page
	next        page.Note      // of this action, for the page after it
	menu        *shelf.Menu    // of the shop, in an area that reads it

	wrong map[string]problem.Fault // of a list's query, by its parameters, until a field says it
	code  string                   // of what note.Not says

	became map[string]catalog.Status // of the fields of a page of many (save): of what was not tried there is nothing
}

// visitOf is the visit of a call; nil when the host is no shop's.
func visitOf(c *api.Call) *visit {
	v, _ := c.Visitor.(*visit)
	return v
}

// hostOnly begins the name of a cookie that browsers take from its own host alone, and over https (RFC 6265bis, section
// 4.1.3.2). The admin's host lies below the storefront's domain. Without this name a custom code in the storefront
// could set the admin's cookies.
const hostOnly = "__Host-"

// cookie is the name of a cookie at the admin's host, which differs under https and http.
func (v *visit) cookie(name string) string {
	if v.secure {
		return hostOnly + name
	}
	return name
}

// enterSignedIn is enter for an operation for which somebody must be signed in. Who that is comes first: anybody can
// make up a cookie, and nothing else of the request is read for them.
func (d door) enterSignedIn(c *api.Call) error {
	if err := d.enter(c); err != nil {
		return err
	}
	return d.readAdmin(c, visitOf(c))
}

// enter finds the shop whose admin has the request's host, and refuses what another site has sent or loads.
func (d door) enter(c *api.Call) error {
	r := c.HTTP()
	site, err := d.AdminSite(c, permission.All...)
	if err != nil {
		return err
	}
	v := &visit{shop: site.Shop, website: site.Website, secure: site.Secure, now: d.Now(),
		path: r.URL.Path, query: r.URL.Query(), reads: reads(r)}
	if page.LocalPath(v.query.Get("to")) == "" {
		v.query.Del("to") // it leads nowhere, in another language, too
	}
	// From here on even a refusal has the shop's name, and the visitor's language.
	c.Visitor = v
	asked := c.TakePageParameters("lang").Get("lang")
	if err := page.SameOrigin(r, v.secure); err != nil {
		v.lang = d.chosen(c, v, "")
		return err
	}
	v.lang = d.chosen(c, v, asked)
	v.sessionText = page.Value(r, v.cookie(sessionCookie))
	if note := page.Value(r, v.cookie(noteCookie)); note != "" && reads(r) {
		v.note = d.notes(v).Open(note, d.Now())
		c.Cookie(page.Cookie(v.cookie(noteCookie), "", 0, v.secure))
	}
	// nobody else's session gets an answer that was kept for this one, and this one only as long as it is good
	c.Owner = d.people.SessionKey(v.shop.ID, v.sessionText).PK
	return nil
}

// notes seals what an action tells the next page. The session is part of the seal, so a note is good in that session
// only.
func (d door) notes(v *visit) page.Notes {
	return page.Notes{Key: d.Key, For: "admin of " + v.shop.ID + " " + v.sessionText}
}

// languages finds the one that a browser would have, by its place in page.Languages.
var languages = func() language.Matcher {
	var tags []language.Tag
	for _, l := range page.Languages {
		tags = append(tags, language.Make(l.Code()))
	}
	return language.NewMatcher(tags)
}()

// chosen is the language of the pages. It is the first that there is of these: the one that was asked for, which is
// then kept for a year; the one that was kept; the one that the browser would have; the shop's.
func (d door) chosen(c *api.Call, v *visit, asked string) page.Language {
	if l, is := page.Coded(asked); is {
		c.Cookie(page.Cookie(v.cookie(langCookie), asked, langLife, v.secure))
		return l
	}
	if l, is := page.Coded(page.Value(c.HTTP(), v.cookie(langCookie))); is {
		return l
	}
	tags, _, err := language.ParseAcceptLanguage(c.Header("Accept-Language"))
	if err == nil && len(tags) > 0 {
		if _, i, sure := languages.Match(tags...); sure != language.No {
			return page.Languages[i]
		}
	}
	return page.LanguageOf(v.shop.Locale)
}

// readAdmin reads who is signed in, by one call: unauthenticated if nobody is. It prolongs the session that is used.
func (d door) readAdmin(c *api.Call, v *visit) error {
	items, err := store.GetAll(c, d.Main, d.people.Keys(v.shop.ID, v.sessionText))
	if err != nil {
		return err
	}
	v.admin, v.session, err = d.people.SignedIn(items, d.Now())
	if err == nil && v.admin == nil {
		err = signin.Unauthenticated()
	}
	if err != nil || !d.people.Due(v.session, d.Now()) {
		return err
	}
	// If the write fails, the session keeps its old end, and the page is shown all the same.
	if _, err := d.people.Extend(c, c.Unit(), v.session); err != nil {
		d.Log.WarnContext(c, "a session was not extended", "error", err)
		return nil
	}
	d.setSession(c, v, v.sessionText)
	return nil
}

// setSession gives the visitor the cookie of a session; "" takes it away.
func (d door) setSession(c *api.Call, v *visit, session string) {
	life := staff.SessionLife
	if session == "" {
		life = 0
	}
	v.sessionText = session
	c.Cookie(page.Cookie(v.cookie(sessionCookie), session, life, v.secure))
}

// reads says whether a request only reads.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }
