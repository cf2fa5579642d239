package urls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/catalog/address"
)

// TestAnItemHasAHundredURLsByPOST: then none is added before one goes, while one that is there can become active.
func TestAnItemHasAHundredURLsByPOST(t *testing.T) {
	w := newWorld(t)
	for kind, item := range map[string]string{"product": w.product("P", "Zboží"), "category": w.category("Zboží")} {
		post := func(slug string) map[string]any {
			return map[string]any{"urlItem": map[string]any{"type": kind, "id": item}, "url": kind + " " + slug}
		}
		w.many(address.OwnerKind(kind), item, 20) // left by renames: they do not count
		var first string
		for i := range 100 {
			a := w.ask("POST", "/api-engine/custom-urls", post(fmt.Sprint("n", i))).Is(201)
			if i == 0 {
				first = a.ID()
			}
		}
		w.ask("POST", "/api-engine/custom-urls", post("further")).Is(409, "too_many_urls")
		reads, _ := w.Meter().Units()
		require.Less(t, reads, 30.0, "what is read has a bound")
		w.ask("POST", "/api-engine/custom-urls", post("n5")).Is(200)
		w.ask("DELETE", "/api-engine/custom-urls/"+first, nil).Is(204)
		w.ask("POST", "/api-engine/custom-urls", post("further")).Is(201)
		w.ask("POST", "/api-engine/custom-urls", post("one more")).Is(409, "too_many_urls")
	}
}

// TestRenamesLeaveAHundredURLs: a further one leaves none, and the slug that it gives up is free for another item.
func TestRenamesLeaveAHundredURLs(t *testing.T) {
	w := newWorld(t)
	items := map[string]string{"products": w.product("P", "Zboží 0"), "categories": w.category("Zboží 0")}
	for at, item := range items {
		path := "/api-engine/" + at + "/" + item
		rename := func(n int) { w.ask("PATCH", path, map[string]any{"name": fmt.Sprint(at, " ", n)}).Is(200) }
		former := func() int {
			kind := map[string]string{"products": "product:", "categories": "category:"}[at]
			list := "/api-engine/custom-urls?kind=custom&itemsPerPage=250&urlItem=" + kind + item
			return len(w.ask("GET", list, nil).Is(200).Items())
		}
		for n := range 100 {
			rename(n)
		}
		require.Equal(t, 100, former())
		rename(100) // gives up the slug that 99 made
		rename(101)
		require.Equal(t, 100, former())
		got := w.ask("POST", "/api-engine/custom-urls", map[string]any{"url": fmt.Sprint(at, " ", 99),
			"urlItem": map[string]any{"type": "product", "id": w.product("F"+at, "Jiné "+at)}}).Is(201)
		require.Equal(t, at+"-99", got.Get("slug"))
		rename(5) // takes one of its former slugs back: that one is no former URL any more, the one before it is
		require.Equal(t, 100, former())
		url := w.ask("GET", path, nil).Is(200).Get("url")
		require.True(t, strings.HasSuffix(url, "/"+at+"-5"), url)
		list := w.ask("GET", "/api-engine/custom-urls?kind=custom&itemsPerPage=1&urlItem="+
			map[string]string{"products": "product:", "categories": "category:"}[at]+item, nil).Is(200)
		w.ask("DELETE", "/api-engine/custom-urls/"+list.Each("id")[0], nil).Is(204)
		rename(102)
		require.Equal(t, 100, former(), "one that was deleted makes room")
	}
}
