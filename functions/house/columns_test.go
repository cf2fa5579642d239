package house_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// columns is how wide a line of Go may be, so that two files can be read beside each other. A tab is four of them.
const columns, tab = 120, "    "

// TestALineIsNoWiderThanAReadersWindow holds all Go of the project to its columns. Raw strings are left out, and so are
// the tags of a field: neither can be wrapped.
func TestALineIsNoWiderThanAReadersWindow(t *testing.T) {
	root := os.DirFS("../..")
	require.NoError(t, fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || file != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, ".go") {
			return err
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		raw := rawLines(source)
		for n, line := range strings.Split(string(source), "\n") {
			if w := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", tab)); w > columns && !raw[n+1] {
				t.Errorf("%s:%d: a line of %d columns; %d are the most", file, n+1, w, columns)
			}
		}
		return nil
	}))
}

// rawLines are the numbers of the lines on which a raw string lies.
func rawLines(source []byte) map[int]bool {
	lines := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.STRING && text[0] == '`' {
			for n := range strings.Count(text, "\n") + 1 {
				lines[file.Line(pos)+n] = true
			}
		}
	}
}
