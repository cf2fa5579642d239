package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheRuntimeTakesItsEdits is red when a version of Go lacks a part that is edited. Whether the edits are enough is
// tried by make simulate TIMES=2.
func TestTheRuntimeTakesItsEdits(t *testing.T) {
	dir := t.TempDir()
	path, err := writeOverlay(dir)
	require.NoError(t, err)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(b, &overlay))
	require.NotEmpty(t, overlay.Replace)
	for original, edited := range overlay.Replace {
		require.Equal(t, filepath.Join(dir, filepath.Base(original)+".edited"), edited)
		before, err := os.ReadFile(original)
		require.NoError(t, err)
		after, err := os.ReadFile(edited)
		require.NoError(t, err)
		require.NotEqual(t, string(before), string(after))
		_, err = parser.ParseFile(token.NewFileSet(), edited, after, parser.SkipObjectResolution)
		require.NoError(t, err)
	}
}
