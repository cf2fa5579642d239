package urls

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/products"
	"eshop/shared/store"
)

// renamed is a world in which thirty products got new names and codes at once, and the process died when that was decided:
// their URLs' own items are as they were.
func renamed(t *testing.T) (*world, []string) {
	w := newWorld(t)
	ids, items := make([]string, 30), make([]obj, 30)
	for i := range ids {
		ids[i] = w.product(fmt.Sprint("A", i), fmt.Sprint("Old ", i))
		items[i] = obj{"id": ids[i], "name": fmt.Sprint("New ", i), "code": fmt.Sprint("B", i)}
	}
	dead := false
	w.Main.Before(func(ops []store.Op) error {
		if dead {
			return store.ErrUnavailable
		}
		heads := 0
		for _, op := range ops {
			if slices.ContainsFunc(ids, func(id string) bool { return op.Key == products.ProductKey("shop", id) }) {
				heads++
			}
		}
		dead = heads == len(ids)
		return nil
	})
	w.ask("PATCH", "/api-engine/products/batch/basic?errorPolicy=rejectAll", obj{"items": items}).Is(200)
	require.True(t, dead)
	w.Main.Before(nil)
	return w, ids
}

func TestURLsAreSeenAsTheirHeadsDecided(t *testing.T) {
	w, ids := renamed(t)
	require.Equal(t, []string{"new-7 system active", "old-7 custom"}, w.of("product:"+ids[7]))
	all := w.ask("GET", path+"?itemsPerPage=100", nil).Is(200)
	for _, u := range all.Body["items"].([]any) {
		u := u.(obj)
		require.True(t, strings.HasPrefix(u["slug"].(string), "new-"), "%v", u)
		one := w.ask("GET", path+"/"+u["id"].(string), nil).Is(200)
		require.Equal(t, u, one.Body)
		require.Equal(t, true, u["active"])
	}
}

func TestAURLIsWrittenOnceTheDebtIsPaid(t *testing.T) {
	w, ids := renamed(t)
	w.post(ids[3], "mine").Is(201)
	require.Equal(t, []string{"mine custom active", "new-3 system", "old-3 custom"}, w.of("product:"+ids[3]))
	w.post(ids[4], "old-4").Is(200)
	require.Equal(t, []string{"new-4 system", "old-4 custom active"}, w.of("product:"+ids[4]))
	page, err := w.P.Main.Query(t.Context(), store.Query{PK: products.ProductKey("shop", ids[4]).PK, From: "U#"})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.Equal(t, "old-5-2", w.post(ids[4], "old-5").Is(201).Get("slug"), "it leads to its product still")
}
