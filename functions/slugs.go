package functions

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"eshop/shared/host"
)

// reservedWords are reserved beside the first segments of the routes in the list: paths that a host serves itself,
// paths that may be served one day, and files that browsers and crawlers ask for.
var reservedWords = []string{"demo", "healthz", "metrics", "readyz", "uploads", "favicon.ico"}

// ReservedSlug says whether a slug is the platform's own (contract, section 4, "Custom URLs").
func ReservedSlug() func(slug string) bool { return host.ReservedSlug(ReservedSlugs()) }

// ReservedSlugs are the reserved ones, sorted. A Lambda, which knows no function but its own, is given them by the
// stack.
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
