package journeys

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pulled is what the change feed has told a poller so far, and where it goes on.
type pulled struct {
	tn     *tenant
	query  string
	cursor string
	seen   []string // type, change, id
}

// until asks on until what was told is enough; the same change may come twice.
func (p *pulled) until(enough func(seen []string) bool) {
	p.tn.t.Helper()
	eventually(p.tn.t, 2*patience, func() bool {
		query := p.query
		if p.cursor != "" {
			query = "cursor=" + p.cursor
		}
		page := p.tn.get("/api-engine/changes?" + query)
		for _, e := range page.items("items") {
			told := strings.Join([]string{e["type"].(string), e["change"].(string), e["id"].(string)}, " ")
			if !slices.Contains(p.seen, told) {
				p.seen = append(p.seen, told)
			}
		}
		p.cursor = page.text("nextCursor")
		return enough(p.seen)
	})
}

// addresses follows a product's URLs by webhook and in the change feed.
func addresses(t *testing.T, w *world) {
	tn := w.shopWith(t, append([]string{"urls:read", "urls:write"}, everything...)...)
	a := tn.listens()
	feed := &pulled{tn: tn, query: "types=products,urls&itemsPerPage=2"}
	made := tn.post("/api-engine/products", thing(0))
	at := "/api-engine/products/" + made.id()
	custom := tn.post("/api-engine/custom-urls",
		fields{"urlItem": fields{"type": "product", "id": made.id()}, "url": "Čaj z hor"})
	require.Equal(t, "caj-z-hor", custom.text("slug"))
	calls := a.until(func(calls []call) bool { return len(calls) == 2 })
	change := calls[slices.IndexFunc(calls, func(c call) bool { return c.body.Event == "productChange" })]
	change.tells(t, product(made.id()), "urls")
	require.True(t, strings.HasSuffix(tn.get(at).text("url"), "/caj-z-hor"))
	require.Equal(t, "caj-z-hor", tn.get("/api-engine/custom-urls/"+custom.id()).text("slug"))

	tn.delete("/api-engine/custom-urls/" + custom.id())
	tn.gone("/api-engine/custom-urls/" + custom.id())
	require.Equal(t, made.text("url"), tn.get(at).text("url"))
	tn.delete(at)
	w.clock.pass(6 * time.Second)
	feed.until(func(seen []string) bool {
		for _, want := range []string{"products created " + made.id(), "urls created " + custom.id(),
			"products changed " + made.id(),
			"urls deleted " + custom.id(), "products deleted " + made.id()} {
			if !slices.Contains(seen, want) {
				return false
			}
		}
		return true
	})
	tn.hearsOnly(a, "productCreate", "productChange", "productChange", "productDelete")
}
