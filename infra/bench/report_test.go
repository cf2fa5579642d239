package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestALineIsAColumnOfTheTableOrAFigureWithItsUnit in the table, and always with its unit as JSON.
func TestALineIsAColumnOfTheTableOrAFigureWithItsUnit(t *testing.T) {
	var got []line
	b := &bench{tell: func(l line) { got = append(got, l) }}
	b.print("read customer", 16, result{Requests: 100, Took: 2 * time.Second, P50: 1500 * time.Microsecond,
		P99: 9 * time.Millisecond, Failed: 1, First: "503"}, 3*time.Millisecond)
	b.tells("memory", memoryOf(120.4, 80.6)...)
	squeezed := func(l line) string { return strings.Join(strings.Fields(l.String()), " ") }
	require.Equal(t, "read customer 16 50 1.50 9.00 30 1 FAILED, first: 503", squeezed(got[0]))
	require.Equal(t, "memory 120 MiB PSS, 81 MiB anonymous", squeezed(got[1]))
	text, err := json.Marshal(got[1])
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"memory",
		"figures":[{"value":120,"unit":"MiB PSS"},{"value":81,"unit":"MiB anonymous"}]}`, string(text))
	head, line := head(), got[0].String()
	require.Equal(t, strings.Index(head, "per s")+len("per s"), strings.Index(line, " 50 ")+len(" 50"), "in its column")
}

func TestAProcessIsNamedByItsWords(t *testing.T) {
	for _, process := range []string{"", "hello", "loop a", "another b c d"} {
		require.Error(t, limit(strings.Fields(process)))
	}
}
