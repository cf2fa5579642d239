package api

import (
	"net/http"
	"net/url"
	"strings"

	"eshop/shared/base/problem"
)

// AdminPath is where the first page of a shop's admin lies, DocsPath that of the platform's documents. All others of
// theirs lie below it.
const (
	AdminPath = "/admin"
	DocsPath  = "/docs"
)

// atOrigin keeps the pages of a shop's admin, those of its storefront, and the platform's own documents on hosts apart
// (contract, "The admin's address" and "The platform's own host"). Custom codes of add-ons run on the storefront's
// pages, and a browser lets a script do whatever its whole origin may. If the admin were on the same host, every add-on
// could do what the merchant may who looks at their own shop. If the documents were, it could read the token with which
// somebody tries an operation there.
//
// At an admin's host, everything outside AdminPath is a 404, and / leads to it. At any other host, a GET of AdminPath
// leads to the host of the shop's admin, and any other method there is a 404. At the platform's own host / leads to
// DocsPath; at any other one a document leads to the platform's. A slash behind a document's address goes. led: the
// answer is made.
func (a *API) atOrigin(c *Call, res *response) (led bool, err error) {
	path := c.r.URL.Path
	ofAdmin := path == AdminPath || strings.HasPrefix(path, AdminPath+"/")
	atAdmin := a.Shops.IsAdmin(c.r.Host)
	reads := c.r.Method == http.MethodGet || c.r.Method == http.MethodHead
	switch {
	case a.Plain(c.r):
		return a.securely(c, res, reads)
	case a.Own != nil && !atAdmin && path == "/" && reads && a.Own(c.r.Host):
		res.lead(http.StatusSeeOther, DocsPath)
		return true, nil
	case a.Own != nil && !atAdmin && c.op.document && !a.Own(c.r.Host):
		res.lead(http.StatusPermanentRedirect, a.BaseURL+c.r.URL.RequestURI())
		return true, nil
	case !atAdmin && reads && strings.HasPrefix(path, DocsPath+"/") && strings.HasSuffix(path, "/"):
		without := url.URL{Path: strings.TrimRight(path, "/")}
		res.lead(http.StatusPermanentRedirect, without.EscapedPath())
		return true, nil
	case atAdmin && reads && (path == "/" || path == AdminPath+"/"):
		res.lead(http.StatusSeeOther, AdminPath)
		return true, nil
	case ofAdmin == atAdmin:
		return false, nil
	case atAdmin || !reads || a.AdminAt == nil:
		return false, problem.NoPath()
	}
	address, err := a.AdminAt(c, c.r.Host)
	if err != nil {
		return false, err
	}
	if address == "" {
		return false, problem.NoPath()
	}
	res.lead(http.StatusPermanentRedirect, address+c.r.URL.RequestURI())
	return true, nil
}

// Plain says whether a request came by http, as a proxy has told of it, though the platform is at https.
func (a *API) Plain(r *http.Request) bool {
	return r.URL.Scheme == "http" && strings.HasPrefix(a.BaseURL, "https://")
}

// securely leads a request that came by http on to the same address by https. One that changes something or brings a
// token is refused instead: a program that is led on would send its token in the clear each time.
func (a *API) securely(c *Call, res *response, reads bool) (led bool, err error) {
	if !reads || c.r.Header.Get("Authorization") != "" {
		return false, problem.Forbidden("https_only", "This is not for plain http: ask by https.")
	}
	res.lead(http.StatusPermanentRedirect, a.Shops.Secure(c.r.Host)+c.r.URL.RequestURI())
	return true, nil
}

// lead makes the answer a redirect to an address.
func (res *response) lead(status int, to string) {
	res.set("Location", to)
	res.set("Cache-Control", "no-store")
	res.WriteHeader(status)
}
