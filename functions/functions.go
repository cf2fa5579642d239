// Package functions is THE list: what the platform consists of. The Lambdas' mains, the one-process host and the AWS
// stack walk it; a new resource is a folder and a line here.
package functions

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"eshop/functions/admin"
	"eshop/functions/batcher"
	"eshop/functions/changes"
	"eshop/functions/codes"
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/deliveries"
	"eshop/functions/delivery"
	"eshop/functions/docs"
	"eshop/functions/importer"
	"eshop/functions/imports"
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

// List is every function: what partners call, what everybody reads, what the operator calls, and what works behind
// them.
var List = []host.Function{
	customers.Function,
	products.Function,
	urls.Function,
	orders.Function,
	coupons.Function,
	codes.Function,
	quotes.Function,
	imports.Function,
	changes.Function,
	shop.Function,
	webhooks.Function,
	deliveries.Function,
	tokens.Function,
	storefront.Function,
	admin.Function,
	docs.Function,
	operator.Function,
	batcher.Function,
	delivery.Function,
	importer.Function,
	sweeper.Function,
}

// ownPages are first segments of paths that the platform serves or will, beside those of the list's routes: storefront
// (contract, section 6), admin (section 7), what a host serves itself, and names that browsers and crawlers ask for.
var ownPages = []string{
	"account", "admin", "basket", "basket-price-quote-images", "basket-price-quotes", "checkout", "demo", "frontend",
	"healthz", "images", "metrics", "order", "readyz", "static", "uploads", "favicon.ico", "robots.txt", "sitemap.xml",
}

// ReservedSlug says whether a slug is the platform's own (contract, section 4, "Custom URLs").
func ReservedSlug() func(slug string) bool { return host.ReservedSlug(ReservedSlugs()) }

// ReservedSlugs are the reserved ones, sorted. A Lambda, which knows no function but its own, is given them by the
// stack.
func ReservedSlugs() []string { return slices.Clone(reservedSlugs()) }

// reservedSlugs asks all functions for their routes, which takes a tenth of a second.
var reservedSlugs = sync.OnceValue(func() []string {
	all := map[string]bool{}
	for _, s := range ownPages {
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
