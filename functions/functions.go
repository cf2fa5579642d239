// Package functions is THE list: what the platform consists of. Three programs walk it: each Lambda's main names one of
// its functions, the one-process host (infra/local) serves all of them, and the AWS stack (infra/stack) makes the
// resources that they need. So nothing else says which functions there are.
//
// A new resource is a folder with a host.Function, and its line here. The tests of the house (functions/house) then
// hold it to what every operation promises: bounds, problems, isolation of shops, names, widths.
package functions

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"eshop/functions/admin"
	"eshop/functions/batcher"
	"eshop/functions/canary"
	"eshop/functions/changes"
	"eshop/functions/codes"
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/deliveries"
	"eshop/functions/delivery"
	"eshop/functions/developer"
	"eshop/functions/docs"
	"eshop/functions/exporter"
	"eshop/functions/exports"
	"eshop/functions/images"
	"eshop/functions/importer"
	"eshop/functions/imports"
	"eshop/functions/indexer"
	"eshop/functions/operator"
	"eshop/functions/orders"
	"eshop/functions/products"
	"eshop/functions/quotes"
	"eshop/functions/shop"
	"eshop/functions/storefront"
	"eshop/functions/sweeper"
	"eshop/functions/tokens"
	"eshop/functions/urls"
	"eshop/functions/webhooks"
	"eshop/shared/host"
)

// List is every function. First come the doors of partners, then the pages that everybody may read, the doors of the
// operator and of developers, the functions that work behind them (batcher, indexer, delivery, importer, exporter and
// sweeper), and at last the canary, which tries all of it from outside.
var List = []host.Function{
	customers.Function,
	products.Function,
	images.Function,
	urls.Function,
	orders.Function,
	coupons.Function,
	codes.Function,
	quotes.Function,
	imports.Function,
	exports.Function,
	changes.Function,
	shop.Function,
	webhooks.Function,
	deliveries.Function,
	tokens.Function,
	storefront.Function,
	admin.Function,
	docs.Function,
	operator.Function,
	developer.Function,
	batcher.Function,
	indexer.Function,
	delivery.Function,
	importer.Function,
	exporter.Function,
	sweeper.Function,
	canary.Function,
}

// reservedWords are reserved beside the first segments of the routes in the list: paths that a host serves itself, and
// files that browsers ask for. A product at such a slug could not be reached.
var reservedWords = []string{"demo", "downloads", "healthz", "metrics", "readyz", "uploads", "favicon.ico"}

// ReservedSlug says whether a slug is the platform's own (contract, "Custom URLs"). It is a function that is made once
// and asked often.
func ReservedSlug() func(slug string) bool { return host.ReservedSlug(ReservedSlugs()) }

// ReservedSlugs are the reserved slugs, sorted. A Lambda knows no function but its own, so the stack gives it the list.
func ReservedSlugs() []string { return slices.Clone(reservedSlugs()) }

// reservedSlugs asks all functions for their routes, which takes a tenth of a second.
var reservedSlugs = sync.OnceValue(func() []string {
	all := map[string]bool{}
	for _, s := range reservedWords {
		all[s] = true
	}
	for _, f := range List {
		for _, route := range f.Routes() {
			first, _, _ := strings.Cut(strings.Trim(route, "/"), "/")
			all[first] = true
		}
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
})
