package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/record/field"
)

func TestNumbersAmountsAndDatesAreWrittenAsEachLanguageDoes(t *testing.T) {
	for _, c := range []struct {
		l                                                      Language
		number, crowns, euros, date, moment, percent, percents string
	}{
		{Czech, "1 234 567", "−1 234,50 Kč", "12,00 €", "24. listopadu 2026", "24. 11. 2026 00:30", "15 %", "12,5 %"},
		{Slovak, "1 234 567", "−1 234,50 Kč", "12,00 €", "24. novembra 2026", "24. 11. 2026 00:30", "15 %", "12,5 %"},
		{English, "1,234,567", "−CZK 1,234.50", "EUR 12.00", "24 November 2026", "24 Nov 2026 00:30", "15%", "12.5%"},
	} {
		plain := func(s string) string { return strings.ReplaceAll(s, NBSP, " ") }
		require.Equal(t, c.number, plain(c.l.Number(1234567)))
		require.Equal(t, c.crowns, plain(c.l.Money(-123450, "CZK")))
		require.Equal(t, c.euros, plain(c.l.Money(1200, "EUR")))
		require.Equal(t, c.date, plain(c.l.Date(field.Time(1795476600000).Go())), "23:30 in UTC")
		require.Equal(t, c.moment, plain(c.l.Moment(field.Time(1795476600000).Go())))
		require.Equal(t, c.moment+":59", plain(c.l.Second(field.Time(1795476659000).Go())))
		require.Equal(t, c.percent, plain(c.l.Percent(1500)))
		require.Equal(t, c.percents, plain(c.l.Percent(1250)))
		require.Contains(t, []string{"100%", "100 %"}, plain(c.l.Percent(10000)))
	}
}
