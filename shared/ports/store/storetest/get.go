package storetest

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

// full is an item with everything an item can have.
func full(key store.Key) store.Item {
	doc := make([]byte, 256)
	for i := range doc {
		doc[i] = byte(i)
	}
	return store.Item{
		Key: key, Version: "v1", Doc: doc,
		Text:   map[string]string{"state": "new", "empty": "", "with space.and#ü": "čau \"x\"\n"},
		Num:    map[string]int64{"zero": 0, "most": math.MaxInt64, "least": math.MinInt64, "1.0#é": -1},
		Index1: store.Key{PK: key.PK + "#one", SK: key.SK}, Index2: store.Key{PK: key.PK + "#two", SK: key.SK},
		Parts: 3, Expires: 4_000_000_000,
	}
}

func getting(t *testing.T, open func(*testing.T) corner) {
	t.Run("an item comes back as it was put", func(t *testing.T) {
		c := open(t)
		want := full(c.at("a"))
		require.Equal(t, want, c.write(t, store.Put(want)))
		require.Equal(t, &want, c.get(t, want.Key))
	})
	t.Run("an item of nothing but its key comes back", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(store.Item{Key: c.at("a")}))
		require.Equal(t, &store.Item{Key: c.at("a")}, c.get(t, c.at("a")))
	})
	t.Run("no item is nil", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(store.Item{Key: c.at("ab")}))
		for _, key := range []store.Key{c.at("a"), c.at("abc"), c.in("x", "ab")} {
			require.Nil(t, c.get(t, key))
		}
	})
	t.Run("a hundred keys come in the order asked, doubled ones twice, missing ones nil", func(t *testing.T) {
		c := open(t)
		ops, keys := []store.Op{}, []store.Key{}
		for i := range 50 {
			ops = append(ops, store.Put(store.Item{Key: c.at(fmt.Sprint(i)), Parts: i}))
		}
		c.write(t, ops...)
		for i := range 100 {
			keys = append(keys, c.at(fmt.Sprint((i*37)%75)))
		}
		items, err := c.Table.Get(t.Context(), keys...)
		require.NoError(t, err)
		require.Len(t, items, 100)
		for i, item := range items {
			if n := (i * 37) % 75; n >= 50 {
				require.Nil(t, item)
			} else {
				require.Equal(t, store.Item{Key: keys[i], Parts: n}, plain(*item))
			}
		}
	})
	t.Run("no keys are no items, and more than a hundred an error", func(t *testing.T) {
		c := open(t)
		items, err := c.Table.Get(t.Context())
		require.NoError(t, err)
		require.Empty(t, items)
		keys := []store.Key{}
		for i := range 101 {
			keys = append(keys, c.at(fmt.Sprint(i)))
		}
		_, err = c.Table.Get(t.Context(), keys...)
		require.Error(t, err)
	})
	t.Run("keys are as long as DynamoDB takes, and longer ones an error", func(t *testing.T) {
		c := open(t)
		pk := c.at("").PK
		longest := store.Key{PK: pk + strings.Repeat("p", 2048-len(pk)), SK: strings.Repeat("s", 1024)}
		c.write(t, store.Put(store.Item{Key: longest}))
		require.NotNil(t, c.get(t, longest))
		require.Len(t, c.all(t.Context(), t, store.Query{PK: longest.PK, From: longest.SK}), 1)
		for _, key := range []store.Key{{PK: longest.PK + "p", SK: "s"}, {PK: pk, SK: longest.SK + "s"}} {
			_, err := c.Table.Get(t.Context(), key)
			require.Error(t, err)
			_, err = c.Table.Get(t.Context(), longest, key)
			require.Error(t, err)
			_, err = c.Table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: key}))
			require.Error(t, err)
			_, err = c.Table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: c.at("a"), Index1: key}))
			require.Error(t, err)
			for _, q := range []store.Query{
				{PK: key.PK, From: key.SK}, {PK: key.PK, To: key.SK}, {PK: key.PK, After: key.SK},
				{Index: store.Index1, PK: key.PK, From: key.SK}} {
				_, err = c.Table.Query(t.Context(), q)
				require.Error(t, err)
			}
		}
	})
	t.Run("big items come back whole, many in one call", func(t *testing.T) {
		c := open(t)
		keys := []store.Key{}
		for i := range 60 { // 21 MB: more than one answer of DynamoDB holds
			keys = append(keys, c.at(fmt.Sprint(i)))
			c.write(t, store.Put(store.Item{Key: keys[i], Doc: bytes.Repeat([]byte{byte(i)}, 350_000)}))
		}
		items, err := c.Table.Get(t.Context(), keys...)
		require.NoError(t, err)
		for i, item := range items {
			require.NotNil(t, item)
			require.True(t, bytes.Equal(bytes.Repeat([]byte{byte(i)}, 350_000), item.Doc))
		}
		require.Len(t, c.all(t.Context(), t, store.Query{PK: c.at("").PK}), 60)
	})
	t.Run("what was read is the reader's own", func(t *testing.T) {
		c := open(t)
		want := full(c.at("a"))
		c.write(t, store.Put(want))
		mine := c.get(t, want.Key)
		mine.Doc[0], mine.Text["state"], mine.Num["zero"] = 'x', "old", 9
		require.Equal(t, full(c.at("a")), *c.get(t, want.Key))
	})
	t.Run("what was given to a write is the writer's own again", func(t *testing.T) {
		c := open(t)
		given := full(c.at("a"))
		written := c.write(t, store.Put(given))
		given.Doc[0], given.Text["state"], given.Num["zero"] = 'x', "old", 9
		require.Equal(t, full(c.at("a")), written)
		require.Equal(t, full(c.at("a")), *c.get(t, given.Key))
	})
}
