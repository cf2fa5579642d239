package sale_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// TestWhichQuoteAnImageJoins: that is said before the file is looked at, which here is no picture (contract, "Basket
// price quotes").
func TestWhichQuoteAnImageJoins(t *testing.T) {
	w := open(t)
	product := w.product("TEA", 1_00, 10).ID
	quote := func(more ...func(*sale.Quote)) string { return w.quoted(w.quote(product, "", 90, more...)).ID }
	ofStatus := func(s sale.QuoteStatus) string { return quote(func(q *sale.Quote) { q.Status = s }) }
	having := func(n int) string {
		return quote(func(q *sale.Quote) { q.ImageKeys = strings.Fields(strings.Repeat("key ", n)) })
	}
	ends := func(in time.Duration) string {
		return quote(func(q *sale.Quote) { q.ExpiresAt += field.Time(in.Milliseconds()) })
	}
	const joins = "unsupported_media_type"
	for name, c := range map[string]struct{ quote, refused string }{
		"no quote":               {"", joins},
		"one that is issued":     {quote(), joins},
		"one with images":        {having(sale.MaxQuoteImages - 1), joins},
		"one that is full":       {having(sale.MaxQuoteImages), "invalid"},
		"none that there is":     {nothing, "quote_not_issued"},
		"one of another access":  {quote(func(q *sale.Quote) { q.Access = nothing }), "quote_not_issued"},
		"one that was used":      {ofStatus(sale.QuoteStatusUsed), "quote_not_issued"},
		"one that was revoked":   {ofStatus(sale.QuoteStatusRevoked), "quote_not_issued"},
		"one that expires later": {ends(time.Millisecond - time.Hour), joins},
		"one that has expired":   {ends(-time.Hour), "quote_not_issued"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sale.Quoting{Access: access, Images: images.Uploads{}}.
				AddImage(t.Context(), w.unit(), []byte("no picture"), c.quote)
			require.True(t, problem.Is(err, c.refused), "%v", err)
		})
	}
}
