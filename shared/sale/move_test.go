package sale_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/sale"
)

// TestTracking: what is wrong with the body is said before anything of the order (contract, "Order of checks").
func TestTracking(t *testing.T) {
	w, o := open(t), sale.Ordering{Currency: "CZK", Near: true}
	order, err := o.Place(t.Context(), w.unit(), sale.OrderNew{Email: "a@b.cz",
		Items: []sale.OrderNewLine{{ProductID: w.product("TEA", 1_00, 10).ID, Quantity: 1}}})
	require.NoError(t, err)
	number := sale.OrderTracking{TrackingNumber: "DR1", TrackingLink: "https://t.example/DR1"}
	wrong := sale.OrderTracking{TrackingLink: "javascript:alert(1)"}
	for _, c := range []struct {
		name, id string
		to       sale.OrderTracking
		refused  string
	}{
		{"of no order", nothing, number, "not_found"},
		{"of no order, and wrong", nothing, wrong, "invalid"},
		{"wrong", order.ID, wrong, "invalid"},
		{"tracked", order.ID, number, ""},
		{"the same once more", order.ID, number, ""},
		{"none any more", order.ID, sale.OrderTracking{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tracked, err := o.Track(t.Context(), w.unit(), c.id,
				func(sale.OrderTracking) (sale.OrderTracking, error) { return c.to, nil })
			if c.refused != "" {
				require.True(t, problem.Is(err, c.refused), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.to.TrackingLink != "", tracked.Shipping.TrackingLink != nil)
			stored, err := sale.Orders.Read(t.Context(), w, shop, order.ID)
			require.NoError(t, err)
			require.Equal(t, tracked.Shipping, stored.Shipping)
		})
	}
}
