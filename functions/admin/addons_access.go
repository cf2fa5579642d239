package admin

import (
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/page"
)

// Where packages, and what is about the API of one access, are.
const (
	packagesPath = root + "/packages"
	accessesPath = root + "/api"
)

// ofAccess is the input of what is about one access of the shop.
type ofAccess struct {
	Access string `path:"accessId"`
}

// oneOf is the input of what is about one of an access's tokens, codes, keys, receivers or deliveries.
type oneOf struct {
	ofAccess
	api.ByID
}

// installed is a package on the shop: its access, and the package itself.
type installed struct {
	addon.Access
	Package addon.Package
}

// Path is the address of the package's own page.
func (i installed) Path() string { return packagesPath + "/" + i.ID }

// installed reads the access that the address names, and its package; not_found when the shop has no such access. It
// comes before what a page shows of the access, so nothing is read of another shop's.
func (d door) installed(c *api.Call, v *visit) (i installed, err error) {
	if i.Access, err = addon.Accesses.Read(c, d.Main, v.shop.ID, c.PathValue("accessId")); err == nil {
		i.Package, err = addon.ReadPackage(c, d.Main, i.Access.Package)
	}
	return i, err
}

// tabs are the pages of an access, for the template access-tabs. current is the last part of the shown page's address;
// "package" and "api" stand for the first two pages.
func (v *visit) tabs(access, current string) []page.Link {
	tabs := []page.Link{{Text: v.say("tab.package"), Path: packagesPath + "/" + access, Current: current == "package"},
		{Text: v.say("tab.api"), Path: accessesPath + "/" + access, Current: current == "api"}}
	for _, name := range []string{"tokens", "codes", "receivers", "deliveries", "webhook-security"} {
		tabs = append(tabs, page.Link{Text: v.say("tab." + name), Path: accessesPath + "/" + access + "/" + name,
			Current: current == name})
	}
	return tabs
}

// aboveAccess is the way back from a page of an access to its package, and to the list of packages.
func (v *visit) aboveAccess(i installed) []page.Link {
	return append(v.above("packages", packagesPath), page.Link{Text: string(i.Package.Name), Path: i.Path()})
}
