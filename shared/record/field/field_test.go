package field

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEverySpellingOfATextIsReadAsTheText(t *testing.T) {
	for _, c := range []struct {
		plain, spelt string
		into         func() any
	}{
		{`"10.00"`, `"10.\u0030\u0030"`, func() any { return new(Money) }},
		{`"0.50"`, `"\u0030\u002e50"`, func() any { return new(Money) }},
		{`"2026-11-21T02:05:12.583Z"`, `"2026-11-21T02:05:12.583\u005a"`, func() any { return new(Time) }},
		{`"Tea/Milk"`, `" \u0054ea\/Milk\n"`, func() any { return new(Name) }},
		{`"Tea"`, `"\u0020Tea"`, func() any { return new(Line) }},
		{`"T-1"`, `"T\u002d1\t"`, func() any { return new(Code) }},
		{`"www.example.cz"`, `"WWW\u002eexample.cz"`, func() any { return new(Domain) }},
	} {
		want, got := c.into(), c.into()
		require.NoError(t, json.Unmarshal([]byte(c.plain), want))
		require.NoError(t, json.Unmarshal([]byte(c.spelt), got), c.spelt)
		require.Equal(t, want, got)
		require.NoError(t, json.Unmarshal([]byte("null"), got))
		require.Equal(t, want, got, "null leaves what is there")
	}
}

func TestWhatIsNoAmountAndNoTimeIsRefused(t *testing.T) {
	for _, text := range []string{`"10"`, `"10.0"`, `"10.000"`, `"a.00"`, `""`, `10.00`, `"10.00`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(text), new(Money)), text)
	}
	for _, text := range []string{`"2026"`, `"10000-01-01T00:00:00Z"`, `""`, `7`, `{}`} {
		require.Error(t, json.Unmarshal([]byte(text), new(Time)), text)
	}
}

func TestAmountsAreReadAsPeopleTypeThem(t *testing.T) {
	for text, amount := range map[string]string{
		"100": "100.00", "99,90": "99.90", "99.90": "99.90", " 1 234,50 ": "1234.50",
		"1\u00a0234\u202f567": "1234567.00", "12,5": "12.50", "12.5": "12.5", "129,-": "129.00", "129,–": "129.00",
		"12,345": "12,345", "129 Kč": "129 Kč", "21 %": "21 %", "Kč": "Kč",
		"1.234,50": "1.234,50", "1,234.50": "1,234.50", "-1": "-1",
		"1e3": "1e3", "": "", "x": "x",
	} {
		require.Equal(t, amount, NormalizeAmount(text), text)
	}
}
