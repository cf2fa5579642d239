package bolt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// copied is the file as a crash at this moment would leave it. No write may be under way.
func copied(t *testing.T, path string) string {
	bytes, err := os.ReadFile(path)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(other, bytes, 0o600))
	return other
}
