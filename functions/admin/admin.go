// Package admin is the pages on which the people of a shop run it (contract, "Admin"). Every change that is made here
// is a command of a noun, so it is the same change, with the same webhooks, as over the API.
//
// # A tour
//
// What comes in is a request to a shop's host below /admin; what goes out is a page. A request passes three files:
//
//	visit.go       whose shop it is, in which language, and who is signed in
//	operations.go  the two kinds of operations: a look, which shows a screen, and an act, which does something and
//	               leads by a 303 to the screen that shows what came of it, or shows the form again with its faults
//	view.go        the layout around all screens, and what lists and forms have in common
//
// Behind these are areas, one for each part of the shop. An area whose records are listed, made, changed and deleted is
// a value of recordPages (record_pages.go): its list, its record's page and its form are what that says, by the
// templates list and record (templates/record_pages.html). Begin with selling_coupons.go, the plainest of them. The
// others (orders, products, prices, deliveries) have screens of their own, made of the same parts (table.go, view.go),
// most with a template of their own, templates/<area>.html. The file of each area is named by its section of the menu
// first: home, selling, goods, addons, settings. The texts of all areas are files, one a language: texts/cs.json and
// its neighbours.
//
// # Promises
//
//   - Nothing of another shop is there: its records are 404, whatever the form or the address says.
//   - Without a session a page leads to the form to sign in, and back here afterwards; an action is 401.
//   - A request from another site's page is refused before anything else (403 `cross_site`), but for a link that leads
//     to a page.
//   - An act leads on by a 303, so a reload repeats nothing. Done twice it leads on again, and nobody is told twice.
//   - A secret is on the page after the 303, once. It is never in an address, which histories and logs keep.
//   - No page is framed, and none is kept by a browser or by anything on the way.
//   - Everything works without JavaScript, but for progress that moves by itself.
//
// # Forms
//
// Fields have the names of the API's fields, with dots and numbers: `billingAddress.city`, `images.0.url`. The frame
// makes the API's body of them, so a form is checked by the rules of the API, and each fault goes back to its field
// (asForm).
//
// A form of a stored record also sends what it has shown (page.Sent.Shown). Only fields that somebody has changed
// count, so a form that was open for an hour undoes nothing that others have changed meanwhile.
//
// # Glossary
//
//   - screen: the content of a page: a template and what it is filled with.
//   - note: what an action tells the next page, once: that it was done, or a secret that is shown only then.
//   - live part: a form or a region that is data-live, which scripts bring up to date in place (static/admin.js).
package admin

import (
	_ "embed"
	"time"
	_ "time/tzdata" // a Lambda's system knows no time zones

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/images"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/page"
	"eshop/shared/page/stylesheet"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
)

// root is the address of the first page. All others lie below it: code names them by the constant of their area, and
// templates write them out.
const root = api.AdminPath

// timeout is how long one call of the function can take. It and the memory, which is one whole processor on AWS, are
// for a picture of 40 megapixels.
const timeout = 29 * time.Second

// Function is the admin of all shops. It needs more than any other function, because its people see everything: the
// pipeline and both queues for deliveries and redeliveries, the files for imports, the counters for the use of limits.
// It charges no limits; it counts what the people of a test shop fire of system webhooks.
var Function = host.Function{
	Name: "admin", Doc: "The pages on which people run their shop.",
	HTTP: register, Timeout: timeout, Memory: 1769,
	Needs: append([]host.Need{
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		host.FilesBelow(host.Read, imports.Drafts, imports.Uploads),
		host.FilesBelow(host.Write, imports.Drafts, imports.Uploads, images.Begin, exports.Asks),
		host.Admits(host.Tokens, host.Admins, host.AdminSessions, host.Links),
		{Resource: host.Signing, Does: []host.Action{host.Seal}},
		{Resource: host.Counters, Does: []host.Action{host.Read, host.Write}},
	}, host.UnlimitedFrame...),
}

// register registers the operations of all areas and the files of their pages. An address below the root that is none
// of them is a page not found, for people who are signed in.
func register(p *host.Platform, a *api.API) {
	d := door{Platform: p, api: a, people: staff.NewAccounts(signin.Tries{Key: p.Key})}
	for _, one := range areas() {
		one.open(d)
	}
	a.NotFound(root, d.forSignedIn(nil))
	for _, f := range assets {
		a.Handle("GET "+f.Path, f)
	}
}

// area is a part of the admin: what registers its operations, and where the menu has it.
type area struct {
	open          func(door)
	heading       string // of its section of the menu: the name of a text, "" for the first section
	name, address string // of its link: the name of a text, and where it leads; "": the menu has no link to it
}

// areas are all parts of the admin, in the menu's order. It is a function because an area shows the menu.
func areas() []area {
	return []area{
		{open: door.signIn},
		{door.dashboard, "", "dashboard", root},
		{open: door.search},
		{door.orders, "selling", "orders", ordersPath},
		{door.customers, "selling", "customers", customersPath},
		{couponPages.open, "selling", "coupons", couponsPath},
		{statePages.open, "selling", "orderStates", statesPath},
		{door.products, "goods", "products", productsPath},
		{prices.open, "goods", "prices", pricesPath},
		{stock.open, "goods", "stock", stockPath},
		{categoryPages.open, "goods", "categories", categoriesPath},
		{door.urls, "goods", "urls", urlsPath},
		{door.imports, "goods", "imports", importsPath},
		{door.exports, "goods", "exports", exportsPath},
		{door.packages, "addons", "packages", packagesPath},
		{door.orphans, "addons", "orphans", orphansPath},
		{open: door.apiAdmin},
		{open: door.tokens},
		{open: door.webhookSecurity},
		{open: door.receivers},
		{open: door.deliveries},
		{open: door.customCodes},
		{door.shopSettings, "settings", "shop", shopPath},
		{door.admins, "settings", "people", adminsPath},
		{door.trail, "settings", "activity", trailPath},
	}
}

// door is the operations and the pages.
type door struct {
	*host.Platform
	api    *api.API
	people staff.Accounts
}

//go:embed static/admin.css
var css []byte

//go:embed static/admin.js
var js []byte

// assets are the files that all pages load: their look, and a script without which they work, too. Behind them are the
// samples of files for imports, of each type in each language.
var assets = append(page.Assets{
	page.Fixed(root+"/static", "admin.css", "text/css; charset=utf-8", stylesheet.With(css)),
	page.Fixed(root+"/static", "admin.js", "text/javascript; charset=utf-8", js)}, samples()...)
