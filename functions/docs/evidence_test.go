package docs_test

import (
	"encoding/json"
	"os"
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
	require.Contains(t, get(t, "GET", "/docs/reliability").Body.String(), e.Commit[:12])
	wholeHistory(t)
	trees, err := git("log", "--format=%T")
	require.NoError(t, err)
	require.Contains(t, strings.Fields(trees), e.Tree, "run make evidence")
}
