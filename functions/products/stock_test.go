package products

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

func TestStockIsNeverBelowZeroAndResultsAddUp(t *testing.T) {
	s := open(t)
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		a := s.made(fmt.Sprint("R", run),
			obj{"stock": obj{"quantity": 5}, "variants": variants(fmt.Sprint("R", run), 2)})
		model := map[string]int64{"": 5, a.Get("variants.0.id"): 10, a.Get("variants.1.id"): 10}
		for range rapid.IntRange(1, 4).Draw(r, "batches") {
			var sent []obj
			var want []string
			changed := 0
			for id, was := range model {
				item, to := obj{"id": a.ID()}, was
				if id != "" {
					item["variantId"] = id
				}
				if rapid.Bool().Draw(r, "sets") {
					to = rapid.Int64Range(0, 12).Draw(r, "to")
					item["quantity"] = to
				} else {
					n := rapid.Int64Range(-12, 12).Draw(r, "n")
					item["change"] = n
					to = was + n
				}
				sent = append(sent, item)
				switch {
				case to < 0:
					want = append(want, "failed insufficient_stock")
				case to == was:
					want = append(want, "unchanged")
				default:
					want = append(want, "changed")
					model[id] = to
					changed++
				}
			}
			answer := s.batch("stock", sent)
			require.Equal(r, want, statuses(answer))
			require.Equal(r, float64(changed), answer.At("changed"))
			require.Equal(r, 1.0, answer.At("cost"))
		}
		g := s.get(a.ID())
		require.Equal(r, float64(model[""]), g.At("stock.quantity"))
		for i := range 2 {
			require.Equal(r, float64(model[g.Get(fmt.Sprint("variants.", i, ".id"))]),
				g.At(fmt.Sprint("variants.", i, ".stock.quantity")))
		}
	})
}

func TestManyVariantsOfOneProductAreTakenAtOnce(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60)})
	ids := s.ids(a, "variants")
	heads, err := catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID()})
	require.NoError(t, err)
	pieces := make([]catalog.Pieces, len(ids))
	for i, id := range ids {
		pieces[i] = catalog.Pieces{Variant: id, Quantity: 4}
	}
	take, record := catalog.TakeStock("shop", heads[0], pieces, nobody)
	require.Equal(t, ids, record.Variants)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	require.NoError(t, err)
	require.Equal(t, 6.0, s.get(a.ID()).At("variants.59.stock.quantity"))
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	require.True(t, store.IsCondition(err), "the version has moved")

	heads, err = catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID()})
	require.NoError(t, err)
	pieces[7].Quantity = 7
	take, record = catalog.TakeStock("shop", heads[0], pieces, nobody)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	failed, is := store.Failed(err, catalog.ProductKey("shop", a.ID()))
	require.True(t, is)
	require.Equal(t, heads[0].Version, failed.Item.Version)
	require.Equal(t, int64(6), available(failed.Item, ids[7]))

	sent := make([]obj, 60)
	for i, id := range ids {
		sent[i] = obj{"id": a.ID(), "variantId": id, "change": -i % 8}
	}
	r := s.batch("stock", sent).Is(207)
	require.Equal(t, "failed insufficient_stock", statuses(r)[7])
	require.Equal(t, "changed", statuses(r)[6])
	require.Equal(t, 0.0, s.get(a.ID()).At("variants.6.stock.quantity"))
}

func TestTheStockOfManyVariantsGoesFromTheMostToNothingAndBack(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 26)})
	for _, step := range []struct {
		to   int64
		does func(string, *catalog.Head, []catalog.Pieces, string) (store.Op, events.Record)
	}{{0, catalog.TakeStock}, {catalog.MaxStock, catalog.PutBackStock}, {0, catalog.TakeStock}} {
		heads, err := catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID()})
		require.NoError(t, err)
		var pieces []catalog.Pieces
		for _, id := range heads[0].VariantIDs() {
			stock, _ := heads[0].StockOf(id)
			pieces = append(pieces, catalog.Pieces{Variant: id, Quantity: max(stock.Quantity, step.to)})
		}
		op, record := step.does("shop", heads[0], pieces, s.unit().NextVersion(heads[0].Version))
		_, err = s.Main.Write(t.Context(), s.change(record), op)
		require.NoError(t, err)
		require.Equal(t, float64(step.to), s.get(a.ID()).At("variants.25.stock.quantity"))

		pieces[25].Quantity = 1
		heads, err = catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID()})
		require.NoError(t, err)
		op, record = step.does("shop", heads[0], pieces, s.unit().NextVersion(heads[0].Version))
		_, err = s.Main.Write(t.Context(), s.change(record), op)
		require.True(t, store.IsCondition(err), "not one piece more")
	}
}

func TestOrdersTakeStockFromHeads(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60)})
	b := s.made("B", obj{"stock": obj{"quantity": 2}})
	v := s.ask("POST", path(a.ID(), "variants"), obj{"items": variants("B", 51)}).Is(201).Get("items.50.id")
	heads, err := catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID(), nobody, "odd", b.ID()})
	require.NoError(t, err)
	require.Nil(t, heads[1])
	require.Nil(t, heads[2])
	require.True(t, heads[0].HasVariants())
	require.False(t, heads[3].HasVariants())
	found, err := catalog.VariantsOf(t.Context(), s.Main, heads, []string{v, v, "", ""}, nil)
	require.NoError(t, err)
	require.Equal(t, field.Code("B-50"), found[0].Code)
	require.Equal(t, int64(10), found[0].Stock.Quantity)
	require.Empty(t, found[3].ID)

	version := heads[0].Version
	next := func() string { version = s.P.Unit().NextVersion(version); return version }
	take, record := catalog.TakeStock("shop", heads[0], []catalog.Pieces{{Variant: v, Quantity: 4}}, next())
	require.Equal(t, []string{v}, record.Variants)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	require.NoError(t, err)
	require.Equal(t, 6.0, s.get(a.ID()).At("variants.110.stock.quantity"))
	take, record = catalog.TakeStock("shop", heads[0], []catalog.Pieces{{Variant: v, Quantity: 7}}, next())
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	failed, is := store.Failed(err, catalog.ProductKey("shop", a.ID()))
	require.True(t, is)
	require.Equal(t, int64(6), available(failed.Item, v))
	back, record := catalog.PutBackStock("shop", heads[0], []catalog.Pieces{{Variant: v, Quantity: 4}}, next())
	_, err = s.Main.Write(t.Context(), s.change(record), back)
	require.NoError(t, err)
	require.Equal(t, 10.0, s.get(a.ID()).At("variants.110.stock.quantity"))

	s.ask("DELETE", path(b.ID()), nil).Is(204)
	_, err = s.Main.Write(t.Context(), s.change(record), func() store.Op {
		op, _ := catalog.TakeStock("shop", heads[3], []catalog.Pieces{{Quantity: 1}}, next())
		return op
	}())
	failed, is = store.Failed(err, catalog.ProductKey("shop", b.ID()))
	require.True(t, is, "a deleted product is not brought back")
	require.Zero(t, available(failed.Item, ""))
}

func TestAPartOfVariantsIsReadOnceForAllLinesOfAnOrder(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 20)})
	heads, err := catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID()})
	require.NoError(t, err)
	allocations := func(lines int) float64 {
		wanted := slices.Repeat([]string{a.Get("variants.7.id")}, lines)
		return testing.AllocsPerRun(5, func() {
			_, err := catalog.VariantsOf(t.Context(), s.Main, slices.Repeat(heads, lines), wanted, nil)
			require.NoError(t, err)
		})
	}
	require.Less(t, allocations(90), 5*allocations(1))
}

func TestAVariantThatWasWrittenSinceItsHeadIsReadAnew(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 1)})
	v := a.Get("variants.0.id")
	heads, err := catalog.Heads(t.Context(), s.Main, "shop", []string{a.ID()})
	require.NoError(t, err)
	s.ask("PATCH", path(a.ID(), "variants", v), obj{"name": "Another"}).Is(200)
	found, err := catalog.VariantsOf(t.Context(), s.Main, heads, []string{v}, nil)
	require.NoError(t, err)
	require.Equal(t, field.Name("Another"), found[0].Name)
	s.ask("DELETE", path(a.ID()), nil).Is(204)
	found, err = catalog.VariantsOf(t.Context(), s.Main, heads, []string{v}, nil)
	require.NoError(t, err)
	require.Empty(t, found[0].ID)
}

// available is what a head, as a failure shows it, has of a variant; 0 when it or the variant is gone.
func available(head *store.Item, variant string) int64 {
	if record.Missing(head) {
		return 0
	}
	return head.Num[strings.TrimSuffix("q."+variant, ".")]
}
