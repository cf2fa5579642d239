package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
)

// TestWhoHasSignedInNeedNotNameThePlatform: its own token goes to each door, and to no other platform.
func TestWhoHasSignedInNeedNotNameThePlatform(t *testing.T) {
	here, out, errs := running(t)
	text, err := os.ReadFile(filepath.Join(here.Getenv("DATA"), "run.json"))
	require.NoError(t, err)
	var run local.Run
	require.NoError(t, json.Unmarshal(text, &run))
	sh := Shell{Getenv: func(string) string { return "" }, Out: out, Errs: errs, Config: t.TempDir()}
	require.Zero(t, Main([]string{"developer", "ada@addon.example", "--json", "--url", run.BaseURL, "--token",
		run.OperatorToken}, sh), errs)
	var developer struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(out.String()), &developer))
	for token, whose := range map[string]string{run.Demo.Token: "your access", run.OperatorToken: "the operator",
		developer.Token: "a developer"} {
		sh.In = strings.NewReader(token + "\n")
		require.Zero(t, Main([]string{"login", "--url", run.BaseURL + "/", "--profile", "live"}, sh), errs)
		require.Contains(t, out.String(), "the token of "+whose+" at "+run.BaseURL+" from the profile live.")
		require.NotContains(t, strings.TrimPrefix(out.String()+errs.String(), `{"id"`), token+" ", "it is not shown")
	}
	kept, err := os.Stat(filepath.Join(sh.Config, profilesFile))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, kept.Mode().Perm())

	for path, has := range map[string]string{"/api-engine/status": `"version"`, "/operator/shops": `"domain"`,
		"/developer/packages?itemsPerPage=1": `"items"`} {
		before := len(out.String())
		require.Zero(t, Main([]string{"get", path, "--profile", "live"}, sh), errs)
		require.Contains(t, out.String(), has)
		require.True(t, json.Valid([]byte(out.String()[before:])), "over several lines, too: %s", out)
	}
	sh.In = strings.NewReader(`{"type":"orders","format":"jsonl"}`)
	require.Zero(t, Main([]string{"post", "/api-engine/exports", "--data", "-", "--profile", "live"}, sh), errs)
	require.Contains(t, out.String(), `"format": "jsonl"`)
	require.Zero(t, Main([]string{"patch", "/api-engine/package", "--data", `{"setup":"done"}`, "--profile", "live"},
		sh), errs)
	require.Contains(t, out.String(), `"setup": "done"`)
	require.Equal(t, 1, Main([]string{"delete", "/api-engine/products/none", "--profile", "live"}, sh))
	require.Contains(t, errs.String(), "404 not_found")
	require.Equal(t, 1, Main([]string{"get", "/api-engine/nothing", "--profile", "live"}, sh), "a refusal is an error")
	require.Contains(t, out.String(), `"code": "not_found"`)
	require.Equal(t, 1, Main([]string{"get", "/api-engine/status", "--profile", "live", "--url", "http://127.0.0.1:1"},
		sh))
	require.Contains(t, errs.String(), "http://127.0.0.1:1 needs a token", "a profile's token is that platform's alone")

	for variable, whose := range whose {
		path := map[string]string{ofAccess: "/api-engine/status", ofDeveloper: "/developer/shops",
			ofOperator: "/operator/shops"}[variable]
		require.Equal(t, 1, Main([]string{"get", path, "--profile", "live", "--token", "over"}, sh))
		require.Contains(t, errs.String(), "set "+variable+" to a valid token of "+whose+
			", or run eshop login --profile live: 401 unauthenticated: ")
	}

	sh.In = strings.NewReader("esk_nobody\n")
	require.Equal(t, 1, Main([]string{"login", "--profile", "live"}, sh))
	require.Contains(t, errs.String(), "nobody has this token at "+run.BaseURL)
	require.Zero(t, Main([]string{"logout", "--profile", "live"}, sh), errs)
	require.Equal(t, 1, Main([]string{"get", "/operator/shops", "--profile", "live"}, sh))
	require.Contains(t, errs.String(), "there is no profile live")
}

// TestAReceiverCanHaveTheKeyBeforeListenBegins: it is the next run's, too.
func TestAReceiverCanHaveTheKeyBeforeListenBegins(t *testing.T) {
	sh, out, _ := running(t)
	sh.Config = t.TempDir()
	require.Zero(t, Main([]string{"listen", "--print-key"}, sh))
	key := strings.TrimSpace(out.String())
	require.Regexp(t, `^whsec_.{44}$`, key)
	follows(t, sh, "listen", "--to", "http://127.0.0.1:1", "--events", "productDelete,orderChange")
	eventually(t, out, "Following(?s:.*)The signing key: "+strings.ReplaceAll(key, "+", `\+`))
	require.Zero(t, Main([]string{"trigger", "orderChange"}, sh))
	posted := eventually(t, out, "productDelete [0-9A-Z]{26} connection refused")
	require.NotRegexp(t, "productCreate [0-9A-Z]{26}", posted)
}
