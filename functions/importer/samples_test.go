package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/job/imports"
)

// The samples of the admin, in each language, are brought in without a fault.
func TestTheSamplesAreBroughtIn(t *testing.T) {
	files, err := filepath.Glob("../admin/static/samples/*.csv")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		kind, _, _ := strings.Cut(filepath.Base(file), ".")
		r := newWorld(t).imported(imports.Type(kind), imports.CSV, string(text))
		require.Equal(t, "done: 2 read, 2 changed, 0 unchanged, 0 failed", r.counts(), "%s %v", file, r.errors)
	}
}
