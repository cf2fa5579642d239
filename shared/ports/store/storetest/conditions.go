package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
)

// every is each kind of condition in its two outcomes on an item, on one with nothing but a key, and on none.
var every = []store.Condition{
	store.Absent(), store.Present(),
	store.Gone(3_999_999_999), store.Gone(4_000_000_000), store.Gone(4_000_000_001),
	store.VersionIs("v1"), store.VersionIs("v2"), store.VersionIs(""),
	store.VersionBefore("v1"), store.VersionBefore("v2"), store.VersionBefore("v"), store.VersionBefore("v10"),
	store.TextIs("state", "new"), store.TextIs("state", "old"), store.TextIs("state", ""), store.TextIs("empty", ""),
	store.TextIs("none", ""), store.TextIs("none", "x"), store.TextIs("with space.and#ü", "čau \"x\"\n"),
	store.NumIs("zero", 0), store.NumIs("zero", 1), store.NumIs("none", 0), store.NumIs("1.0#é", -1),
	store.AtLeast("zero", 0), store.AtLeast("zero", 1), store.AtLeast("none", 0), store.AtLeast("none", -1),
	store.AtMost("zero", 0), store.AtMost("zero", -1), store.AtMost("none", 0), store.AtMost("none", -1),
	store.AtLeast("most", 9_223_372_036_854_775_807), store.AtMost("least", -9_223_372_036_854_775_808),
}

func conditions(t *testing.T, open func(*testing.T) corner) {
	for _, state := range []string{"a full item", "a bare item", "no item"} {
		t.Run("each holds or fails on "+state+" as the package says", func(t *testing.T) { onState(t, open(t), state) })
	}
	t.Run("of several on one item all must hold", func(t *testing.T) {
		c := open(t)
		item := full(c.at("a"))
		c.write(t, store.Put(item))
		c.refuse(t, []store.Key{item.Key}, store.Delete(item.Key, store.Present(), store.VersionIs("v2")))
		c.refuse(t, []store.Key{item.Key}, store.Delete(item.Key, store.VersionIs("v2"), store.Present()))
		c.write(t, store.Delete(item.Key, store.Present(), store.VersionIs("v1"), store.NumIs("zero", 0)))
		require.Nil(t, c.get(t, item.Key))
	})
	t.Run("every failure is told, with its item as it was", func(t *testing.T) {
		c := open(t)
		item := full(c.at("a"))
		c.write(t, store.Put(item))
		failures := c.refuse(t, []store.Key{c.at("b"), c.at("a")},
			store.Update(c.at("b"), store.Set{Version: "v2"}, store.Present()),
			store.Put(store.Item{Key: c.at("c")}, store.Absent()),
			store.Put(store.Item{Key: c.at("a")}, store.Absent()))
		require.Equal(t, []store.Failure{{Key: c.at("b")}, {Key: c.at("a"), Item: &item}}, failures)
		require.Equal(t, &item, c.get(t, item.Key))
		require.Nil(t, c.get(t, c.at("b")))
		require.Nil(t, c.get(t, c.at("c")))
	})
	t.Run("a lone check answers without writing", func(t *testing.T) {
		c := open(t)
		require.Zero(t, c.write(t, store.Check(c.at("a"), store.Absent())))
		require.Nil(t, c.get(t, c.at("a")))
		c.refuse(t, []store.Key{c.at("a")}, store.Check(c.at("a"), store.Present()))
	})
	t.Run("checks beside writes decide over them", func(t *testing.T) {
		c := open(t)
		c.write(t, store.Put(store.Item{Key: c.at("shop"), Version: "v1"}))
		c.write(t, store.Check(c.at("shop"), store.VersionIs("v1")), store.Put(store.Item{Key: c.at("a")}))
		require.NotNil(t, c.get(t, c.at("a")))
		c.refuse(t, []store.Key{c.at("shop")},
			store.Check(c.at("shop"), store.VersionIs("v2")), store.Put(store.Item{Key: c.at("b")}))
		require.Nil(t, c.get(t, c.at("b")))
	})
}

// onState holds every condition against Holds: alone in a write, and beside another operation.
func onState(t *testing.T, c corner, state string) {
	key := c.at("a")
	var item *store.Item
	switch state {
	case "a full item":
		item = ptr(full(key))
	case "a bare item":
		item = &store.Item{Key: key}
	}
	if item != nil {
		c.write(t, store.Put(*item))
	}
	for i, cond := range every {
		beside := c.at(fmt.Sprint("beside ", i))
		if cond.Holds(item) {
			c.write(t, store.Check(key, cond))
			c.write(t, store.Check(key, cond), store.Put(store.Item{Key: beside}))
			require.NotNil(t, c.get(t, beside), "%+v", cond)
			continue
		}
		want := []store.Failure{{Key: key, Item: item}}
		require.Equal(t, want, c.refuse(t, []store.Key{key},
			store.Update(key, store.Set{Version: "no"}, cond)), "%+v", cond)
		require.Equal(t, want, c.refuse(t, []store.Key{key}, store.Put(store.Item{Key: beside}),
			store.Delete(key, cond)),
			"%+v", cond)
		require.Nil(t, c.get(t, beside), "%+v", cond)
		require.Equal(t, item, c.get(t, key), "%+v", cond)
	}
}
