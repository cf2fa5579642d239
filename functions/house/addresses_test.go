package house_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// TestAnAddressHoldsNothingToBreakOutWith sends hostile addresses in each field of THE list that takes a web address: a
// new one is found by how its name ends.
func TestAnAddressHoldsNothingToBreakOutWith(t *testing.T) {
	w := open(t)
	held := map[string]bool{}
	for _, in := range w.API.Inputs() {
		for _, p := range in.Paths {
			last := strings.ToLower(p.Path[strings.LastIndex(p.Path, ".")+1:])
			named := strings.HasSuffix(last, "url") || strings.HasSuffix(last, "link") ||
				strings.HasSuffix(last, "href")
			if !strings.HasPrefix(p.Path, "body.") || !named || in.Route == "POST /api-engine/custom-urls" {
				continue // the url of a custom URL is words, of which its slug is made
			}
			for _, odd := range []string{`https://a".example/`, `https://hooks.example.com/"><script>`,
				"https://hooks.example.com/\u202e", "https://hooks.example.com/ a", "https://hooks.example.com/\u0000",
				"https://a;b.example/", "javascript:alert(1)", "//a.example/", "https:///a"} {
				body := placed(w.sample(in.Route), strings.TrimPrefix(p.Path, "body"), odd)
				a := w.ask(in.Route, body).Is(422, "invalid")
				require.True(t, slices.ContainsFunc(a.Body["errors"].([]any), func(f any) bool {
					at := f.(hosttest.Object)
					return at["code"] == "bad_format" &&
						strings.HasSuffix(strings.ToLower(at["location"].(string)), "."+last)
				}), "%s %s: %s", in.Route, p.Path, a.Text)
			}
			held[in.Route+" "+p.Path] = true
		}
	}
	require.Len(t, held, 10, "%v", held)
}
