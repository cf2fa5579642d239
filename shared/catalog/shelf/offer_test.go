package shelf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/catalog"
	"eshop/shared/record/field"
)

// TestThePriceOfAnOfferIsItsLowest: "from" is shown with it when there are others.
func TestThePriceOfAnOfferIsItsLowest(t *testing.T) {
	at := func(price field.Money) []catalog.Price { return []catalog.Price{{Level: "default", Price: price}} }
	vip := func(price field.Money) []catalog.Price { return []catalog.Price{{Level: "vip", Price: price}} }
	for name, c := range map[string]struct {
		prices       [][]catalog.Price
		price        field.Money
		others, sold bool
	}{
		"nothing":                      {},
		"not sold at the level":        {prices: [][]catalog.Price{vip(1)}},
		"one":                          {[][]catalog.Price{at(5)}, 5, false, true},
		"the same twice":               {[][]catalog.Price{at(5), at(5)}, 5, false, true},
		"a dearer one behind":          {[][]catalog.Price{at(5), at(6)}, 5, true, true},
		"a cheaper one behind":         {[][]catalog.Price{at(6), at(5)}, 5, true, true},
		"one that is not sold, before": {[][]catalog.Price{vip(1), at(5)}, 5, false, true},
		"one that is not sold, behind": {[][]catalog.Price{at(5), vip(1)}, 5, false, true},
		"free is the lowest":           {[][]catalog.Price{at(0), at(5)}, 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			price, others, sold := Offer{prices: c.prices}.PriceAt("default")
			require.Equal(t, c.price, price)
			require.Equal(t, c.others, others, "others")
			require.Equal(t, c.sold, sold, "sold")
		})
	}
}
