package bolt

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

func TestWritesAreCountedAsDynamoDBChargesThem(t *testing.T) {
	d := opened(t, filepath.Join(t.TempDir(), "data"))
	table := d.Table("main")
	doc := func(bytes int) []byte { return make([]byte, bytes) }
	indexKey := func(sk string) store.Key { return store.Key{PK: "i", SK: sk} }
	put := func(sk string, bytes int) store.Op { return store.Put(store.Item{Key: at(sk), Doc: doc(bytes)}) }
	big := events.Change{Shop: "1", Records: make([]events.Record, 1000)} // 23 KB
	for _, c := range []struct {
		name   string
		change events.Change
		ops    []store.Op
		units  float64
	}{
		{"a small item", events.Nothing, []store.Op{put("a", 10)}, 1},
		{"an item of two kilobytes and a bit", events.Nothing, []store.Op{put("b", 2100)}, 3},
		{"a small item in place of a big one", events.Nothing, []store.Op{put("b", 10)}, 3},
		{"a change that fits beside it", nthChange(1), []store.Op{put("a", 500)}, 1},
		{"a change that makes it bigger", nthChange(1), []store.Op{put("a", 1000)}, 2},
		{"a change too big to ride: a transaction", big, []store.Op{put("a", 10)}, 2 * (1 + 23)},
		{"a delete", events.Nothing, []store.Op{store.Delete(at("a"))}, 1},
		{"a delete of nothing", events.Nothing, []store.Op{store.Delete(at("a"))}, 1},
		{"a delete with a change: a transaction", nthChange(1), []store.Op{store.Delete(at("b"))}, 2 * (1 + 1)},
		{"two items: a transaction", events.Nothing, []store.Op{put("a", 10), put("b", 1500)}, 2 * (1 + 2)},
		{"a check beside it", events.Nothing, []store.Op{store.Check(at("b"), store.Present()), put("a", 10)},
			2 * (2 + 1)},
		{"into an index", events.Nothing, []store.Op{store.Put(store.Item{Key: at("x"), Index1: indexKey("1")})}, 2},
		{"nothing new for the index", events.Nothing, []store.Op{store.Update(at("x"), store.Set{Version: "1"})}, 1},
		{"parts for the index", events.Nothing,
			[]store.Op{store.Put(store.Item{Key: at("x"), Index1: indexKey("1"), Parts: 1})}, 2},
		{"moved in one index, into the other", events.Nothing,
			[]store.Op{store.Put(store.Item{Key: at("x"), Index1: indexKey("2"), Index2: indexKey("1")})}, 4},
		{"out of both", events.Nothing, []store.Op{store.Delete(at("x"))}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, m := store.WithMeter(t.Context())
			_, err := table.Write(ctx, c.change, c.ops...)
			require.NoError(t, err)
			_, units := m.Units()
			require.Equal(t, c.units, units)
			require.Equal(t, 1, m.Calls())
		})
	}
	t.Run("a refused write costs its items", func(t *testing.T) {
		ctx, m := store.WithMeter(t.Context())
		_, err := table.Write(ctx, nthChange(1), store.Delete(at("b"), store.Absent()), put("new", 3000))
		require.True(t, store.IsCondition(err))
		_, units := m.Units()
		require.Equal(t, 2*(2+1.0), units)
	})
	t.Run("a table without a feed carries no change", func(t *testing.T) {
		ctx, m := store.WithMeter(t.Context())
		_, err := d.Table("pipeline").Write(ctx, big, put("a", 10))
		require.NoError(t, err)
		_, units := m.Units()
		require.Equal(t, 1.0, units)
	})
}

func TestReadsAreCountedAsDynamoDBChargesThem(t *testing.T) {
	table := opened(t, filepath.Join(t.TempDir(), "data")).Table("main")
	for sk, bytes := range map[string]int{"a": 10, "b": 5000, "c": 3000} {
		_, err := table.Write(t.Context(), events.Nothing,
			store.Put(store.Item{Key: at(sk), Doc: make([]byte, bytes), Index1: store.Key{PK: "i", SK: sk}}))
		require.NoError(t, err)
	}
	ctx, m := store.WithMeter(t.Context())
	units := func() float64 { r, _ := m.Units(); return r }
	_, err := table.Get(ctx, at("a"), at("b"), at("none")) // each by itself
	require.NoError(t, err)
	require.Equal(t, 1+2+1.0, units())
	_, err = table.Query(ctx, store.Query{PK: "p"}) // their sum
	require.NoError(t, err)
	require.Equal(t, 4+2.0, units())
	_, err = table.Query(ctx, store.Query{Index: store.Index1, PK: "i"}) // eventually consistent: half
	require.NoError(t, err)
	require.Equal(t, 6.5, units())
	require.Equal(t, 3, m.Calls())
}
