package docs

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheEvidenceIsOfACommitOfThisHistory: by what the commit holds, since its message may be changed. A copy that has
// a part of the history cannot tell.
func TestTheEvidenceIsOfACommitOfThisHistory(t *testing.T) {
	text, err := os.ReadFile("evidence.json")
	require.NoError(t, err)
	var e Evidence
	require.NoError(t, json.Unmarshal(text, &e))
	require.Contains(t, evidence(), e.Commit[:12])
	wholeHistory(t)
	trees, err := git("log", "--format=%T")
	require.NoError(t, err)
	require.Contains(t, strings.Fields(trees), e.Tree, "run make evidence")
}
