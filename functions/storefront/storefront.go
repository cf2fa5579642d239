// Package storefront is the shops as shoppers see them (contract, section 6): pages, and the same as JSON for scripts in
// them.
//
// # A tour
//
// What comes in is a request to a shop's host; what goes out is a page, or JSON. visit.go knows whose host it is, whose
// basket, and who is signed in, and reads what every page shows; ahead.go hands to a command what was read with that.
// basket_api.go and account_api.go are the operations, which are commands of the nouns (packages sale and customer);
// people.go is how people are answered, pages.go the pages, those of the operations too, and what crawlers read.
// view*.go are what the templates below templates/ are filled with.
package storefront

import (
	_ "embed"
	"net/http"
	"sync"
	"time"

	"eshop/shared/api"
	"eshop/shared/frontend"
	"eshop/shared/host"
	"eshop/shared/signin"
)

// Function is the storefront of all shops.
var Function = host.Function{
	Name: "storefront", Doc: "The shops' pages, baskets, accounts and checkouts.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

func register(p *host.Platform, a *api.API) {
	d := door{Platform: p, tries: signin.Tries{Key: p.Key}, templates: templated()}
	d.registerBasket(a)
	d.registerAccount(a)
	d.registerPages(a)
	d.registerForCrawlers(a)
	for _, asset := range assets {
		a.Handle("GET "+asset.Path, fixed(asset))
	}
	a.Elsewhere(d.people(answers{}))
}

// door is the operations and the pages.
type door struct {
	*host.Platform
	tries     signin.Tries
	templates templates
}

// styles are what the pages look like.
var styles = frontend.Fixed("storefront.css", "text/css; charset=utf-8", css)

//go:embed static/storefront.css
var css []byte

// assets are the files that are the same for all shoppers of all shops.
var assets = append([]frontend.Asset{styles}, frontend.Assets...)

// templated are the templates, which are read once.
var templated = sync.OnceValue(func() templates { return parse(func(string) string { return styles.Path }) })

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
