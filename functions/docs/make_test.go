package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a guide or README tells its reader to make is a target of the Makefile that has commands.
func TestWhatReadersAreToldToMakeCanBeMade(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	guides, err := filepath.Glob("*.md")
	require.NoError(t, err)
	told := map[string]bool{}
	for _, name := range append(guides, "../../README.md", "../../shared/CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, call := range regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)").FindAllStringSubmatch(string(text), -1) {
			told[call[1]] = true
		}
	}
	require.True(t, told["run"] && told["test"] && told["fuzz"])
	for target := range told {
		require.Regexp(t, `(?m)^`+target+`:.*\n\t`, string(makefile))
	}
}
