package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

const nobody = "01M7XXKDY3HDST93PJ8ZDYB2ZZ"

// anyVariant is a variant of any size.
func anyVariant(t *rapid.T, id string) Variant {
	kind := rapid.IntRange(0, 2*2*2*3*5*5-1).Draw(t, "kind") // one draw for all of it: there are hundreds of variants
	of := func(n int) int { k := kind % n; kind /= n; return k }
	v := Variant{ID: id, VariantDetails: VariantDetails{Code: field.Code("c" + id), Active: of(2) == 1,
		Parameters: []Parameter{}, PriceLevels: []Price{}}}
	v.Stock = Stock{Quantity: []int64{0, MaxStock}[of(2)], Availability: field.Line([]string{"", "soon"}[of(2)])}
	long := "<" + strings.Repeat("\u2028", []int{1, 10, 250}[of(3)]) + ">"
	for i := range []int{0, 0, 0, 1, 50}[of(5)] {
		v.PriceLevels = append(v.PriceLevels, Price{field.Name(fmt.Sprint(i, long)), field.Money(i)})
	}
	for i := range []int{0, 0, 0, 2, 50}[of(5)] {
		v.Parameters = append(v.Parameters, Parameter{field.Name(fmt.Sprint(i, long)), field.Line(long)})
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
	keys := KeysOf(store.Item{Key: head.Key, Parts: head.Parts})
	require.Len(t, d, len(keys), "nothing is left behind")
	items := map[store.Key]*store.Item{}
	for _, k := range keys {
		item, has := d[k.SK]
		require.True(t, has, k.SK)
		items[k] = &item
	}
	h, err := HeadOf(&head)
	require.NoError(t, err)
	w, err := h.whole(items)
	require.NoError(t, err)
	return w
}

func TestAnyVariantsAreReadAsTheyWereKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawer{}
		var want []Variant
		k := newWhole(nobody)
		details := ProductDetails{Code: "p", Name: "P", Active: true}
		details.fill()
		k.setDetails(details)
		before := newWhole(nobody)
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
				details.Description = field.Text(strings.Repeat("d",
					rapid.SampledFrom([]int{0, 10, 9000}).Draw(t, "text")))
				k.setDetails(details)
			}
			if k.tooBig() != nil {
				return
			}
			d.write(t, saved(before, k, fmt.Sprintf("01M7XXKDY3%016d", step)))
			w := d.read(t)
			before = w
			require.Equal(t, details, w.Details())
			if len(want) == 0 {
				require.Empty(t, w.Variants())
			} else {
				require.Equal(t, want, w.Variants())
			}
			for _, p := range w.parts {
				require.LessOrEqual(t, len(p.IDs), partVariants)
				require.LessOrEqual(t, len(p.doc), partBytes)
			}
			require.LessOrEqual(t, len(w.parts), 2*(len(want)/partVariants+1)+len(want)/2+1)
			k = w.clone()
		}
	})
}

// saved are the operations that make before into after.
func saved(before, after *Whole, version string) []store.Op {
	after.Version = version
	return save("shop", &before.known, &after.known, store.VersionIs(before.Version))
}

func TestAReaderOfTwoWritesNotices(t *testing.T) {
	d := drawer{}
	k := newWhole(nobody)
	k.setDetails(ProductDetails{Code: "p", Name: "P"})
	k.addVariants([]Variant{{ID: "1", VariantDetails: VariantDetails{Code: "a"}}})
	d.write(t, saved(newWhole(nobody), k, "01M7XXKDY30000000000000001"))
	first := d[partSK(0)]
	before := d.read(t)
	k = before.clone()
	k.setVariant(Variant{ID: "1", VariantDetails: VariantDetails{Code: "b"}})
	d.write(t, saved(before, k, "01M7XXKDY30000000000000002"))
	head := d[headSK]
	h, err := HeadOf(&head)
	require.NoError(t, err)
	_, err = h.whole(map[store.Key]*store.Item{first.Key: &first})
	require.ErrorIs(t, err, errTorn)
	_, err = h.whole(nil)
	require.ErrorIs(t, err, errTorn)
}

func TestPricesFallBackToTheProduct(t *testing.T) {
	d := ProductDetails{PriceLevels: []Price{{"default", 100}, {"vip", 90}}}
	for _, c := range []struct {
		own   []Price
		level string
		want  field.Money
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
