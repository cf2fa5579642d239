package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// TestNoTextActsOnTheTerminal has a platform say what a terminal takes for commands, in all that the commands show.
func TestNoTextActsOnTheTerminal(t *testing.T) {
	const odd = "\x1b]0;title\x07\x1b[2J\u009b31m\u202e"
	asked := 0
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = object{"code": "odd" + odd, "detail": odd}
		switch asked++; {
		case r.URL.Path == "/api-engine/status":
			answer = object{"version": "1"}
		case r.URL.Path == "/api-engine/webhook-deliveries" && asked < 4:
			answer = object{"items": []object{{"id": "D", "created": "2099-01-01T00:00:00Z"}}}
		case strings.HasPrefix(r.URL.Path, "/api-engine/webhook-deliveries/D"):
			answer = object{"id": "D" + odd, "event": odd, "state": "failed" + odd, "receiverId": odd,
				"created": "2026-01-01T00:00:00Z", "attempts": []object{{"number": 1, "error": "broken" + odd}}}
		default:
			w.WriteHeader(http.StatusBadRequest)
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer platform.Close()
	for _, args := range [][]string{{"tail"}, {"trigger", "customerCreate"}, {"resend", "01KYFXV0000000000000000000"}} {
		asked = 0
		out := &said{}
		sh := Shell{Getenv: func(string) string { return "" }, Out: out, Errs: out, Every: 1}
		Main(append(args, "--url", platform.URL, "--token", "t"), sh)
		require.Regexp(t, "odd\uFFFD|D\uFFFD", out.String(), args)
		for _, r := range out.String() {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%v: %q", args, out.String())
		}
	}
}

func TestAProgramReadsWhatATerminalDoesNotSee(t *testing.T) {
	const odd = "\x1b]0;title\x07\u009b31m\u202e\U000e0041 <ž> \\ \"\n"
	var out bytes.Buffer
	options{Shell: Shell{Out: plain{&out}}, json: true}.tell(object{"says": odd}, "")
	for _, r := range strings.TrimSuffix(out.String(), "\n") {
		require.True(t, unicode.IsPrint(r), out.String())
	}
	var read object
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	require.Equal(t, odd, read["says"])
}
