package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheChartOfKeysHasThemAll holds the chart in shared/README.md against the items.go of all packages: each word of a
// key that stands there is in the chart, so that a reader finds every record.
func TestTheChartOfKeysHasThemAll(t *testing.T) {
	chart, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	words := regexp.MustCompile(`"#?([A-Z]{2,}|[A-Z]#)#?"`)
	files := 0
	for _, root := range []string{"../..", "../../../functions"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Base(path) != "items.go" {
				return err
			}
			files++
			source, err := os.ReadFile(path)
			for _, found := range words.FindAllStringSubmatch(string(source), -1) {
				assert.Regexp(t, `\b`+regexp.QuoteMeta(found[1]), string(chart), "%s: %s", path, found[0])
			}
			return err
		}))
	}
	require.Greater(t, files, 10)
}
