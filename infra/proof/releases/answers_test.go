package releases

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnAnswerDiffersByWhatIsNotLeftOut: what is new in an answer is named by its path once, and a younger field of
// that route is left out for releases that do not show it.
func TestAnAnswerDiffersByWhatIsNotLeftOut(t *testing.T) {
	then := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	values := func(body string) map[string]string {
		return ask{Status: 200, JSON: json.RawMessage(body)}.values(t, then)
	}
	for _, c := range []struct {
		about, before, now string
		leftOut, differ    []string
	}{
		{"the same", `{"a":[{"b":1}],"nextCursor":"x"}`, `{"a":[{"b":1}],"nextCursor":"y"}`, nil, nil},
		{"the moment of the asking", `{"at":"2026-11-26T08:00:01Z"}`, `{"at":"2026-11-26T09:00:00Z"}`, nil, nil},
		{"a moment before", `{"at":"2026-11-26T07:00:00Z"}`, `{"at":"2026-11-26T07:00:01Z"}`, nil,
			[]string{`at: "2026-11-26T07:00:00Z", now "2026-11-26T07:00:01Z"`}},
		{"a new field of many", `{"items":[{"a":1},{"a":1}]}`, `{"items":[{"a":1,"n":"x"},{"a":1,"n":"y"}]}`, nil,
			[]string{`items.n: nothing, now "x"`}},
		{"which is left out", `{"items":[{"a":1},{"a":1}]}`, `{"items":[{"a":1,"n":{"m":2}},{"a":1}]}`,
			[]string{"items.n"}, nil},
		{"of which another is not", `{"items":[{}],"n":1}`, `{"items":[{"n":1}],"n":2}`, []string{"items.n"},
			[]string{"n: 1, now 2"}},
		{"null for nothing", `{}`, `{"n":null}`, nil, []string{"n: nothing, now null"}},
		{"an empty text for null", `{"n":null}`, `{"n":""}`, nil, []string{`n: null, now ""`}},
		{"a longer list", `{"a":[]}`, `{"a":[1]}`, nil, []string{"a: a list of 0, now a list of 1"}},
	} {
		require.Equal(t, c.differ, unlike(values(c.before), values(c.now), c.leftOut), c.about)
	}

	rows, all := []young{{"r2", "GET /a", "x"}, {"r1", "any", "y"}}, []string{"r1", "r2", "r3"}
	require.Equal(t, []string{"x", "y"}, lacks(rows, all, "r1", "GET /a"))
	require.Equal(t, []string{"x"}, lacks(rows, all, "r2", "GET /a"))
	require.Equal(t, []string{"y"}, lacks(rows, all, "r1", "GET /b"))
	require.Empty(t, lacks(rows, all, "r3", "GET /a"))
	require.Equal(t, []ask{{Route: "GET /a", Path: "/a?b"}},
		known([]ask{{Route: "GET /a", Path: "/a?b"}, {Route: "GET /new"}}, []ask{{Route: "GET /a"}}))
}
