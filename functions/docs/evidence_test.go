package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/docs"
)

// TestTheEvidenceIsOfACommitOfThisHistory: by what the commit holds, since its message may be changed. A copy that has
// a part of the history cannot tell.
func TestTheEvidenceIsOfACommitOfThisHistory(t *testing.T) {
	text, err := os.ReadFile("evidence.json")
	require.NoError(t, err)
	var e docs.Evidence
	require.NoError(t, json.Unmarshal(text, &e))
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), tool(t, "git"), args...).Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	if git("rev-parse", "--is-shallow-repository") == "true" {
		t.Skip("this copy has a part of the history only")
	}
	require.Contains(t, strings.Fields(git("log", "--format=%T")), e.Tree, "run make evidence")
	require.Contains(t, get(t, "GET", "/docs/reliability").Body.String(), e.Commit[:12])
}
