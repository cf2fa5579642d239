package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/bill"
)

// costs runs the command with these flags.
func costs(t *testing.T, flags ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	sh := Shell{Getenv: func(string) string { return "" }, Out: &out, Errs: &errs}
	require.Zero(t, Main(append([]string{"cost"}, flags...), sh), errs.String())
	return out.String()
}

func TestAMonthIsPredictedByService(t *testing.T) {
	l := bill.Usual()
	l.Shops, l.Orders, l.Webhooks = 50, 1000, 1_000_000
	l = l.Filled()
	flags := []string{"--shops", "50", "--orders", "1000", "--webhooks", "1000000"}
	text := costs(t, flags...)
	require.Contains(t, text, "A day has 1,000 orders, 50,000 pages, 200,000 requests of add-ons, 1,000,000 webhooks.")
	for _, service := range bill.Services(l.Month()) {
		require.Regexp(t, "(?m)^"+service.Service+" +"+spaced(service.Dollars, 2)+` \$$`, text)
	}
	require.Regexp(t, "(?m)^Sum +"+spaced(bill.Sum(l.Month()), 2)+` \$$`, text)

	sum, all := 0.0, 0
	for line := range strings.Lines(costs(t, append(flags, "--json")...)) {
		var one struct {
			Service, Part, Wall string
			Dollars             float64
		}
		require.NoError(t, json.Unmarshal([]byte(line), &one), line)
		if all++; one.Service == "Sum" {
			require.InDelta(t, sum, one.Dollars, 0.01)
		}
		sum += one.Dollars
	}
	require.Equal(t, len(l.Month())+1+len(l.Walls()), all)
}

func TestWhatIsNotSaidIsUsual(t *testing.T) {
	require.Equal(t, costs(t), costs(t, "--shops", "500", "--orders", "10000", "--answer", "1s", "--domain"))
	require.NotContains(t, costs(t, "--webhooks", "0"), "  messages ", "0 is said")
	require.NotContains(t, costs(t, "--domain=false"), "CloudFront")
}

func TestNoBillIsMadeOfWhatCannotBe(t *testing.T) {
	for _, flags := range [][]string{{"--shops", "-1"}, {"--orders", "NaN"}, {"--pages", "Inf"}, {"--webhooks", "many"},
		{"--changes", "90", "--lists", "20"}, {"--answer", "-1s"}, {"500"}} {
		var out, errs bytes.Buffer
		sh := Shell{Getenv: func(string) string { return "" }, Out: &out, Errs: &errs}
		require.Equal(t, 1, Main(append([]string{"cost"}, flags...), sh), flags)
		require.Equal(t, 1, strings.Count(errs.String(), "\n"), errs.String())
		require.Empty(t, out.String())
	}
}
