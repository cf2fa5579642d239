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

// TestTheRuntimeTakesItsEdits is red when a new version of Go has another runtime: then its edits want a second look.
func TestTheRuntimeTakesItsEdits(t *testing.T) {
	dir := t.TempDir()
	path, err := writeOverlay(dir)
	require.NoError(t, err)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(b, &overlay))
	require.NotEmpty(t, overlay.Replace)
	for real, edited := range overlay.Replace {
		require.Equal(t, filepath.Join(dir, filepath.Base(real)+".edited"), edited)
		before, err := os.ReadFile(real)
		require.NoError(t, err)
		after, err := os.ReadFile(edited)
		require.NoError(t, err)
		require.NotEqual(t, string(before), string(after))
		_, err = parser.ParseFile(token.NewFileSet(), edited, after, parser.SkipObjectResolution)
		require.NoError(t, err)
	}
}
