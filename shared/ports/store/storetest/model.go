package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/ports/store"
)

// model is a store as plain as can be: what a table must do, without any of what makes it a store.
type model map[store.Key]*store.Item

// write does the operations in order, without merging them first, unless a condition fails.
func (m model) write(ops []store.Op) (store.Item, []store.Failure) {
	var failures []store.Failure
	keys := []store.Key{}
	for _, o := range ops {
		if !slices.Contains(keys, o.Key) {
			keys = append(keys, o.Key)
		}
		failed := slices.ContainsFunc(o.Conds, func(c store.Condition) bool { return !c.Holds(m[o.Key]) })
		known := slices.ContainsFunc(failures, func(f store.Failure) bool { return f.Key == o.Key })
		if failed && !known {
			failures = append(failures, store.Failure{Key: o.Key, Item: m[o.Key]})
		}
	}
	if len(failures) > 0 {
		return store.Item{}, failures
	}
	wrote := false
	for _, o := range ops {
		wrote = wrote || o.Kind != store.Checking
		m[o.Key] = o.Apply(m[o.Key])
		if m[o.Key] != nil {
			m[o.Key] = ptr(plain(*m[o.Key]))
		}
	}
	if after := m[keys[0]]; len(keys) == 1 && wrote && after != nil {
		return *after, nil
	}
	return store.Item{}, nil
}

// query is all that a query finds over all its pages.
func (m model) query(q store.Query) []store.Item {
	found := []store.Item{}
	for _, i := range m {
		switch {
		case i == nil:
		case q.Index == store.Primary && i.PK == q.PK:
			found = append(found, *i)
		case q.Index == store.Index1 && i.Index1.PK == q.PK:
			found = append(found, store.Item{Key: i.Key, Index1: i.Index1, Parts: i.Parts})
		case q.Index == store.Index2 && i.Index2.PK == q.PK:
			found = append(found, store.Item{Key: i.Key, Index2: i.Index2, Parts: i.Parts})
		}
	}
	slices.SortFunc(found, func(a, b store.Item) int { return cmp.Compare(sortKey(a, q.Index), sortKey(b, q.Index)) })
	return expected(found, q)
}

// modelled does random writes and reads on the table and on the model and wants the same of both.
func modelled(t *testing.T, open func(*testing.T) corner) {
	c := open(t)
	var checks atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		mine := corner{Opened: c.Opened, name: fmt.Sprint(c.name, ".", checks.Add(1))}
		m, g := model{}, generators(mine)
		rt.Repeat(map[string]func(*rapid.T){
			"write": func(rt *rapid.T) {
				ops := rapid.SliceOfN(g.op, 1, 6).Draw(rt, "operations")
				compareWrite(rt, t, mine, m, ops)
			},
			"get": func(rt *rapid.T) {
				keys := rapid.SliceOfN(g.key, 0, 8).Draw(rt, "keys")
				items, err := mine.Table.Get(t.Context(), keys...)
				require.NoError(rt, err)
				require.Len(rt, items, len(keys))
				for i, item := range items {
					require.Equal(rt, m[keys[i]], plainOrNil(item))
				}
			},
			"query": func(rt *rapid.T) {
				q := g.query.Draw(rt, "query")
				mine.same(t.Context(), rt, m.query(q), q)
			},
		})
	})
}

func plainOrNil(i *store.Item) *store.Item {
	if i == nil {
		return nil
	}
	return ptr(plain(*i))
}

func compareWrite(rt *rapid.T, t *testing.T, c corner, m model, ops []store.Op) {
	got, err := insist(t.Context(), c.Table, events.Nothing, ops...)
	if _, wrong := store.Merge(ops); wrong != nil {
		require.Error(rt, err)
		require.False(rt, store.IsCondition(err))
		return
	}
	want, failures := m.write(ops)
	if failures == nil {
		require.NoError(rt, err)
		require.Equal(rt, want, plain(got))
		return
	}
	require.True(rt, store.IsCondition(err), "%v", err)
	for _, f := range failures {
		g, failed := store.Failed(err, f.Key)
		require.True(rt, failed, "%v", f.Key)
		require.Equal(rt, f.Item, plainOrNil(g.Item))
	}
}

// generator draws what a test does, of so few names that they meet.
type generator struct {
	key   *rapid.Generator[store.Key]
	op    *rapid.Generator[store.Op]
	query *rapid.Generator[store.Query]
}

func generators(c corner) generator {
	sk := rapid.SampledFrom([]string{"a", "a#", "a#1", "a#2", "b", "č"})
	pk := rapid.SampledFrom([]string{c.in("", "").PK, c.in("x", "").PK})
	key := rapid.Custom(func(t *rapid.T) store.Key { return store.Key{PK: pk.Draw(t, "pk"), SK: sk.Draw(t, "sk")} })
	item := rapid.Custom(func(t *rapid.T) store.Item { return drawItem(t, key.Draw(t, "key")) })
	return generator{
		key: key,
		op: rapid.Custom(func(t *rapid.T) store.Op {
			conds := rapid.SliceOfN(condition, 0, 1).Draw(t, "conditions")
			switch i := item.Draw(t, "item"); rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0, 1:
				return store.Put(i, conds...)
			case 2:
				return store.Delete(i.Key, conds...)
			case 3:
				return store.Check(i.Key, conds...)
			default:
				return store.Update(i.Key, drawSet(t, i), conds...)
			}
		}),
		query: rapid.Custom(func(t *rapid.T) store.Query {
			bound := rapid.SampledFrom([]string{"", "", "a", "a#1", "a#15", "b", "z"})
			return store.Query{
				Index: rapid.SampledFrom([]store.Index{store.Primary, store.Index1, store.Index2}).Draw(t, "index"),
				PK:    pk.Draw(t, "pk"), From: bound.Draw(t, "from"), To: bound.Draw(t, "to"),
				After: bound.Draw(t, "after"), Descending: rapid.Bool().Draw(t, "descending"),
				Limit: rapid.IntRange(0, 4).Draw(t, "limit"),
			}
		}),
	}
}

var (
	name  = rapid.SampledFrom([]string{"n", "m", "#o"})
	nums  = rapid.MapOfN(name, rapid.Int64Range(-5, 5), 0, 2)
	texts = rapid.MapOfN(name, rapid.SampledFrom([]string{"", "x", "y"}), 0, 2)

	condition = rapid.Custom(func(t *rapid.T) store.Condition {
		n, text := name.Draw(t, "name"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "text")
		num := rapid.Int64Range(-5, 5).Draw(t, "num")
		return rapid.SampledFrom([]store.Condition{
			store.Absent(), store.Present(), store.Gone(4_000_000_000), store.VersionIs(text), store.TextIs(n, text),
			store.VersionBefore(text + "!"),
			store.NumIs(n, num), store.AtLeast(n, num), store.AtMost(n, num),
		}).Draw(t, "condition")
	})
)

// drawItem has an index key, if any, that is its own in the index: its primary key makes the sort key.
func drawItem(t *rapid.T, key store.Key) store.Item {
	own := func(sk string) store.Key { return store.Key{PK: key.PK, SK: sk + key.SK} }
	indexKeys := []store.Key{{}, own(""), own("a#1")}
	return store.Item{
		Key:     key,
		Version: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "version"),
		Doc:     rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "doc"),
		Text:    texts.Draw(t, "text"), Num: nums.Draw(t, "num"),
		Index1:  rapid.SampledFrom(indexKeys).Draw(t, "index 1"),
		Index2:  rapid.SampledFrom(indexKeys).Draw(t, "index 2"),
		Parts:   rapid.IntRange(0, 3).Draw(t, "parts"),
		Expires: rapid.SampledFrom([]int64{0, 4_000_000_000, 4_100_000_000}).Draw(t, "expires"),
	}
}

// drawSet changes some of what the item has.
func drawSet(t *rapid.T, i store.Item) store.Set {
	s := store.Set{
		Version: i.Version, Text: i.Text, Num: i.Num, Add: nums.Draw(t, "add"),
		Drop: rapid.SliceOfN(name, 0, 2).Draw(t, "drop"),
	}
	if rapid.Bool().Draw(t, "more") {
		s.Doc, s.Index1, s.Index2, s.Parts, s.Expires = i.Doc, &i.Index1, &i.Index2, &i.Parts, &i.Expires
	}
	return s
}
