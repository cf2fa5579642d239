package sale_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/record"
	"eshop/shared/sale"
)

// TestAnErasedOrderNamesNobody erases an order with a quoted line: the quote goes with its note, and doing it once more
// changes nothing.
func TestAnErasedOrderNamesNobody(t *testing.T) {
	w := open(t)
	ring := w.product("RING", 100_000, 5)
	token := w.quote(ring.ID, "", 150_000, func(q *sale.Quote) { q.Note = "for Jana" })
	s := sale.Shopper{Basket: "basket"}
	w.add(s, at(of(ring.ID, 2), token))
	made := w.order(s)
	quote := w.quoted(token)
	for _, want := range []bool{true, false} {
		did, err := sale.Erase(w.Context(), w.unit(), made.ID)
		require.NoError(t, err)
		require.Equal(t, want, did)
	}
	erased, err := sale.Orders.Read(w.Context(), w.Table, shop, made.ID)
	require.NoError(t, err)
	text := string(record.Document(erased))
	for _, gone := range []string{"jana", "Jana", "Dlouhá", "Brno", "602 00", "601 123 456", "Novák"} {
		require.NotContains(t, text, gone)
	}
	require.Equal(t, "CZ", erased.BillingAddress.Country)
	require.Equal(t, []any{made.Totals, made.Number, made.Items[0].Total}, []any{erased.Totals, erased.Number,
		erased.Items[0].Total})
	_, err = sale.Quotes.Read(w.Context(), w.Table, shop, quote.ID)
	require.True(t, problem.Is(err, "not_found"))
	require.Equal(t, int64(3), w.stock(ring.ID), "what was sold stays sold")
	_, err = sale.Erase(w.Context(), w.unit(), catalog.DefaultLevel)
	require.True(t, problem.Is(err, "not_found"))
}
