// Package storefront is the shops as shoppers see them (contract, "Storefront"): pages, and the same as JSON for
// scripts in them.
//
// # A tour
//
// What comes in is a request to a shop's host; what goes out is a page, or JSON. In the order of a request:
//
//	visit.go                          whose host it is, whose basket, who is signed in; reads what every page shows
//	basket_api.go, account_api.go     the operations, which are commands of the nouns (packages sale and customer)
//	account_orders.go                 what customers have ordered, for programs and people
//	answers.go                        chooses what a person is answered: a page, or where to go on
//	pages.go, *_page.go, *_pages.go   the pages: home, categories and products; basket, order and account
//	search.go                         the search for products, and its page
//	crawlers.go                       what crawlers read
//	view*.go                          what the templates below templates/ are filled with, in the words of texts/
//	templates.go                      the templates, and what was made of them that many pages show
//
// # Promises
//
//   - One address has two readers: a browser that asks for text/html gets the page, anything else JSON, from the same
//     operation. A form without JavaScript does what the operation does.
//   - The browser never sends a price, and a checkout charges what was shown last.
//   - A request that changes something and comes from another site's page is refused before anything of the visitor is
//     read.
//   - A page that cannot be made whole is still a page: an error page shows what could be read, and status and words of
//     the refusal.
//   - A basket becomes one order, however many checkouts of it come at once. A quoteToken is used once, however many
//     try.
//
// # Forms
//
// A form sends the operation's own fields, dotted (`billingAddress.city`); PATCH and DELETE are a POST with `_method`.
// Names that begin with `_` are the page's own. A form that did what it says leads on by a 303. One that was refused is
// shown again with what was typed, passwords apart, and each fault beside its field (sentForm).
//
// # Scripts
//
// Merchants' custom codes run in these pages as they are, so no policy of ours hinders scripts. What scripts are told
// is the frontend contract, `window.dataLayer[0].eshop` (state in answers.go; package frontend).
//
// # The visitor, then the page
//
// A page reads its visitor first, in one call of the store: the basket, and who is signed in (readVisitor). Then it
// reads what it shows, one thing after the other. A command on a basket reads the basket itself.
package storefront

import (
	_ "embed"
	"net/http"
	"sync"
	"time"
	_ "time/tzdata" // a Lambda's system knows no time zones

	"eshop/shared/api"
	"eshop/shared/frontend"
	"eshop/shared/host"
	"eshop/shared/page"
	"eshop/shared/page/stylesheet"
	"eshop/shared/people/signin"
)

// Function is the storefront of all shops. It is the catch-all: a front door sends it every path that no other function
// serves, because any slug may be one of a shop's.
var Function = host.Function{
	Name: "storefront", Doc: "The shops' pages, baskets, accounts and checkouts.",
	HTTP: register, CatchAll: true,
	Needs:   append([]host.Need{host.Admits(host.Sessions, host.Links)}, host.SearchingFrame...),
	Timeout: 10 * time.Second, Memory: 512,
}

// register registers the operations, the pages, and what all shops share. An address that is none of these is an error
// page of the shop, with its menu and its custom codes (contract, "Custom codes and cleanup orders").
func register(p *host.Platform, a *api.API) {
	d := door{Platform: p, tries: signin.Tries{Key: p.Key}, pages: made()}
	d.registerBasket(a)
	d.registerAccount(a)
	d.registerOrders(a)
	d.registerPages(a)
	d.registerSearch(a)
	d.registerForCrawlers(a)
	for _, asset := range assets {
		a.Handle("GET "+asset.Path, shared(asset))
	}
	a.NotFound("/", d.people(answers{}))
}

// door answers the operations and makes the pages. tries counts what strangers do, pages has the templates and what was
// made of them.
type door struct {
	*host.Platform
	tries signin.Tries
	pages *Pages
}

// css is what only these pages look like.
//
//go:embed static/storefront.css
var css []byte

// assets are the files that are the same for all shoppers of all shops: what the pages look like, and their scripts.
var assets = func() page.Assets {
	all := page.Assets{page.Fixed("/static", "storefront.css", "text/css; charset=utf-8", stylesheet.With(css))}
	for _, a := range frontend.Assets {
		all = append(all, page.Asset(a))
	}
	return all
}()

// made are the pages of this process: their templates are read once.
var made = sync.OnceValue(func() *Pages { return NewPages(assets.Address) })

// shared serves a file to the pages of any site: the frontend contract's schema and types are for partners' tools, too.
func shared(a page.Asset) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		a.ServeHTTP(w, r)
	})
}
