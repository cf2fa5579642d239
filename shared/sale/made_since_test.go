package sale_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/sale"
)

func TestOrdersMadeSinceComeNewestFirstWhateverChangedLast(t *testing.T) {
	w := open(t)
	tea, o := w.product("TEA", 1_00, 1000).ID, sale.Ordering{Currency: "CZK", Near: true}
	var made []string
	for range 3 {
		order, err := o.Place(t.Context(), w.unit(),
			sale.OrderNew{Email: "a@b.cz", Items: []sale.OrderNewLine{{ProductID: tea, Quantity: 1}}})
		require.NoError(t, err)
		made = append(made, order.ID)
		w.pass(time.Minute)
	}
	_, err := o.Change(t.Context(), w.unit(), made[0], func(f sale.OrderFields) (sale.OrderFields, error) {
		f.Note = "changed last"
		return f, nil
	})
	require.NoError(t, err)
	for minutes, want := range map[time.Duration][]string{
		3: {made[2], made[1], made[0]},
		2: {made[2], made[1]}, // the first is changed since, and made before
	} {
		ids, more, err := sale.MadeSince(t.Context(), w, shop, w.clock().Add(-minutes*time.Minute))
		require.NoError(t, err)
		require.False(t, more)
		require.Equal(t, want, ids)
	}
}
