package sale_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/sale"
	"eshop/shared/store"
)

// place is the number of an order that the process of these numbers makes.
func (w *world) place(n *sale.Numbers, product string) string {
	w.Helper()
	o, err := sale.Ordering{Currency: "CZK", Near: true, Numbers: n}.Place(w.Context(), w.unit(),
		sale.OrderNew{Email: "a@b.cz", Items: []sale.OrderNewLine{{ProductID: product, Quantity: 1}}})
	require.NoError(w, err)
	return o.Number
}

// TestMostOrdersOfTheOnlyProcessAreMadeInOneCommit: the first draws a block of numbers besides.
func TestMostOrdersOfTheOnlyProcessAreMadeInOneCommit(t *testing.T) {
	w := open(t)
	tea, n := w.product("TEA", 1_00, 1000).ID, sale.NewNumbers()
	writes := 0
	w.Before(func([]store.Op) error { writes++; return nil })
	for i := range 64 {
		require.Equal(t, fmt.Sprintf("2026%06d", i+1), w.place(n, tea))
	}
	require.Equal(t, 64+1, writes)
	require.Equal(t, "2026000065", w.place(n, tea))
	require.Equal(t, 65+2, writes)
}

func TestNumbersGoOnAfterTheProcessEnds(t *testing.T) {
	for _, c := range []struct {
		says string
		ends func(*sale.Numbers, store.Table) error
		next string
	}{
		{"a clean end gives back what is left", func(n *sale.Numbers, t store.Table) error {
			return n.GiveBack(context.Background(), t)
		}, "2026000003"},
		{"a crash leaves a gap", func(*sale.Numbers, store.Table) error { return nil }, "2026000065"},
	} {
		t.Run(c.says, func(t *testing.T) {
			w := open(t)
			tea, n := w.product("TEA", 1_00, 1000).ID, sale.NewNumbers()
			require.Equal(t, []string{"2026000001", "2026000002"}, []string{w.place(n, tea), w.place(n, tea)})
			require.NoError(t, c.ends(n, w))
			require.Equal(t, c.next, w.place(sale.NewNumbers(), tea))
		})
	}
}

func TestOnlyNumbersThatNobodyHasAreGivenBack(t *testing.T) {
	w := open(t)
	tea, n := w.product("TEA", 1_00, 1000).ID, sale.NewNumbers()
	require.NoError(t, n.GiveBack(t.Context(), w), "nothing")
	w.place(n, tea)
	require.NoError(t, n.GiveBack(t.Context(), w))
	require.NoError(t, n.GiveBack(t.Context(), w), "none twice")
	require.Equal(t, "2026000002", w.place(n, tea), "a request that is under way as the process ends draws anew")
	require.Equal(t, "2026000066", w.place(nil, tea), "another process drew behind the block")
	require.Error(t, n.GiveBack(t.Context(), w), "and so it stays")
	require.Equal(t, "2026000067", w.place(nil, tea))
}
