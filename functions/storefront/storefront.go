// Package storefront is the shops as shoppers see them (contract, section 6): pages, and the same as JSON for scripts
// in them.
//
// # A tour
//
// What comes in is a request to a shop's host; what goes out is a page, or JSON. visit.go knows whose host it is, whose
// basket, and who is signed in, and reads what every page shows; ahead.go hands to a command what was read with that.
// basket_api.go and account_api.go are the operations, which are commands of the nouns (packages sale and customer);
// people.go chooses what a person is answered. The pages are made in pages.go (home, categories, products),
// basket_pages.go, order_page.go and account_pages.go; crawlers.go has what crawlers read. view*.go are what the
// templates below templates/ are filled with, in the words of texts.go.
package storefront

import (
	_ "embed"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // a Lambda's system knows no time zones

	"eshop/shared/api"
	"eshop/shared/frontend"
	"eshop/shared/host"
	"eshop/shared/signin"
)

// Function is the storefront of all shops.
var Function = host.Function{
	Name: "storefront", Doc: "The shops' pages, baskets, accounts and checkouts.",
	HTTP: register, Rest: true, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

func register(p *host.Platform, a *api.API) {
	d := door{Platform: p, tries: signin.Tries{Key: p.Key}, pages: made()}
	d.registerBasket(a)
	d.registerAccount(a)
	d.registerPages(a)
	d.registerForCrawlers(a)
	for _, asset := range assets {
		a.Handle("GET "+asset.Path, fixed(asset))
	}
	a.Elsewhere("/", d.people(answers{}))
}

// door is the operations and the pages.
type door struct {
	*host.Platform
	tries signin.Tries
	pages *Pages
}

// styles are what the pages look like.
var styles = frontend.Fixed("storefront.css", "text/css; charset=utf-8", css)

//go:embed static/storefront.css
var css []byte

// address is where a file of this name is.
func address(name string) string {
	i := slices.IndexFunc(assets, func(a frontend.Asset) bool { return path.Base(a.Path) == name })
	return assets[i].Path
}

// assets are the files that are the same for all shoppers of all shops.
var assets = append([]frontend.Asset{styles}, frontend.Assets...)

// made are the pages of this process: their templates are read once.
var made = sync.OnceValue(func() *Pages { return NewPages(address) })

// fixed serves a file. One with an address by its content never changes.
func fixed(f frontend.Asset) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", f.Type)
		h.Set("Cache-Control", f.CacheControl)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write(f.Body)
	})
}
