package admin

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAWrongFilterIsShownInItsList: with what was typed and its fault in the field, and the list as without it.
func TestAWrongFilterIsShownInItsList(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "Tea",
		"priceLevels": []object{{"level": "default", "price": "1.00"}}})
	for path, field := range map[string]string{
		"/admin/urls?kind=system&urlItem=Assam": `name="urlItem" type="text" value="Assam"`,
		"/admin/products?changed[after]=soon":   `name="changed[after]" type="datetime-local" value="soon"`,
		"/admin/products?active=maybe":          `name="active"`,
		"/admin/products?sort=odd&cursor=x":     `name="sort"`,
		"/admin/orders?changed[before]=soon":    `name="changed[before]" type="datetime-local" value="soon"`,
	} {
		a := b.Page(strings.NewReplacer("[", "%5B", "]", "%5D").Replace(path)).Shown(422)
		require.Contains(t, a.Text, `role="alert" data-code="invalid"`, path)
		require.Regexp(t, regexp.QuoteMeta(field)+`[^>]* aria-invalid="true"`, a.Text, path)
		if !strings.Contains(path, "orders") {
			require.NotEmpty(t, rowsOf(a), path)
		}
	}
	for _, path := range []string{"/admin/products?itemsPerPage=0", "/admin/products?cursor=x",
		"/admin/products?sort=odd&itemsPerPage=0"} {
		require.Contains(t, b.Page(path).Shown(422).Text, `<a href="/admin/products">Začít znovu</a>`, path)
	}
}
