package functions

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"eshop/shared/host"
)

// reservedWords are reserved beside the first segments of the routes in the list: paths that a host serves itself, and
// files that browsers ask for. A product at such a slug could not be reached.
var reservedWords = []string{"demo", "downloads", "healthz", "metrics", "readyz", "uploads", "favicon.ico"}

// ReservedSlug says whether a slug is the platform's own (contract, section 4, "Custom URLs"). It is a function that is
// made once and asked often.
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
