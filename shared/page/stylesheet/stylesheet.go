// Package stylesheet has what the style sheets of shop, admin and documentation have in common, and their icon. It
// stands beside package page because the documentation, whose program has no templates (functions/docs/pages.go), takes
// this alone.
package stylesheet

import _ "embed"

//go:embed base.css
var base string

// Icon is the address of the icon that all sites have: a bag. It is in the page, so browsers ask for none.
const Icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
	"%3Crect width='32' height='32' rx='7' fill='%2326483a'/%3E%3Cpath d='M9 12h14l1.5 13h-17Z' fill='%23fbf8f3'/%3E" +
	"%3Cpath d='M12.5 15v-4a3.5 3.5 0 0 1 7 0v4' fill='none' stroke='%23d98a5f' stroke-width='2.2'/%3E%3C/svg%3E"

// With makes a site's one style sheet: the rules that all sites share and then the site's own, which begin with the
// values of its tokens. Of two rules that weigh the same the site's own wins.
func With(own []byte) []byte { return append([]byte(base), own...) }
