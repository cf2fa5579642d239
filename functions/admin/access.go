package admin

import (
	"context"

	"eshop/shared/addon"
	"eshop/shared/guard"
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

// installed is a package on the shop: its access, and the package itself.
type installed struct {
	addon.Access
	Package addon.Package
}

// Of is the address of the package's own page.
func (i installed) Of() string { return packagesPath + "/" + i.ID }

// installed reads the package of an access of the shop, in two calls, one after the other; not_found when the shop has
// no such access. The functions also are called beside the second call, with the access: they read what else the page
// shows of it.
func (d door) installed(ctx context.Context, v *visit, access string,
	also ...func(a addon.Access) error) (i installed, err error) {
	a, err := addon.Accesses.Read(ctx, d.Main, v.shop.ID, access)
	if err != nil {
		return i, err
	}
	i.Access = a
	// The access is read first, because it names the package, and so that nothing is read of another shop's access.
	calls := []func() error{func() (err error) { i.Package, err = addon.ReadPackage(ctx, d.Main, a.Package); return }}
	for _, read := range also {
		calls = append(calls, func() error { return read(a) })
	}
	return i, guard.Beside(ctx, d.Near, calls...)
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
	return append(v.above("packages", packagesPath), page.Link{Text: string(i.Package.Name), Path: i.Of()})
}
