package importer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/job/imports"
)

// TestRowsOfLargeProductsAreLookedUpInPortions: each is changed once, in its order, however little is read at once.
func TestRowsOfLargeProductsAreLookedUpInPortions(t *testing.T) {
	w := newWorld(t)
	parameters := make([]any, 50)
	for i := range parameters {
		parameters[i] = fields{"name": fmt.Sprint("n", i), "value": strings.Repeat("h", 250)}
	}
	file := func(name string) string {
		var all strings.Builder
		for p := range 12 {
			variants := make([]any, 35)
			for i := range variants {
				variants[i] = fields{"code": fmt.Sprintf("V-%d-%d", p, i), "parameters": parameters}
			}
			row := fields{"code": fmt.Sprint("P-", p), "name": name}
			if name == "A" {
				row["variants"], row["priceLevels"] = variants, []any{fields{"level": "default", "price": "1.00"}}
			}
			line, err := json.Marshal(row)
			require.NoError(t, err)
			all.Write(append(line, '\n'))
		}
		all.WriteString(`{"code":"P-3","name":"` + name + ` once more"}` + "\n")
		return all.String()
	}
	for _, name := range []string{"A", "B"} {
		r := w.imported(imports.Products, imports.JSONL, file(name))
		require.Equal(t, []int{13, 13, 0}, []int{r.read, r.changed, r.failed}, "%v", r.errors)
	}
}
