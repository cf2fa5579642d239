package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
)

func writing(t *testing.T, open func(*testing.T) corner) {
	t.Run("a put leaves nothing of what was there", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(full(c.at("a"))))
		bare := store.Item{Key: c.at("a")}
		require.Equal(t, bare, c.write(t, store.Put(bare)))
		require.Equal(t, &bare, c.get(t, bare.Key))
		c.same(t.Context(), t, []store.Item{}, store.Query{Index: store.Index1, PK: c.at("a").PK + "#one"})
	})
	t.Run("an update changes what it names and leaves the rest", func(t *testing.T) {
		c := open(t)
		want := full(c.at("a"))
		c.write(t, store.Put(want))
		for _, u := range updates(want.Key) {
			want = plain(*store.Update(want.Key, u).Apply(&want))
			require.Equal(t, want, c.write(t, store.Update(want.Key, u)), "%+v", u)
			require.Equal(t, &want, c.get(t, want.Key), "%+v", u)
		}
	})
	t.Run("an update of an item that is not there makes it", func(t *testing.T) {
		c := open(t)
		for i, u := range updates(c.at("")) {
			key := c.at(fmt.Sprint("new ", i))
			want := plain(*store.Update(key, u).Apply(nil))
			require.Equal(t, want, c.write(t, store.Update(key, u)), "%+v", u)
			require.Equal(t, &want, c.get(t, key), "%+v", u)
		}
	})
	t.Run("operations on one key are merged", func(t *testing.T) {
		c := open(t)
		key := c.at("a")
		want := store.Item{Key: key, Version: "v2", Num: map[string]int64{"n": 5}}
		require.Equal(t, want, c.write(t, store.Check(key, store.Absent()),
			store.Put(store.Item{Key: key, Version: "v1", Num: map[string]int64{"n": 3}}),
			store.Update(key, store.Set{Version: "v2", Add: map[string]int64{"n": 2}}, store.Gone(1))))
		require.Equal(t, &want, c.get(t, key))
		c.refuse(t, []store.Key{key}, store.Update(key, store.Set{Version: "v3"}, store.VersionIs("v2")),
			store.Update(key, store.Set{Parts: ptr(1)}, store.VersionIs("v3")))
		require.Equal(t, &want, c.get(t, key))
	})
	t.Run("a delete takes the item away, and one that is not there is no fault", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(full(c.at("a"))))
		for range 2 {
			require.Zero(t, c.write(t, store.Delete(c.at("a"))))
			require.Nil(t, c.get(t, c.at("a")))
		}
		c.same(t.Context(), t, []store.Item{}, store.Query{Index: store.Index2, PK: c.at("a").PK + "#two"})
	})
	t.Run("a hundred operations are all done", func(t *testing.T) {
		c := open(t)
		c.write(t, hundred(c)...)
		require.Len(t, c.all(t.Context(), t, store.Query{PK: c.at("").PK}), 100)
	})
	t.Run("of a hundred operations none is done when one is refused", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(store.Item{Key: c.at("099")}))
		c.refuse(t, []store.Key{c.at("099")}, hundred(c)...)
		require.Len(t, c.all(t.Context(), t, store.Query{PK: c.at("").PK}), 1)
	})
	t.Run("what is an error of the program writes nothing", func(t *testing.T) {
		c := open(t)
		for _, ops := range [][]store.Op{
			{},
			append(hundred(c), store.Put(store.Item{Key: c.at("100")})),
			{store.Put(store.Item{Key: c.at("a")}), store.Put(store.Item{Key: c.at("a")})},
			{store.Put(store.Item{Key: c.at("a")}), store.Delete(c.at("a"))},
			{store.Put(store.Item{Key: c.at("a")}), store.Put(store.Item{Key: store.Key{PK: c.at("").PK}})},
			{store.Put(store.Item{Key: c.at("a"), Index1: store.Key{PK: "half"}})},
		} {
			_, err := c.Table.Write(t.Context(), c.change("wrong"), ops...)
			require.Error(t, err)
			require.False(t, store.IsCondition(err))
			require.NotErrorIs(t, err, store.ErrUnavailable)
		}
		require.Empty(t, c.all(t.Context(), t, store.Query{PK: c.at("").PK}))
	})
	t.Run("a write whose context is over is done whole or not at all", func(t *testing.T) {
		c := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Table.Write(ctx, c.change("late"), store.Put(store.Item{Key: c.at("a")}),
			store.Put(store.Item{Key: c.at("b")}))
		require.Equal(t, c.get(t, c.at("a")) == nil, c.get(t, c.at("b")) == nil)
		require.True(t, err != nil || c.get(t, c.at("a")) != nil)
	})
	t.Run("an item can be replaced once it has expired", func(t *testing.T) {
		c := open(t)
		key := c.at("a")
		c.write(t, store.Put(store.Item{Key: key, Expires: 4_000_000_000}, store.Gone(1)))
		c.refuse(t, []store.Key{key}, store.Put(store.Item{Key: key, Parts: 1}, store.Gone(3_999_999_999)))
		require.Equal(t, int64(4_000_000_000), c.get(t, key).Expires)
		c.write(t, store.Put(store.Item{Key: key, Parts: 2}, store.Gone(4_000_000_000)))
		require.Equal(t, &store.Item{Key: key, Parts: 2}, c.get(t, key))
	})
}

// hundred puts as many items as one write can, none of which may be there.
func hundred(c corner) []store.Op {
	ops := make([]store.Op, 0, store.MaxOperations)
	for i := range store.MaxOperations {
		ops = append(ops, store.Put(store.Item{Key: c.at(fmt.Sprintf("%03d", i)), Doc: []byte("doc")}, store.Absent()))
	}
	return ops
}

// updates change each thing alone, and all at once, of an item like full.
func updates(key store.Key) []store.Set {
	return []store.Set{
		{},
		{Version: "v2"},
		{Doc: []byte("other")},
		{Text: map[string]string{"state": "old", "more": "x", "#0": ""}},
		{Num: map[string]int64{"zero": 1, "more": 7}},
		{Add: map[string]int64{"zero": -3, "another": 2}},
		{Drop: []string{"state", "zero", "never there"}},
		{Drop: []string{"another", "more"}, Add: map[string]int64{"another": 3}, Text: map[string]string{"more": "y"}},
		{Num: map[string]int64{"another": 10}, Add: map[string]int64{"another": 5}},
		{Index1: &store.Key{PK: key.PK + "#one", SK: "moved"}},
		{Index1: &store.Key{}, Index2: &store.Key{PK: key.PK + "#elsewhere", SK: "x"}},
		{Parts: ptr(9)},
		{Parts: ptr(0), Expires: ptr(int64(0))},
		{Expires: ptr(int64(4_100_000_000))},
		{Doc: []byte{}},
		{
			Version: "v3", Doc: []byte{0, 255}, Text: map[string]string{"a": "b"}, Num: map[string]int64{"c": 1},
			Add: map[string]int64{"c": 1, "d": 1}, Drop: []string{"empty"},
			Index1: &store.Key{PK: key.PK + "#one", SK: "back"},
			Index2: &store.Key{}, Parts: ptr(1), Expires: ptr(int64(4_200_000_000)),
		},
	}
}
