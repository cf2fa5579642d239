package house_test

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
	"shared/sale save":           true,
	"shared/webhook BeginReplay": true,
	"shared/webhook Change":      true,
	"shared/webhook EnterState":  true,
	"shared/webhook Redeliver":   true,
	"shared/webhook Register":    true,
}

// product are the files of what runs: events, shared and functions, without tests; by their folders.
func product(t *testing.T) map[string][]*ast.File {
	files := map[string][]*ast.File{}
	for _, root := range []string{"events", "shared", "functions"} {
		require.NoError(t, fs.WalkDir(os.DirFS("../.."), root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", file), nil, 0)
			files[filepath.Dir(file)] = append(files[filepath.Dir(file)], f)
			return err
		}))
	}
	return files
}

// TestAFunctionTakesFewParameters holds all that runs to them.
func TestAFunctionTakesFewParameters(t *testing.T) {
	found := map[string]bool{}
	for folder, files := range product(t) {
		for _, f := range files {
			for _, d := range f.Decls {
				if fn, is := d.(*ast.FuncDecl); is && fn.Type.Params.NumFields() > parameters {
					found[folder+" "+fn.Name.Name] = true
				}
			}
		}
	}
	require.Equal(t, manyParameters, found, "a function has at most %d parameters", parameters)
}

// TestNoCallSaysTrueOrFalse: who reads f(x, true) does not learn what is true, and f is two functions in one. A
// parameter may be a truth that its caller knows (production, a row's own flag); what a caller decides has a name: two
// functions, a type with constants, or a field. Functions are compared by their names, without types.
func TestNoCallSaysTrueOrFalse(t *testing.T) {
	files, takes, found := product(t), map[string]map[int]string{}, map[string]bool{}
	for folder, files := range files {
		for _, f := range files {
			for _, d := range f.Decls {
				if fn, is := d.(*ast.FuncDecl); is {
					for _, at := range booleans(fn) {
						if takes[fn.Name.Name] == nil {
							takes[fn.Name.Name] = map[int]string{}
						}
						takes[fn.Name.Name][at] = folder + " " + fn.Name.Name
					}
				}
			}
		}
	}
	require.Greater(t, len(takes), 20)
	for _, files := range files {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if call, is := n.(*ast.CallExpr); is {
					for at, arg := range call.Args {
						id, named := arg.(*ast.Ident)
						fn, ours := takes[called(call)][at]
						if ours && named && (id.Name == "true" || id.Name == "false") {
							found[fn] = true
						}
					}
				}
				return true
			})
		}
	}
	require.Empty(t, found)
}

// booleans are the places of a function's parameters that are true or false.
func booleans(fn *ast.FuncDecl) (places []int) {
	at := 0
	for _, field := range fn.Type.Params.List {
		id, named := field.Type.(*ast.Ident)
		for range max(1, len(field.Names)) {
			if named && id.Name == "bool" {
				places = append(places, at)
			}
			at++
		}
	}
	return places
}

// called is the name of the function or method that is called; "" of one without a name.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
