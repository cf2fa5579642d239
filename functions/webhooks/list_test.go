package webhooks_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listed are the paths of the receivers in the order of the list.
func (w *world) listed(query string) []string {
	w.T.Helper()
	paths := w.do("GET", receivers+query, nil).Is(200).Each("id")
	for i := range paths {
		paths[i] = receivers + "/" + paths[i]
	}
	return paths
}

func TestAWalkThroughReceiversSkipsNoneThatChangesMeanwhile(t *testing.T) {
	w := open(t)
	orders, customers, products := w.listens("orderChange"), w.listens("customerChange"), w.listens("productChange")
	page := w.do("GET", receivers+"?itemsPerPage=1", nil)
	require.Equal(t, []string{orders[len(receivers)+1:]}, page.Each("id"))
	w.Clock.Pass(time.Second)
	w.do("PATCH", orders, object{"active": false}).Is(200)
	require.Equal(t, []string{customers, products, orders}, w.listed("?itemsPerPage=3&cursor="+page.Get("nextCursor")))
	down := w.do("GET", receivers+"?itemsPerPage=2&order[changed]=desc", nil)
	require.Equal(t, []string{customers}, w.listed("?cursor="+down.Get("nextCursor")))
}
