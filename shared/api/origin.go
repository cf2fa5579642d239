package api

import (
	"net/http"
	"strings"

	"eshop/shared/problem"
	"eshop/shared/shop"
)

// AdminPath is where the first page of a shop's admin lies. All others lie below it.
const AdminPath = "/admin"

// atOrigin keeps the pages of a shop's admin and everything else on hosts apart, whatever operation the path has
// (contract, section 10, "The admin's origin"). Custom codes of add-ons run on the storefront's pages, and a browser
// lets a script do whatever its whole origin may: if the admin were on the same host, every add-on could do what the
// merchant may who looks at their own shop.
//
// At an admin's host, everything outside AdminPath is a 404, and / leads to it. At any other host, a GET of AdminPath
// leads to the host of the shop's admin, and any other method there is a 404. led: the answer is made.
func (a *API) atOrigin(c *Call, res *response) (led bool, err error) {
	path := c.r.URL.Path
	ofAdmin := path == AdminPath || strings.HasPrefix(path, AdminPath+"/")
	atAdmin := shop.IsAdminHost(c.r.Host)
	reads := c.r.Method == http.MethodGet || c.r.Method == http.MethodHead
	switch {
	case ofAdmin == atAdmin:
		return false, nil
	case atAdmin && path == "/" && reads:
		res.lead(http.StatusSeeOther, AdminPath)
		return true, nil
	case atAdmin || !reads || a.AdminAt == nil:
		return false, problem.NotFound()
	}
	address, err := a.AdminAt(c, c.r.Host)
	if err != nil {
		return false, err
	}
	if address == "" {
		return false, problem.NotFound()
	}
	res.lead(http.StatusPermanentRedirect, address+c.r.URL.RequestURI())
	return true, nil
}

// lead makes the answer a redirect to an address.
func (res *response) lead(status int, to string) {
	res.set("Location", to)
	res.set("Cache-Control", "no-store")
	res.WriteHeader(status)
}
