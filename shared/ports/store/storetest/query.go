package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
)

// sorts are sort keys in their bytewise order.
var sorts = []string{
	"\x01", " ", "#", "##", "#a", "-", "0", "0#", "00", "1", "10", "2", "A", "a", "a\x00", "a\x00b",
	"a\x01", "a#", "a#1", "a#10", "a#2", "aa",
	"b", "~", "é", "č", "日", "\U0001F600",
}

func querying(t *testing.T, open func(*testing.T) corner) {
	for _, index := range []store.Index{store.Primary, store.Index1, store.Index2} {
		t.Run([]string{"primary", "first index", "second index"}[index], func(t *testing.T) {
			t.Run("answers in the order of the bytes of the sort keys", func(t *testing.T) {
				c := open(t)
				want := c.fill(t, index)
				c.same(t.Context(), t, want, store.Query{Index: index, PK: c.in("q", "").PK})
				slices.Reverse(want)
				c.same(t.Context(), t, want, store.Query{Index: index, PK: c.in("q", "").PK, Descending: true})
			})
			t.Run("every bound, start, direction and limit", func(t *testing.T) {
				c := open(t)
				c.bounds(t, index, c.fill(t, index))
			})
			t.Run("a partition without items is an empty page", func(t *testing.T) {
				c := open(t)
				c.fill(t, index)
				c.same(t.Context(), t, []store.Item{}, store.Query{Index: index, PK: c.in("", "").PK + "nothing"})
			})
		})
	}
	t.Run("of keys only it shows no more of the items", func(t *testing.T) {
		c := open(t)
		want := c.fill(t, store.Primary)
		for i := range want {
			want[i] = store.Item{Key: want[i].Key}
		}
		c.same(t.Context(), t, want, store.Query{PK: c.in("q", "").PK, Keys: true})
	})
	t.Run("items move in and out of an index with their keys", moving(open))
	t.Run("an index shows how many parts an item has, and no more", func(t *testing.T) {
		c := open(t)
		item := full(c.at("a"))
		q := store.Query{Index: store.Index1, PK: item.Index1.PK}
		for _, parts := range []int{3, 4, 0} {
			item.Parts = parts
			c.write(t, store.Put(item))
			c.same(t.Context(), t, []store.Item{{Key: item.Key, Index1: item.Index1, Parts: parts}}, q)
		}
		c.write(t, store.Update(item.Key, store.Set{Parts: ptr(8)}))
		c.same(t.Context(), t, []store.Item{{Key: item.Key, Index1: item.Index1, Parts: 8}}, q)
	})
	t.Run("without a limit a page ends where it is too big, and the next goes on", func(t *testing.T) {
		c := open(t)
		for i := range 6 {
			c.write(t, store.Put(store.Item{Key: c.at(fmt.Sprint(i)), Doc: bytes.Repeat([]byte{'x'}, 300_000)}))
		}
		q := store.Query{PK: c.at("").PK}
		page, err := c.Table.Query(t.Context(), q)
		require.NoError(t, err)
		require.Less(t, len(page.Items), 6)
		require.NotEmpty(t, page.Next)
		require.Len(t, c.all(t.Context(), t, q), 6)
		q.Descending = true
		require.Len(t, c.all(t.Context(), t, q), 6)
	})
}

// fill puts an item at every sort key of a partition of the index, and others around it; it returns the items as a
// query shows them, in order.
func (c corner) fill(t *testing.T, index store.Index) []store.Item {
	t.Helper()
	ops, want := []store.Op{}, []store.Item{}
	for i, sk := range sorts {
		for _, pk := range []string{"p", "q", "q#", "r"} {
			key := c.in(pk, sk)
			item := store.Item{Key: key, Parts: i}
			if index != store.Primary {
				item.Key = c.in("base"+pk, fmt.Sprint("item ", len(sorts)-i))
			}
			switch index {
			case store.Index1:
				item.Index1 = key
			case store.Index2:
				item.Index2 = key
			}
			if pk == "q" {
				want = append(want, item)
			}
			ops = append(ops, store.Put(item))
		}
	}
	for chunk := range slices.Chunk(ops, store.MaxOperations) {
		c.write(t, chunk...)
	}
	return want
}

// sortKey is the one by which a query of the index goes.
func sortKey(i store.Item, index store.Index) string {
	return []string{i.SK, i.Index1.SK, i.Index2.SK}[index]
}

// bounds asks for many ranges of what fill put.
func (c corner) bounds(t *testing.T, index store.Index, items []store.Item) {
	edges := []string{"", "#", "##0", "a", "a\x00", "a#11", "zz"}
	for _, from := range edges {
		for _, to := range edges {
			for _, after := range []string{"", "\x01", "a#1", "a#15", "\U0001F600"} {
				q := store.Query{Index: index, PK: c.in("q", "").PK, From: from, To: to, After: after}
				for _, q.Descending = range []bool{false, true} {
					q.Limit = (len(from) + len(to) + len(after)) % 4 * 3
					c.same(t.Context(), t, expected(items, q), q)
				}
			}
		}
	}
	for _, limit := range []int{1, 2, len(items) - 1, len(items), len(items) + 1} {
		q := store.Query{Index: index, PK: c.in("q", "").PK, Limit: limit}
		c.same(t.Context(), t, items, q)
		page, err := c.Table.Query(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, page.Items, min(limit, len(items)))
		require.Equal(t, limit < len(items), page.Next != "" && limit != len(items), "goes on when there is more")
	}
}

// expected is all that a query finds, over all its pages, among a partition's items in order.
func expected(items []store.Item, q store.Query) []store.Item {
	want := []store.Item{}
	for _, i := range items {
		sk := sortKey(i, q.Index)
		behind := q.After == "" || sk > q.After
		if q.Descending {
			behind = q.After == "" || sk < q.After
		}
		if behind && sk >= q.From && (q.To == "" || sk <= q.To) {
			want = append(want, i)
		}
	}
	if q.Descending {
		slices.Reverse(want)
	}
	return want
}

func moving(open func(*testing.T) corner) func(*testing.T) {
	return func(t *testing.T) {
		c := open(t)
		key, one, two := c.at("a"), c.in("one", "x"), c.in("two", "y")
		shown := func(index store.Index, pk string) []store.Item {
			return c.all(t.Context(), t, store.Query{Index: index, PK: pk})
		}
		sees := func(want ...int) { // items in index 1 at one, at two; in index 2 at one, at two
			t.Helper()
			check := func() []int {
				return []int{
					len(shown(store.Index1, one.PK)), len(shown(store.Index1, two.PK)),
					len(shown(store.Index2, one.PK)), len(shown(store.Index2, two.PK)),
				}
			}
			if c.Lag == 0 {
				require.Equal(t, want, check())
				return
			}
			require.Eventually(t, func() bool { return slices.Equal(want, check()) }, c.Lag, c.Lag/100)
		}
		c.write(t, store.Put(store.Item{Key: key}))
		sees(0, 0, 0, 0)
		c.write(t, store.Update(key, store.Set{Index1: &one}))
		sees(1, 0, 0, 0)
		c.write(t, store.Update(key, store.Set{Index1: &two, Index2: &one}))
		sees(0, 1, 1, 0)
		c.write(t, store.Update(key, store.Set{Version: "v2"}))
		sees(0, 1, 1, 0)
		c.write(t, store.Update(key, store.Set{Index1: &store.Key{}}))
		sees(0, 0, 1, 0)
		c.write(t, store.Put(store.Item{Key: key, Index1: one, Index2: two}))
		sees(1, 0, 0, 1)
		c.write(t, store.Delete(key), store.Put(store.Item{Key: c.at("b"), Index1: one}))
		sees(1, 0, 0, 0)
	}
}
