// Package storefront is the shops as shoppers see them (contract, section 6): pages, and the same as JSON for scripts
// in them.
//
// # A tour
//
// What comes in is a request to a shop's host; what goes out is a page, or JSON. In the order of a request:
//
//	visit.go                          whose host it is, whose basket, who is signed in; reads what every page shows
//	ahead.go                          hands to a command what was read with that
//	basket_api.go, account_api.go     the operations, which are commands of the nouns (packages sale and customer)
//	answers.go                        chooses what a person is answered: a page, or where to go on
//	pages.go, *_page.go, *_pages.go   the pages: home, categories and products; basket, order and account
//	crawlers.go                       what crawlers read
//	view*.go                          what the templates below templates/ are filled with, in the words of texts/
//	templates.go                      the templates, and what was made of them that many pages show
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
	"eshop/shared/signin"
)

// Function is the storefront of all shops.
var Function = host.Function{
	Name: "storefront", Doc: "The shops' pages, baskets, accounts and checkouts.",
	HTTP: register, CatchAll: true, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

func register(p *host.Platform, a *api.API) {
	d := door{Platform: p, tries: signin.Tries{Key: p.Key}, pages: made()}
	d.registerBasket(a)
	d.registerAccount(a)
	d.registerPages(a)
	d.registerForCrawlers(a)
	for _, asset := range assets {
		a.Handle("GET "+asset.Path, shared(asset))
	}
	a.NotFound("/", d.people(answers{}))
}

// door is the operations and the pages.
type door struct {
	*host.Platform
	tries signin.Tries
	pages *Pages
}

//go:embed static/storefront.css
var css []byte

// assets are the files that are the same for all shoppers of all shops: what the pages look like, and their scripts.
var assets = func() page.Assets {
	all := page.Assets{page.Fixed("/static", "storefront.css", "text/css; charset=utf-8", css)}
	for _, a := range frontend.Assets {
		all = append(all, page.Asset(a))
	}
	return all
}()

// made are the pages of this process: their templates are read once.
var made = sync.OnceValue(func() *Pages { return NewPages(assets.Address) })

// shared serves a file to the pages of any site.
func shared(a page.Asset) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		a.ServeHTTP(w, r)
	})
}
