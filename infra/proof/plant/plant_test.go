package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheFirstFailureEndsTheOthers(t *testing.T) {
	failed := 0
	u := &untilFailure{failed: func() { failed++ }}
	for _, line := range []string{"ok  \ta\t0.1s\n", "--- FA", "IL: TestB (0.00s)\n"} {
		n, err := u.Write([]byte(line))
		require.NoError(t, err)
		require.Equal(t, len(line), n)
	}
	require.Equal(t, 1, failed)
}

func TestFaultsArePlantedOneAtATime(t *testing.T) {
	const before = "package p\n\nfunc f(a, b int) {\n\tif a < b && b != 0 {\n\t\tprintln(a)\n\t}\n" +
		"\tif a == b {\n\t\treturn\n\t}\n}\n"
	sites, err := sitesIn("p.go", []byte(before))
	require.NoError(t, err)
	var lines []string
	for _, s := range sites {
		after := string(s.edit([]byte(before)))
		require.NotEqual(t, before, after)
		lines = append(lines, s.String())
		_, err := sitesIn("p.go", []byte(after))
		require.NoError(t, err, after)
	}
	require.Equal(t, []string{
		"p.go:4: negated: a < b && b != 0",
		"p.go:4: || for &&: a < b && b != 0",
		"p.go:4: <= for <: a < b",
		"p.go:4: == for !=: b != 0",
		"p.go:5: dropped: println(a)",
		"p.go:7: != for ==: a == b",
	}, lines)
}
