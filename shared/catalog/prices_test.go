package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/catalog"
	"eshop/shared/record/field"
)

func TestAPriceIsChangedByPercentAndRounded(t *testing.T) {
	exact, dimes, whole, tens := catalog.Rounding{Step: 1}, catalog.Rounding{Step: 10}, catalog.Rounding{Step: 100},
		catalog.Rounding{Step: 1_000}
	ninety, nine := catalog.Rounding{Step: 100, End: 90}, catalog.Rounding{Step: 1_000, End: 900}
	for says, c := range map[string]struct {
		catalog.Rounding
		price field.Money
		by    catalog.Percent
		want  string
	}{
		"up":                             {exact, 11_900, 1_000, "130.90"},
		"down":                           {exact, 11_900, -1_550, "100.56"},
		"half a hundredth goes up":       {exact, 50, 100, "0.51"},
		"to dimes":                       {dimes, 1_234, 0, "12.30"},
		"to whole ones":                  {whole, 11_949, 0, "119.00"},
		"half of one goes up":            {whole, 11_950, 0, "120.00"},
		"to tens":                        {tens, 11_900, 1_000, "130.00"},
		"to .90 below":                   {ninety, 11_939, 0, "118.90"},
		"to .90 above":                   {ninety, 11_940, 0, "119.90"},
		"to a 9 at the end":              {nine, 11_900, 1_000, "129.00"},
		"to a 9 at the end, above":       {nine, 13_400, 0, "139.00"},
		"what costs something":           {tens, 100, 0, "10.00"},
		"what costs something, with .90": {ninety, 10, -9_000, "0.90"},
		"what is free":                   {tens, 0, 1_000, "0.00"},
		"the dearest":                    {exact, 99_999_999_999_999, 100_000, "10999999999999.89"},
	} {
		require.Equal(t, c.want, c.Changed(c.price, c.by).String(), says)
	}
}
