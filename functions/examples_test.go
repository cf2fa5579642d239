package functions_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frames are the packages below shared that need no Example, each with what is read in its place.
var frames = map[string]string{
	"api":        "functions/customers, the door to copy",
	"host":       "functions/functions.go, THE list",
	"lambdahost": "a function's lambda/main.go, of one line",
	"inflight":   "its package comment: one machine uses it",
	"pending":    "its package comment: batches of products use it",
	"awsconf":    "the implementations on AWS, which it configures",
}

// TestGoDocTeaches: each noun and tool of the house shows by an Example, which go test runs and checks, what a newcomer
// wants to do with it.
func TestGoDocTeaches(t *testing.T) {
	folders, err := os.ReadDir("../shared")
	require.NoError(t, err)
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		checked := hasCheckedExample(t, filepath.Join("../shared", folder.Name()))
		_, frame := frames[folder.Name()]
		require.NotEqual(t, frame, checked,
			"shared/%s needs an Example with an Output, or a place among this test's frames", folder.Name())
	}
}

// hasCheckedExample says whether a folder's tests have an Example whose output is compared.
func hasCheckedExample(t *testing.T, folder string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is || !strings.HasPrefix(fn.Name.Name, "Example") {
				continue
			}
			for _, c := range f.Comments {
				if c.Pos() > fn.Pos() && c.End() < fn.End() && strings.HasPrefix(c.Text(), "Output:") {
					return true
				}
			}
		}
		return false
	})
}
