package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyPermissiveLicencesPass(t *testing.T) {
	module := func(name, licences string) string {
		return `{"components":[{"name":"` + name + `","version":"v1.0.0","evidence":{"licenses":[` + licences + `]}}]}`
	}
	licence := func(id string) string { return `{"license":{"id":"` + id + `"}}` }
	for what, tc := range map[string]struct {
		bill, refusal string
	}{
		"permissive":                   {module("a.dev/a", licence("MIT")), ""},
		"two permissive ones":          {module("a.dev/a", licence("MIT")+","+licence("Apache-2.0")), ""},
		"declared, not found":          {`{"components":[{"name":"a","licenses":[` + licence("ISC") + `]}]}`, ""},
		"copyleft":                     {module("a.dev/a", licence("AGPL-3.0")), "a.dev/a"},
		"copyleft beside a mild one":   {module("a.dev/a", licence("MIT")+","+licence("GPL-3.0")), "a.dev/a"},
		"a licence without a name":     {module("a.dev/a", `{"license":{}}`), "a.dev/a"},
		"no licence":                   {module("a.dev/a", ""), "a.dev/a"},
		"of tests":                     {module("pgregory.net/rapid", licence("MPL-2.0")), ""},
		"that of tests, for another":   {module("a.dev/a", licence("MPL-2.0")), "a.dev/a"},
		"another licence for a test's": {module("pgregory.net/rapid", licence("GPL-3.0")), "pgregory.net/rapid"},
		"nothing":                      {`{}`, "empty"},
		"no bill":                      {`<html>`, "not read"},
	} {
		t.Run(what, func(t *testing.T) {
			err := list(strings.NewReader(tc.bill), io.Discard)
			if tc.refusal == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.refusal)
			}
		})
	}
}
