package catalog_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// TestComplete: a product that is gone or cannot be read is left out, but a table that is away leaves out none.
func TestComplete(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	table := &hosttest.Table{Table: db.Table("main")}
	u := &change.Unit{Shop: "01SHAP0000000000000000000A", Table: table, Now: time.Now, Random: hosttest.Random()}
	var all []string
	for _, code := range []string{"kept", "gone", "broken", "last"} {
		p, err := catalog.Catalog{}.CreateProduct(t.Context(), u, catalog.ProductNew{
			ProductDetails: catalog.ProductDetails{Code: field.Code(code), Name: field.Name(code), VATRate: "21.00",
				PriceLevels: []catalog.Price{{Level: "default", Price: 1_00}},
				Description: field.Text(strings.Repeat("long ", 10_000))}})
		require.NoError(t, err)
		all = append(all, p.ID)
	}
	heads, err := catalog.Heads(t.Context(), table, u.Shop, all)
	require.NoError(t, err)
	textOf := func(product string) store.Key {
		return store.Key{PK: catalog.ProductKey(u.Shop, product).PK, SK: "T"}
	}
	_, err = table.Write(t.Context(), events.Nothing, store.Delete(catalog.ProductKey(u.Shop, all[1])),
		store.Delete(textOf(all[1])))
	require.NoError(t, err)
	complete := func(t *testing.T, from store.Table) ([]string, error) {
		codes := make([]string, len(heads))
		err := catalog.Complete(t.Context(), from, heads, func(i int, w *catalog.Whole) {
			require.Len(t, w.Details().Description, 50_000)
			codes[i] = string(w.Details().Code)
		})
		return codes, err
	}

	broken := hosttest.Poisoned{Table: table, Key: textOf(all[2]), Poison: hosttest.Unreadable}
	codes, err := complete(t, broken)
	require.NoError(t, err)
	require.Equal(t, []string{"kept", "", "", "last"}, codes)
	table.Down()
	_, err = complete(t, table)
	require.ErrorIs(t, err, store.ErrUnavailable)
}
