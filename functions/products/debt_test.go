package products

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
)

// indebted puts a head that owes, and what is staged for it.
func (s *shopful) indebted(d debt) *store.Item {
	s.T.Helper()
	head := store.Item{Key: ProductKey("shop", nobody), Version: "1", Doc: []byte("{}"), Text: map[string]string{owes: string(marshal(d))}}
	ops := []store.Op{store.Put(head)}
	for _, sk := range d.Staged {
		ops = append(ops, store.Put(store.Item{Key: store.Key{PK: head.PK, SK: staged(sk, d.Request)}, Version: "1", Doc: []byte(`"new ` + sk + `"`)}))
	}
	for _, sk := range d.Gone {
		ops = append(ops, store.Put(store.Item{Key: store.Key{PK: head.PK, SK: sk}}))
	}
	for _, some := range loads(ops) {
		_, err := s.Main.Table.Write(s.T.Context(), events.Nothing, some...)
		require.NoError(s.T, err)
	}
	return &head
}

func TestADebtOfVeryManyPartsIsPaidInSeveralTransactionsThatMayEachBeTheLast(t *testing.T) {
	d := debt{Request: "r"}
	for n := range 60 {
		d.Staged = append(d.Staged, partSK(n))
		d.Gone = append(d.Gone, partSK(n+60))
	}
	for fails := 1; ; fails++ {
		s := open(t)
		head := s.indebted(d)
		f := &flaky{Table: s.Main.Table}
		f.set(fails, true, true)
		err := Pay(t.Context(), f, "shop", s.Clock.Now(), head)
		paid := s.all(head.PK)
		if paid[head.Key].Text[owes] != "" {
			require.ErrorIs(t, err, store.ErrUnavailable)
		}
		for _, sk := range d.Staged { // whatever moment it is, the new state is in its place or staged
			there, waits := paid[store.Key{PK: head.PK, SK: sk}], paid[store.Key{PK: head.PK, SK: staged(sk, "r")}]
			require.Equal(t, `"new `+sk+`"`, string(append(there.Doc, waits.Doc...))[:len(sk)+6])
		}
		require.NoError(t, Pay(t.Context(), s.Main.Table, "shop", s.Clock.Now(), head, head))
		all := s.all(head.PK)
		require.Len(t, all, 61)
		require.Empty(t, all[head.Key].Text[owes])
		for key, i := range all {
			require.True(t, key.SK == headSK || string(i.Doc) == fmt.Sprintf(`"new %s"`, key.SK), "%v", key)
		}
		if err == nil {
			require.Greater(t, fails, 3)
			return
		}
	}
}

func TestADebtIsPaidOnce(t *testing.T) {
	s := open(t)
	head := s.indebted(debt{Request: "r", Version: "2", Gone: []string{"U#x"}})
	require.NoError(t, Pay(t.Context(), s.Main.Table, "shop", s.Clock.Now(), head))
	again := store.Item{Key: store.Key{PK: head.PK, SK: "U#x"}}
	_, err := s.Main.Table.Write(t.Context(), events.Nothing, store.Put(again))
	require.NoError(t, err)
	require.NoError(t, Pay(t.Context(), s.Main.Table, "shop", s.Clock.Now(), head), "as it was read before")
	require.Contains(t, s.all(head.PK), again.Key)
}

func TestAnOrderOfManyVariantsLeavesADebtAsItIs(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 30)})
	_, err := s.Main.Table.Write(t.Context(), events.Nothing, store.Update(ProductKey("shop", a.ID()),
		store.Set{Version: nobody, Text: map[string]string{owes: string(marshal(debt{Request: "r", Gone: []string{"U#x"}}))}}))
	require.NoError(t, err)
	take := func() store.Op {
		heads, err := Heads(t.Context(), s.Main, "shop", []string{a.ID()})
		require.NoError(t, err)
		pieces := Move{}
		for _, id := range s.ids(a, "variants") {
			pieces[id] = 1
		}
		op, _ := Take("shop", heads[0], pieces, s.ids(a, "variants"), strings.Replace(nobody, "01M", "01N", 1))
		return op
	}
	late := take()
	owing := s.all(ProductKey("shop", a.ID()).PK)[ProductKey("shop", a.ID())]
	require.NoError(t, Pay(t.Context(), s.Main.Table, "shop", s.Clock.Now(), &owing))
	_, err = s.Main.Write(t.Context(), events.Nothing, late)
	require.True(t, store.IsCondition(err), "a debt that was paid does not come back")

	_, err = s.Main.Table.Write(t.Context(), events.Nothing, store.Update(owing.Key, store.Set{Text: map[string]string{owes: owing.Text[owes]}}))
	require.NoError(t, err)
	_, err = s.Main.Write(t.Context(), events.Nothing, take())
	require.NoError(t, err)
	require.Equal(t, owing.Text[owes], s.all(owing.PK)[owing.Key].Text[owes])
	require.Equal(t, 9.0, s.get(a.ID()).At("variants.29.stock.quantity"))
}
