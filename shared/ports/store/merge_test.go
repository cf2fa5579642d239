package store

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func number(n int) *int           { return &n }
func seconds(n int64) *int64      { return &n }
func indexKey(pk, sk string) *Key { return &Key{pk, sk} }
func updates(k Key, sets ...Set) (o []Op) { // one Update for each set
	for _, s := range sets {
		o = append(o, Update(k, s))
	}
	return o
}

var here = Key{"p", "s"}

func TestMergedUpdatesDoWhatTheyDoInOrder(t *testing.T) {
	before := &Item{Key: here, Text: map[string]string{"x": "t"}, Num: map[string]int64{"x": 7, "y": 1}}
	for name, sets := range map[string][]Set{
		"a name dropped, then added to":      {{Drop: []string{"x"}}, {Add: map[string]int64{"x": 2}}},
		"a name dropped, then set as a text": {{Drop: []string{"x"}}, {Text: map[string]string{"x": "n"}}},
		"a name set, then dropped":           {{Num: map[string]int64{"x": 2}}, {Drop: []string{"x"}}},
		"a number added to, then set":        {{Add: map[string]int64{"x": 2}}, {Num: map[string]int64{"x": 1}}},
		"a number set, then added to":        {{Num: map[string]int64{"x": 2}}, {Add: map[string]int64{"x": 1}}},
		"dropped, added, dropped, added": {{Drop: []string{"x"}}, {Add: map[string]int64{"x": 2}},
			{Drop: []string{"x"}}, {Add: map[string]int64{"x": 5}}},
		"all in one set": {{Drop: []string{"x"}, Add: map[string]int64{"x": 2, "y": 3},
			Num: map[string]int64{"y": 10}}},
	} {
		t.Run(name, func(t *testing.T) { requireSame(t, before, updates(here, sets...)) })
	}
}

func TestMergingAnyUpdatesDoesWhatTheyDoInOrder(t *testing.T) {
	name := rapid.SampledFrom([]string{"x", "y", "z"})
	nums, texts := rapid.MapOfN(name, rapid.Int64Range(-9, 9), 0, 3),
		rapid.MapOfN(name, rapid.SampledFrom([]string{"", "a", "b"}), 0, 3)
	set := rapid.Custom(func(t *rapid.T) Set {
		return Set{
			Version: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "version"),
			Doc:     rapid.SampledFrom([][]byte{nil, {}, []byte("d")}).Draw(t, "doc"),
			Text:    texts.Draw(t, "text"), Num: nums.Draw(t, "num"), Add: nums.Draw(t, "add"),
			Drop:    rapid.SliceOfN(name, 0, 3).Draw(t, "drop"),
			Index1:  rapid.SampledFrom([]*Key{nil, {}, indexKey("i", "1")}).Draw(t, "index 1"),
			Index2:  rapid.SampledFrom([]*Key{nil, {}, indexKey("i", "2")}).Draw(t, "index 2"),
			Parts:   rapid.SampledFrom([]*int{nil, number(0), number(3)}).Draw(t, "parts"),
			Expires: rapid.SampledFrom([]*int64{nil, seconds(0), seconds(9)}).Draw(t, "expires"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		ops := updates(here, rapid.SliceOfN(set, 1, 4).Draw(t, "sets")...)
		if rapid.Bool().Draw(t, "upon a put") {
			ops = append([]Op{Put(Item{Key: here, Num: nums.Draw(t, "put")})}, ops...)
		}
		before := &Item{Key: here, Text: texts.Draw(t, "texts before"), Num: nums.Draw(t, "numbers before")}
		if rapid.Bool().Draw(t, "absent") {
			before = nil
		}
		requireSame(t, before, ops)
	})
}

// requireSame holds the merged operations against the operations applied one after the other.
func requireSame(t require.TestingT, before *Item, ops []Op) {
	want := before
	for _, o := range ops {
		want = o.Apply(want)
	}
	merged, err := Merge(ops)
	require.NoError(t, err)
	require.Len(t, merged, 1)
	got := merged[0].Apply(before)
	require.Equal(t, plain(want), plain(got))
	for k := range merged[0].Set.Add {
		require.NotContains(t, merged[0].Set.Num, k)
		require.NotContains(t, merged[0].Set.Drop, k)
	}
}

// plain is the item with empty maps and documents as nil.
func plain(i *Item) Item {
	c := *i.clone()
	if len(c.Text) == 0 {
		c.Text = nil
	}
	if len(c.Num) == 0 {
		c.Num = nil
	}
	if len(c.Doc) == 0 {
		c.Doc = nil
	}
	return c
}

func TestMergeAddsUpConditionsAndKeepsTheOrderOfKeys(t *testing.T) {
	there := Key{"p", "t"}
	ops, err := Merge([]Op{
		Check(here, Present()), Update(there, Set{Version: "1"}), Update(here, Set{Version: "2"}, VersionIs("1")),
		Check(there, Present()), Delete(Key{"p", "u"}, Present()), Check(Key{"p", "u"}, VersionIs("3")),
	})
	require.NoError(t, err)
	require.Equal(t, []Op{
		Update(here, Set{Version: "2"}, Present(), VersionIs("1")),
		Update(there, Set{Version: "1"}, Present()),
		Delete(Key{"p", "u"}, Present(), VersionIs("3")),
	}, ops)
}

func TestMergeRefusesWhatIsAnErrorOfTheProgram(t *testing.T) {
	for name, ops := range map[string][]Op{
		"nothing":                     {},
		"a put upon a put":            {Put(Item{Key: here}), Put(Item{Key: here})},
		"a put upon an update":        {Update(here, Set{}), Put(Item{Key: here})},
		"an update upon a delete":     {Delete(here), Update(here, Set{})},
		"a delete upon a put":         {Put(Item{Key: here}), Delete(here)},
		"no key":                      {Delete(Key{})},
		"half a key":                  {Delete(Key{PK: "p"})},
		"half an index key":           {Put(Item{Key: here, Index1: Key{PK: "p"}})},
		"half an index key by update": {Update(here, Set{Index2: indexKey("", "s")})},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Merge(ops)
			require.Error(t, err)
		})
	}
}

func TestMergeTakesAHundredKeysAndNoMore(t *testing.T) {
	ops := make([]Op, 0, MaxOperations+1)
	for i := range MaxOperations {
		ops = append(ops, Delete(Key{"p", string(rune('a' + i))}))
	}
	_, err := Merge(append(ops, Check(ops[0].Key)))
	require.NoError(t, err)
	_, err = Merge(append(ops, Delete(Key{"p", "more"})))
	require.Error(t, err)
}

func TestMergeLeavesTheOperationsItIsGivenAlone(t *testing.T) {
	item := Item{Key: here, Num: map[string]int64{"x": 1}}
	set := Set{Add: map[string]int64{"x": 1}, Num: map[string]int64{"x": 5}}
	_, err := Merge([]Op{Put(item), Update(here, set), Update(here, set)})
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"x": 1}, item.Num)
	require.Equal(t, Set{Add: map[string]int64{"x": 1}, Num: map[string]int64{"x": 5}}, set)
}
