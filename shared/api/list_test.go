package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// shown is a note of an item.
func shown(item *store.Item) (n note, at time.Time, ok bool, err error) {
	err = item.Into(&n)
	return n, n.Changed.Go(), true, err
}

func TestARecordThatCannotBeReadIsLeftOutOfItsList(t *testing.T) {
	w := open(t)
	first, _ := w.create("Tea")
	second, _ := w.create("Coffee")
	api.Add(w.api, api.Op{Route: "GET /api-engine/loaded", ID: "listLoaded", Needs: permission.ReadCustomers},
		func(c *api.Call, in *api.List) (*api.Collection[note], error) {
			return api.Page(c, *in, record.InPartitions(w.table, store.Index1, "N#0", "N#1"),
				record.Load(w.table, shown))
		})
	api.Add(w.api, api.Op{Route: "GET /api-engine/found/{id}", ID: "findNote", Needs: permission.ReadCustomers},
		func(c *api.Call, in *api.ByID) (*api.Collection[note], error) {
			items, err := w.table.Get(c, key(in.ID))
			require.NoError(t, err)
			return api.One(api.List{}, record.Show(c, items[0], shown)), nil
		})
	titles, _ := w.titles("/api-engine/loaded?itemsPerPage=1")
	require.ElementsMatch(t, []string{"Tea", "Coffee"}, titles)
	for _, bad := range []string{`[`, `{"created":"10000-01-01T00:00:00.000Z"}`, `{"price":7}`} {
		damaged := *w.table.items[key(first)]
		damaged.Doc = []byte(bad)
		_, err := w.table.Write(t.Context(), events.Nothing, store.Put(damaged))
		require.NoError(t, err)
		titles, _ = w.titles("/api-engine/loaded?itemsPerPage=1")
		require.Equal(t, []string{"Coffee"}, titles, bad)
		titles, _ = w.titles("/api-engine/found/" + first)
		require.Empty(t, titles, bad)
	}
	titles, _ = w.titles("/api-engine/found/" + second)
	require.Equal(t, []string{"Coffee"}, titles)
}
