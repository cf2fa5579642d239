package urls

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// many gives an item so many inactive URLs more, as renames leave them; the last one has its claim, too.
func (w *world) many(of address.OwnerKind, item string, n int) {
	w.T.Helper()
	var ops []store.Op
	for i := range n {
		u := address.URL{ID: fmt.Sprintf("01M7XXKDY3%016d", i), Owner: address.Owner{Kind: of, Item: item},
			Slug:    fmt.Sprintf("%s-%s-%d", of, item, i),
			Created: field.At(w.Clock.Now()), Version: fmt.Sprintf("01M7XXKDY4%016d", i)}
		if ops = append(ops, store.Put(u.Stored("shop"))); len(ops) == store.MaxOperations || i == n-1 {
			_, err := w.Main.Table.Write(w.T.Context(), events.Nothing, ops...)
			require.NoError(w.T, err)
			ops = nil
		}
		if i == n-1 {
			w.Put(w.Main, store.Item{Key: address.SlugKey("shop", u.Slug), Text: map[string]string{"owner": u.Claims()},
				Num: map[string]int64{"at": w.Clock.Now().UnixMilli()}})
		}
	}
}

func TestADeletionTakesThousandsOfURLsAlong(t *testing.T) {
	thousandsGo(t, newWorld(t))
}

// thousandsGo: product and category are gone at once with all their URLs, each of which is told, and their slugs are
// free. The change of the product's is more than one item of DynamoDB's holds.
func thousandsGo(t *testing.T, w *world) {
	for of, made := range map[address.OwnerKind]func() string{
		address.Product:  func() string { return w.product("P", "Zboží") },
		address.Category: func() string { return w.category("Zboží") },
	} {
		n := map[address.OwnerKind]int{address.Product: 4_000, address.Category: 3_000}[of]
		t.Run(fmt.Sprintf("%s with %d", of, n), func(t *testing.T) {
			w.T = t
			item := made()
			w.many(of, item, n)
			at := map[address.OwnerKind]string{address.Product: "/api-engine/products/",
				address.Category: "/api-engine/categories/"}[of] + item
			w.Main.NewChanges()
			w.ask("DELETE", at, nil).Is(204)
			told := w.Main.NewChanges()
			require.Len(t, told, 1, "one change")
			gone := map[string]bool{}
			for _, r := range told[0].Records[1:] {
				require.Equal(t, []any{events.URLs, events.Deleted}, []any{r.Kind, r.Did})
				gone[r.ID] = true
			}
			require.Len(t, gone, n+1, "with the system URL")
			w.ask("GET", at, nil).Is(404)
			require.Empty(t, w.of(string(of)+":"+item))
			left, err := w.Main.Query(t.Context(), store.Query{Index: store.Index1, PK: address.URLs("shop")})
			require.NoError(t, err)
			require.Empty(t, left.Items)
			w.Clock.Pass(time.Minute)
			other := w.product(string("other of "+of), "Jiné")
			w.post(other, fmt.Sprintf("%s-%s-%d", of, item, n-1)).Is(201)
			w.ask("DELETE", "/api-engine/products/"+other, nil).Is(204)
		})
	}
}
