package products

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// large are so many products whose one part, with 18 variants, is nearly as large as a part can be.
func (s *shopful) large(n int) (ids, first []string) {
	parameters := make([]obj, 50)
	for i := range parameters {
		parameters[i] = obj{"name": fmt.Sprint("n", i), "value": strings.Repeat("h", 250)}
	}
	for p := range n {
		all := variants(fmt.Sprint("L", p), 18)
		for _, v := range all {
			v["parameters"] = parameters
		}
		a := s.made(fmt.Sprint("L", p), obj{"variants": all})
		ids, first = append(ids, a.ID()), append(first, a.At("variants", 0, "id").(string))
	}
	return ids, first
}

// TestABatchOfMoreThanIsHeldAtOnceIsDoneWhole: what it plans is let go of and planned once more, by what is there then.
func TestABatchOfMoreThanIsHeldAtOnceIsDoneWhole(t *testing.T) {
	s := open(t)
	ids, first := s.large(22)
	items := make([]obj, len(ids))
	for i := range ids {
		items[i] = obj{"id": ids[i], "variantId": first[i],
			"priceLevels": []obj{{"level": "default", "price": fmt.Sprint(i+1, ".50")}}}
	}
	s.Main.NewChanges()
	a := s.batch("price-levels", items, "Idempotency-Key", "large").Is(200)
	require.Equal(t, float64(len(ids)), a.At("changed"))
	told := s.Main.NewChanges()
	require.Len(t, told, 1, "it is one change")
	require.Len(t, told[0].Records, len(ids))
	for i, id := range ids {
		v := s.get(id).At("variants", 0)
		require.Equal(t, fmt.Sprint(i+1, ".50"), v.(map[string]any)["priceLevels"].([]any)[0].(map[string]any)["price"])
	}
	require.Equal(t, float64(0), s.batch("price-levels", items).Is(200).At("changed"), "it is as it was to be")

	items[0]["priceLevels"] = []obj{{"level": "default", "price": "7.00"}}
	items[21]["priceLevels"] = []obj{{"level": "default", "price": "8.00"}}
	s.beforeWrite(1, func() { // another request changes the last product meanwhile
		s.ask("PATCH", path(ids[21]), obj{"name": "Jiné"}).Is(200)
	})
	require.Equal(t, float64(2), s.batch("price-levels", items).Is(200).At("changed"))
	require.Equal(t, "Jiné", s.get(ids[21]).Get("name"))
}
