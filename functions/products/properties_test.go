package products

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
)

// unasked are names of a shop without a table, where nobody looks.
func unasked() *names { return newNames(&host.Platform{Now: time.Now}, "shop", nil) }

// anyVariant is a variant of any size.
func anyVariant(t *rapid.T, id string) Variant {
	kind := rapid.IntRange(0, 2*2*2*3*5*5-1).Draw(t, "kind") // one draw for all of it: there are hundreds of variants
	of := func(n int) int { k := kind % n; kind /= n; return k }
	v := Variant{ID: id, VariantDetails: VariantDetails{Code: api.Code("c" + id), Active: of(2) == 1, Parameters: []Parameter{}, PriceLevels: []Price{}}}
	v.Stock = Stock{Quantity: []int64{0, MaxStock}[of(2)], Availability: api.Line([]string{"", "soon"}[of(2)])}
	long := "<" + strings.Repeat("\u2028", []int{1, 10, 250}[of(3)]) + ">"
	for i := range []int{0, 0, 0, 1, 50}[of(5)] {
		v.PriceLevels = append(v.PriceLevels, Price{api.Name(fmt.Sprint(i, long)), api.Money(i)})
	}
	for i := range []int{0, 0, 0, 2, 50}[of(5)] {
		v.Parameters = append(v.Parameters, Parameter{api.Name(fmt.Sprint(i, long)), api.Line(long)})
	}
	return v
}

// drawer keeps a product's items as a table would.
type drawer map[string]store.Item

func (d drawer) write(t require.TestingT, ops []store.Op) {
	ops, err := store.Merge(ops)
	require.NoError(t, err)
	require.LessOrEqual(t, len(ops), store.MaxOperations)
	for _, op := range ops {
		if !strings.Contains(op.Key.PK, "#P#") {
			continue
		}
		var before *store.Item
		if was, has := d[op.Key.SK]; has {
			before = &was
		}
		if after := op.Apply(before); after != nil {
			require.Less(t, len(after.Doc), 350<<10)
			d[op.Key.SK] = *after
		} else {
			delete(d, op.Key.SK)
		}
	}
}

// read is the product as a reader finds it, by the keys that an index shows.
func (d drawer) read(t require.TestingT) *Whole {
	head := d[headSK]
	var items []store.Item
	for _, k := range keysOf(store.Item{Key: head.Key, Parts: head.Parts}) {
		item, has := d[k.SK]
		require.True(t, has, k.SK)
		items = append(items, item)
	}
	require.Len(t, d, len(items), "nothing is left behind")
	k, err := assemble(items)
	require.NoError(t, err)
	return k
}

func TestAnyVariantsAreReadAsTheyWereKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawer{}
		var want []Variant
		k := newWhole(nobody)
		details := Details{Code: "p", Name: "P", Active: true}
		details.fill()
		k.setDetails(details)
		var before draft
		next := 0
		for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
			switch what := rapid.SampledFrom([]string{"add", "add", "change", "remove", "text"}).Draw(t, "what"); {
			case what == "add":
				var added []Variant
				for range rapid.IntRange(1, 60).Draw(t, "n") {
					v := anyVariant(t, fmt.Sprintf("%026d", next))
					next++
					added, want = append(added, v), append(want, v)
				}
				k.addVariants(added)
			case what == "change" && len(want) > 0:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "i")
				want[i] = anyVariant(t, want[i].ID)
				k.setVariant(want[i])
			case what == "remove" && len(want) > 0:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "i")
				n := rapid.IntRange(1, min(60, len(want)-i)).Draw(t, "n")
				for _, v := range want[i : i+n] {
					k.removeVariant(v.ID)
				}
				want = append(append([]Variant{}, want[:i]...), want[i+n:]...)
			default:
				details.Description = api.Text(strings.Repeat("d", rapid.SampledFrom([]int{0, 10, 9000}).Draw(t, "text")))
				k.setDetails(details)
			}
			if k.draft().tooHeavy() != nil {
				return
			}
			d.write(t, slicesOf(save("shop", before, k.draft(), fmt.Sprintf("01M7XXKDY3%016d", step), unasked())))
			w := d.read(t)
			before = w.draft()
			require.Equal(t, details, w.Details())
			if len(want) == 0 {
				require.Empty(t, w.Variants())
			} else {
				require.Equal(t, want, w.Variants())
			}
			for _, p := range w.variants {
				require.LessOrEqual(t, len(p.IDs), partVariants)
				require.LessOrEqual(t, len(p.doc), partBytes)
			}
			require.LessOrEqual(t, len(w.variants), 2*(len(want)/partVariants+1)+len(want)/2+1)
			k = w.clone()
		}
	})
}

// slicesOf are the operations on the product's own items.
func slicesOf(ops []store.Op) (own []store.Op) {
	for _, op := range ops {
		if !isClaim(op.Key) {
			own = append(own, op)
		}
	}
	return own
}

func TestAReaderOfTwoWritesNotices(t *testing.T) {
	d := drawer{}
	k := newWhole(nobody)
	k.setDetails(Details{Code: "p", Name: "P"})
	k.addVariants([]Variant{{ID: "1", VariantDetails: VariantDetails{Code: "a"}}})
	d.write(t, slicesOf(save("shop", draft{}, k.draft(), "01M7XXKDY30000000000000001", unasked())))
	first := d[partSK(0)]
	before := d.read(t)
	k = before.clone()
	k.setVariant(Variant{ID: "1", VariantDetails: VariantDetails{Code: "b"}})
	d.write(t, slicesOf(save("shop", before.draft(), k.draft(), "01M7XXKDY30000000000000002", unasked())))
	_, err := assemble([]store.Item{d[headSK], first})
	require.ErrorIs(t, err, errTorn)
	_, err = assemble([]store.Item{d[headSK]})
	require.ErrorIs(t, err, errTorn)
}

func TestStockIsNeverBelowZeroAndResultsAddUp(t *testing.T) {
	s := open(t)
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		a := s.made(fmt.Sprint("R", run), obj{"stock": obj{"quantity": 5}, "variants": variants(fmt.Sprint("R", run), 2)})
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
			require.Equal(r, float64(model[g.Get(fmt.Sprint("variants.", i, ".id"))]), g.At(fmt.Sprint("variants.", i, ".stock.quantity")))
		}
	})
}

func TestPricesFallBackToTheProduct(t *testing.T) {
	d := Details{PriceLevels: []Price{{"default", 100}, {"vip", 90}}}
	for _, c := range []struct {
		own   []Price
		level string
		want  api.Money
	}{
		{nil, "default", 100},
		{nil, "vip", 90},
		{nil, "unheard", 100},
		{[]Price{{"default", 50}}, "vip", 50},
		{[]Price{{"default", 50}, {"vip", 40}}, "vip", 40},
		{[]Price{{"vip", 40}}, "vip", 40},
		{[]Price{{"vip", 40}}, "default", 100},
	} {
		require.Equal(t, c.want, PriceOf(d, VariantDetails{PriceLevels: c.own}, c.level), "%v", c)
	}
}

func TestManyVariantsOfOneProductAreTakenAtOnce(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60)})
	ids := s.ids(a, "variants")
	heads, err := Heads(t.Context(), s.Main, "shop", []string{a.ID()})
	require.NoError(t, err)
	pieces := Move{}
	for _, id := range ids {
		pieces[id] = 4
	}
	take, record := Take("shop", heads[0], pieces, ids, nobody)
	require.Equal(t, ids, record.Variants)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	require.NoError(t, err)
	require.Equal(t, 6.0, s.get(a.ID()).At("variants.59.stock.quantity"))
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	require.True(t, store.IsCondition(err), "the version has moved")

	heads, err = Heads(t.Context(), s.Main, "shop", []string{a.ID()})
	require.NoError(t, err)
	pieces[ids[7]] = 7
	take, record = Take("shop", heads[0], pieces, ids, nobody)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	failed, is := store.Failed(err, ProductKey("shop", a.ID()))
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

func TestOrdersTakeStockFromHeads(t *testing.T) {
	s := open(t)
	a := s.made("A", obj{"variants": variants("A", 60)})
	b := s.made("B", obj{"stock": obj{"quantity": 2}})
	v := s.ask("POST", path(a.ID(), "variants"), obj{"items": variants("B", 51)}).Is(201).Get("items.50.id")
	heads, err := Heads(t.Context(), s.Main, "shop", []string{a.ID(), nobody, "odd", b.ID()})
	require.NoError(t, err)
	require.Nil(t, heads[1])
	require.Nil(t, heads[2])
	require.True(t, heads[0].HasVariants())
	require.False(t, heads[3].HasVariants())
	found, err := VariantsOf(t.Context(), s.Main, "shop", heads, []string{v, v, "", ""})
	require.NoError(t, err)
	require.Equal(t, api.Code("B-50"), found[0].Code)
	require.Equal(t, int64(10), found[0].Stock.Quantity)
	require.Empty(t, found[3].ID)

	take, record := Take("shop", heads[0], Move{v: 4}, []string{v}, nobody)
	require.Equal(t, []string{v}, record.Variants)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	require.NoError(t, err)
	require.Equal(t, 6.0, s.get(a.ID()).At("variants.110.stock.quantity"))
	take, record = Take("shop", heads[0], Move{v: 7}, []string{v}, nobody)
	_, err = s.Main.Write(t.Context(), s.change(record), take)
	failed, is := store.Failed(err, ProductKey("shop", a.ID()))
	require.True(t, is)
	require.Equal(t, int64(6), available(failed.Item, v))
	back, record := PutBack("shop", heads[0], Move{v: 4}, []string{v}, nobody)
	_, err = s.Main.Write(t.Context(), s.change(record), back)
	require.NoError(t, err)
	require.Equal(t, 10.0, s.get(a.ID()).At("variants.110.stock.quantity"))

	s.ask("DELETE", path(b.ID()), nil).Is(204)
	_, err = s.Main.Write(t.Context(), s.change(record), func() store.Op { op, _ := Take("shop", heads[3], Move{"": 1}, []string{""}, nobody); return op }())
	failed, is = store.Failed(err, ProductKey("shop", b.ID()))
	require.True(t, is, "a deleted product is not brought back")
	require.Zero(t, available(failed.Item, ""))
}

// available is what a head, as a failure shows it, has of a variant; 0 when it or the variant is gone.
func available(head *store.Item, variant string) int64 {
	if Deleted(head) {
		return 0
	}
	return head.Num[quantityOf(variant)]
}
