package functions_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parameters is how many parameters a function of the product has at most.
const parameters = 5

// manyParameters are the functions that still have more. One that no longer has leaves this list; none joins it.
var manyParameters = map[string]bool{
	"events AppendHead":          true,
	"functions/admin listed":     true,
	"functions/admin stockRow":   true,
	"shared/sale save":           true,
	"shared/sale writeOrder":     true,
	"shared/webhook BeginReplay": true,
	"shared/webhook Change":      true,
	"shared/webhook EnterState":  true,
	"shared/webhook Redeliver":   true,
	"shared/webhook Register":    true,
}

// TestAFunctionTakesFewParameters holds what runs to them: events, shared and functions, without tests.
func TestAFunctionTakesFewParameters(t *testing.T) {
	found := map[string]bool{}
	for _, root := range []string{"events", "shared", "functions"} {
		require.NoError(t, fs.WalkDir(os.DirFS(".."), root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, 0)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				if fn, is := d.(*ast.FuncDecl); is && fn.Type.Params.NumFields() > parameters {
					found[filepath.Dir(file)+" "+fn.Name.Name] = true
				}
			}
			return nil
		}))
	}
	require.Equal(t, manyParameters, found, "a function has at most %d parameters", parameters)
}
