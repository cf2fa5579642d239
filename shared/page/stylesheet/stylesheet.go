// Package stylesheet has what the style sheets of shop, admin and documentation have in common. It stands beside
// package page because the documentation, whose program has no templates (functions/docs/pages.go), takes this alone.
package stylesheet

import _ "embed"

//go:embed base.css
var base string

// Of makes a site's one style sheet: the rules that all sites share and then the site's own, which begin with the
// values of its tokens. Of two rules that weigh the same the site's own wins.
func Of(own []byte) []byte { return append([]byte(base), own...) }
