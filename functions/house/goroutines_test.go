package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tools are folders of what runs in tests, measurements and builds only: a panic there ends what asked for it.
var tools = []string{"shared/*/*test", "shared/*/*/*test", "infra/aws/...", "infra/bench", "infra/journeys/...",
	"infra/proof/...", "infra/stack/build/...", "infra/stack"}

// starters are what makes a goroutine, beside the statement itself, by the package and its name.
var starters = map[string][]string{
	"sync":                        {"WaitGroup"},
	"time":                        {"AfterFunc"},
	"context":                     {"AfterFunc"},
	"golang.org/x/sync/errgroup":  nil, // all of it
	"github.com/sourcegraph/conc": nil,
}

// unguarded are the places, by folder and what starts a goroutine there, that need no guard, each with its reason.
var unguarded = map[string]string{
	"functions/delivery context.AfterFunc": "it waits and ends a context: nothing of it can panic",
	"infra/eshop/cli context.AfterFunc":    "it writes a line and starts a timer: nothing of it can panic",
}

// TestEveryGoroutineIsGuarded holds what runs against its code: a goroutine is started by shared/base/guard, or here is
// why not.
func TestEveryGoroutineIsGuarded(t *testing.T) {
	used := map[string]bool{}
	root := os.DirFS("../..")
	require.NoError(t, fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		hidden := len(file) > 1 && strings.HasPrefix(path.Base(file), ".")
		if err == nil && d.IsDir() && (hidden || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		folder := path.Dir(file)
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			folder == "shared/base/guard" || matches(tools, folder) {
			return err
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		for _, found := range startsIn(t, file, source) {
			at := folder + " " + found
			if used[at] = true; unguarded[at] == "" {
				t.Errorf("%s: %s: what starts a goroutine does so by shared/base/guard, so that a panic ends nothing "+
					"else", file, found)
			}
		}
		return nil
	}))
	for at := range unguarded {
		require.True(t, used[at], "nothing is unguarded at %s any more", at)
	}
}

// startsIn is what in the file starts goroutines.
func startsIn(t *testing.T, name string, source []byte) (found []string) {
	f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	imported := map[string]string{}
	for _, i := range f.Imports {
		from := strings.Trim(i.Path.Value, `"`)
		if i.Name != nil {
			imported[i.Name.Name] = from
		} else {
			imported[path.Base(from)] = from
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "go")
		case *ast.SelectorExpr:
			of, is := n.X.(*ast.Ident)
			if !is {
				break
			}
			names, starts := starters[imported[of.Name]]
			if starts && (names == nil || matches(names, n.Sel.Name)) {
				found = append(found, path.Base(imported[of.Name])+"."+n.Sel.Name)
			}
		}
		return true
	})
	return found
}

func TestWhatStartsAGoroutineIsSeen(t *testing.T) {
	for want, code := range map[string]string{
		"go":                `package p; func f() { go f() }`,
		"sync.WaitGroup":    `package p; import "sync"; type t struct { running sync.WaitGroup }`,
		"time.AfterFunc":    `package p; import clock "time"; var _ = clock.AfterFunc(0, nil)`,
		"context.AfterFunc": `package p; import "context"; func f() { end := context.AfterFunc; end(nil, nil) }`,
		"errgroup.Group":    `package p; import "golang.org/x/sync/errgroup"; var g errgroup.Group`,
		"":                  `package p; import "sync"; var mu sync.Mutex; func f(t time) { t.Go() }`,
	} {
		require.Equal(t, want, strings.Join(startsIn(t, "p.go", []byte(code)), " "))
	}
}
