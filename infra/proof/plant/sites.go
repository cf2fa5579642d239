package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// site is a place at which a fault can be planted: the bytes of a file from begin to end become others.
type site struct {
	file       string // from the root
	line       int
	begin, end int
	to         string
	what       string // in words
}

// edit is the file's text with the fault.
func (s site) edit(text []byte) []byte {
	return slices.Concat(text[:s.begin], []byte(s.to), text[s.end:])
}

// otherwise is what is planted for an operator.
var otherwise = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&",
}

// skipped are folders without source of ours.
var skipped = []string{"node_modules", "testdata"}

// sitesBelow are those of all files of Go in these folders that are no tests and no helpers of tests.
func sitesBelow(root string, folders ...string) (all []site, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (slices.Contains(skipped, d.Name()) || strings.HasSuffix(d.Name(), "test")) {
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			if is, err := build.Default.MatchFile(filepath.Split(path)); !is { // it is not built here
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			sites, err := sitesIn(file, text)
			all = append(all, sites...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sitesIn are those of one file.
func sitesIn(file string, text []byte) (all []site, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(from, to token.Pos, becomes, what string) {
		begin, end := files.Position(from), files.Position(to)
		all = append(all, site{file, begin.Line, begin.Offset, end.Offset, becomes, what})
	}
	source := func(n ast.Node) string {
		return string(text[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if c, is := n.Cond.(*ast.BinaryExpr); is && (c.Op == token.EQL || c.Op == token.NEQ) {
				break // the other operator is planted
			}
			add(n.Cond.Pos(), n.Cond.End(), "!("+source(n.Cond)+")", "negated: "+short(source(n.Cond)))
		case *ast.BinaryExpr:
			if to, is := otherwise[n.Op]; is {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to,
					fmt.Sprintf("%s for %s: %s", to, n.Op, short(source(n))))
			}
		case *ast.ExprStmt:
			add(n.Pos(), n.End(), "", "dropped: "+short(source(n)))
		}
		return true
	})
	return all, nil
}

// short is source in one line.
func short(source string) string {
	line, _, more := strings.Cut(source, "\n")
	if more {
		line += " …"
	}
	return string(bytes.TrimSpace([]byte(line)))
}
