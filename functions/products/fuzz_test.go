package products

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzBodies sends any body to every operation that takes one: no 5xx, and nothing is written unless it succeeds.
func FuzzBodies(f *testing.F) {
	s := open(f)
	id := s.made("A", obj{"variants": variants("A", 2)}).ID()
	variant := s.get(id).Get("variants.0.id")
	category := s.category("C").ID()
	ways := []struct{ method, path string }{
		{"POST", "/api-engine/products"}, {"PATCH", path(id)}, {"POST", path(id, "variants")},
		{"PATCH", path(id, "variants", variant)},
		{"PATCH", batchPath("basic")}, {"PATCH", batchPath("stock")}, {"PATCH", batchPath("has-units")},
		{"PATCH", batchPath("price-levels")},
		{"POST", categoriesPath}, {"PATCH", categoriesPath + "/" + category},
	}
	for i := range ways {
		for _, body := range []string{
			`{}`, `null`, `[]`, `{"items":null}`, `{"items":[null]}`, `{"items":[{}]}`, `{"items":[[]]}`,
			`{"code":"B","name":"B","priceLevels":[{"level":"default","price":"1.00"}]}`,
			`{"code":null,"name":null,"priceLevels":null,"stock":null,"images":null,"units":null,"categoryIds":null,"variants":null,"hasUnits":null,"active":null}`,
			`{"stock":{"quantity":null,"availability":null},"images":[null],"units":[null],"priceLevels":[null],"categoryIds":[null]}`,
			`{"items":[{"id":"` + id + `","change":-1},{"id":"` + id + `","variantId":"` + variant +
				`","quantity":2,"availability":null}]}`,
			`{"items":[{"id":"` + id + `","hasUnits":true,"units":null,"priceLevels":null,"name":"\u0000","code":"\ud83d\ude00"}]}`,
			`{"stock":{"quantity":1e400}}`, `{"stock":{"quantity":-0}}`, `{"stock":{"quantity":9223372036854775807}}`,
			`{"vatRate":"100.00","parentId":"` + category + `"}`,
			`{"parameters":[{"name":"a","value":""}],"name":"x"}`,
			`{"items":[{"id":"` + id + `","priceLevels":[{"level":"default","price":"999999999999.99"}]}]}`,
		} {
			f.Add(i, body)
		}
	}
	f.Fuzz(func(t *testing.T, way int, body string) {
		s := *s
		s.T = t
		w := ways[((way%len(ways))+len(ways))%len(ways)]
		n := s.Main.Writes()
		a := s.ask(w.method, w.path, body)
		require.Less(t, a.Status, 500, "%s %s %s: %s", w.method, w.path, body, a.Text)
		if a.Status >= 400 {
			require.Equal(t, n, s.Main.Writes(), "%s %s %s: %s", w.method, w.path, body, a.Text)
		}
		s.get(id)
	})
}
