package addon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/addon"
	"eshop/shared/record/field"
)

func TestAnAnswerSpeaksOfASetUp(t *testing.T) {
	type is = addon.SetupFields
	for answer, want := range map[string]is{
		`{"setup":"done"}`:          {Setup: addon.SetupDone},
		` {"x":[1],"setup":"odd"} `: {Setup: "odd"}, // whether it may be is judged where it is taken over
		`{"setup":"required","setupUrl":"https://a.example"}`: {Setup: addon.SetupRequired,
			SetupURL: field.URL("https://a.example")},
		`{"setup":"in_progress","setupUrl":null}`: {Setup: addon.SetupInProgress},
	} {
		said, speaks, err := addon.SetupIn([]byte(answer))
		require.NoError(t, err, answer)
		require.True(t, speaks, answer)
		require.Equal(t, want, said, answer)
	}
	for _, answer := range []string{"", "ok", "null", "[]", `"setup"`, `{"setup`, `{}`, `{"setupUrl":"https://a.example"}`,
		`{"Setup":"required"}`, `{"setup":"required"} and more`, "\xff", strings.Repeat("[", 20_000)} {
		_, speaks, err := addon.SetupIn([]byte(answer))
		require.NoError(t, err, answer)
		require.False(t, speaks, answer)
	}
	for _, answer := range []string{`{"setup":null}`, `{"setup":""}`, `{"setup":true}`, `{"setup":{}}`,
		`{"setup":"required","setupUrl":1}`} {
		_, _, err := addon.SetupIn([]byte(answer))
		require.Error(t, err, answer)
	}
}
