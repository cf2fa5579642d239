package releases

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kind is a text that keys of rows are made of, and where the code has it.
type kind struct{ text, at string }

// keyText is what a literal text in the code looks like that begins, ends or joins keys: "S#", "#HOOKS", "#=AE#".
var keyText = regexp.MustCompile(`^#?(=?[A-Z]+#)+(=?[A-Z]+)?$|^#=?[A-Z]+$`)

// written is where rows are written: the nouns, the frame, and the one process with its demo.
var written = []string{"../../../shared", "../../../functions", "../../local"}

// apart are folders of those in which no keys of the platform's rows are made.
var apart = regexp.MustCompile(`/shared/ports/store/(bolt|dynamo|storetest)$|/testdata$|test$|/shared/host/lambda$`)

// kinds are all such texts, and those that a key consists of.
func kinds(t testing.TB) (all []kind) {
	t.Helper()
	found := map[string]bool{}
	add := func(files *token.FileSet, lit *ast.BasicLit, ends string) {
		if text := ends + textOf(lit) + ends; text != ends+ends && !found[text] {
			found[text] = true
			at := files.Position(lit.Pos())
			all = append(all, kind{text, at.Filename + ":" + strconv.Itoa(at.Line)})
		}
	}
	for _, root := range written {
		require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && apart.MatchString(filepath.ToSlash(path)):
				return fs.SkipDir
			case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, is := n.(*ast.BasicLit); is && keyText.MatchString(textOf(lit)) {
					add(files, lit, "")
				}
				for _, lit := range keyed(n) {
					add(files, lit, "#")
				}
				return true
			})
			return nil
		}))
	}
	return all
}

// textOf is the text of a literal; "" of another one.
func textOf(lit *ast.BasicLit) string {
	text, err := strconv.Unquote(lit.Value)
	if err != nil || lit.Kind != token.STRING {
		return ""
	}
	return text
}

// keyed are the literals that stand in a key: store.Key{PK: …, SK: "A"}.
func keyed(n ast.Node) (all []*ast.BasicLit) {
	c, is := n.(*ast.CompositeLit)
	if !is {
		return nil
	}
	if s, is := c.Type.(*ast.SelectorExpr); !is || s.Sel.Name != "Key" {
		return nil
	}
	for _, e := range c.Elts {
		if kv, is := e.(*ast.KeyValueExpr); is {
			if lit, is := kv.Value.(*ast.BasicLit); is {
				all = append(all, lit)
			}
		}
	}
	return all
}

// unwritten are texts that no row has in its keys, and why.
var unwritten = map[string]string{"#WARM#": "it is there for a minute after writes were refused"}

// only are texts of rows that one host alone writes: who is alone keeps the newest time of its feed.
var only = map[string]string{"#FEED#": inOneProcess, "#DEMO#": ofDemo}
